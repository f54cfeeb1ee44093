"""Requests: recorded at receipt, confirmed, extended, refused; with the dates the law sets."""
