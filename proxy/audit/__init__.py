"""The audit log: content-free entries in a Merkle tree, signed, provable offline (RFC 6962, C2SP)."""
