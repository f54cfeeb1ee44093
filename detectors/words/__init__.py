"""Word lists, and how words are compared. Nothing here looks at a text's meaning."""


def word_set(words: str) -> frozenset[str]:
    """The words of a text that has spaces between them."""
    return frozenset(words.split())
