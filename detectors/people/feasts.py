"""Feasts, saints and what else of the calendar has a name: ``Guy Fawkes Night``, ``San Juan``.

Whom a note says something of that only people do, stays: ``Silvester ruft morgen an``.
"""

import re

from detectors.people.claims import COMES
from detectors.people.foreign import before
from detectors.people.positions import ACTS
from detectors.people.unsaid import ACTS as VERBS
from detectors.words.called import called
from detectors.words.folding import WORD, fold
from detectors.words.namelists import is_given_name

AFTER = 60  # code points behind a name that are looked at
_WORD = re.compile(WORD)
SAINT = re.compile(
    r"(?:Saint|Sainte|St\.?|Ste\.?|Sankt|San|Santa|Santo|Sant['’]|Sint|São)(?:[ -]|(?<=['’]))"
    r"(?P<who>[^\W\d_a-z][\w'’]+)"
)
ENDS_AS_FEAST = re.compile(r".* .*(?:Day|Week|Month)|.* (?:Night|Eve|Parade|Festival|Memorial)")
FEAST_FOLLOWS = re.compile(
    r"(?:['’]s)? (?:Day|Night|Eve|Weekend|Festival|Parade|parade|Feast|fireworks|bonfire|Mass"
    r"|[5-9]K|10K|Marathon|Half)\b"
)
BEFORE_FEAST = re.compile(
    r"(?<!\w)(?:an|zu|über|nach|vor|bis|seit|à|pour|avant|après|depuis|ad?|di|per|dopo|en|por"
    r"|prima di|para|tras|hasta|no|na|ao|pelo|pela|até|met|tot|rond|on|at|until|for|feier\w*|fêt\w+"
    r"|celebra\w*|festegg\w+|celebrates?|festej\w+|vier\w*) $",
    re.IGNORECASE,
)


def is_feast(text: str, start: int, end: int) -> bool:
    """Whether a claimed person is a day of the calendar, or a saint of whom nothing is told.

    Args:
        text: the text (or window).
        start: where the name begins.
        end: where it ends, without the ending of a possessive.
    """
    name, after = text[start:end], text[end : end + AFTER]
    if ENDS_AS_FEAST.fullmatch(name) or FEAST_FOLLOWS.match(after):
        return True
    if _acts(after):
        return False
    if saint := SAINT.match(name):
        return is_given_name(fold(saint["who"]))
    folded = fold(name)
    return folded in called().days and BEFORE_FEAST.search(before(text, start)) is not None


def _acts(after: str) -> bool:
    following = _WORD.match(after, 1)
    acts = ACTS.match(after) or COMES.match(after)
    return acts is not None or (following is not None and following[0] in VERBS)
