"""One list of titles: what is stripped from a name is what tells that a name follows."""

import re

import pytest

from detectors.identity.names import person_tokens
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
