"""Names inside of handles and logins: ``bertafalk99``, ``berta_falk``, ``x_Berta_x``."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from detectors.words.folding import fold
from detectors.words.namelists import is_name, is_ordinary
from proxy.tokens.mentions.standing import standing

LEAST, MOST = 6, 30  # letters of two names without anything between
LEAST_PART, MOST_PARTS = 2, 3
GLUE = frozenset({"", ".", "_"})

LETTERS = re.compile(r"[^\W\d_]+")
WORD = re.compile(r"(?<![\w.-])\w++(?![.@-]\w)")
DECORATED = re.compile(
    r"(?:[xX]{1,3}(?=_))?(?:_|\d{2,8}(?!\d))*+(?P<name>[^\W\d_]++)(?:_|\d{2,8}(?!\d))*+(?:(?<=_)[xX]{1,3})?"
)
HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")


class Part(NamedTuple):
    """A stretch of a text, [start, end) in code points, and its letters folded."""

    start: int
    end: int
    value: str


def decorated(text: str, wanted: Callable[[str], bool] | None = None) -> Iterator[Part]:
    """Single words that nothing but underscores, x and two digits or more decorate: ``x_Berta_x``.

    ``berta_s`` may be somebody else's, ``Berta2`` something else.

    Args:
        wanted: whether a folded word matters; asked first, for how a word stands costs most.
    """
    for word in WORD.finditer(text):
        if word[0].isalpha():
            continue
        name = DECORATED.fullmatch(word[0])
        if name is None:
            continue
        value = fold(name["name"])
        if wanted is not None and not wanted(value):
            continue
        start, end = (word.start() + each for each in name.span("name"))
        if standing(text, start, end) == "alone":
            yield Part(start, end, value)


def together(text: str) -> Iterator[Part]:
    """What may be two or three names of one person joined; the values are in alphabetic order."""
    words = [Part(m.start(), m.end(), m[0]) for m in LETTERS.finditer(text)]
    for run in _runs(text, [part for word in words for part in _humps(word)]):
        for first in range(len(run)):
            for last in range(first + 1, min(len(run), first + MOST_PARTS)):
                parts = run[first : last + 1]
                yield Part(parts[0].start, parts[-1].end, _sorted(each.value for each in parts))
    for word in words:
        yield from _split(word)


def _humps(word: Part) -> list[Part]:
    """The parts of ``FalkBerta``."""
    if word.value[1:].islower() or len(word.value) == 1:
        return [word]
    cuts = [0, *(hump.start() for hump in HUMP.finditer(word.value)), len(word.value)]
    return [
        Part(word.start + start, word.start + end, word.value[start:end])
        for start, end in pairwise(cuts)
    ]


def _runs(text: str, parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Parts that stand together with nothing, a full stop or an underscore between them.

    In ``Berta Falk99`` the digits show that a login was written in two words.
    """
    run: list[Part] = []
    for part in parts:
        glue = GLUE | {" "} if text[part.end : part.end + 1].isdigit() else GLUE
        if run and text[run[-1].end : part.start] not in glue:
            if len(run) > 1:
                yield run
            run = []
        run.append(part)
    if len(run) > 1:
        yield run


def _split(word: Part) -> Iterator[Part]:
    """``bertafalk`` in every two parts; words and names of their own are no two names."""
    if not LEAST <= len(word.value) <= MOST:
        return
    folded = fold(word.value)
    if is_ordinary(folded) or is_name(folded):
        return
    for cut in range(LEAST_PART, len(folded) - LEAST_PART + 1):
        yield Part(word.start, word.end, _sorted((folded[:cut], folded[cut:])))


def _sorted(parts: Sequence[str] | Iterator[str]) -> str:
    return " ".join(sorted(map(fold, parts)))
