"""What an entry of a list is made of: bullets, what joins entries, and values without a verb."""

import re
from collections.abc import Iterable

from detectors.words.calendar import SHORT_MONTHS, TIMES
from proxy.erasure.texts.identifier_words import ADJUNCT, LABEL, LINK
from proxy.erasure.texts.named import Name, One

IDENTIFIER, NAME = "\x00", "\x01"  # stand for each character of one
BULLET = re.compile(r"(?:(?:[-*•·–—+>]+\s|\|+|\(?\d{1,3}(?:[.):]\s|[,|\t])|\[[ xX]?\]\s)\s*)+")
HEADING = re.compile(r":\s*$")
_SIGN = r"(?:[:=|\t]|\s[-–—](?=\s))"
STRONG = re.compile(rf"\s*{_SIGN}")  # behind a name: what follows is said of its bearer
APART = re.compile(r"\s*[,(<\[]")  # said of the last of several alone
CLOSING = re.compile(r"[\s.;,!?|]+$")
JOINT = re.compile(
    r"\s*(?:[,;/|&]|\b(?:and|or|und|oder|sowie|et|ou|y|e|o|en)\b)(?:\s*(?:&|\b(?:and|or|und|oder|et|ou|y)\b))?"
    r"(?:\s+(?:with|for|to|mit|für|con|para|avec|pour)|\s+(?:el|la|los|las|l[ae]|die|der|das|cel(?:ui|le))\s+(?:de|von|du))?"
    r"\s*$",
    re.IGNORECASE,
)
ALIKE = re.compile(r"\s*(?:[/&]|\b(?:and|or|und|oder|sowie|et|ou|y|e|o|en)\b)", re.IGNORECASE)
_MONTH = rf"(?:{'|'.join(sorted(TIMES | SHORT_MONTHS, key=len, reverse=True))})\b\.?"
_NTH = r"(?:[snr][td]|th|er|º|\.)?"
DATE = (
    rf"\d{{1,2}}{_NTH}\s+(?:(?:of|de)\s+)?{_MONTH}(?:,?\s+(?:del?\s+)?\d{{4}})?|"
    rf"{_MONTH}(?:\s+\d{{1,2}}{_NTH}(?!\w))?(?:,?\s+(?:de\s+)?\d{{4}})?|"
    r"\d{1,4}([./-])\d{1,2}(?:[./-]\d{2,4})?\b"
)
NUMBER = r"[+(]?\d[\d ()/.-]{5,}\d"
VALUE = re.compile(rf"(?:{IDENTIFIER}+|\b(?:{DATE})|{NUMBER})", re.IGNORECASE)
_WORDED = re.compile(
    rf"{VALUE.pattern}|\b\d[\d.\-/]*\**|(?<=['’])s\b|"
    rf"\b(?:{LABEL}|{LINK}|{ADJUNCT}|dob|birthday|geburtstag|turns|turned|wurde|in\s+der)\b|"
    rf"[(<\[][^()<>\[\]{NAME}]*[)>\]]|[\s,;:=|/.'’–—-]",
    re.IGNORECASE,
)
OWNS = re.compile(r"['’]s?\b")
# Nothing else is said in it: no "Orla, a diabetic, was born on".
SHARED_VERB = re.compile(r"(?:['’]s?)?(?:\s+(?!(?:and|und|et|y|e)\b)[\w-]+){1,6}\s*")
LEADS = re.compile(rf"(?:['’]s?)?\s*(?:{ADJUNCT}|{LINK})\b", re.IGNORECASE)


def masked(text: str, names: Iterable[Name], said: Iterable[One]) -> str:
    """A text of the same length in which names and identifiers are signs."""
    for sign, spans in ((NAME, names), (IDENTIFIER, said)):
        for each in spans:
            text = text[: each.start] + sign * (each.end - each.start) + text[each.end :]
    return text


def values_end(text: str, start: int, end: int) -> int:
    """How far nothing is said but numbers, addresses, dates and what leads to them.

    Args:
        text: as ``masked`` gives it.
    """
    while start < end and (found := _WORDED.match(text, start, end)) is not None:
        start = found.end()
    return start
