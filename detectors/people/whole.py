"""Whole names of words that are names too: ``Julia Winter``, ``Max Winter``, ``Dawn May``.

Each word alone is a program, a month or a season more often than somebody; a first and a family
name beside each other, both with capitals, are somebody.
"""

import re
from collections.abc import Iterator

import re2

from detectors.people.before import OPENS_OR_NAMES, is_first_name
from detectors.people.turned import is_first
from detectors.words.calendar import MONTHS
from detectors.words.folding import fold
from detectors.words.namelists import (
    is_name,
    is_ordinary,
    names_by_use,
    never_names,
    product_names,
    stop_words,
    word_names,
)

FIRST = frozenset({"april", "ash", "august", "cassandra", "julia", "ruby"})
NOBODYS = frozenset({"alexa", "apple", "siri", "mac", "slack", "jaguar", "easter", "monday"})
_PART = r"[^\W\d_a-z][^\W\d_]{1,24}"
_LAST = "|".join(sorted((names_by_use() - NOBODYS) | MONTHS & {"may", "june"} | {"summer"}))
_EITHER = "|".join(sorted({*_LAST.split("|"), *FIRST}))
_TRIGGER = re2.compile(rf"(?i)\b(?:{_EITHER})\b")
_AHEAD = r"(?![\w@/\\(]|[.-]\w| v?\d|(?: of)? \d{4})"
# Two words of which one is a word that is a name too; the second begins another pair as well.
_PAIR = re.compile(
    rf"(?<![\w@#$./\\'’-])(?=[^\W\d_a-z])(?=(?i:(?:{_EITHER})\b)|\S+\s(?i:(?:{_LAST})\b))"
    rf"(?P<first>{_PART})(?P<gap> |\n)(?=(?P<last>{_PART}){_AHEAD})"
)
_TURNED = re.compile(
    rf"^(?P<last>(?i:{_LAST})), (?P<first>{_PART})(?=\s*$|\s[(<]|;)"
    rf"|^(?P<initial>[^\W\d_a-z])\. (?P<family>(?i:{_LAST}))(?=\s*$|\s[(<]|;)",
    re.MULTILINE,
)


def whole(text: str) -> Iterator[tuple[int, int]]:
    """Spans of first and family name, at least one of which is a word of other meaning."""
    if not _TRIGGER.search(text):
        return
    for match in _PAIR.finditer(text):
        start, end = match.start(), match.end("last")
        alone = text.strip() == text[start:end]
        if (match["gap"] == " " or alone) and _is_whole(text, match, alone=alone):
            yield start, end
    for match in _TURNED.finditer(text):
        if match["family"] or _is_first(fold(match["first"])):
            yield match.span()


def _is_whole(text: str, match: re.Match[str], *, alone: bool) -> bool:
    first, last = fold(match["first"]), fold(match["last"])
    if {first, last} <= MONTHS:
        return False
    if not _is_last(last, behind=first):
        return False
    if _is_first(first):
        return True
    if first not in word_names() or first in MONTHS:
        return False
    if alone or first not in OPENS_OR_NAMES:
        return True
    return is_first_name(text, *match.span("first"), match.start("last"))


def _is_first(folded: str) -> bool:
    return folded in FIRST or is_first(folded)


def _is_last(folded: str, *, behind: str) -> bool:
    """Whether a word may be a family name; only behind some first names any other."""
    if re.fullmatch(_LAST, folded):
        return True
    plain = is_ordinary(folded) or folded in never_names() | stop_words() | product_names()
    return behind in FIRST and is_name(folded) and not plain
