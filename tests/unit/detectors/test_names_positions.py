"""Words that no list knows as names: where only a person can stand, and elsewhere."""

import pytest

from detectors.engine import Detector
from detectors.people.corrections import refine_people
from detectors.people.positions import placed
from detectors.settings import DetectorSettings

# What says it, somebody, who, and nearly the same words of nobody.
ROWS = (
    ("met", "Bumped into Memory at the shop.", "Memory", "Bumped into Memory issues again."),
    ("meal", "Lunch with Sonnet and her sister.", "Sonnet", "Lunch with Cheese and her sister."),
    ("talk", "Spoke to Thimble about the lease.", "Thimble", "Spoke to Payroll about the lease."),
    ("told", "Told Fable the news.", "Fable", "Told Reception the news."),
    ("cousin", "My cousin Blue is studying law.", "Blue", "My cousin studies Blue law."),
    ("employer", "Our friend Cedar pays late.", "Cedar", "Our client Cedar pays late."),
    ("texted", "Indigo asked me to water it.", "Indigo", "Landlord asked me to water it."),
    ("felt", "Onyx told me to wait.", "Onyx", "Intuition told me to wait."),
    ("own", "Plum hates her new job.", "Plum", "Plum suits her new job."),
    ("kin", "Fable and her husband left.", "Fable", "Friends and her husband left."),
    ("I", "Onyx and I broke up in May.", "Onyx", "Coffee and I broke up in May."),
    ("mother", "Merit's mother is ill.", "Merit", "Today's mother is ill."),
    ("pregnant", "Favour is pregnant again.", "Favour", "Dog is pregnant again."),
    ("age", "Briar is 34 years old and single.", "Briar", "Briar is 34 years old and red."),
    ("bus", "Lovemore drives the school bus.", "Lovemore", "Lovemore drives the school budget."),
    ("wrote", "Emailed Comfort about the keys.", "Comfort", "Emailed Orange about the keys."),
    ("lent", "I lent Thimble my drill.", "Thimble", "I lent Thimble support."),
    ("gift", "Gift for Thimble: socks", "Thimble", "Gift for Halloween: socks"),
    ("said", "Quill said she is late.", "Quill", "Support said she is late."),
    ("airport", "Picked up Quill from the airport.", "Quill", "Picked up Parcel from work."),
    ("helped", "Helped Quill move on Sunday.", "Quill", "Helped Quill sales on Sunday."),
    ("visited", "Visited Quill in hospital.", "Quill", "Visited Quill in spring."),
    ("asked", "Ask Quill whether it is free.", "Quill", "Ask Google whether it is free."),
    ("thanked", "Thanks Quill, that was lovely.", "Quill", "Thanks Team, that was lovely."),
    ("coming", "Is Quill coming tonight?", "Quill", "Is Dinner coming tonight?"),
    ("arrives", "When does Quill arrive?", "Quill", "When does Delivery arrive?"),
    ("myself", "I'm Quill from accounting.", "Quill", "I'm Scottish from birth."),
    ("twins", "The twins, Quill and Marble, fight.", "Quill", "The twins, both of us, fight."),
    ("bike", "Borrowed Quill's bike.", "Quill", "Borrowed Mum's bike."),
    ("apposed", "Quill, my neighbour, is away.", "Quill", "Note, my neighbour, is away."),
    ("joined", "Quill joined the team.", "Quill", "Quill joined the dots."),
    ("ill", "Quill has type 2 diabetes.", "Quill", "Quill has two sides."),
    ("eats", "Quill doesn't eat pork.", "Quill", "Quill doesn't fit."),
    ("signed", "See you there.\nLove, Thimble", "Thimble", "See you there.\nThanks, Support"),
    ("vocative", "See you Monday, Thimble.", "Thimble", "See you Monday, Everyone."),
    ("clause", "We moved, Thimble and her kids too.", "Thimble", "We moved, Staff too."),
    ("family", "Met Thimble Brannock at noon.", "Thimble Brannock", "Met Office Brannock at noon."),
)  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(DetectorSettings(tier="fast"))


def people(text: str) -> list[str]:
    """People that rules find without a model."""
    return [text[one.start : one.end] for one in refine_people(text, [])]


@pytest.mark.parametrize(("text", "name"), [row[1:3] for row in ROWS], ids=[row[0] for row in ROWS])
def test_whoever_stands_there_is_somebody(detector: Detector, text: str, name: str) -> None:
    """Rules find them, and nothing takes them away again."""
    found = detector.analyse([text])[0].detections
    assert people(text)[:1] == [name]
    assert [one.text for one in found if one.entity_type == "PERSON"][:1] == [name]


@pytest.mark.parametrize("text", [row[3] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_else_stands_there_is_nobody(text: str) -> None:
    assert people(text) == []


def test_a_word_of_another_language_is_no_english_one() -> None:
    """``met`` is Dutch for ``with``."""
    assert list(placed("Betaalt met Tikkie.")) == []
    assert list(placed("I met Tikkie.")) == [(6, 12)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sold the bike to Tiago, keep the bags.", ["Tiago"]),
        ("Suzanne removed Redux, Olumide wrote the store.", ["Suzanne", "Olumide"]),
        ("Moved Assembly to Thu, Linnea needs her Recorder.", ["Linnea"]),
        ("Kigali called for calm.", []),
        ("The flight to Santiago is late.", []),
    ],
    ids=["recipient", "after a program", "after a day", "city", "way"],
)
def test_who_is_taken_for_a_place_is_somebody(
    detector: Detector, text: str, names: list[str]
) -> None:
    """The model takes rare names for places, and two words with a comma for one."""
    found = detector.analyse([text])[0].detections
    assert [one.text for one in found if one.entity_type == "PERSON"] == names
