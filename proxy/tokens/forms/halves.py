"""Halves of a name told one by one: ``her first name is Alva and her surname Brenn``."""

import re
from collections.abc import Iterator

from detectors.readings.views import Edit

HALF = r"(?:(?:first|last|given|family|middle|second|maiden)[ -]?name|(?:fore|sur)name)"
SAYS = r"(?: (?:is|was))?[:=]?[ \t]{1,2}[\"'“‘]?"
WORD = r"[^\W\d_][\w’'-]{0,40}"
OF = r"(?:(?:and|but|with) )?(?:(?:her|his|their|my|your|the|a) )?"
GAP = rf"[\"'”’]?[,;.]?[ \t\n]{{1,2}}{OF}{HALF}{SAYS}"
BETWEEN = re.compile(
    rf"\b{HALF}{SAYS}(?P<first>{WORD})(?P<gap>{GAP})(?P<second>{WORD})", re.IGNORECASE
)
HINT = re.compile(r"name", re.IGNORECASE)
REACH = 120


def between(text: str) -> Iterator[Edit]:
    """What stands between two halves, with the space in its place."""
    if HINT.search(text):
        yield from ((*match.span("gap"), " ") for match in BETWEEN.finditer(text))


def other_half(text: str, start: int, end: int) -> str | None:
    """The other half of the name of which one is told at [start, end)."""
    first = max(0, start - REACH)
    if HINT.search(text, first, start) is None:
        return None
    for match in BETWEEN.finditer(text, first, end + REACH):
        if match.start("first") == start:
            return match["second"]
        if match.start("second") == start:
            return match["first"]
    return None
