"""Things with signs or digits in their names: ids, paths, versions, handles; known to the letter.

``/etc/app/conf`` is not ``/etc/app/conf.bak``, ``v1`` is not ``v1.2``, ``srv1`` is not ``srv10``.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from detectors.words.folding import strip_invisible
from detectors.words.namelists import is_name

WITHIN = r"[^\s\"'’`<>()\[\]{},;|*=]"
RUN = re.compile(rf"(?<!{WITHIN})(?={WITHIN}*?[\d/\\#:@+.]){WITHIN}+")
COLON = re.compile(r":(?!//)")
MOST_COLONS = 4  # behind and before which a name may stand: "see:/etc/app"
ENDS = ".:!?…/"
SIGNS = frozenset("/\\#:@+")
DOTTED = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)+")


class Thing(NamedTuple):
    """A stretch of a text, [start, end) in code points, that may be a thing's name."""

    start: int
    end: int
    value: str


def is_thing(name: str) -> bool:
    """Whether a name is one word with signs or digits, and so of no person; nor are hosts."""
    name = name.strip()
    if not any(map(str.isalnum, name)) or any(map(str.isspace, name)):
        return False
    if any(map(str.isdigit, name)) or not SIGNS.isdisjoint(name):
        return True
    return bool(DOTTED.fullmatch(name)) and not any(map(is_name, name.casefold().split(".")))


def spelled_out(name: str) -> str:
    """The one spelling of a thing's name: case and a sign that ends a sentence say nothing."""
    return strip_invisible(name).strip().casefold().rstrip(ENDS)


def things(text: str) -> Iterator[Thing]:
    """Every word of a text that may be a thing's name, whole; also what stands behind a colon."""
    for run in RUN.finditer(text):
        yield from _thing(text, run.start(), run.end())
        colons = COLON.finditer(text, run.start(), run.end())
        for cut in [colon.end() for colon in islice(colons, MOST_COLONS)]:
            yield from _thing(text, cut, run.end())
            yield from _thing(text, run.start(), cut)


def _thing(text: str, start: int, end: int) -> Iterator[Thing]:
    value = spelled_out(text[start:end])
    if is_thing(value):
        yield Thing(start, start + len(text[start:end].rstrip(ENDS)), value)
