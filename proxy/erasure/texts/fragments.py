"""Clauses without a subject of their own, and such that name nobody: ``allergic to nuts``."""

import re
from functools import cache

from detectors.words.calendar import TIMES
from detectors.words.folding import fold
from detectors.words.namelists import is_given_name, place_names, places
from proxy.erasure.texts.clauses import FINITE, says_something, verb_first
from proxy.erasure.texts.subjects import names_somebody

NAME = re.compile(r"\b([^\W\d_a-z]\w+)(\s+[^\W\d_a-z]\w+)?")
SUBJECT = re.compile(
    r"(?:i|we|you|it|there|this|that|these|those|which|what|everybody|everyone|nobody|somebody|"
    r"someone|all|both|most|ich|wir|es|man|je|nous|yo|nosotros|io|noi|eu|nós|ik|wij)\b|"
    r"j['’]",
    re.IGNORECASE,
)
DETERMINED = re.compile(
    r"(?:the|my|our|your|its|some|many|few|no|every|each|another|der|die|das|mein\w*|unser\w*|"
    r"les?|la|mon|ma|mes|notre|nos|el|los|las|mi|mis|nuestr\w+|il|lo|gli|het|mijn|onze?)\s|l['’]",
    re.IGNORECASE,
)
SURE = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|does|did|do|will|would|can|could|shall|should|might|must)\b"
)
PLACED = re.compile(
    r"\b(?:in|from|at|near|to|into|around|aus|bei|nach|de|à|en|da|di|em|van|te)\s+"
    r"(?:the\s+)?(?P<place>[^\W\d_a-z][\w-]+)"
)
LINKING = re.compile(
    r"\b(?:of|in|on|at|for|from|to|with|without|by|about|into|under|after|before|since|until|"
    r"when|while|because|as|if|where|who|whose|than|von|mit|aus|bei|in|für|de|du|des|avec|con|por|"
    r"di|da|van|met)\b",
    re.IGNORECASE,
)


def has_subject(said: str, *, opens: bool) -> bool:
    """Whether a clause says something of its own: not ``allergic to nuts``, ``father of boys``.

    Many a noun looks like a verb: behind a preposition only a verb that is nothing else is one.

    Args:
        opens: a sentence begins with it.
    """
    if SUBJECT.match(said):
        return True
    if names_anybody(said, opens=opens):
        return says_something(said) and not verb_first(said)
    sure, verb = SURE.search(said), FINITE.search(said)
    if sure is not None and sure.start():
        return LINKING.match(said) is None
    determined = DETERMINED.match(said)
    if verb is None or determined is None or verb.start() <= determined.end():
        return False
    return LINKING.search(said, 0, verb.start()) is None


def names_anybody(said: str, *, opens: bool) -> bool:
    """Whether it names somebody, though the name may be a word, too: not ``from Bergen``.

    Args:
        opens: a sentence begins with it, so that its first word has a capital anyhow.
    """
    said = PLACED.sub(lambda match: "" if fold(match["place"]) in _places() else match[0], said)
    return names_somebody(said) or any(
        is_given_name(word) and word not in TIMES and (match.start() or not opens or match[2])
        for match in NAME.finditer(said)
        if (word := fold(match[1]))
    )


@cache
def _places() -> frozenset[str]:
    return places() | place_names()
