"""The part a person plays in a text: its author, what it is about, or only spoken to.

What derives from a text in which someone is merely greeted says nothing about them: cascading
through "Hey Jon!" would delete the other speaker's facts.
"""

import re
from collections.abc import Iterable

from proxy.erasure.plans.plan import Role
from proxy.erasure.texts.clauses import FINITE
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.words import GREETINGS

LISTED = re.compile(r"(?:^|[\s,])([A-Z][\w’'-]*),$")
APPOSED = re.compile(
    r",\s+(?:(?:who|whose|whom|aged|born|formerly)\b|((?:an?|the|his|her)\s[^,.!?;]+),\s)"
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
    if _apposed(after):
        return False
    closed = not after or after.startswith(ENDS) or not (after[0].isalnum() or after[0] in "'’&-/(")
    return closed and _opened(before, listing=after.startswith(","))


def _apposed(after: str) -> bool:
    """Whether the comma behind a name opens what is said of its bearer, not to them."""
    said = APPOSED.match(after)
    return said is not None and (said[1] is None or FINITE.search(said[1]) is None)


def _opened(before: str, *, listing: bool) -> bool:
    """Whether the text before lets a form of address follow; ``listing``: a comma comes after."""
    if not before or before[-1] in ".!?…:\n":
        return True
    if before.endswith(","):
        listed = LISTED.search(before) if listing else None
        return listed is None or listed[1].casefold() in GREETINGS
    last = before.rsplit(maxsplit=1)[-1]
    return last.strip(",.!?").casefold() in GREETINGS - {"and", "but", "of", "no"}
