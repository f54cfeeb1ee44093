"""Cuts long texts into overlapping pieces, at sentence ends where there are any."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SENTENCE_END = re.compile(r"[.!?。！？…]['\")\]]?\s|\n")
# Not after initials and abbreviations: "Dr. Brenn", "J. Quist", "St. Ives", "No. 5".
_BEFORE = r"(?:(?<=[^\W\d_]{4}[.!?])|(?<=[^\W\d_]{4}[.!?]['\")]))"
SURE_END = re.compile(rf"{_BEFORE}\s+(?=[^\W\d_a-z])|\n\s*")
SPACE = re.compile(r"\s")
# Between clauses: signs, and "and", "but", "because" in the supported languages.
_JOINING = (
    r"(?:and|but|while|whereas|although|though|because|und|aber|sondern|weil|während|obwohl"
    r"|et|mais|parce que|tandis que|alors que|y|e|pero|porque|mientras|aunque|ma|perché|mentre"
    r"|mas|enquanto|embora|en|maar|omdat|terwijl|hoewel)(?=\s)"
)
BETWEEN = re.compile(
    rf"(?:[();]|[,:.!?](?=\s)|[。！？])\s*+(?:{_JOINING})?|(?<!\s)\s++{_JOINING}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text and where it starts in it, in code points."""

    start: int
    text: str


def chunks(text: str, size: int, overlap: int) -> Iterator[Chunk]:
    """Pieces of at most ``size`` code points that together cover a text.

    Neighbours share at least ``overlap`` code points, so whatever is shorter than that lies whole
    in one of them.
    """
    start = 0
    while len(text) - start > size:
        end = _cut(text, start + size // 2, start + size)
        yield Chunk(start, text[start:end])
        start = max(start + 1, _word_start(text, end - overlap, start + 1))
    yield Chunk(start, text[start:] if start else text)


def _cut(text: str, earliest: int, latest: int) -> int:
    for boundary in (SENTENCE_END, SPACE):
        ends = [match.end() for match in boundary.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest


def _word_start(text: str, position: int, earliest: int) -> int:
    space = max(text.rfind(" ", earliest, position), text.rfind("\n", earliest, position))
    return space + 1 if space > position - 64 else position


def sentences(text: str, least: int) -> Iterator[Chunk]:
    """Whole sentences, several together until they reach ``least`` code points; no overlap."""
    start = 0
    for match in SURE_END.finditer(text):
        if match.start() - start >= least:
            yield Chunk(start, text[start : match.end()])
            start = match.end()
    if start < len(text):
        yield Chunk(start, text[start:])


def clauses(text: str) -> Iterator[Chunk]:
    """What a text says one by one, without the words that join it."""
    start = 0
    for match in BETWEEN.finditer(text):
        if start < match.start():
            yield Chunk(start, text[start : match.start()])
        start = match.end()
    if start < len(text):
        yield Chunk(start, text[start:])
