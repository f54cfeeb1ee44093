"""Ordinary notes: words that are nobody stay, and who is named is found. Floors as measured."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.support.marked import counts

NOTES = Path(__file__).parents[2] / "bench" / "data" / "notes.txt"
LANGUAGE = re.compile(r"^\[(\w\w)\]\n", re.MULTILINE)
OF_FOUR = 4


def notes(language: str, *, held_back: bool) -> Iterator[str]:
    """The notes of a language on which rules were made, or those on which they were not."""
    parts = LANGUAGE.split(NOTES.read_text("utf-8"))
    found = dict(zip(parts[1::2], parts[2::2], strict=True))[language].strip("\n").split("\n%\n")
    for number, note in enumerate(found):
        if (number % OF_FOUR >= OF_FOUR // 2) is held_back:
            yield note


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


# language, people and most misses and false ones, of the notes that no rule was made on
HELD_BACK = (("en", 41, 4, 18), ("de", 13, 0, 2), ("fr", 13, 0, 5), ("es", 13, 1, 8))
# and of those that were looked at
LOOKED_AT = (("en", 44, 0, 2), ("de", 12, 2, 3), ("fr", 11, 1, 2), ("es", 11, 1, 8))


@pytest.mark.parametrize(("language", "people", "missed", "false"), HELD_BACK)
def test_notes_that_no_rule_was_made_on(
    detector: Detector, language: str, people: int, missed: int, false: int
) -> None:
    found = counts(detector, list(notes(language, held_back=True)))
    assert found.people == people
    assert (found.missed <= missed, found.false <= false) == (True, True), found


@pytest.mark.parametrize(("language", "people", "missed", "false"), LOOKED_AT)
def test_notes_that_were_looked_at(
    detector: Detector, language: str, people: int, missed: int, false: int
) -> None:
    found = counts(detector, list(notes(language, held_back=False)))
    assert found.people == people
    assert (found.missed <= missed, found.false <= false) == (True, True), found
