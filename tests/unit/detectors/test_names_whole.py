"""Whole names of words that are names too, and what befalls or is said of people only."""

import pytest

from detectors.detection import Detection
from detectors.people.corrections import refine_people
from detectors.people.things import without_things

WHOLE = (
    "Julia Winter", "Ruby Jenkins", "Max Winter", "Dawn May", "Cassandra Swift", "April Winter",
    "JULIA WINTER", "Ruby April", "Winter, Julia", "J. Winter",
)  # fmt: skip
SENTENCES = (
    ("Julia Winter has diabetes.", "Julia Winter"),
    ("Met Julia Winter at the clinic.", "Julia Winter"),
    ("Contact: Julia Winter, 030 1234567", "Julia Winter"),
    ("Cassandra Swift's landlord sued her.", "Cassandra Swift"),
    ("name=Julia Winter", "Julia Winter"),
    ("Ruby was diagnosed with cancer in 2021.", "Ruby"),
    ("Ruby is HIV positive.", "Ruby"),
    ("Ruby was born on 3 May 1988.", "Ruby"),
    ("Ruby was hospitalised with pneumonia.", "Ruby"),
    ("Ruby has been sober for two years.", "Ruby"),
    ("Ruby works as a nurse.", "Ruby"),
    ("Ruby lives at 14 Elm Street.", "Ruby"),
    ("Ruby from HR said no.", "Ruby"),
    ("Ruby, my neighbour, has a dog.", "Ruby"),
    ("Ruby (wife)", "Ruby"),
    ("wife: Ruby", "Ruby"),
    ("User's name: Ruby", "Ruby"),
    ("My surname is Winter", "Winter"),
    ("I am April, a nurse from Leeds.", "April"),
    ("I'm Ruby.", "Ruby"),
    ("A patient called Ruby came in.", "Ruby"),
    ("Elle s'appelle April.", "April"),
    ("Sie heißt Ruby.", "Ruby"),
    ("Se llama Ruby.", "Ruby"),
    ('{"first":"Julia"}', "Julia"),
)
HARMLESS = (
    "Winter is cold.",
    "April was warm.",
    "Ruby 3.3 was released.",
    "Swift is a language.",
    "We use Ruby on Rails and Julia 1.9.",
    "Ruby was born in Japan.",
    "Ruby prefers blocks over loops.",
    "Julia works as a scripting language.",
    "Ruby, our main language, is slow.",
    "Winter was diagnosed as the coldest since 1950.",
    "The server called Jupiter is down.",
    "project name is Julia",
    "Spring Boot and Spring Cloud are frameworks.",
    "Swift Package Manager",
    "The Julia Language Reference is long.",
    "Will May be warm?",
    "April May be cold this year.",
    "May, June and July are hot.",
    "Monday April 3 we meet.",
    "language: Ruby",
    "Kafka (stream) is down.",
)


@pytest.mark.parametrize("name", WHOLE)
def test_a_first_and_a_family_name_together_are_somebody(name: str) -> None:
    assert people(name) == [name]


@pytest.mark.parametrize(("text", "name"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_what_befalls_people_only_tells_that_a_word_is_one(text: str, name: str) -> None:
    assert name in people(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_seasons_months_and_programs_stay(text: str) -> None:
    assert people(text) == []


def people(text: str) -> list[str]:
    """Who is found by rules alone, no model claiming anybody."""
    spans: list[Detection] = []
    found = without_things(text, refine_people(text, spans))
    return [text[each.start : each.end] for each in found if each.entity_type == "PERSON"]
