"""Proof: the evidence of an erasure, its certificate, and who has to be told."""
