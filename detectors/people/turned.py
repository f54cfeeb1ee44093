"""Family names with particles in front of a comma and the given name: ``De la Cruz, Manuel``."""

import re
from collections.abc import Iterator

from detectors.people.foreign import is_foreign
from detectors.words.folding import fold
from detectors.words.namelists import (
    family_names,
    is_given_name,
    is_name,
    is_ordinary,
    never_names,
    place_names,
    places,
    product_names,
    rarely_words,
    towns,
)
from detectors.words.spoken import is_spoken, spoken

_PART = r"[^\W\d_a-z][^\W\d_]{1,24}"
_FIRST = (
    r"(?:van|von|vom|zu|zum|zur|de|del|della|di|da|do|dos|das|du|des|den|der|la|le|el|al|ten|ter)"
)
_SECOND = r"(?:de[nrs]?|het|['’]t|la|las|los)"
_PARTICLES = rf"(?i:{_FIRST}(?: {_SECOND})?)"
_NAMED = rf"(?P<family>{_PARTICLES} (?P<last>{_PART})(?:[- ]{_PART})?), (?P<first>{_PART})"
# On a line or in a cell of its own in any letters; within a sentence with a capital.
_CELL = re.compile(
    rf"(?:^|(?<=[:;|\t]\s)|(?<=[;|\t])){_NAMED}(?=\s*$|\s?[(<;|\t]|:\s)", re.MULTILINE
)
_SAID = re.compile(rf"(?:^|(?<=[.!?:;|\t\n•*-]\s)|(?<=[^\W_A-Z]\s))(?=[A-Z]){_NAMED}(?![\w@-])")
_DUTCH = re.compile(r"te[nr] ", re.IGNORECASE)
_PARTICLED = re.compile(rf"(?<![\w'’-])(?P<first>{_PART}) te[nr] {_PART}(?![\w@-])")
# Behind it another may be named: then whose given name that is, nobody can tell.
_OTHERS = re.compile(rf"(?:,? (?:and|&|und|et|y|e|en|i)|,) {_PART}")
_PLACES = frozenset(
    {"la paz", "la plata", "la habana", "la haye", "la rochelle", "la coruña", "la spezia",
     "la mancha", "le havre", "le mans", "el paso", "el salvador", "den haag", "den bosch",
     "de bilt", "al ain", "la rioja", "la palma", "la pampa"}
)  # fmt: skip


def turned(text: str) -> Iterator[tuple[int, int]]:
    """Spans of family name and given name; of the family name alone where others are named too.

    Args:
        text: the text (or window).
    """
    for pattern in (_CELL, _SAID):
        for match in pattern.finditer(text):
            first = fold(match["first"])
            known = is_first(first) or (pattern is _CELL and _may_be_first(first))
            if known and _is_family(text, match):
                others = _OTHERS.match(text, match.end()) is not None
                yield match.span("family") if others else match.span()


def _is_family(text: str, match: re.Match[str]) -> bool:
    """Whether the word behind the particle is nobody's given name, no place and no thing."""
    last = fold(match["last"])
    if last in towns() | places() or fold(match["family"]) in _PLACES:
        return False
    if is_given_name(last) and last not in family_names() and is_foreign(text):
        return False  # "Von Jutta, Peter und Anna"
    if _DUTCH.match(match["family"]) and not last.endswith("s"):
        return True  # "Ten Brink", not "Ten Apples"
    return is_name(last) or not (is_ordinary(last) or is_spoken(last))


def particled(text: str) -> Iterator[tuple[int, int]]:
    """Spans of a given name with a particle that English knows as a number: ``Bram ten Brink``."""
    for match in _PARTICLED.finditer(text):
        first = fold(match["first"])
        if is_first(first) or _may_be_first(first):
            yield match.span()


def is_first(folded: str) -> bool:
    """Whether a word is somebody's first name, and no ordinary word, place or program."""
    if not is_given_name(folded) or folded in never_names() | place_names() | places():
        return False
    return folded not in product_names() and (not is_ordinary(folded) or folded in rarely_words())


def _may_be_first(folded: str) -> bool:
    """Whether a word that no list of names has is no other word, place or program either."""
    if folded in never_names() | product_names() | place_names() | places() | towns():
        return False
    return not (is_ordinary(folded) or is_spoken(folded) or folded in spoken("en").proper)
