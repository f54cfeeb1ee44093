"""Who is only spoken to in a text: a name that says nothing about its bearer (``Hey Jon!``)."""

import re

from detectors.words import word_set
from detectors.words.titles import ALONE, HONORIFICS
from proxy.erasure.texts.clauses import FINITE
from proxy.erasure.texts.identifier_words import IDENTIFIED
from proxy.erasure.texts.relatives import describes, stands_before
from proxy.erasure.texts.words import GREETINGS, STOP_WORDS

LISTED = re.compile(r"(?:^|[\s,])([A-Z][\w’'-]*),$")
APPOSED = re.compile(r",\s+(?:who|whose|whom|aged|born|formerly)\b")
OF_SOMEBODY = (
    r"an?|the|my|our|his|her|their|eine?|der|die|das|(?:mein|unser|sein|ihr)e?|une?|les?|la"
    r"|mon|ma|notre|son|sa|leur|una?|el|mi|nuestr[oa]|su|il|mi[oa]|nostr[oa]|su[oa]|uma?|o|a"
    r"|m(?:eu|inha)|noss[oa]|seu|een|de|het|mijn|onze?|zijn|haar|hun|mój|moja|nasz\w?"
)
ENTRY = re.compile(r":(?:[^.!?\n]|[.](?!\s))*[,;]$")  # "Tom: 0111," before "Orla: 0106"
NUMBERED = re.compile(r"(?:^|\n)\s*\d{1,3}[.),]$")
VALUE = re.compile(
    r"[,;]\s*\d{5}|[,;]?\s*\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,}\s+(?:de\s+)?(?:19|20)\d\d\b"
)
CELL = re.compile(r"[;\t]\S|,[+(]?\d")  # of a row: "Orla;0106", "Orla,0106"
NO_MORE = re.compile(r"[.;]?(?:\s|$)")
DETERMINED = re.compile(rf"(?:{OF_SOMEBODY})\s")
BETWEEN = re.compile(r",\s+(?P<said>[^,.!?;]{1,60})(?:,\s+(?P<next>[^\W\d_]+)(?P<aside>,)?|\.)")
# What goes on with something of its own: "Jon, my friend, I moved", "Jon, the dog, the cat and I".
ANEW = re.compile(
    rf"[A-Z].*|as|{OF_SOMEBODY}|you|your|we|ich|du|wir|euch|je|tu|nous|vous|yo|tú|io|eu|ik|jij|wij"
)
CALLED = frozenset(
    {"mate", "man", "dude", "buddy", "pal", "bro", "love", "dear", "honey", "darling"}
)
ENDS = (",", "!", "?", ".", "…", ";", ")")
JOINED = "'’&-–—/("
OF_THEIRS = ("<", "[", "@", "€", "£", "$", "¥")
TITLE = re.compile(r"(?<!\w)([^\W\d_]+)\.?\s+$")
DOES = re.compile(
    r",\s+([a-z]+s|ist|hat)\b"
    r"(?! (?:i|you|he|she|it|we|they|there|this|that|ich|du|er|sie|es|wir)\b)",
    re.IGNORECASE,
)
NO_VERBS = GREETINGS | (STOP_WORDS - {"is", "was", "has", "does"})
REACH = 20  # characters that are enough for a title
# Greetings that are words of other sentences too, so only where one begins: "Ich liebe Jon".
SALUTATION = re.compile(r"(?:^|(?<=[.!?…:\n])\s*)(?:Liebe[rs]?|Guten (?:Morgen|Tag|Abend))$")
TO_GREET = GREETINGS | word_set(
    "hallo danke servus moin grüezi tschüss glückwunsch geehrter geehrte"
)


def is_spoken_to(text: str, start: int, end: int) -> bool:
    """Whether the name at [start, end) is a form of address."""
    before, after = text[: titled_from(text, start)].rstrip(), text[end:].lstrip()
    if after.startswith(":") and (not before or before[-1] in ".!?\n" or ENTRY.search(before)):
        return False  # a name before what they say, or what is told of them
    listed = VALUE.match(after) or CELL.match(text, end) or NUMBERED.search(before)
    if after.startswith(("=", "|")) or listed:
        return False  # one of a list
    if after.startswith(OF_THEIRS) and not _greeted(before):
        return False  # an address, a handle or an amount
    if before.endswith(":") and NO_MORE.match(after):
        return False  # a name is all that is told: "Contact: Jon."
    if is_apposed(after) and not _greeted(before):
        return False
    if stands_before(text, start) < start or describes(after.lstrip(", ").partition(",")[0]):
        return False
    closed = not after or after.startswith(ENDS) or not (after[0].isalnum() or after[0] in JOINED)
    return closed and _opened(before, listing=after.startswith(","))


def titled_from(text: str, start: int) -> int:
    """Where a name begins with the titles before it: ``Prof. Dr. Jon``, not ``they judge Jon``."""
    title = TITLE.search(text, max(0, start - REACH), start)
    if title is None or title[1].casefold() not in HONORIFICS:
        return start
    written = title[1][:1].isupper() or title[1].casefold() in ALONE
    return titled_from(text, title.start()) if written else start


def is_apposed(after: str) -> bool:
    """Whether the comma behind a name opens what is said of its bearer, not to them."""
    if APPOSED.match(after) or IDENTIFIED.match(after):
        return True
    between = BETWEEN.match(after)
    if between is None or FINITE.search(between["said"]) or between["said"] in CALLED:
        return False
    determined = DETERMINED.match(between["said"]) is not None
    goes_on = between["next"]
    if goes_on is None:
        return determined
    if not determined and between["said"].casefold() not in GREETINGS and _does_later(after):
        return True
    if between["aside"] or goes_on in GREETINGS - {"and"}:
        return False
    return ANEW.fullmatch(goes_on) is None if determined else bool(FINITE.fullmatch(goes_on))


def _does_later(after: str) -> bool:
    """Whether what they do follows the asides: ``Jon, 61, retired, a widower, sings``."""
    return any(without_subject(f", {each.strip()}") for each in after.split(",")[2:])


def without_subject(after: str) -> bool:
    """Whether what follows a name says what he or she does: ``Jon, wants the rent``."""
    verb = DOES.match(after)
    said = verb[1].casefold() if verb is not None else ""
    return said not in NO_VERBS and FINITE.fullmatch(said) is not None


def _opened(before: str, *, listing: bool) -> bool:
    """Whether the text before lets a form of address follow; ``listing``: a comma comes after."""
    if not before or before[-1] in ".!?…:\n":
        return True
    if before.endswith(","):
        listed = LISTED.search(before) if listing else None
        return listed is None or listed[1].casefold() in TO_GREET
    return _greeted(before)


def _greeted(before: str) -> bool:
    """Whether a greeting stands directly before: ``Hey``, ``Thanks``, ``Liebe``."""
    last = before.rsplit(maxsplit=1)[-1:]
    said = last[0].strip("(,.!?").casefold() if last else ""
    return said in TO_GREET - {"and", "but", "of", "no"} or SALUTATION.search(before) is not None
