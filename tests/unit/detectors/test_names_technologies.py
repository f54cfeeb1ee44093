"""Programming languages with the name of somebody: nobody beside another, somebody elsewhere."""

from collections.abc import Callable

import pytest

TECHNOLOGIES = (
    "Drei Jahre Rust und Haskell, danach Vuejs und Tailwindcss.",
    "Drei Jahre Haskell und Rust",
    "Five years of Ada, Fortran and Cobol",
    "Zwei Jahre Perl und Pascal",
    "Zwei Jahre Pascal",
    "Je code en Pascal",
    "Programa en Julia",
    "Wrote Java, Haskell and C before",
    "He programs in Scala and Haskell.",
    "Fluent in Pascal and Kotlin",
)
PEOPLE = {
    "Dr. Haskell called": ["Haskell"],
    "Met with Haskell yesterday": ["Haskell"],
    "Pascal and Haskell wrote a letter to me": ["Pascal", "Haskell"],
    "Je code en Python, Pascal préfère Ada": ["Pascal", "Ada"],
    "He uses Python, Pascal likes tea": ["Pascal"],
    "After two years Pascal moved to Bonn": ["Pascal"],
    "Together ten years with Ada.": ["Ada"],
    "Crystal and Nim came to dinner": ["Crystal", "Nim"],
    "Invited Haskell, Julia and Rosa": ["Haskell", "Julia", "Rosa"],
}


@pytest.mark.parametrize("text", TECHNOLOGIES)
def test_a_language_is_nobody(people_of: Callable[[str], list[str]], text: str) -> None:
    """Where it stands beside another, or where somebody works with it."""
    assert people_of(text) == []


@pytest.mark.parametrize(("text", "found"), PEOPLE.items())
def test_somebody_stays(people_of: Callable[[str], list[str]], text: str, found: list[str]) -> None:
    """Who is called as a language is."""
    assert people_of(text) == found
