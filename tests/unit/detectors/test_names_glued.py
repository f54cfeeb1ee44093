"""Names are found whole beside signs, behind bullets, written as one, and in capitals."""

import pytest

from detectors.engine import Detector
from detectors.people.glued import separated
from detectors.readings.views import View
from detectors.settings import DetectorSettings

# a text, the names in it, and a text of the same form without any
ROWS = (
    (
        "Sent by Alva Brenn<alva.brenn@example.org>",
        ["Alva Brenn"],
        "Sent by accounts<accounts@example.org>",
    ),
    ("Alva Brenn/Kari Lund/+4791234567", ["Alva Brenn", "Kari Lund"], "Client/Server/Storage"),
    ("Alva Brenn;Kari Lund", ["Alva Brenn", "Kari Lund"], "Value;Result"),
    ("Alva Brenn(Kari Lund)", ["Alva Brenn", "Kari Lund"], "print(Value)"),
    ("- Alva Brenn\n- Kari Lund", ["Alva Brenn", "Kari Lund"], "- Call the plumber\n- Buy paint"),
    ("* Alva Brenn\n* Kari Lund", ["Alva Brenn", "Kari Lund"], "* Milk\n* Bread"),
    ("pushed by Alva_Brenn", ["Alva_Brenn"], "use Snake_Case or Docker_Compose"),
    ("#AlvaBrenn was here", ["AlvaBrenn"], "#SummerSale starts on Monday"),
    (
        "MARGARET OYELARAN CALLED AGAIN",
        ["MARGARET OYELARAN"],
        "PLEASE READ THE MANUAL BEFORE USE",
    ),
)


@pytest.fixture(scope="module")
def detector() -> Detector:
    """A detector with names."""
    return Detector(DetectorSettings(tier="fast"))


def _people(detector: Detector, text: str) -> list[str]:
    detections = detector.analyse([text])[0].detections
    return [found.text for found in detections if found.entity_type == "PERSON"]


@pytest.mark.parametrize(("text", "names", "twin"), ROWS, ids=[row[0] for row in ROWS])
def test_names_beside_signs_are_found_whole(
    detector: Detector, text: str, names: list[str], twin: str
) -> None:
    """Each name is found with exact bounds in the original; the twin holds nobody."""
    assert _people(detector, text) == names
    assert _people(detector, twin) == []


@pytest.mark.parametrize("text", ["and/or", "TCP/IP and HTTP/TLS", "see docs/readme", "f(x) < y"])
def test_text_without_glued_words_is_read_as_it_is(text: str) -> None:
    """Where no sign stands between capitalised words, there is no other reading."""
    assert separated(View(text)).text == text
