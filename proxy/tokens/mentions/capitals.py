"""Firms and things called by an ordinary word, which a capital tells from the word: ``Apple``."""

import re
from collections.abc import Collection

from detectors.identity.keys import PERSON_TYPES
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, is_ordinary, rarely_words, word_names
from proxy.tokens.mentions.specificity import NAME_WORDS, begins_sentence
from proxy.tokens.mentions.usage import GERMAN, REACH

WORDS = frozenset({"MEDICAL_CONDITION", "MEDICATION", "TERM", "NRP", "ATTRIBUTE", "LOCATION"})
FIRM = frozenset({"ORGANIZATION"})  # as what detection takes one

WORD_BEFORE = re.compile(r"(\w[\w’'-]*)[ \t]+$")
_AT = re.compile(
    r"(?<![\w’'-])(?:at|for|by|from|with|against|joined|left|quit|sued|via|bei|von|für|chez|avec|"
    r"en|con|da|presso|na|bij|voor) $",
    re.IGNORECASE,
)
_THE = re.compile(r"(?<!\w)(?:the|der|die|das|ein|eine|le|la|les|el|il|de|het) $", re.IGNORECASE)
_ENDS = re.compile(r"['’]s?(?!\w)|[.,;:!?)\n]|$| [^\W\d_a-z]")
_FIRMS = (
    "firm|company|bank|brand|employer|language|business|shop|store|supplier|customer|client|app|"
    "chain|carrier|provider|start-?up|corporation|manufacturer|retailer"
)
_ACTS = re.compile(
    rf" (?:(?:is|was) (?:an? |the |my |her |his |our |their )?(?:\w+ )?(?:{_FIRMS}|hiring|suing|"
    r"buying|selling|closing|growing|laying)\b|"
    r"(?:has|had|will|would|can|could|may|might|does|did|makes?|sells?|sold|pays|bought|buys|"
    r"builds?|built|hires|owns|owes|sent|gave|offers|fell|rose|grew|shares|stock|employees|"
    r"engineers|headquarters|(?!\w*(?:shaped|flavou?red)\b)\w{2,}ed)\b)"
)
_NOUN = re.compile(r" [^\W\d_A-Z]")
_IS_THE = re.compile(
    r" (?:ist|sind|war|waren|is|are|was|were|est|sont|es|son|è|é) "
    r"(?:das|der|die|ein|eine|the|this|that|le|la|les|el|los|las|il|o|a)(?!\w)",
    re.IGNORECASE,
)


def is_called_by_word(name: str, entity_type: str | None) -> bool:
    """Whether what a firm or thing is called is one ordinary word, in whatever case."""
    if entity_type in WORDS | PERSON_TYPES or not name.isalpha():
        return False
    folded = fold(name)
    if entity_type is None and folded in NAME_WORDS | rarely_words() | {*word_names()}:
        return False  # somebody's, as long as nobody says otherwise
    return is_ordinary(folded)


def needs_capital(name: str, entity_type: str | None) -> bool:
    """Whether a name, as it was given, is such a word with a capital: small it is no name."""
    return is_called_by_word(name, entity_type) and name[0].isupper()


def only_opens(text: str, start: int, end: int, types: Collection[str]) -> bool:
    """Whether detection has only the capital of a sentence's first word to go by, too.

    Then it takes many a word for a name: ``Klein ist das Haus``, ``Bell peppers are red``.

    Args:
        types: as what detection should take the word there.
    """
    if not begins_sentence(text, start) or " " in text[start:end]:
        return False
    return (_NOUN if types == FIRM else _IS_THE).match(text, end) is not None


def is_the_firm(text: str, start: int, end: int) -> bool | None:
    """Whether the word at [start, end) is the firm; None where nothing tells.

    ``Apple pays well`` is about it, ``an apple`` and ``Fiona Apple`` are not, ``Apple pie`` may be
    of it.
    """
    before = text[max(0, start - REACH) : start]
    if text[start:end].islower():
        return None if text.islower() and _AT.search(before) else False
    named = WORD_BEFORE.search(before)
    if named is not None and named[1][:1].isupper() and is_given_name(fold(named[1])):
        return False
    if _AT.search(before):
        return True
    if _THE.search(before):
        return None
    if begins_sentence(text, start):
        return True if _ENDS.match(text, end) or _ACTS.match(text, end) else None
    return None if GERMAN.search(text) else True  # where nouns have capitals
