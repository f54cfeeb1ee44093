"""A text as the name model knows to read it: signs glue no words together, capitals hide none."""

import re
from collections.abc import Iterator
from itertools import pairwise

import re2

from detectors.readings.views import Edit, View, disjoint, rewrite
from detectors.words.folding import fold
from detectors.words.namelists import is_name, is_ordinary

_GLUED = r"\pL[</;|(\[]|[\pL]_\p{Lu}|#\p{Lu}\pL+\p{Lu}|(?m:^)[ \t]*[-*•–+·][ \t]+\p{Lu}"
TRIGGER = re2.compile(rf"{_GLUED}|\p{{Lu}}{{3,}}\s+\p{{Lu}}{{3,}}")

SMALL, LARGE = "a-zß-öø-ÿ", "A-ZÀ-ÖØ-Þ"
PART_OF_NAME = rf"[{LARGE}][{SMALL}'’-]{{1,24}}"
NAMED = rf"(?<![\w./:'-])(?:{PART_OF_NAME} ){{0,2}}{PART_OF_NAME}(?<=[{SMALL}])"
# A path or a call is code; behind a pair of names, or before an address, a bracket is a gap.
BETWEEN = re.compile(rf"{NAMED}([/;|])(?=[{LARGE}][{SMALL}][{SMALL} ]|\+\d)")
OPENED = re.compile(
    rf"{NAMED.replace('{0,2}', '{1,2}')}()(?=[<(\[][\w+])|[{SMALL}]()(?=<[\w.+-]{{1,64}}@)"
)
BULLET = re.compile(rf"^[ \t]*([-*•–+·])(?=[ \t]+[{LARGE}])", re.MULTILINE)
WORD = rf"[{LARGE}][{SMALL}]{{2,24}}"
JOINED = re.compile(rf"(?<![\w.-])#?{WORD}(?:_?{WORD}){{1,2}}(?![\w-])")
PART = re.compile(WORD)
CAPITALS = re.compile(
    r"(?<![\w-])[^\W\d_a-z]{2,24}(?:['’]S)?(?:[ \t,]{1,2}[^\W\d_a-z]{2,24}){1,40}"
)
CAPITAL_WORD = re.compile(r"[^\W\d_]+")


def separated(view: View) -> View:
    """The view with a gap wherever a sign stands close between names, and with shouted words low.

    "Alva Brenn/Kari Lund" is read as a list, "#AlvaBrenn" as two words, a bullet as the end of
    what stood before, and ordinary words among capitals as ordinary words.
    """
    if not TRIGGER.search(view.text):
        return view
    edits = disjoint(_edits(view.text))
    return rewrite(view, edits) if edits else view


def _edits(text: str) -> Iterator[Edit]:
    for match in BETWEEN.finditer(text):
        yield *match.span(1), ", "
    for match in OPENED.finditer(text):
        yield *match.span(match.lastindex or 0), " "
    for match in BULLET.finditer(text):
        yield *match.span(1), ";"
    for match in JOINED.finditer(text):
        yield from _parted(match)
    for match in CAPITALS.finditer(text):
        yield from _lowered(match)


def _parted(match: re.Match[str]) -> Iterator[Edit]:
    """The words of a name that was written as one, if none of them is an ordinary word."""
    parts = list(PART.finditer(match[0]))
    if match[0][0] != "#" and "_" not in match[0]:
        return
    if any(is_ordinary(fold(part[0])) for part in parts):
        return
    for one, other in pairwise(parts):
        yield match.start() + one.end(), match.start() + other.start(), " "


def _lowered(match: re.Match[str]) -> Iterator[Edit]:
    """Shouted words in usual letters, if some of them are ordinary and one is a name."""
    words = list(CAPITAL_WORD.finditer(match[0]))
    folded = [fold(word[0]) for word in words]
    ordinary = [is_ordinary(word) for word in folded]
    named = (is_name(word) and not plain for word, plain in zip(folded, ordinary, strict=True))
    if len(words) < 3 or not any(ordinary) or not any(named):
        return
    for word, plain in zip(words, ordinary, strict=True):
        low = word[0].lower() if plain else word[0].capitalize()
        if len(low) == len(word[0]):
            yield match.start() + word.start(), match.start() + word.end(), low
