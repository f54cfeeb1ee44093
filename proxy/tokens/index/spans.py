"""Which of overlapping spans to keep: more words first, then the tighter one, then the earlier."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Code points [start, end) where a name of ``words`` words was found under ``key``.

    Args:
        unsure: as what detection must take the word there, where nothing else tells what it is.
    """

    start: int
    end: int
    words: int
    key: bytes
    unsure: frozenset[str] = frozenset()


def apart(spans: Iterable[Span]) -> list[Span]:
    """Spans that do not overlap, in the order of the text."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (-span.words, span.end - span.start, span.start)):
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(span)
    return sorted(chosen, key=lambda span: span.start)


def count_words(value: str) -> int:
    """Words of a canonical value."""
    return value.count(" ") + 1
