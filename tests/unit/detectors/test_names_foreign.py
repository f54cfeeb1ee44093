"""What only looks like a name: places, weekdays, foreign verbs and nouns, defined words."""

import pytest

from detectors.detection import Detection
from detectors.people.corrections import refine_people
from detectors.people.foreign import is_foreign


def people(text: str, *claimed: str) -> list[str]:
    """The people left of what a model claimed."""
    spans = [
        Detection("PERSON", text.index(one), text.index(one) + len(one), 0.85, "model", one)
        for one in claimed
    ]
    return [one.text for one in refine_people(text, spans) if one.entity_type == "PERSON"]


@pytest.mark.parametrize(
    ("text", "claimed", "twin", "person"),
    [
        ("Works from home on Mondays", "Mondays", "Works with Mona", "Mona"),
        ("Lisbon was hot", "Lisbon", "Lisbeth was hot", "Lisbeth"),
        ("Toma el tren de las ocho", "Toma", "Toma fixed the tap", "Toma"),
        ("Mag keine Pilze", "Pilze", "Mag keine Pilze, sagt Anke", "Anke"),
        ("Fährt mit dem Rad zur Arbeit", "Rad", "Fährt mit Radka zur Arbeit", "Radka"),
        ("Drives a Skoda", "Skoda", "Drives Orla home", "Orla"),
        ("Boit du thé vert", "thé vert", "Boit du thé avec Inès", "Inès"),
        ("June was too hot", "June", "June was asked first", "June"),
        ("Drove from Reading to Paddington", "Paddington", "Spoke to Padma", "Padma"),
    ],
    ids=["weekday", "place", "verb", "noun", "article", "brand", "small", "defined", "between"],
)
def test_what_only_looks_like_a_name(text: str, claimed: str, twin: str, person: str) -> None:
    """The model's claim is dropped; in its twin, where a person stands, one is kept."""
    assert people(text, claimed) == []
    assert people(twin, person) == [person]


@pytest.mark.parametrize(
    ("text", "name", "twin"),
    [
        ("A prêté sa tente à Kerwan", "Kerwan", "A prêté sa tente à un voisin"),
        ("Ha raccontato tutto a Zenobrio", "Zenobrio", "Ha raccontato tutto a scuola"),
        ("Le regaló un libro a Nairobe Quist", "Nairobe Quist", "Le regaló un libro a la escuela"),
        ("Emprestou o carro ao Tibério", "Tibério", "Emprestou o carro ao clube"),
        ("Ha offerto il posto ad Ulderiga", "Ulderiga", "Has offered a Kindle to the school"),
        ("Heeft verteld het aan Joppert", "Joppert", "Woont naast het Joppertplein"),
    ],
    ids=["french", "italian", "spanish", "portuguese", "english verb", "dutch"],
)
def test_who_is_given_or_told_something_is_a_person(text: str, name: str, twin: str) -> None:
    """A name after a verb of giving, where a model found none; a place or a thing there is none."""
    assert people(text) == [name]
    assert people(twin) == []


def test_a_dropped_place_stays_a_place() -> None:
    """Nothing is lost: it is indexed as a location."""
    span = Detection("PERSON", 0, 6, 0.85, "model", "Lisbon")
    found = refine_people("Lisbon was hot", [span])
    assert [(one.entity_type, one.text) for one in found] == [("LOCATION", "Lisbon")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Georgia is coming over", "Georgia"),
        ("ask hyacinth about it", "hyacinth"),
        ("the kids, odin and saga, are asleep", "saga"),
    ],
)
def test_people_who_look_like_places_or_words(text: str, name: str) -> None:
    """Georgia can come over, and can be asked."""
    spans = [Detection("LOCATION", 0, 7, 0.85, "model", "Georgia")] if "Georgia" in text else []
    found = refine_people(text, spans)
    assert name in [one.text for one in found if one.entity_type == "PERSON"]


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Toma el tren de las ocho", True),
        ("Arbeitet bei der Post", True),
        ("Prefers window seats on trains", False),
        ("Ngozi sent the invoice to Sanjay", False),
    ],
)
def test_foreign_texts(text: str, foreign: bool) -> None:
    """Names alone do not make a text foreign."""
    assert is_foreign(text) is foreign
