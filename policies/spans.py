"""Spans of a text that are to be changed, made free of overlap without leaving a gap."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from policies.decision import Edit
from policies.rules import EDITS

_SPAN = itemgetter(0, 1)


class Mark(NamedTuple):
    """One judged detection: where it is and what is to be done with it."""

    start: int
    end: int
    action: str
    strength: int
    entity_type: str
    rule: str
    params: Mapping[str, Any]


def cover(marks: Sequence[Mark]) -> list[Mark]:
    """Join connected overlapping marks; each result covers all of its members.

    The strictest member decides what happens to the joined span. A tagged detection that
    overlaps one to be changed is covered too: cutting it in half would leave a readable rest.
    """
    joined: list[Mark] = []
    for mark in marks if len(marks) == 1 else sorted(marks, key=_SPAN):
        if joined and mark.start < joined[-1].end:
            joined[-1] = _join(joined[-1], mark)
        else:
            joined.append(mark)
    return [mark for mark in joined if mark.action in EDITS]


def _join(a: Mark, b: Mark) -> Mark:
    stricter = b if (b.strength, b.end - b.start) > (a.strength, a.end - a.start) else a
    return stricter._replace(start=min(a.start, b.start), end=max(a.end, b.end))


def whole(mark: Mark, marks: Sequence[Mark]) -> list[Mark]:
    """A mark over the whole text, cut open where a stricter edit must stay irreversible."""
    kept = [m for m in cover(marks) if m.strength > mark.strength]
    gaps = zip(
        [mark.start, *(m.end for m in kept)], [*(m.start for m in kept), mark.end], strict=True
    )
    pieces = [mark._replace(start=start, end=end) for start, end in gaps if start < end]
    return sorted([*kept, *pieces], key=lambda m: m.start)


def edits(marks: Iterable[Mark]) -> tuple[Edit, ...]:
    """The marks as edits."""
    return tuple([Edit(m[0], m[1], m.action, m.entity_type, m.rule, m.params) for m in marks])
