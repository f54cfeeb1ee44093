"""Surface forms looked for in raw bytes: of files, of deleted pages, of logs and journals."""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import BinaryIO
from urllib.parse import quote

from ahocorasick_rs import BytesAhoCorasick

from proxy.upstreams.layers.boundaries import (
    LONGEST,
    Cover,
    beginning,
    changes_class,
    is_identifier,
    joins,
)

BLOCK_BYTES = 4 * 1024 * 1024
PIECE_BYTES = 64
_CONTEXT_BYTES = 12
_PICKLED_SHORT_TEXT = 0x8C


@dataclass(frozen=True, slots=True)
class _Form:
    encoding: str
    identifier: bool
    cut: bool


class ByteNeedles:
    """Finds strings in any letter case as UTF-8, UTF-16, JSON- or percent-escaped.

    Args:
        needles: what to look for; blank ones are ignored, of very long ones the beginning counts.
        told: longer texts; what lies within one of them does not count.
    """

    def __init__(self, needles: Sequence[str], told: Sequence[str] = ()) -> None:
        forms: dict[bytes, _Form] = {}
        for needle in filter(str.strip, needles):
            for pattern, encoding in _patterns(beginning(needle)):
                forms[pattern] = _Form(encoding, is_identifier(needle), len(needle) > LONGEST)
        self._forms = list(forms.values())
        longer = {pattern for each in told for pattern, _ in _patterns(each)}
        self._guard = max(map(len, [*forms, *longer]), default=0) + _CONTEXT_BYTES
        self._automaton = BytesAhoCorasick(list(forms))
        self._told = BytesAhoCorasick(sorted(longer)) if longer else None

    def count(self, stream: BinaryIO) -> int:
        """Occurrences in a stream, read in blocks; overlapping matches are one."""
        found, window, seen = 0, b"", 0
        while block := stream.read(BLOCK_BYTES):
            window += block
            limit = max(seen, len(window) - self._guard)
            more, seen = self._count(window, seen, limit)
            found += more
            cut = max(0, limit - self._guard)
            window, seen = window[cut:], seen - cut
        return found + self._count(window, seen, len(window))[0]

    def count_bytes(self, content: bytes) -> int:
        """Occurrences in one piece."""
        return self._count(content, 0, len(content))[0]

    def _count(self, window: bytes, seen: int, limit: int) -> tuple[int, int]:
        """Occurrences that start from ``seen`` on and before ``limit``; and where to go on."""
        found, told = 0, Cover(self._spans(window))
        for index, start, end in sorted(self._hits(window), key=itemgetter(1, 2)):
            if told.holds(start, end):
                continue
            if seen <= start < limit and _stands_alone(window, start, end, self._forms[index]):
                found, seen = found + 1, end
        return found, max(seen, limit)

    def _spans(self, window: bytes) -> Iterator[tuple[int, int]]:
        """Where longer texts stand."""
        if self._told is not None:
            matches = self._told.find_matches_as_indexes(window.lower(), overlapping=True)
            yield from ((start, end) for _, start, end in matches)

    def _hits(self, window: bytes) -> Iterator[tuple[int, int, int]]:
        if self._forms:
            yield from self._automaton.find_matches_as_indexes(window.lower(), overlapping=True)


def holds_any(stream: BinaryIO, texts: Iterable[str]) -> bool:
    """Whether a stream holds a text as it is, or its beginning, middle or end as UTF-8.

    A long one is scattered over the pages of a database, but not each of these pieces.
    """
    pieces = {piece for text in texts for piece in _pieces(text.encode("utf-8", "surrogatepass"))}
    automaton, window = BytesAhoCorasick(sorted(pieces)), b""
    while block := stream.read(BLOCK_BYTES):
        window = window[-PIECE_BYTES:] + block
        if automaton.find_matches_as_indexes(window):
            return True
    return False


def _pieces(text: bytes) -> Iterator[bytes]:
    middle = len(text) // 2
    yield from filter(None, (text[:PIECE_BYTES], text[middle:][:PIECE_BYTES], text[-PIECE_BYTES:]))


def _patterns(needle: str) -> Iterator[tuple[bytes, str]]:
    """Every byte form, with ASCII letters in lower case: the haystack is lowered the same way."""
    for normal in {unicodedata.normalize(form, needle) for form in ("NFC", "NFD")}:
        for text in {normal, normal.lower(), normal.upper(), normal.title(), normal.casefold()}:
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                yield text.encode(encoding, "surrogatepass").lower(), encoding
            for escaped in (
                json.dumps(text)[1:-1],
                json.dumps(text, ensure_ascii=False)[1:-1],
                quote(text, safe="", errors="replace"),
            ):
                yield escaped.encode("utf-8", "surrogatepass").lower(), "utf-8"


def _stands_alone(window: bytes, start: int, end: int, form: _Form) -> bool:
    match = window[start:end].decode(form.encoding, "replace")
    left, right = _context(window, start, end, form.encoding)
    joined_left = joins(match[0], left[-1:], left[-2:-1], identifier=form.identifier)
    joined_right = not form.cut and joins(
        match[-1], right[:1], right[1:2], identifier=form.identifier
    )
    return not (
        (joined_left and not _field_starts(window, start, left[-1:], match[0]))
        or (joined_right and not changes_class(match[-1], right[:1]))
    )


def _context(window: bytes, start: int, end: int, encoding: str) -> tuple[str, str]:
    """Characters before and after; bytes that are none become separators."""
    left = window[max(0, start - _CONTEXT_BYTES) : start]
    right = window[end : end + _CONTEXT_BYTES]
    if encoding != "utf-8":
        left, right = b"\0" * (len(left) % 2) + left, right + b"\0" * (len(right) % 2)
    return left.decode(encoding, "replace"), right.decode(encoding, "replace")


def _field_starts(window: bytes, start: int, near: str, edge: str) -> bool:
    """Whether the byte before is no text: a length in a pickle, or another column's end."""
    if start >= 2 and window[start - 2] == _PICKLED_SHORT_TEXT:
        return True
    return changes_class(near, edge)
