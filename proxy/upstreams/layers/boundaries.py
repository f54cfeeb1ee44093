"""Whether a found piece of text stands for itself or is a part of a longer word."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Literal

Side = Literal["left", "right"]
LONGEST = 1000  # characters of one needle
_CONNECTORS = frozenset(".+-@")


def joins(edge: str, near: str, beyond: str, *, identifier: bool) -> bool:
    """Whether the neighbour continues the word: then this is another word.

    ``u-1`` is not ``u-10``, ``smith@`` is not ``alice.smith@``, ``Ann`` is not ``Anna``.
    Scripts without letter case write words without spaces, so there no neighbour joins.

    Args:
        edge: the outermost character of the match on this side.
        near: the character beside it, or empty.
        beyond: the one after that, or empty.
        identifier: the match has digits or ``@``; then ``. + - @`` join as well.
    """
    if not _wordy(edge):
        return False
    return _wordy(near) or (identifier and near in _CONNECTORS and _wordy(beyond))


def changes_class(left: str, right: str) -> bool:
    """Whether two neighbours differ as fields do that a file keeps without a separator.

    In raw bytes the text of one column touches the next: ``…met Bob`` and ``ADD``.
    """
    if not (left.isalnum() and right.isalnum()):
        return False
    if left.isdigit() != right.isdigit():
        return not (left.isdigit() and right.islower())
    return left.islower() and right.isupper()


def beginning(needle: str) -> str:
    """What is looked for of a needle: of one longer than ``LONGEST`` its beginning.

    Preparing to look for a text that repeats itself takes time that grows with the square of its
    length. Who else begins with the same characters is found as well: that is the safe side.
    """
    return needle if len(needle) <= LONGEST else needle.lstrip()[:LONGEST]


def is_identifier(needle: str) -> bool:
    """Whether a needle is an address or number rather than a name or a sentence."""
    return " " not in needle and any(character.isdigit() or character == "@"
                                     for character in needle)  # fmt: skip


def _wordy(character: str) -> bool:
    return bool(character) and (
        character == "_" or character.isdigit() or character.lower() != character.upper()
    )


class Cover:
    """Places in a text that do not count.

    Args:
        spans: (start, end) of each.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))

    def holds(self, start: int, end: int) -> bool:
        """Whether something lies within one of them."""
        before = bisect_right(self._starts, start)
        return before > 0 and self._ends[before - 1] >= end
