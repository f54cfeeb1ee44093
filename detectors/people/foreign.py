"""What in a note of another language only looks like a name, and who must be one.

Also words that are no names in no sentence at all.
"""

import re
from collections.abc import Iterator

from detectors.words.calendar import SHORT_MONTHS
from detectors.words.folding import WORD, fold
from detectors.words.namelists import (
    is_given_name,
    is_ordinary,
    never_names,
    ordinary_words,
    place_names,
    places,
    stop_words,
    word_names,
)

_WORD = re.compile(WORD)
NEAR = 120  # code points
SAMPLE = 200  # code points that tell whether a text is English
ARTICLE = re.compile(r"\b(?:an?|the)\s+$", re.IGNORECASE)
FOREIGN_ARTICLE = re.compile(
    r"\b(?:d(?:ie|as|em|en|es)|(?:k|m|s)?eine?[nmrs]?|im|am|[zv]om|zu[mr]|beim|ins|une?|le|les|du|au|"
    r"uno?|una|il|lo|gli|el|los|las|um|uma|een|het)\s+$",
    re.IGNORECASE,
)
# Who is given, lent, told or written something: a person, where "à", "a" alone may be a place.
GIVEN_TO = re.compile(
    r"\b(?P<verb>(?i:prêt|donn|offer|vend|rend|écri|envoy|racont|parl|téléphon|prest|regal|vendut|scri|dett|"
    r"raccont|spedit|mand|telefon|dijo|dio|escri|cont|habl|llam|emprest|deu|ofere|lig|falou|contou|"
    r"geleen|gegeven|verkoch|gezegd|verteld|geschreven|gestuurd)\w*)\b[^.!?;:\n]{0,60}?"
    r"\s(?:à|a|ad|al|ao|aan)\s+(?P<name>[^\W\d_a-z][\w'’-]+(?: [^\W\d_a-z][\w'’-]+)?)"
)
BETWEEN_PLACES = re.compile(
    r"\b(?:from \w+ to|(?:close|next) to|near|via|in|gran|playa|monte|en|em|we?|auf|op|près d[eu]"
    r"|cerca del?|vicino a|perto d[aeo]|blisko|vlak bij|nähe von|liv(?:e|es|ing) (?:in|at|by)"
    r"|urlaub auf|(?:vacaciones|vacances|vacanze|férias|vakantie)"
    r" (?:en|in|no|na|em|a|naar|op))\s+$",
    re.IGNORECASE,
)
# "June was too hot", "Patience is a virtue": said of people in notes, but seldom so.
DEFINED = re.compile(
    r" (?:means|is (?:over)?due\b|(?:is|was) the \w+est (?:month|season|time|year|day|city|town)\b"
    r"|(?:is|was|are) (?:too |so |very |a |an |the )?(?:best|worst|month|season|time|word|"
    r"country|city|town|state|capital|river|planet|virtue|hot|cold|wet|dry|warm|rainy|sunny|bright|"
    r"dark|expensive|beautiful|full|over|open|sold|out|loud|far|big|small|on tonight))\b"
)

# "12. Jan", "Jan 14", "in Jan"; but "Jan 14 years old", "At 10 Jan called".
DAY_BEFORE = re.compile(r"(?<![\w:.])(?:[0-3]?\d(?:st|nd|rd|th)?\.?|late|early|mid)[ -]$")
DAY_AFTER = re.compile(
    r"\.?[ -](?:'\d\d|20\d\d|[0-3]?\d(?:st|nd|rd|th)?)(?![\w:%]|[.,]\d)"
    r"(?!\.? ?(?:years?|yrs?|months|times|Jahre|ans|años|jaar|anni|€|EUR|euros?))"
)
TIME_BEFORE = re.compile(
    r"(?<!\w)(?:in|since|until|till|last|next|end of|start of|im|seit|bis|ab|en|depuis|desde) $",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r":? (?:release|report|invoices?|numbers|figures|close|closing|rent|budget|sales)\b"
)
DOES = re.compile(r" \w{2,}(?:ed|s)\b| (?:is|was|has|had|will|called|said|came|hat|ist|kommt)\b")


def before(text: str, position: int) -> str:
    """What stands directly before a position; looking farther back would cost a page per word."""
    return text[max(0, position - NEAR) : position]


def is_foreign(text: str) -> bool:
    """Whether a text is rather not English: foreign function words, few English words."""
    words = [fold(word) for word in _WORD.findall(text[:SAMPLE])]
    english = sum(word in ordinary_words() for word in words)
    foreign = sum(word in stop_words() and word not in ordinary_words() for word in words)
    return english * 2 <= len(words) + foreign and (foreign > 0 or english * 4 < len(words))


def is_calendar(folded: str) -> bool:
    """Days, months and products in the plural: ``Mondays``."""
    return folded.endswith("s") and folded[:-1] in never_names()


def is_dated(text: str, folded: str, start: int, end: int) -> bool:
    """A short month beside its day or year, or where only times stand: ``12. Jan``, ``in Jan``."""
    if folded not in SHORT_MONTHS or DOES.match(text, end):
        return False
    if CLOSING.match(text, end):
        return True
    day = DAY_BEFORE.search(before(text, start)) or DAY_AFTER.match(text, end)
    return bool(day or TIME_BEFORE.search(before(text, start)))


def is_place(text: str, folded: str, end: int) -> bool:
    """A city or country, unless a person speaks or has something: ``Florence's lease``."""
    if folded in place_names():
        return DEFINED.match(text, end) is not None
    return folded in places() and not is_given_name(folded)


def stands_for_place(text: str, folded: str, start: int) -> bool:
    """A word that nobody is known to be called, where a place must stand."""
    return BETWEEN_PLACES.search(before(text, start)) is not None and not is_given_name(folded)


def is_thing(text: str, folded: str, start: int, end: int) -> bool:
    """What an article or a definition marks as no person."""
    named = is_given_name(folded) and not is_ordinary(folded)
    if not named and _has_article(text, start):
        return True
    return (is_ordinary(folded) or folded in word_names()) and DEFINED.match(text, end) is not None


def given_to(text: str) -> Iterator[tuple[int, int]]:
    """Spans of who is given or told something in a foreign note: ``prestó el libro a Ona``."""
    for match in GIVEN_TO.finditer(text):
        start, end = match.span("name")
        folded = fold(text[start:end].split()[0])
        known = folded in never_names() or folded in places() or folded in place_names()
        english = fold(match["verb"]) in ordinary_words()
        if text[start].isupper() and not (known or english or is_ordinary(folded)):
            yield start, end


def _has_article(text: str, start: int) -> bool:
    near = before(text, start)
    english, foreign = ARTICLE.search(near) is not None, FOREIGN_ARTICLE.search(near) is not None
    return (english or foreign) and (foreign if is_foreign(text) else english)
