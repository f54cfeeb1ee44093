"""What a stored text says: of whom, in which words, and what is left of it without them."""
