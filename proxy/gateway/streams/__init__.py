"""Answers that come as streams."""
