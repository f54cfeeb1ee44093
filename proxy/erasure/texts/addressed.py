"""A name as it was asked for, without what the person is to somebody: ``my sister Ada``."""

import re

from detectors.identity.keys import PERSON_TYPES
from detectors.words import word_set
from detectors.words.folding import fold, is_unspaced
from detectors.words.namelists import is_given_name, is_name
from proxy.erasure.texts.attribute_words import MINE
from proxy.erasure.texts.called import RELATED, ROLES

_FRONT = re.compile(
    rf"(?:(?:(?:the|der|die|le|la|el|il|de|o|a) )?(?P<whose>{MINE}) |l['’])?"
    rf"(?:(?P<role>{RELATED}|{ROLES})(?:,|:)? )?",
    re.IGNORECASE,
)

LONGEST_NAME = 3  # letters of a word for whose somebody is, where it is a name, too
GIVEN_TOO = word_set(
    "ward buddy mate porter baker sailor prima primo ami amie mari pal nan nana zia"
)


def without_role(name: str, entity_type: str | None = None) -> str:
    """The name alone: ``Ada Falk`` of ``my sister Ada Falk``, ``Chef Ada Falk``; else as given.

    Other people are somebody's sister, too, so the word is no part of the name. A capital may make
    it one (``Ward Falk``, ``Cook Islands``); then what follows has to be a given name.

    Args:
        entity_type: ``None`` where nobody said that it names a person.
    """
    given = name.strip()
    front = _FRONT.match(given)
    if entity_type not in {None, *PERSON_TYPES} or front is None or not front[0]:
        return name
    rest, whose, role = given[front.end() :].strip(), front["whose"] or "", front["role"] or ""
    words = rest.split()
    if not words or not (rest[0].isupper() or is_unspaced(rest)) or _is_a_name(whose, role):
        return name
    first = fold(words[0])
    if role[:1].isupper() and not whose:
        return rest if is_given_name(first) and fold(role) not in GIVEN_TOO else name
    return rest if len(words) > 1 or is_name(first) else name


def _is_a_name(whose: str, role: str) -> bool:
    """Whether a word for whose somebody is belongs to the name: ``Ma Teresa Falk``, ``Mia Son``."""
    written_small = role[:1].islower() or (role and len(whose) > LONGEST_NAME)
    return whose[:1].isupper() and not written_small
