"""A name as it was asked for, without what the person is to somebody: ``my sister Ada``."""

import re

from detectors.identity.keys import PERSON_TYPES
from detectors.words import word_set
from detectors.words.folding import fold, is_unspaced
from detectors.words.namelists import family_names, is_given_name, is_name
from detectors.words.titles import BEFORE_NAMES
from proxy.erasure.texts.attribute_words import MINE
from proxy.erasure.texts.called import RELATED, ROLES
from proxy.erasure.texts.relation_words import PLURALS
from proxy.erasure.texts.several import is_several
from proxy.erasure.texts.surfaces import RELATIONSHIP

_FRONT = re.compile(
    rf"(?:(?:(?:the|der|die|le|la|el|il|de|o|a) )?(?P<whose>{MINE}) |l['’])?"
    rf"(?:(?P<role>{RELATED}|{ROLES})(?:,|:)? )?",
    re.IGNORECASE,
)
_KIN = re.compile(RELATED, re.IGNORECASE)
_ROLE = re.compile(rf"{RELATED}|{ROLES}", re.IGNORECASE)
LONGEST_NAME = 3  # letters of a word for whose somebody is, where it is a name, too
NAMES_TOO = word_set(
    "ward buddy mate mann freund vetter schreiner porter baker sailor prima primo ami amie mari "
    "pal nan nana zia"
)


def without_role(name: str, entity_type: str | None = None, *, within: bool = False) -> str:
    """The name alone: ``Ada Falk`` of ``my sister Ada Falk``, ``Chef Ada Falk``; else as given.

    Other people are somebody's sister, too, so the word is no part of the name. A capital may make
    it one (``Ward Falk``, ``Koch Ada``, ``Cook Islands``); then what follows has to be a given
    name, and no family is called like the trade.

    Args:
        entity_type: ``None`` where nobody said that it names a person.
        within: it is asked for within one owner, where a given name alone may be enough: of all
            owners ``my sister Ada`` is not everybody called Ada.
    """
    given = name.strip()
    front = _FRONT.match(given)
    if entity_type not in {None, *PERSON_TYPES} or front is None or not front[0]:
        return name
    rest, whose, role = given[front.end() :].strip(), front["whose"] or "", front["role"] or ""
    word = given[front.end("whose") :].strip() if whose and not _is_a_name(whose, rest) else ""
    if within and _ROLE.fullmatch(word):
        return word
    words = rest.split()
    told = bool(whose) or role.islower()  # not "Nurse Ada", which is how somebody may be called
    fewest = 1 if is_unspaced(rest) or (within and told) else 2
    if not words or len(words) < fewest or _is_a_name(whose, role):
        return name
    if not (rest[0].isupper() or is_unspaced(rest)):
        return name
    first = fold(words[0])
    if role[:1].isupper() and not whose:
        return rest if is_given_name(first) and not _is_called(role) else name
    return rest if len(words) > 1 or is_name(first) else name


def is_role(value: str, entity_type: str | None = None) -> bool:
    """Whether what was asked for is a word for what somebody is to others, or a title, alone.

    A word that people are called by as well (``Ward``, ``Judge``) is one only where it is said.

    Args:
        entity_type: what it was said to be; ``None`` where nobody said.
    """
    word = value.strip()
    if entity_type == RELATIONSHIP and word.islower():
        return True
    role = _ROLE.fullmatch(word) is not None or is_several(word)
    title = fold(word) in BEFORE_NAMES
    if entity_type not in {None, *PERSON_TYPES} or not (role or title):
        return False
    return entity_type == RELATIONSHIP or not (_is_called(word) if role else is_name(fold(word)))


def _is_called(role: str) -> bool:
    """Whether people bear the word for a role as a name."""
    folded = fold(role)
    trade = _KIN.fullmatch(role) is None and folded not in PLURALS
    return folded in NAMES_TOO or (trade and folded in family_names())


def _is_a_name(whose: str, role: str) -> bool:
    """Whether a word for whose somebody is belongs to the name: ``Ma Teresa Falk``, ``Mia Son``."""
    written_small = role[:1].islower() or (role and len(whose) > LONGEST_NAME)
    return whose[:1].isupper() and not written_small
