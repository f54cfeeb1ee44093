"""Known words are found where digits stand in for letters, and only there."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector of the fast tier."""
    return Detector(DetectorSettings(tier="fast"))


@pytest.mark.parametrize(
    ("text", "entity_type", "covered"),
    [
        ("i have d1abetes now", "MEDICAL_CONDITION", "d1abetes"),
        ("met J0hn 5m1th there", "PERSON", "J0hn"),
        ("J o h n S m i t h lives here", "PERSON", "J o h n S m i t h"),
        ("Аnnа Kоwаlski signed it", "PERSON", "Аnnа Kоwаlski"),
        ("ask Or\u200bla Qu\u200bist", "PERSON", "Or\u200bla Qu\u200bist"),
    ],
)
def test_disguised_word_is_found(
    detector: Detector, text: str, entity_type: str, covered: str
) -> None:
    """The disguised word is covered in the original."""
    start = text.index(covered)
    found = [
        item for item in detector.analyse([text])[0].detections if item.entity_type == entity_type
    ]
    assert any(one.start <= start and one.end >= start + len(covered) for one in found)


@pytest.mark.parametrize(
    "text", ["runs on K8s and S3", "the W3C and i18n teams", "uses MP3 at 60Hz"]
)
def test_technical_terms_are_no_names(detector: Detector, text: str) -> None:
    """Abbreviations with digits in them are neither people nor illnesses."""
    types = {found.entity_type for found in detector.analyse([text])[0].detections}
    assert types.isdisjoint({"PERSON", "MEDICAL_CONDITION", "MEDICATION"})
