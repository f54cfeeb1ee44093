"""Which names are specific enough to be looked for everywhere, and which are common words."""

import re
from importlib.resources import files

from detectors.words.folding import fold
from detectors.words.titles import HONORIFICS

TITLE = re.compile(r"(?<!\w)([^\W\d_]+)\.$")
LONGEST_TITLE = 12
LEAST_DIGITS = 6
LEAST_LETTERS = 3


def _read(section: int) -> frozenset[str]:
    text = files("proxy.tokens.mentions").joinpath("common_words.txt").read_text()
    lines = text.split("\n\n")[section].splitlines()
    return frozenset(word for line in lines if line[:1] != "#" for word in line.split())


NAME_WORDS, EVERYDAY = _read(0), _read(1)


def is_common(word: str) -> bool:
    """Whether a folded word is an ordinary word as well as a name."""
    return word in NAME_WORDS or word in EVERYDAY


def is_specific(canonical: str, *, tenant_wide: bool) -> bool:
    """Whether a canonical form may be blocked: not empty, too short, or an everyday word.

    For a whole tenant, single words that are names as well ("Will") are refused too.
    """
    compact = "".join(char for char in canonical if char.isalnum())
    if compact.isdecimal():
        return len(compact) >= LEAST_DIGITS
    if compact.isascii() and len(compact) < LEAST_LETTERS:
        return False
    return len(compact) > 1 and not _is_ordinary(canonical.split(), tenant_wide=tenant_wide)


def _is_ordinary(words: list[str], *, tenant_wide: bool) -> bool:
    """``Mark Brown`` is a name though both are words; ``the will`` and ``will`` are none."""
    if len(words) == 1:
        return words[0] in EVERYDAY or (tenant_wide and words[0] in NAME_WORDS)
    return all(map(is_common, words)) and not NAME_WORDS.issuperset(words)


def stands_as_name(text: str, start: int, word: str) -> bool:
    """Whether a single known word, found in a text, is used as a name there.

    ``Will`` may be one, ``will`` is none; ``Will`` at the beginning of a sentence says nothing.
    """
    if not word.replace("'", "").replace("’", "").isalpha() or word.lower() == word.upper():
        return True
    if not any(char.isupper() for char in word):
        return False
    return not (is_common(word.casefold()) and begins_sentence(text, start))


def begins_sentence(text: str, start: int) -> bool:
    """Whether nothing but signs stands before a word in its sentence; ``Ms.`` ends none."""
    before = text[:start].rstrip(" \t\"'“‘(*-–")
    if not before:
        return True
    title = TITLE.search(before, max(0, len(before) - LONGEST_TITLE))
    return before[-1] in ".!?:\n…" and not (title and fold(title[1]) in HONORIFICS)
