"""Rows of a table, one person each: ``Falk;Orla;0106``, whether or not the names are known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from detectors.words.folding import fold
from detectors.words.namelists import is_name, is_ordinary
from proxy.erasure.texts.field_words import PLAIN
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.named import Name

_SIGNS = (";", "\t", ",")
_LINE = re.compile(r"[^\n]*\S[^\n]*")
# Nothing but a name stands in such a cell: some words with a capital each.
_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*\.?"
_NAMED = re.compile(
    rf"\s*[\"']?{_WORD}(?:,? (?:(?:von|van|de|der|di|da|del) ){{0,2}}{_WORD}){{0,3}}[\"']?\s*"
)
_VALUE = re.compile(r"[\d@]")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Row:
    """One line, its cells, and in which of them whom is forgotten is named."""

    start: int
    end: int
    cells: Sequence[str]
    theirs: frozenset[int]
    others: bool

    def is_like(self, other: "_Row") -> bool:
        """Whether it tells of another person what that one tells of theirs."""
        named = all(
            _NAMED.fullmatch(self.cells[at]) and _names_somebody(self.cells[at : at + 2])
            for at in other.theirs
        )
        pairs = zip(self.cells, other.cells, strict=True)
        valued = any(_VALUE.search(one) and _VALUE.search(theirs) for one, theirs in pairs)
        return named and valued

    @property
    def heads(self) -> bool:
        """Whether it may say what the columns are."""
        return not any(map(_VALUE.search, self.cells))


def _names_somebody(cells: Sequence[str]) -> bool:
    """Whether a name may stand in a cell, or in it and the next one.

    No label of a value of theirs is one: ``Passport``, ``Home``.
    """
    said = [cell for cell in cells if not _VALUE.search(cell)]
    words = [fold(word) for cell in said for word in _LETTERS.findall(cell)]
    known = any(map(is_name, words)) or (len(words) > 1 and not all(map(is_ordinary, words)))
    return known and PLAIN.isdisjoint(words)


def rows(text: str, names: Sequence[Name]) -> Mapping[tuple[int, int], bool]:
    """The rows of a table of people by where they stand, and whether they are of the forgotten.

    Nothing where a text is no such table, or a row names others beside them.
    """
    lines = [match.span() for match in _LINE.finditer(text)]
    sign = next((each for each in _SIGNS if _parts(text, lines, each)), None)
    if sign is None:
        return {}
    found = [_row(text, span, sign, names) for span in lines]
    theirs = [row for row in found if row.theirs]
    rest = [row for row in found if not row.theirs]
    head = rest[:1] if rest[:1] == found[:1] and rest[0].heads else []
    people = rest[len(head) :]
    if not people or not theirs or any(row.others for row in theirs):
        return {}
    if not all(row.is_like(theirs[0]) for row in [*people, *theirs[1:]]):
        return {}
    return {(row.start, row.end): bool(row.theirs) for row in found}


def lists_others(text: str, theirs: Iterable[Span]) -> bool:
    """Whether a text is such a table, with rows of others beside those of the forgotten."""
    return bool(rows(text, [Name(each.start, each.end, theirs=True) for each in theirs]))


def _parts(text: str, lines: Sequence[tuple[int, int]], sign: str) -> bool:
    """Whether a sign parts all lines into as many cells."""
    counts = {text.count(sign, *span) for span in lines}
    return len(lines) > 1 and len(counts) == 1 and 0 not in counts


def _row(text: str, span: tuple[int, int], sign: str, names: Sequence[Name]) -> _Row:
    start, end = span
    here = [name for name in names if start <= name.start < end]
    theirs = frozenset(text.count(sign, start, each.start) for each in here if each.theirs)
    others = any(not each.theirs for each in here)
    return _Row(start, end, text[start:end].split(sign), theirs, others)
