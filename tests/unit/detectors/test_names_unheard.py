"""Words that no list of names holds, where the note says nobody; and people in nearly the same."""

import pytest

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.people.unheard import apart, is_certainly_none, is_unheard
from detectors.settings import DetectorSettings

# what it is, a claimed word that is nobody there, one in nearly the same words that may be somebody
ROWS = {
    "compound": ("Then |Failover| took nine minutes", "Then |Failoran| took nine minutes"),
    "loader": ("We added a cache and |Dataloader| today", "We added a cache and |Datalin| today"),
    "acronyms": ("Moved the |PDFs| to Zotero", "Moved the Zorvik to |Zotrin|"),
    "word of another language": ("Ask if |Steuerberater| and so on", "Ask if |Steuvik| and so on"),
    "day behind": ("Sport : |Piscine mercredi|, repos", "Sport : |Zorvik mercredi|, repos"),
    "small words": ("todo: |relancer zorvik| soon", "todo: |zorvik| soon"),
    "none of it": ("There is no |Zorvik| on Saturday", "There is |Zorvik| on Saturday"),
    "best": ("Makes the best |Zorvik| in town", "Makes our best |Zorvik| in town"),
    "label": ("Doing: |Zorvik|\nNext: lunch", "Seen: |Zorvik|\nNext: lunch"),
    "told after a label": ("Stack: |Zorvik|", "Stack: |Zorvik| knows it"),
    "row": ("Use Grafana, |Zorvik|, Redis", "Use Mara, |Zorvik|, Grafana"),
    "row of guests": ("Use: Grafana, |Zorvik|, Redis", "Attendees: Platform, |Zorvik|, Data"),
    "bullets": ("- oat milk\n- |Zorvik|\n- apples", "Guests:\n- friends\n- |Zorvik|\n- rest"),
    "row of books": ("Book list: |Zorvik|, the others", "Asked them: |Zorvik|, the others"),
    "title of a work": ("Reads |The Failover| today", "Reads |The Failoran| today"),
    "titled": ("We have no |Zorvik| here", "We have no Mrs |Zorvik| here"),
}  # fmt: skip


def unheard(marked: str) -> bool:
    before, name, after = marked.split("|")
    return is_unheard(before + name + after, len(before), len(before) + len(name))


@pytest.mark.parametrize("marked", [row[0] for row in ROWS.values()], ids=ROWS)
def test_what_the_note_says_is_nobody(marked: str) -> None:
    assert unheard(marked) is True


@pytest.mark.parametrize("marked", [row[1] for row in ROWS.values()], ids=ROWS)
def test_who_may_be_somebody_stays(marked: str) -> None:
    assert unheard(marked) is False


# A comma within a claim, and what becomes of it.
PARTED = {
    "Sun, Zorvik": ["Sun", "Zorvik"],
    "Zorvik, Orla": ["Zorvik, Orla"],
    "Quist, Anna": ["Quist, Anna"],
}


@pytest.mark.parametrize(("claimed", "expected"), PARTED.items(), ids=PARTED)
def test_a_comma_parts_what_is_no_name_turned_round(claimed: str, expected: list[str]) -> None:
    span = Detection("PERSON", 0, len(claimed), 0.85, "model", claimed)
    assert [part.text for part in apart(claimed, span)] == expected


# What hides no word though it was once taken for somebody: surely none, or only not told.
CERTAIN = {
    "compound": ("The |Failover| took long", True),
    "none of it": ("There is no |Zorvik| here", True),
    "date": ("Dentist on |Jan| 14", True),
    "brand": ("New straps for my |Garmin| today", True),
    "list": ("Use Grafana, |Zorvik|, Redis", False),
    "label": ("Next: |Zorvik|", False),
    "told": ("Ask Mrs |Failover| about it", False),
    "alone": ("|Failover|", False),
    "name": ("Ask |Jan| about it", False),
}


@pytest.mark.parametrize(("marked", "expected"), CERTAIN.values(), ids=CERTAIN)
def test_what_is_certainly_no_person(marked: str, expected: bool) -> None:
    before, name, after = marked.split("|")
    start, end = len(before), len(before) + len(name)
    assert is_certainly_none(before + name + after, start, end) is expected


# Months and tokens' fields that are names too, and whole texts with them.
TEXTS = {
    "Report due in Jan": [],
    "Invoices for Jan and Feb": [],
    "Termin am 12. Jan beim Zahnarzt": [],
    "Jan 14: dentist": [],
    "Jan said 14 is fine": ["Jan"],
    "Ask Jan about it": ["Jan"],
    "Set aud to the client id": [],
    "My aunt Aud is here": ["Aud"],
    "PostNord lost the parcel": [],
    "Ran ten miles, Garmin says productive": [],
    "Le colis est chez Mme Guillerm, Chronopost avait sonné.": ["Mme Guillerm"],
}


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=TEXTS)
def test_months_fields_and_brands(detector: Detector, text: str, expected: list[str]) -> None:
    found = detector.analyse([text])[0].detections
    assert [one.text for one in found if one.entity_type == "PERSON"] == expected
