"""Expunge: the service. Only app.py builds things; each package knows as little as it can."""
