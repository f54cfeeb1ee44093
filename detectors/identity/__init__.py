"""When two mentions are the same one: names, numbers, keys, and windows of a text."""
