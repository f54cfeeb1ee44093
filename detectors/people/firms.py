"""Firms called after two people: ``Johnson & Johnson``, ``works at Brenn & Quist``."""

import re
from collections.abc import Iterator

from detectors.words.folding import fold
from detectors.words.namelists import is_given_name

_NAME = r"[^\W\d_a-z](?:[\w’'-]*?[^\W\d_])"
_PAIR = re.compile(
    rf"(?<![\w'’&-])(?P<one>{_NAME}) & (?P<two>{_NAME})(?P<owned>['’]s)?(?![\w&’'-])"
)
_REST = re.compile(r" [^\W\d_a-z]")  # a name that goes on: "Anna & Peter Brenn"
_FIRM = (
    r"firm|company|agency|publisher|brand|bank|lawyers?|solicitors?|notar(?:y|ies)|attorneys?"
    r"|architects?|accountants?|auditors?|brokers?|employer|kanzlei|firma|agentur|anw[äa]lte?"
    r"|cabinet|soci[ée]t[ée]|bufete|empresa|studio legale|ditta|kantoor"
)
# Where people work, and who is hired; at somebody's home they are guests.
_WORKS_AT = re.compile(
    r"\b(?:(?:work(?:s|ed|ing)?|job|intern(?:s|ed)?|interview(?:s|ed)?) (?:at|for|with)"
    r"|(?:employed|hired|audited|represented|advised|published) by|arbeitet? (?:bei|für)"
    r"|travaille (?:chez|pour)|trabaj[ao] (?:en|para)|lavor[ao] (?:da|per)|werkt? (?:bij|voor)"
    rf"|(?:{_FIRM})(?: of| is| called|:)?) $",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?:at|joined|joins?|left) $", re.IGNORECASE)
_ACTS = re.compile(
    r" (?:audit(?:s|ed)|acquire[sd]?|merge[ds]?|launche[sd]|release[sd]?|went (?:public|bankrupt)"
    r"|is hiring|w(?:as|ere) founded|shares|stock|products?|store|shop|vaccine)\b"
)
_NEAR = 40  # code points before a pair that tell what it is


def firms(text: str) -> Iterator[tuple[int, int]]:
    """Spans of two family names that an ampersand makes a firm.

    One name twice is nobody's; of two, something around has to say so, for people meet in pairs.
    """
    if " & " not in text:
        return
    for match in _PAIR.finditer(text):
        if fold(match["one"]) == fold(match["two"]) or _is_said(text, match):
            yield match.start(), match.end("two")


def _is_said(text: str, pair: re.Match[str]) -> bool:
    if pair["owned"] or _REST.match(text, pair.end()):
        return False
    near = text[max(0, pair.start() - _NEAR) : pair.start()]
    if _WORKS_AT.search(near):
        return True
    first_names = is_given_name(fold(pair["one"])) and is_given_name(fold(pair["two"]))
    told = _AT.search(near) or _ACTS.match(text, pair.end())
    return told is not None and not first_names
