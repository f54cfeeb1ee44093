"""Things and places that only their capitals tell from a word: ``US``, ``AIDS``, ``Reading``."""

import re
from typing import Literal

from detectors.identity.keys import PERSON_TYPES
from detectors.words.folding import fold
from detectors.words.namelists import (
    foreign_nouns,
    foreign_verbs,
    german_nouns,
    is_given_name,
    is_ordinary,
    stop_words,
)
from proxy.tokens.mentions.specificity import begins_sentence
from proxy.tokens.mentions.usage import GERMAN, REACH, TOWNS

Case = Literal["acronym", "capital"]

WITH_CAPITAL = frozenset({"LOCATION", "NRP"})  # types of which every language writes one
_WHERE = re.compile(
    r"(?<![\w’'-])(?:in|to|near|from|at|of|through|around|across|visit(?:s|ed|ing)?|left|nach|aus|"
    r"en|à|em|naar) $",
    re.IGNORECASE,
)
_THE = re.compile(r"(?<![\w’'-])(?:the|die|les|los|gli|os) $", re.IGNORECASE)


def case_of(name: str, entity_type: str | None) -> Case | None:
    """Which capitals the name of a thing needs, since it is a word in any of our languages too."""
    if entity_type in PERSON_TYPES or not name.isalpha() or len(name) < 2:
        return None
    folded = fold(name)
    if name.isupper():
        return "acronym" if _is_word(folded) or is_given_name(folded) else None
    return "capital" if entity_type in WITH_CAPITAL and _is_word(folded) else None


def is_as_asked(text: str, start: int, end: int, case: Case) -> bool | None:
    """Whether the word at [start, end) is the thing; None where nobody can tell.

    ``He told us`` is about no country, ``Reading is fun`` may be.
    """
    word, before = text[start:end], text[max(0, start - REACH) : start]
    if word.isupper():
        return None if text.isupper() and " " in text.strip() else True
    if word.islower():
        return _in_small_letters(text, word, before)
    if case == "acronym":
        return False
    return None if begins_sentence(text, start) or GERMAN.search(text) else True


def _in_small_letters(text: str, word: str, before: str) -> bool | None:
    """``we flew to turkey`` is about the country; in a text with capitals it may be."""
    where = _WHERE if fold(word) not in stop_words() else _THE
    if where.search(before) is None:
        return False
    if fold(word) in TOWNS - stop_words():
        return True if text.islower() else None
    return None if text.islower() else False


def _is_word(folded: str) -> bool:
    foreign = folded in foreign_nouns() | german_nouns() | foreign_verbs()
    return foreign or is_ordinary(folded)
