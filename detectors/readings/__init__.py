"""A text as it reads without its disguise, every character tied to the original."""
