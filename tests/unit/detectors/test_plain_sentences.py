"""Plain English sentences: rare names and words that are names, and brands that are names too."""

import re
from pathlib import Path

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.support.marked import Counts, counts

PLAIN = Path(__file__).parents[2] / "bench" / "data" / "plain.txt"
PART = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


def sentences(part: str, *, held_back: bool) -> list[str]:
    """Those of a part on which rules were made, or those between on which they were not."""
    parts = PART.split(PLAIN.read_text("utf-8"))
    lines = dict(zip(parts[1::2], parts[2::2], strict=True))[part].split("\n")
    return [line for line in lines if line][held_back::2]


# part, whether held back, people, and the most that are missed and made up
FLOORS = (
    ("people", False, 97, 0, 0),
    ("people", True, 97, 5, 0),
    ("brands", False, 0, 0, 1),
    ("brands", True, 0, 0, 15),
    ("either", False, 21, 2, 0),
    ("either", True, 21, 2, 2),
)


@pytest.mark.parametrize(("part", "held_back", "people", "missed", "false"), FLOORS)
def test_people_are_found_and_brands_are_not(
    detector: Detector, part: str, *, held_back: bool, people: int, missed: int, false: int
) -> None:
    """As measured; less is a mistake, more is a reason to lower the number."""
    found = counts(detector, sentences(part, held_back=held_back))
    assert found == Counts(people, min(found.missed, missed), min(found.false, false))
