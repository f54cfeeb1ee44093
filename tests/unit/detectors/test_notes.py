"""Ordinary notes: words that are nobody stay, and who is named is found. Floors as measured."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

NOTES = Path(__file__).parents[2] / "bench" / "data" / "notes.txt"
LANGUAGE = re.compile(r"^\[(\w\w)\]\n", re.MULTILINE)
NAME = re.compile(r"⟦(.*?)⟧")
OF_FOUR = 4


@dataclass(frozen=True)
class Counts:
    """What was found in one half of a language's notes."""

    people: int
    missed: int
    false: int
    """People who are none."""


def notes(language: str, *, held_back: bool) -> Iterator[str]:
    """The notes of a language on which rules were made, or those on which they were not."""
    parts = LANGUAGE.split(NOTES.read_text("utf-8"))
    found = dict(zip(parts[1::2], parts[2::2], strict=True))[language].strip("\n").split("\n%\n")
    for number, note in enumerate(found):
        if (number % OF_FOUR >= OF_FOUR // 2) is held_back:
            yield note


def spans(note: str) -> list[tuple[int, int]]:
    """Where the people stand once their signs are gone."""
    marked = enumerate(NAME.finditer(note))
    return [(m.start() - 2 * n, m.start() - 2 * n + len(m[1])) for n, m in marked]


def meets(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def counts(detector: Detector, language: str, *, held_back: bool) -> Counts:
    marked = list(notes(language, held_back=held_back))
    people = missed = false = 0
    found = detector.analyse([NAME.sub(r"\1", note) for note in marked])
    for note, analysis in zip(marked, found, strict=True):
        named = spans(note)
        hits = [(d.start, d.end) for d in analysis.detections if d.entity_type == "PERSON"]
        people += len(named)
        missed += sum(not any(meets(name, hit) for hit in hits) for name in named)
        false += sum(not any(meets(name, hit) for name in named) for hit in hits)
    return Counts(people, missed, false)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


# language, people and most misses and false ones, of the notes that no rule was made on
HELD_BACK = (("en", 41, 4, 18), ("de", 13, 0, 2), ("fr", 13, 0, 5), ("es", 13, 1, 8))
# and of those that were looked at
LOOKED_AT = (("en", 44, 3, 7), ("de", 12, 2, 3), ("fr", 11, 1, 2), ("es", 11, 1, 8))


@pytest.mark.parametrize(("language", "people", "missed", "false"), HELD_BACK)
def test_notes_that_no_rule_was_made_on(
    detector: Detector, language: str, people: int, missed: int, false: int
) -> None:
    found = counts(detector, language, held_back=True)
    assert found.people == people
    assert (found.missed <= missed, found.false <= false) == (True, True), found


@pytest.mark.parametrize(("language", "people", "missed", "false"), LOOKED_AT)
def test_notes_that_were_looked_at(
    detector: Detector, language: str, people: int, missed: int, false: int
) -> None:
    found = counts(detector, language, held_back=False)
    assert found.people == people
    assert (found.missed <= missed, found.false <= false) == (True, True), found
