"""A stored text beside what a reader sees of it: which part became which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proxy.erasure.search.find import restored
from proxy.erasure.search.means import Means
from proxy.erasure.texts.mentions import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A token of a stored text, or what stands between two; and how it is shown."""

    start: int
    end: int
    shown: str
    token: bool


async def pieces(means: Means, tenant_id: str, text: str) -> list[Piece]:
    """A stored text taken apart at its tokens."""
    tokens = [(start, end) for start, end, _ in means.vault.tokens_in(text)]
    shown = await restored(means, tenant_id, [text[start:end] for start, end in tokens])
    found, after = list[Piece](), 0
    for (start, end), clear in zip(tokens, shown, strict=True):
        found += [Piece(after, start, text[after:start], False), Piece(start, end, clear, True)]
        after = end
    return [*found, Piece(after, len(text), text[after:], False)]


def read(found: Sequence[Piece]) -> str:
    """What a reader sees of them."""
    return "".join(each.shown for each in found)


def stored(found: Sequence[Piece], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Where in the stored text what a reader sees at the spans stands; without overlaps.

    A token that a span is part of counts as a whole.
    """
    after = 0
    for span in sorted(spans, key=lambda each: each.start):
        at, touched = 0, list[tuple[int, int]]()
        for piece in found:
            first, last = max(span.start, at), min(span.end, at + len(piece.shown))
            if first < last:
                inside = (piece.start + first - at, piece.start + last - at)
                touched.append((piece.start, piece.end) if piece.token else inside)
            at += len(piece.shown)
        if touched and touched[0][0] >= after:
            after = touched[-1][1]
            yield touched[0][0], after
