"""One list of titles: what is stripped from a name is what tells that a name follows."""

import re

import pytest

from detectors.engine import Detector
from detectors.identity.names import person_tokens
from detectors.settings import DetectorSettings
from detectors.words.titles import BEFORE_NAMES, HONORIFICS, any_of, as_written

WRITTEN = re.compile(rf"(?:{as_written()})")


@pytest.mark.parametrize(
    "name", ["Frau Erna Falk", "Tante Erna Falk", "Dr Erna Falk", "Oma Erna Falk"]
)
def test_a_title_is_no_part_of_a_name(name: str) -> None:
    """In whatever language."""
    assert person_tokens(name) == ["erna", "falk"]


@pytest.mark.parametrize("name", ["Zia Khan", "Don Falk"])
def test_a_given_name_that_is_a_title_too_stays(name: str) -> None:
    """Alone before a family name."""
    assert len(person_tokens(name)) == 2


def test_what_is_stripped_also_tells_that_a_name_follows() -> None:
    """The lists cannot come apart."""
    told = re.compile(any_of(BEFORE_NAMES))
    assert [each for each in HONORIFICS if told.fullmatch(each) is None] == []


def test_a_title_is_written_with_its_capital() -> None:
    """In Romance languages a small one does as well."""
    assert [bool(WRITTEN.fullmatch(each)) for each in ("Frau", "frau", "Señora", "señora")] == [
        True, False, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My landlord, Mr. Desmond Achterberg, comes by.", "Desmond Achterberg"),
        ("My landlord is called Mr. Achterberg.", "Achterberg"),
        ("The rent goes to my landlady, Ms. Ingrid Sollers.", "Ingrid Sollers"),
        ("My boss, Dr. Elena Vasquez, is away.", "Elena Vasquez"),
        ("Ask our accountant, Ms. Petrosyan, about it.", "Petrosyan"),
        ("My pastor, Fr. Desmond Achterberg, comes by.", "Desmond Achterberg"),
        ("My boss, Capt. Desmond Achterberg, comes by.", "Desmond Achterberg"),
        ("Ma voisine, Mme. Halloran, est là.", "Halloran"),
        ("Mijn huisbaas, Dhr. Achterberg, komt morgen.", "Achterberg"),
        ("Mijn buurvrouw, Mevr. Halloran, is ziek.", "Halloran"),
        ("Ask my landlord, Mr. D. Achterberg.", "D. Achterberg"),
        ("My landlord, Mr. J. R. Achterberg, comes by.", "J. R. Achterberg"),
    ],
)
def test_a_title_behind_a_relation_is_nobody_and_the_name_one_person(text: str, name: str) -> None:
    """Whatever the model makes of the full stop."""
    found = Detector(DetectorSettings(tier="fast")).analyse([text])[0].detections
    assert [one.text for one in found if one.entity_type == "PERSON"] == [name]


def test_a_title_alone_is_nobody() -> None:
    """Nor is one whose name is left out."""
    found = Detector(DetectorSettings(tier="fast")).analyse(["My landlord, Mr., wants the rent."])
    assert [one.text for one in found[0].detections if one.entity_type == "PERSON"] == []


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Herr von Stetten kam.", ["von Stetten"]),
        ("Mr. van Dyke called.", ["van Dyke"]),
        ("Madame de Villiers a appelé.", ["de Villiers"]),
        ("Madame la Ministre a parlé.", []),
        ("Frau von Peter kam.", ["Peter"]),
        ("Jens Albrecht ist der Bruder von Jutta Lorenzen.", ["Jens Albrecht", "Jutta Lorenzen"]),
        ("Otto von Bismarck kam.", ["Otto von Bismarck"]),
    ],
)
def test_a_particle_belongs_to_a_family_name_behind_a_title(text: str, people: list[str]) -> None:
    """Before a given name it says whose somebody is."""
    found = Detector(DetectorSettings(tier="full")).analyse([text])[0].detections
    assert [one.text for one in found if one.entity_type == "PERSON"] == people
