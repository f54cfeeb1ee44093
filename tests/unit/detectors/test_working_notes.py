"""Working notes that name nobody, and ones of the same kinds that name somebody: as measured."""

import re
from pathlib import Path

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.support.marked import Counts, counts

WORKING = Path(__file__).parents[2] / "bench" / "data" / "working.txt"
PART = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
# part, people, and the most that are missed and made up
FLOORS = (("nobody", 0, 0, 34), ("people", 107, 7, 6))


@pytest.mark.parametrize(("part", "people", "missed", "false"), FLOORS)
def test_working_notes(part: str, people: int, missed: int, false: int) -> None:
    """Less is a mistake, more is a reason to lower the number."""
    parts = PART.split(WORKING.read_text("utf-8"))
    lines = dict(zip(parts[1::2], parts[2::2], strict=True))[part].split("\n")
    found = counts(Detector(DetectorSettings(tier="fast")), [line for line in lines if line])
    assert found == Counts(people, min(found.missed, missed), min(found.false, false))
