"""The real Mem0 library served on loopback in both of Mem0's dialects; no network, no key."""
