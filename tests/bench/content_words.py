"""The words of a text that carry meaning, for the benches that compare texts roughly."""

import re

from proxy.erasure.texts.words import STOP_WORDS

WORD = re.compile(r"\w+", re.UNICODE)


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, case-folded."""
    return frozenset(
        word for match in WORD.finditer(text) if (word := match[0].casefold()) not in STOP_WORDS
    )
