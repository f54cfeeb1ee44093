"""What an entry of a list is made of: bullets, what joins entries, and values without a verb."""

import re
from collections.abc import Iterable

from detectors.words.calendar import SHORT_MONTHS, TIMES
from detectors.words.folding import without_possessive
from proxy.erasure.texts.identifier_words import ADJUNCT, LABEL, LINK
from proxy.erasure.texts.named import Name, One

IDENTIFIER, NAME = "\x00", "\x01"  # stand for each character of one
BULLET = re.compile(r"(?:(?:[-*•·–—+>]+\s|\|+|\(?\d{1,3}(?:[.):]\s|[,|\t])|\[[ xX]?\]\s)\s*)+")
HEADING = re.compile(r":\s*$")
FEW_WORDS = re.compile(r"(?:[\w'’*_-]+:?\s+){0,3}[*_]*")  # between a bullet and a name
LABELLED = re.compile(rf"(?:[\w'’-]+\s+){{0,2}}[\w'’-]+:\s+{NAME}")
_SIGN = r"(?:[:=|\t]|\s[-–—](?=\s))"
STRONG = re.compile(rf"\s*{_SIGN}")  # behind a name: what follows is said of its bearer
APART = re.compile(r"\s*[,(<\[]")  # said of the last of several alone
CLOSING = re.compile(r"(?<![\s.;,!?|])[\s.;,!?|]++$")
JOINT = re.compile(
    r"(?<!\s)\s*+(?:[,;/|&]|\(?\d{1,2}\)|\b(?:and|or|und|oder|sowie|et|ou|y|e|o|en)\b)(?:\s*(?:&|\b(?:and|or|und|oder|et|ou|y)\b))?"
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
    rf"[(<\[][^()<>\[\]{NAME}]*[)>\]]|@[\w.-]+|[€£$¥]\s?\d[\d.,]*|[\s,;:=|/.'’–—-]",
    re.IGNORECASE,
)
OWNS = re.compile(r"['’]s?\b")
# Nothing else is said in it: no "Orla, a diabetic, was born on".
SHARED_VERB = re.compile(r"(?:['’]s?)?(?:\s+(?!(?:and|und|et|y|e)\b)[\w-]+){1,6}\s*")
_IS = r"(?:is|are|was|were|ist|sind|war|est|sont|es|son|era)"
OWNED = re.compile(rf"['’]s?\s+(?:[\w-]+\s+){{0,3}}{_IS}\s+", re.IGNORECASE)  # "'s number is"
ELLIPTIC = re.compile(rf"['’]s?\s+{_IS}\s", re.IGNORECASE)  # "Orla's is"
# What may lead to the name behind it: ", 0106 Orla", "Tuesday: Orla".
OF_THE_NEXT = re.compile(r"\s*(?:[,;/&].*|.*:\s*)", re.DOTALL)
LEADS = re.compile(
    rf"(?:['’]s?)?\s*(?:(?:{ADJUNCT}|{LINK})\b|[(<\[@€£$¥]|{IDENTIFIER})", re.IGNORECASE
)
# Behind a name in a clause that leaves out the verb of the one before: ", Orla in Pau".
GAP = re.compile(
    r"\s+(?P<with>(?:in|at|to|from|on|with|for|as|by|near|bei|im|am|an|auf|aus|à|au|chez|en|de|du|"
    r"em|na|no|op|te|bij|met|con|a|per|da|als)\b)?"
)


def masked(text: str, names: Iterable[Name], said: Iterable[One]) -> str:
    """A text of the same length in which names, without ``'s``, and identifiers are signs."""
    spans = [(NAME, each.start, without_possessive(text, each.start, each.end)) for each in names]
    spans += [(IDENTIFIER, each.start, each.end) for each in said]
    for sign, start, end in spans:
        text = text[:start] + sign * (end - start) + text[end:]
    return text


def values_end(text: str, start: int, end: int) -> int:
    """How far nothing is said but numbers, addresses, dates and what leads to them.

    Args:
        text: as ``masked`` gives it.
    """
    while start < end and (found := _WORDED.match(text, start, end)) is not None:
        start = found.end()
    return start
