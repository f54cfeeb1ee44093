"""The part a person plays in a text: its author, what it is about, or only spoken to.

What derives from a text in which someone is merely greeted says nothing about them: cascading
through "Hey Jon!" would delete the other speaker's facts.
"""

from collections.abc import Iterable

from detectors.words.titles import HONORIFICS
from proxy.erasure.plans.plan import Role
from proxy.erasure.texts.mentions import Span
from proxy.erasure.texts.rows import lists_others
from proxy.erasure.texts.spoken_to import is_spoken_to
from proxy.erasure.texts.surfaces import WORD


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
    addressed = bool(found) and all(is_spoken_to(text, span.start, span.end) for span in found)
    addressed = addressed and not lists_others(text, found)  # "Orla;0106" greets nobody
    return "mentioned" if addressed else "about"


def is_of_another(text: str, people: Iterable[tuple[int, int]]) -> bool:
    """Whether somebody's name opens a text that does not mention the forgotten one.

    ``Alva moved to Bern`` is about Alva, ``Has asthma, says Dr. Alva Brenn`` may not be.
    """
    first = min((start for start, _ in people), default=None)
    return first is not None and all(
        word.casefold() in HONORIFICS for word in WORD.findall(text[:first])
    )
