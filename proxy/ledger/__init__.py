"""The ledger: the only package that speaks SQL. It holds no content, names or raw identifiers."""
