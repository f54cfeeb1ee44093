"""Family names with particles before a comma and the given name: nothing of them is left."""

from collections.abc import Callable

import pytest

NAMES = (
    "Van den Berg, Pieter", "De la Fuente, Rosa", "De la Cruz, Manuel", "La Porta, Ugo",
    "Dos Santos, Ana", "Di Marco, Elena", "El Amrani, Youssef", "Van der Berg, Anneke",
    "Le Guin, Ursula", "Von Hagen, Jutta", "Van 't Hof, Marijke", "Della Rocca, Elena",
    "Ten Brink, Anneke", "Ter Horst, Bram",
)  # fmt: skip
PLACES = (
    "{}",
    "{} signed",
    "{} is on the guest list.",
    "We met {} yesterday.",
    "Tenant: {}",
    "{}'s contract ended",
)
SENTENCES = {
    "Guests: De la Cruz, Manuel; Van den Berg, Pieter; Dos Santos, Ana": [
        "De la Cruz, Manuel", "Van den Berg, Pieter", "Dos Santos, Ana",
    ],
    "De la Cruz, Manuel and Anna came": ["De la Cruz", "Manuel", "Anna"],
    "Juan De la Cruz, Manuel and Rosa came": ["Juan De la Cruz", "Manuel", "Rosa"],
    "Von Jutta, Peter und Anna kam nichts": ["Jutta", "Peter", "Anna"],
    "Das Haus, Anna und der Garten": ["Anna"],
    "El Paso, Carlos lives there": ["Carlos"],
    "Room 4: Ten Brink, Hanneke": ["Ten Brink, Hanneke"],
    "Patient: ten Brink, Hanneke": ["ten Brink, Hanneke"],
    "Hanneke ten Brink called.": ["Hanneke ten Brink"],
    "Ten Apples, Anna": ["Anna"],
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left(people_of: Callable[[str], list[str]], name: str) -> None:
    """Alone, at the beginning, within a sentence, in a field, as an owner."""
    texts = [place.format(name) for place in PLACES]
    assert [people_of(text) for text in texts] == [[name]] * len(texts)


@pytest.mark.parametrize(("text", "found"), SENTENCES.items())
def test_each_is_one_person(
    people_of: Callable[[str], list[str]], text: str, found: list[str]
) -> None:
    """Where others are named too, nobody's given name is taken."""
    assert people_of(text) == found
