"""Families by their name: ``the Okafor family``, ``dinner with the Haldanes``, ``Die Winters``."""

import re
from collections.abc import Iterator

from detectors.words.folding import fold
from detectors.words.lexicons import find_groups
from detectors.words.namelists import (
    family_names,
    is_ordinary,
    never_names,
    place_names,
    places,
    product_names,
    towns,
)
from detectors.words.relations import HOUSEHOLD

_NAME = r"[^\W\d_a-z][^\W\d_A-Z'’]{2,24}"
_OF_NAME = re.compile(rf"\b[Tt]he (?P<name>{_NAME}) (?:{HOUSEHOLD})\b")
_SEVERAL = re.compile(rf"\b(?:[Tt]he|[Dd]ie|[Ll]es|[Dd]e) (?P<name>{_NAME})s\b(?!['’-]\w)")
# What only people do, or is done with people only.
_DO = re.compile(
    r" (?:next door|upstairs|downstairs|across the|(?:have |had )?(?:moved|invited|called|came|come"
    r"|live|lived|visited|adopted|own|kommen|wohnen|ziehen|feiern|laden|besuchen|habitent|viennent"
    r"|wonen|komen))\b"
)
_WITH = re.compile(
    r"\b(?:with|met|meet(?:ing)?|invited?|visit(?:ing|ed)?|neighbou?rs,?|mit|bei|chez|avec) $"
)


def families(text: str) -> Iterator[tuple[int, int]]:
    """Spans of families that are named, each without the ending of many."""
    for match in _OF_NAME.finditer(text):
        if _may_be(fold(match["name"])) and not is_ordinary(fold(match["name"])):
            yield match.span("name")
    for match in _SEVERAL.finditer(text):
        name = fold(match["name"])
        acts = _DO.match(text, match.end()) is not None
        met = _WITH.search(text, max(0, match.start() - 24), match.start()) is not None
        known = name in family_names()
        if _may_be(name) and (acts if is_ordinary(name) else acts or met) and (known or met):
            yield match.span("name")


def _may_be(name: str) -> bool:
    for words in (places, place_names, towns, product_names, never_names):
        if name in words() and name not in family_names():
            return False
    return not list(find_groups(name.title())) and not list(find_groups(f"{name.title()}s"))
