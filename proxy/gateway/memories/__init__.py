"""Memories as they pass: read, written, adopted, deleted; and what the ledger keeps of them."""
