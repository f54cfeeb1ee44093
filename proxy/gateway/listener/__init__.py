"""Listeners of the data plane: bytes to calls, answers back to bytes; two of them, one contract."""
