"""Whether a name in a text means its bearer, or a word, a place, a thing, somebody else."""
