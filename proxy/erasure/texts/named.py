"""The names and the identifiers of one stored text, in their order."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proxy.erasure.texts.mentions import Needles, Span
from proxy.erasure.texts.telling import Telling


@dataclass(frozen=True, slots=True)
class Identifiers:
    """What one stored text holds, as pieces of it.

    Args:
        sure: what identifies whomever it is said of: a phone number, an address.
        loose: what does so only right behind a name: a link, a number of anything.
        people: names of those who are not forgotten.
        speaks: who is forgotten says ``my`` in it.
    """

    sure: Sequence[str] = ()
    loose: Sequence[str] = ()
    people: Sequence[str] = ()
    speaks: bool = False


@dataclass(frozen=True, slots=True)
class One:
    """An identifier.

    Args:
        start: of ``said``, in code points.
        end: behind it.
        said: as it is written.
        loose: it identifies only right behind a name.
    """

    start: int
    end: int
    said: str
    loose: bool


@dataclass(frozen=True, slots=True)
class Name:
    """Where somebody is named; ``theirs``: whom is forgotten."""

    start: int
    end: int
    theirs: bool


class Named:
    """One text with those it names and what identifies them.

    Args:
        text: as it is stored.
        needles: who is forgotten.
        known: pieces of the text.
        keep: what is to stay; it is no identifier then.
    """

    def __init__(
        self, text: str, needles: Needles, known: Identifiers, keep: Telling | None
    ) -> None:
        self.text = text
        every = [
            One(start, end, text[start:end], loose=loose)
            for said, loose in ((known.sure, False), (known.loose, True))
            for start, end in _places(text, said)
        ]
        sure = [one for one in every if not one.loose]
        every = [one for one in every if not one.loose or not any(meet(one, s) for s in sure)]
        self.listed = sorted(
            (one for one in every if keep is None or not keep.mentioned(one.said)),
            key=lambda one: one.start,
        )
        ours = needles.sure(text)
        self.own = {one for one in every if any(meet(one, span) for span in ours)}
        names = [Name(s.start, s.end, True) for s in ours if not any(meet(s, o) for o in every)]
        taken: list[Name | One] = [*names, *every]
        others = [Name(start, end, False) for start, end in _places(text, known.people)]
        names += [each for each in others if not any(meet(each, one) for one in taken)]
        self.names = sorted(names, key=lambda name: name.start)


def within(text: str, parts: Iterable[str]) -> Iterable[tuple[int, int]]:
    """Where the parts of a text stand, in their order."""
    after = 0
    for part in parts:
        start = text.index(part, after)
        after = start + len(part)
        yield start, after


def _places(text: str, said: Iterable[str]) -> list[tuple[int, int]]:
    """Where any of some pieces stands for itself, the longest first."""
    longest = sorted({each for each in said if each}, key=len, reverse=True)
    if not longest:
        return []
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
    return [match.span() for match in re.finditer(pattern, text)]


def meet(one: One | Name | Span, other: One | Name | Span) -> bool:
    """Whether they overlap."""
    return one.start < other.end and other.start < one.end
