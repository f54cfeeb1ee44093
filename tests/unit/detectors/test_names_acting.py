"""Words that no list knows as names, or that are ordinary words, where only a person can stand."""

import pytest

from detectors.people.corrections import refine_people


def people(text: str) -> list[str]:
    """People that rules find without a model."""
    return [text[one.start : one.end] for one in refine_people(text, [])]


@pytest.mark.parametrize(
    ("text", "name", "twin"),
    [
        ("Kerwenna told the user a secret", "Kerwenna", "Kerwenna is a brand of soap"),
        ("Summer overslept again", "Summer", "Summer flew by"),
        ("Brook never forgets a birthday", "Brook", "Brook water is cold"),
        ("zubenko texted me twice", "zubenko", "zubenko throws an error"),
        ("Done. Ulveric apologised for it", "Ulveric", "Done. Ulveric is installed"),
        ("Sage teaches on Mondays", "Sage", "Sage grows well in sand"),
    ],
    ids=["unknown", "season", "nature", "lower case", "second sentence", "plant"],
)
def test_only_people_do_this(text: str, name: str, twin: str) -> None:
    """The word is a person by what it does; in its twin it does what things do."""
    assert people(text) == [name]
    assert people(twin) == []


@pytest.mark.parametrize(
    "text",
    ["Docker told me to restart", "The teacher told us", "USB asked for power", "Everyone cried",
     "He promised it", "Hawaii loves ukuleles", "Hat gekocht und loved it", "Ibuprofen hates me"],
)  # fmt: skip
def test_what_is_nobody(text: str) -> None:
    """Programs, ordinary words, abbreviations, places and medicines stay what they are."""
    assert people(text) == []
