"""A person's span ends before a number and before what is said of them."""

from collections.abc import Callable

import pytest

SENTENCES = {
    "Owes Priya 35 pounds for the concert tickets.": ["Priya"],
    "Owes Orla Quist 35 pounds": ["Orla Quist"],
    "Owe Farida 12.50 for lunch.": ["Farida"],
    "Tell Jonas 7 pm works.": ["Jonas"],
    "Invite Mirela 6 pm.": ["Mirela"],
    "Bought Hannah 4 candles.": ["Hannah"],
    "Email Casimir 1 draft of the letter.": ["Casimir"],
    "Upgraded to Gemini 2 and Llama 3": [],
    "Karaoke was fun; Paul sang Bohemian Rhapsody.": ["Paul"],
    "At dinner Ingmar sang Hey Jude.": ["Ingmar", "Jude"],
    "Birgit kocht, Torsten isst, Birgit spült": ["Birgit", "Torsten", "Birgit"],
    "Torsten isst, Birgit kocht und Torsten spült": ["Torsten", "Birgit", "Torsten"],
    "Jutta singt, Jörg schläft": ["Jutta", "Jörg"],
    "Jens backt, Uwe wäscht, Jens putzt": ["Jens", "Uwe", "Jens"],
    "Birgit ruft Torsten an": ["Birgit", "Torsten"],
    "Anna abgeholt": ["Anna"],
    "Margot nage et Luc boit": ["Margot", "Luc"],
    "Zoé lit, Hugo dort, Zoé rit": ["Zoé", "Hugo", "Zoé"],
    "Claire aime Paul et Luc déteste Zoé": ["Claire", "Paul", "Luc", "Zoé"],
    "De Vries, Jan tekende het contract": ["De Vries, Jan"],
    "Maria del Carmen sang": ["Maria del Carmen"],
    "Anna smith said hi": ["Anna smith"],
    "Tilda brenn said hi": ["Tilda brenn"],
}


@pytest.mark.parametrize(("text", "found"), SENTENCES.items())
def test_a_name_ends_where_the_sentence_goes_on(
    people_of: Callable[[str], list[str]], text: str, found: list[str]
) -> None:
    """Nothing but the name is taken, so that equal people are told to be equal."""
    assert people_of(text) == found


GENERATIONS = {
    "Hugo Sorensen Jr. sings.": "Hugo Sorensen Jr",
    "We met Hugo Sorensen Jr.": "Hugo Sorensen Jr",
    "Hugo Sorensen, Jr. called": "Hugo Sorensen, Jr",
    "Hugo Sorensen Sr. owns the farm.": "Hugo Sorensen Sr",
    "Hugo Sorensen III paints": "Hugo Sorensen III",
    "hugo sorensen jr likes tea": "hugo sorensen jr",
    "Hugo Sorensen Jr.'s film": "Hugo Sorensen Jr",
    "Hugo Sorensen sings.": "Hugo Sorensen",
}


@pytest.mark.parametrize(("text", "name"), GENERATIONS.items())
def test_a_name_has_its_generation(
    people_of: Callable[[str], list[str]], text: str, name: str
) -> None:
    """Without it, it is the name of the father."""
    assert people_of(text) == [name]
