"""A family is somebody by its name alone; what only ends as one is not."""

import pytest

from detectors.engine import Detector
from detectors.settings import DetectorSettings

NAMED = (
    ("We ate with the Okafor family.", "Okafor"),
    ("The Brenn twins start school.", "Brenn"),
    ("Dinner with the Okafor couple.", "Okafor"),
    ("The Brenn clan grills.", "Brenn"),
    ("We had dinner with the Haldanes.", "Haldane"),
    ("The Smiths next door invited us.", "Smith"),
    ("The Winters moved to Leeds.", "Winter"),
    ("Die Winters kommen am Samstag.", "Winter"),
    ("Wir essen bei den Müllers, die Müllers wohnen nebenan.", "Müller"),
    ("Text Ruby at 6.", "Ruby"),
    ("Call April after 18:30, please.", "April"),
)
NONE = (
    "The royal family waved.", "The Holy family is a painting.", "The Beatles moved me.",
    "The Winters are cold here.", "Die Winter sind kalt.", "The Germans came second.",
    "We meet at the Kings Arms.", "The Rockies are far.", "I live near the Alps.",
    "Call Ruby at startup.", "Text Slack before the release.", "The Windows family of systems.",
)  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


def people(detector: Detector, text: str) -> list[str]:
    found = detector.analyse([text])[0].detections
    return [text[one.start : one.end] for one in found if one.entity_type == "PERSON"]


@pytest.mark.parametrize(("text", "name"), NAMED)
def test_a_family_is_found(detector: Detector, text: str, name: str) -> None:
    assert any(one.startswith(name) for one in people(detector, text))


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_family_is_left(detector: Detector, text: str) -> None:
    assert people(detector, text) == []


TURNED = (
    ("Van den Heuvel, Marijke", "Van den Heuvel, Marijke"),
    ("1. Tilda Brenn; Van den Heuvel, Marijke", "Van den Heuvel, Marijke"),
    ("van der Veen, Pieter (locum)", "van der Veen, Pieter"),
)


@pytest.mark.parametrize(("text", "name"), TURNED)
def test_a_family_name_with_particles_goes_with_the_first_name_behind_it(
    detector: Detector, text: str, name: str
) -> None:
    left = name
    for one in people(detector, text):
        left = left.replace(one, "")
    assert "Heuvel" not in left
    assert not any(map(str.isalpha, left.replace("van der", "")))


@pytest.mark.parametrize("text", ["Von morgen, Abend", "De Vries, Amsterdam"])
def test_a_list_that_begins_alike_is_no_name(detector: Detector, text: str) -> None:
    assert not any("," in one for one in people(detector, text))
