"""Words of the calendar that are a time there, though people are called so: ``in June``.

``On Sunday, our neighbours come`` is about no Sunday; ``April, my sister, called`` is about April.
"""

import re

from detectors.people.foreign import before, is_foreign
from detectors.words import word_set
from detectors.words.calendar import EVERY_DAY, MONTHS, SHORT_MONTHS, TIMES
from detectors.words.folding import WORD, fold
from detectors.words.relations import RELATION

AFTER = 60  # code points behind a word that are looked at
# What stands before times, and seldom before anybody.
DATED = re.compile(
    r"(?<!\w)(?:in|during|this|next|last|every|each|coming|early|mid|late"
    r"|(?:end|start|beginning|middle|week|month|rest) of"
    r"|(?:it|today|tomorrow|yesterday)(?:['’]s| is| was)"
    r"|(?:nächst|letzt|vorig|kommend|jed|dies)e[nmrs]?|anfang|mitte|ende"
    r"|en|chaque|début|fin|(?:principios|mediados|finales|fines) de|cada|este"
    r"|ogni|questo|inizio|fine|metà|em|nest[ea]|begin|eind|elke|volgende?|vorige?|we?|każd[yą])"
    r"[ -]$",
    re.IGNORECASE,
)
GERMAN = re.compile(r"(?<!\w)im $", re.IGNORECASE)  # "I'm" in English chats
DATED_DAY = re.compile(r"(?<!\w)(?:on|(?<!\bi )am|le|el|los|il|op)(?: the)? $", re.IGNORECASE)
TRUSTED = re.compile(
    r"\b(?:(?:trust|belie[vf]|confid|faith|interest)\w* in|(?:rel[yi]|depend|count)\w* on"
    r"|(?:is|was) this"
    r"|(?:conf[ií]|cre|fid)\w+ (?:en|in|em)) $",
    re.IGNORECASE,
)
# These stand before what somebody does as well: "since April called", "at 10 June called".
SINCE = re.compile(
    r"(?<!\w)(?:since|until|till|as of|starting|\d{1,2}(?:st|nd|rd|th|\.)?(?: of| de)?"
    r"|seit|ab|bis|depuis|dès|jusqu['’]en|desde|hasta|fino a|até|vanaf|sinds|tot|od) $",
    re.IGNORECASE,
)
LEFT = re.compile(
    r" (?:left|died|moved|came|went|started|called|told|said|joined|got|is|was|has|had)\b"
)
# And these before people: what follows decides.
EITHER = re.compile(
    r"(?<!\w)(?:is|was|by|from|before|after|due|through|around"
    r"|(?:moved|postponed|delayed|changed|rescheduled|pushed|brought forward) (?:it )?to"
    r"|(?:planned|scheduled|booked|set|due) for) $",
    re.IGNORECASE,
)
# Behind these a day is when it is: "See you Monday, my friend".
PLANNED = re.compile(
    r"(?<!\w)(?:you|ya|(?<!call )(?<!calls )(?<!called )me|us|them|it|back|again|home|here|there"
    r"|free|off|out|over|closed|open|busy|lunch|dinner|breakfast|brunch|drinks|coffee|party|meeting|call"
    r"|appointment|deadline|come|arrives?|leaves?|starts?|begins?|ends?|talk|chat|speak) $",
    re.IGNORECASE,
)
SPOKEN_TO = (
    r", (?:my )?(?:dear(?:est)? )?(?:dear|love|darling|sweetheart|honey|friends?|mate|buddy|all)"
)
# "May and June are the best months": said of each other, no people.
SEASONS = word_set("april may june july august march summer autumn winter spring")
SEASONS_TOO = SEASONS | SHORT_MONTHS
MONTH_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(MONTHS))}):", re.IGNORECASE)
COMMA_BEFORE = re.compile(rf"(?P<other>{WORD}), $")
LISTED_BEFORE = re.compile(rf"(?P<other>{WORD}) (?:and|or|&|und|et|y|e|o|en|of) $")
_ITEM = rf", {WORD}(?:[,.;)\n]|$| (?:and|or|und|et|y|e|o|en)\b)"  # of a list, and no new clause
LISTED_AFTER = re.compile(
    rf"(?:,? (?:and|or|&|und|et|y|e|o|en|of)|(?={_ITEM}),) (?P<other>{WORD})", re.MULTILINE
)
# "Monday, my friend, is the deadline", but "Monday, my friend, is ill".
IS_A_DAY = re.compile(
    rf"{SPOKEN_TO},? (?:we|you|i|let['’]s|is (?:the|our|your|when|too|soon|fine|free|perfect))\b",
    re.IGNORECASE,
)
# "Sunday, our neighbours come", but "Sunday, my neighbour, came".
_OWN = r"(?:my|our|his|her|their)"
CLAUSE = re.compile(
    rf", (?:{_OWN} (?:\w+ )?(?:{RELATION})|an? \w+)\b"
    rf"(?!\s*(?:[,.;:!?)]|$)| who\b| and (?!(?:I|we|{_OWN})\b))"
)


def is_time(text: str, start: int, end: int) -> bool:
    """Whether a word names a day, a month or a season where one is told, and nobody.

    Args:
        text: the text (or window).
        start: where the word begins.
        end: where it ends.
    """
    word = fold(text[start:end])
    if word not in TIMES or text.startswith(("'s", "’s"), end):
        return False
    near, after = before(text, start), text[end : end + AFTER]
    day = word in EVERY_DAY
    if DATED.search(near) or (day and DATED_DAY.search(near)):
        return TRUSTED.search(near) is None
    if GERMAN.search(near) and is_foreign(text):
        return True
    if SINCE.search(near):
        return LEFT.match(after) is None
    if day and (PLANNED.search(near) or IS_A_DAY.match(after)):
        return True
    return bool((day or EITHER.search(near)) and CLAUSE.match(after))


def is_among_months(text: str, start: int, end: int) -> bool:
    """Whether a word that is a month or season stands in a list, or in a row of labels, of such."""
    word = fold(text[start:end])
    if word not in SEASONS_TOO:
        return False
    near, after = before(text, start), text[end : end + AFTER]
    if after.startswith(":") and len(MONTH_LABEL.findall(text)) > 1:
        return True
    beside = (LISTED_BEFORE.search(near), COMMA_BEFORE.search(near), LISTED_AFTER.match(after))
    return any(found is not None and fold(found["other"]) in SEASONS_TOO for found in beside)
