"""Texts whose people are marked, ``lunch with ⟦Orla⟧``, and how well a detector finds them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from detectors.engine import Detector

NAME = re.compile(r"⟦(.*?)⟧")
Place = tuple[int, int]


@dataclass(frozen=True)
class Counts:
    """What was found in some marked texts."""

    people: int
    missed: int
    false: int
    """People who are none."""


def counts(detector: Detector, marked: Sequence[str]) -> Counts:
    """How many people a detector finds, misses and makes up."""
    people = missed = false = 0
    found = detector.analyse([NAME.sub(r"\1", text) for text in marked])
    for text, analysis in zip(marked, found, strict=True):
        named = _spans(text)
        hits = [(d.start, d.end) for d in analysis.detections if d.entity_type == "PERSON"]
        people += len(named)
        missed += sum(not any(_meets(name, hit) for hit in hits) for name in named)
        false += sum(not any(_meets(name, hit) for name in named) for hit in hits)
    return Counts(people, missed, false)


def _spans(text: str) -> list[Place]:
    """Where the people stand once their signs are gone."""
    marked = enumerate(NAME.finditer(text))
    return [(m.start() - 2 * n, m.start() - 2 * n + len(m[1])) for n, m in marked]


def _meets(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]
