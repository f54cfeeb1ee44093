"""The demo: one long conversation, one person forgotten, beside a bare Mem0."""
