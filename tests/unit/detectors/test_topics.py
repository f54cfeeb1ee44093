"""Categories of long texts are those of their pieces."""

import pytest

from detectors.categories.topics import inside, strongest
from detectors.chunks import Chunk
from detectors.detection import CategoryScore, Detection
from detectors.engine import Detector
from detectors.settings import DetectorSettings

FILLER = "The printer on the second floor works again. "


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector of the fast tier."""
    return Detector(DetectorSettings(tier="fast"))


@pytest.mark.parametrize("before", [0, 60, 400], ids=["first piece", "third piece", "last piece"])
def test_category_of_one_sentence_is_found_anywhere(detector: Detector, before: int) -> None:
    """A sentence about health counts wherever it stands in a long text."""
    text = FILLER * before + "She was diagnosed with type 2 diabetes and takes insulin."
    (analysis,) = detector.analyse([text])
    assert "health" in {category.name for category in analysis.categories}


def test_neutral_text_has_no_sensitive_category(detector: Detector) -> None:
    """A long neutral text is not health."""
    (analysis,) = detector.analyse([FILLER * 100])
    assert "health" not in {category.name for category in analysis.categories}


def test_each_category_keeps_its_highest_score() -> None:
    """Scores of pieces are joined by their maximum, strongest first."""
    low, high = CategoryScore("health", 0.5), CategoryScore("health", 0.9)
    money = CategoryScore("financial", 0.7)
    assert strongest([low, money, high]) == (high, money)
    assert strongest([]) == ()


def test_detections_are_shifted_into_their_piece() -> None:
    """A piece sees the detections that lie in it, at its own offsets."""
    found = [Detection("AGE", start, start + 2, 0.8, "age") for start in (3, 12, 19)]
    within = inside(Chunk(10, "0123456789"), found)
    assert [(one.start, one.end) for one in within] == [(2, 4)]


def test_structured_tier_has_no_categories() -> None:
    """Without models nothing is put into categories."""
    (analysis,) = Detector(DetectorSettings(tier="structured")).analyse(["has diabetes"])
    assert analysis.categories == ()
