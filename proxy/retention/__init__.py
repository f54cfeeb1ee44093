"""Retention: what has outlived its period, and how it leaves."""
