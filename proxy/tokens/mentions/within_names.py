"""Places and firms within somebody's name: ``Paris Hilton``, ``Werner Siemens``, ``Mr. Jordan``."""

import re

from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_name, is_ordinary, rarely_words
from detectors.words.titles import HONORIFICS
from proxy.tokens.mentions.named_after import is_called_after
from proxy.tokens.mentions.usage import CALENDAR, REACH, TOWNS, acts

_BEFORE = re.compile(r"(?<![\w’'-])([^\W\d_]+)(?:[ \t\u00a0]{1,2}|(\.) ?)$")
_AFTER = re.compile(r"[ \t\u00a0]{1,2}([^\W\d_][\w’'-]*)")
_DID = re.compile(r" (?!is|was|has)[a-z]{2,}(?:s|ed)(?!\w)")
_IRISH = re.compile(r"(?:O['’]|Mc|Mac)[A-Z]")
_WHERE = re.compile(
    r"(?<![\w’'-])(?:in|to|near|from|at|through|around|across|outside|via|visit(?:s|ed|ing)?|left|"
    r"leaving|nach|aus|en|à|a|em|di|da|naar) $",
    re.IGNORECASE,
)


def is_within_a_name(text: str, start: int, end: int) -> bool | None:
    """Whether the word at [start, end) is part of what a person is called; None: it may be.

    ``Florence Nightingale`` is no place, ``Florence Cathedral`` none's name, and in ``In Paris
    Anna met Bob`` the place ends before her.
    """
    word = text[start:end]
    if not (word.isalpha() and word[0].isupper()):
        return False
    if is_called_after(text, start, end):
        return False
    if _follows_a_name(text, start):
        return True
    return _begins_a_name(text, start, end)


def _follows_a_name(text: str, start: int) -> bool:
    before = _BEFORE.search(text, max(0, start - REACH), start)
    if before is None:
        return False
    folded = fold(before[1])
    if folded in HONORIFICS:
        return True
    if before[2] is not None:
        return False
    if not before[1][0].isupper() or folded in TOWNS or folded in CALENDAR:
        return False
    return is_given_name(folded) and (not is_ordinary(folded) or folded in rarely_words())


def _begins_a_name(text: str, start: int, end: int) -> bool | None:
    after = _AFTER.match(text, end)
    if after is None or not after[1][0].isupper():
        return False
    folded, given = fold(after[1]), is_given_name(fold(text[start:end]))
    if folded in TOWNS or folded in CALENDAR or after[1].isupper():
        return False
    if _WHERE.search(text, max(0, start - REACH), start):
        return False
    named = (is_name(folded) or _IRISH.match(after[1])) and not is_ordinary(folded)
    if named:
        return True if given else None
    towns = given or fold(text[start:end]) in TOWNS
    return None if towns and _acts(text, after.end()) else False


def _acts(text: str, end: int) -> bool:
    return acts(text[end : end + REACH]) or _DID.match(text, end) is not None
