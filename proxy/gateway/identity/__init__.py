"""Identity: which tenant a caller stands for, and how that is known."""
