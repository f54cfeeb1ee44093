"""Expunge: the service. Only app.py builds things; the packages below know as little as they can."""
