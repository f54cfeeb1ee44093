"""The part a person plays in a text: its author, what it is about, or only spoken to.

What derives from a text in which someone is merely greeted says nothing about them: cascading
through "Hey Jon!" would delete the other speaker's facts.
"""

import re
from collections.abc import Iterable

from detectors.words.titles import HONORIFICS
from proxy.erasure.plans.plan import Role
from proxy.erasure.texts.clauses import FINITE
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.surfaces import WORD
from proxy.erasure.texts.words import GREETINGS

LISTED = re.compile(r"(?:^|[\s,])([A-Z][\w’'-]*),$")
APPOSED = re.compile(r",\s+(?:who|whose|whom|aged|born|formerly)\b")
OF_SOMEBODY = (
    r"an?|the|my|our|his|her|their|eine?|der|die|das|(?:mein|unser|sein|ihr)e?|une?|les?|la"
    r"|mon|ma|notre|son|sa|leur|una?|el|mi|nuestr[oa]|su|il|mi[oa]|nostr[oa]|su[oa]|uma?|o|a"
    r"|m(?:eu|inha)|noss[oa]|seu|een|de|het|mijn|onze?|zijn|haar|hun|mój|moja|nasz\w?"
)
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


def role(text: str, spans: Iterable[Span], *, own: bool) -> Role:
    """The role of the mentioned one in a text.

    Args:
        text: the memory's text.
        spans: the mentions in it.
        own: whether the memory is kept under the data subject's own id.
    """
    if own:
        return "author"
    found = list(spans)
    addressed = bool(found) and all(_vocative(text, span) for span in found)
    return "mentioned" if addressed else "about"


def leads(spans: Iterable[Span], people: Iterable[tuple[int, int]]) -> bool:
    """Whether the mentioned one comes before any other person: the text's main subject."""
    first = min((span.start for span in spans), default=None)
    if first is None:
        return False
    ours = [(span.start, span.end) for span in spans]
    others = [s for s, e in people if not any(s < end and start < e for start, end in ours)]
    return first <= min(others, default=first)


def _vocative(text: str, span: Span) -> bool:
    before, after = text[: span.start].rstrip(), text[span.end :].lstrip()
    if after.startswith(":") and not before:
        return False  # a speaker's name before what they say
    if _apposed(after) and not _greeted(before):
        return False
    closed = not after or after.startswith(ENDS) or not (after[0].isalnum() or after[0] in "'’&-/(")
    return closed and _opened(before, listing=after.startswith(","))


def _apposed(after: str) -> bool:
    """Whether the comma behind a name opens what is said of its bearer, not to them."""
    if APPOSED.match(after):
        return True
    between = BETWEEN.match(after)
    if between is None or FINITE.search(between["said"]) or between["said"] in CALLED:
        return False
    determined = DETERMINED.match(between["said"]) is not None
    goes_on = between["next"]
    if goes_on is None:
        return determined
    if between["aside"] or goes_on in GREETINGS - {"and"}:
        return False
    return ANEW.fullmatch(goes_on) is None if determined else bool(FINITE.fullmatch(goes_on))


def is_of_another(text: str, people: Iterable[tuple[int, int]]) -> bool:
    """Whether somebody's name opens a text that does not mention the forgotten one.

    ``Alva moved to Bern`` is about Alva, ``Has asthma, says Dr. Alva Brenn`` may not be.
    """
    first = min((start for start, _ in people), default=None)
    return first is not None and all(
        word.casefold() in HONORIFICS for word in WORD.findall(text[:first])
    )


def _opened(before: str, *, listing: bool) -> bool:
    """Whether the text before lets a form of address follow; ``listing``: a comma comes after."""
    if not before or before[-1] in ".!?…:\n":
        return True
    if before.endswith(","):
        listed = LISTED.search(before) if listing else None
        return listed is None or listed[1].casefold() in GREETINGS
    return _greeted(before)


def _greeted(before: str) -> bool:
    """Whether a greeting stands directly before: ``Hey``, ``Thanks``."""
    last = before.rsplit(maxsplit=1)[-1:]
    return bool(last) and last[0].strip(",.!?").casefold() in GREETINGS - {"and", "but", "of", "no"}
