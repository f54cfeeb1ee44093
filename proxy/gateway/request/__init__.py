"""A request before it is sent: its route, its owners, its strings, and what the policy says."""
