"""Surface forms looked for in text that is already decoded."""

import unicodedata
from collections.abc import Iterator, Sequence

from ahocorasick_rs import AhoCorasick

from proxy.upstreams.layers.boundaries import LONGEST, Cover, beginning, is_identifier, joins


class Needles:
    """Finds any of many strings in one pass, whatever their case, as whole words.

    Args:
        needles: what to look for; blank ones are ignored, of very long ones the beginning counts.
        told: longer texts; what lies within one of them does not count.
    """

    def __init__(self, needles: Sequence[str], told: Sequence[str] = ()) -> None:
        self._told = AhoCorasick(sorted({_fold(each) for each in told})) if told else None
        folded = {_fold(needle) for needle in needles if needle.strip()}
        self._cut = {beginning(needle) for needle in folded if len(needle) > LONGEST}
        self._folded = sorted({beginning(needle) for needle in folded})
        self._automaton = AhoCorasick(self._folded)

    def __bool__(self) -> bool:
        return bool(self._folded)

    def count(self, text: str) -> int:
        """How often any needle occurs."""
        return sum(1 for _ in self._hits(text))

    def found_in(self, text: str) -> bool:
        """Whether any needle occurs."""
        return next(self._hits(text), None) is not None

    def _spans(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where longer texts stand."""
        if self._told is not None:
            for _, start, end in self._told.find_matches_as_indexes(folded, overlapping=True):
                yield start, end

    def _hits(self, text: str) -> Iterator[int]:
        folded = _fold(text)
        told = Cover(self._spans(folded))
        for index, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            needle = self._folded[index]
            cut = needle in self._cut
            if told.holds(start, end):
                continue
            if _stands_alone(folded, start, end, identifier=is_identifier(needle), cut=cut):
                yield start


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _stands_alone(text: str, start: int, end: int, *, identifier: bool, cut: bool) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return not (
        joins(text[start], before[-1:], before[-2:-1], identifier=identifier)
        or (not cut and joins(text[end - 1], after[:1], after[1:], identifier=identifier))
    )
