"""What is called like somebody by long use: breeds, songs, books, feasts, makers of cars.

The list is made by ``detectors/training/things.py``; see there what stands in it.
"""

import gzip
from dataclasses import dataclass
from functools import cache
from typing import Any

import ahocorasick_rs

from detectors.errors import DetectionUnavailable
from detectors.words.namelists import LIST_DIR

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Called:
    """What is called like somebody.

    Args:
        phrases: finds breeds, songs, books and feasts of more than one word, as written.
        days: feasts of one word, folded.
        makes: makers of cars, folded.
    """

    phrases: Any
    days: frozenset[str]
    makes: frozenset[str]


def is_called(text: str, start: int, end: int) -> bool:
    """Whether a name is, or is part of, such a phrase: ``Jack Russell``, ``Anna's Hummingbird``."""
    return any(first <= start and end <= last for first, last in _phrases(text))


def _phrases(text: str) -> list[Span]:
    found = called().phrases.find_matches_as_indexes(text.replace("’", "'"), overlapping=False)
    return [(start, end) for _, start, end in found if _stands_alone(text, start, end)]


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (text[:start][-1:].isalnum() or text[end:][:1].isalnum())


@cache
def called() -> Called:
    """The list.

    Raises:
        DetectionUnavailable: there is none.
    """
    try:
        content = gzip.decompress((LIST_DIR / "called_things.txt.gz").read_bytes())
    except OSError:
        raise DetectionUnavailable("The list of called things is missing.") from None
    phrases, days, makes = (part.splitlines() for part in content.decode("utf-8").split("\n\n"))
    kind = ahocorasick_rs.MatchKind.LeftmostLongest
    found = ahocorasick_rs.AhoCorasick(phrases, matchkind=kind)
    return Called(found, frozenset(days), frozenset(makes))
