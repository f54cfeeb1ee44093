"""Who in a text is a person: a name model, and rules for words that are names too."""
