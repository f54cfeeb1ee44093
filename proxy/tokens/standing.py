"""Whether one word of a name stands for its bearer, or is part of somebody else's longer name."""

import re

from detectors.folding import INVISIBLE, MARKS, fold
from detectors.identity import HONORIFICS
from detectors.namelists import is_name, is_ordinary
from proxy.tokens.specificity import EVERYDAY, begins_sentence

LETTERS = f"[^\\W\\d_](?:[^\\W\\d_]|[{MARKS}{INVISIBLE}])*"
BEFORE = re.compile(f"({LETTERS})(?:[ \\t\\u00a0]{{1,2}}|[-‐‑_]|\\. ?)$")
AFTER = re.compile(f"(?:[ \\t\\u00a0]{{1,2}}|[-‐‑_]|\\.(?=\\w))({LETTERS})")
PARTICLES = frozenset(
    {"de", "del", "della", "di", "da", "do", "dos", "du", "der", "den", "van", "von", "zu", "zum",
     "zur", "la", "le", "los", "al", "ul", "bin", "ibn", "binti", "bint", "ben", "bat", "ter",
     "ten", "af", "av"}
)  # fmt: skip
MODALS = frozenset({"will", "may"})
CALENDAR = frozenset(
    {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
     "february", "july", "september", "october", "november", "december"}
)  # fmt: skip
REACH = 60


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the word at [start, end) is not beside another word of a name.

    ``Alva Smith``, ``Tom Brenn``, ``Alva-Maria`` and ``Alva van Dijk`` are other people;
    ``Met Alva``, ``Aunt Alva`` and ``Alva, Tom`` are not.
    """
    return not (_named_before(text, start) or _named_after(text, start, end))


def _named_before(text: str, start: int) -> bool:
    match = BEFORE.search(text, max(0, start - REACH), start)
    if match is None:
        return False
    word = match[1]
    if match[0].rstrip().endswith("."):
        return len(word) == 1 and word.isupper()
    if _tight(match[0]):
        return is_name(fold(word))
    if begins_sentence(text, match.start()):
        return _is_name(word, known=True) and fold(word) not in MODALS
    return _is_name(word, known=False)


def _named_after(text: str, start: int, end: int) -> bool:
    if text[end - 2 : end - 1] in ("'", "’"):
        return False  # "Alva's Ford" is hers
    match = AFTER.match(text, end, end + REACH)
    while match is not None and fold(match[1]) in PARTICLES and match[1].islower():
        match = AFTER.match(text, match.end(), match.end() + REACH)
        if match is not None and not match[1][:1].isupper():
            return False
    if match is None:
        return False
    word = match[1]
    if _tight(text[end : match.start(1)]) and is_name(fold(word)):
        return True
    if len(word) == 1:
        return word.isupper() and text[match.end() : match.end() + 1] == "."
    return _is_name(word, known=text[start:end].isupper())


def _tight(joint: str) -> bool:
    return not joint[-1:].isspace()


def _is_name(word: str, *, known: bool) -> bool:
    """Whether a word beside a name is one too; ``known``: only if it is known to be."""
    folded = fold(word)
    if folded in HONORIFICS or folded in CALENDAR or folded in EVERYDAY:
        return False
    if word.islower():
        return is_name(folded) and not is_ordinary(folded)
    return is_name(folded) or not (known or is_ordinary(folded))
