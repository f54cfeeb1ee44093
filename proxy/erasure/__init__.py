"""Erasure: find, plan, confirm, delete, verify, certify."""
