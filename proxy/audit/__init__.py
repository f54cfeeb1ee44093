"""The audit log: content-free entries in a signed Merkle tree, provable offline."""
