"""Detectors that several tests of detection share."""

from collections.abc import Callable

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings


@pytest.fixture(scope="session")
def values_of() -> Callable[[str, str], list[str]]:
    """Every value of one type that patterns find in a text: called with type and text."""
    detector = Detector(DetectorSettings(tier="structured"))

    def values(entity_type: str, text: str) -> list[str]:
        detections = detector.analyse([text])[0].detections
        return [found.text for found in detections if found.entity_type == entity_type]

    return values


@pytest.fixture(scope="session")
def people_of() -> Callable[[str], list[str]]:
    """Everybody who is found in a text, in order."""
    detector = Detector(DetectorSettings(tier="fast"))

    def people(text: str) -> list[str]:
        detections = detector.analyse([text])[0].detections
        return [found.text for found in detections if found.entity_type == "PERSON"]

    return people
