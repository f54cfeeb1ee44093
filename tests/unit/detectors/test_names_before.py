"""Words that are first names only before a family name."""

import pytest

from detectors.detection import Detection
from detectors.people.before import is_first_name
from detectors.people.corrections import refine_people
from proxy.tokens.mentions.standing import stands_alone

FIRST = {
    # id: a sentence about somebody whose first name, a word to most, stands before "Falk"
    "preposition": "Per Falk is nice",
    "preposition-inside": "Yesterday Per Falk came by",
    "preposition-possessive": "Per Falk's boat is red",
    "preposition-small": "per falk is nice",
    "preposition-beside-another": "Tom Reed and Per Falk are married",
    "preposition-with-another": "Per Falk and Mira Lund are married",
    "modal": "Will Falk plays golf",
    "modal-inside": "we had lunch with Will Falk at noon",
    "modal-possessive": "Will Falk's red boat sings",
    "modal-small": "will falk is nice",
    "month": "May Falk is nice",
    "month-irregular": "May Falk came by",
    "request": "Ask Falk is nice",
    "request-inside": "My neighbour is Ask Falk",
    "verb": "Mark Falk plays golf",
    "verb-inside": "Called Drew Falk about the boat",
    "noun": "Art Falk is nice",
    "note": "Bill Falk lives at the pier",
    "flower": "Rose Falk is nice",
    "virtue": "Grace Falk is nice",
    "adjective": "Odd Falk is nice",
    "adjective-inside": "Called Odd Falk about the boat",
    "title": "Don Falk is nice",
    "title-inside": "Yesterday Don Falk came by",
    "adverb-inside": "My neighbour is Even Falk",
    "short-inside": "Yesterday Mo Falk came by",
    "verb-that-is": "Are Falk plays golf",
}
NONE = {
    "preposition-request": "Per Falk, the boat is red",
    "modal-question": "Will Falk come?",
    "modal-question-inside": "It rains. Will Falk and Mira come on Friday?",
    "modal-question-is": "Will Falk's boat, which is red, come?",
    "month-wish": "May Falk rest",
    "request": "Ask Falk about the boat",
    "request-possessive": "Ask Falk's brother about the boat",
    "verb": "Mark Falk as away",
    "adverb": "Even Falk is nice",
    "adverb-so": "So Falk came by",
    "possessive": "My Falk is nice",
    "possessive-small": "my falk is nice",
    "title": "Yesterday Dr Falk came by",
    "relation": "My Sister Falk came by",
    "weekday": "Last Sunday Falk came by",
    "nobody": "Yesterday Called Falk again",
    "headline": "Lunch At The Pier: Said Falk",
    "capitals": "WE MET WILL FALK",
    "article": "the Falk is nice",
}


def at(text: str) -> tuple[int, int, int]:
    """Where the word before the name, and the name, stand."""
    family = text.lower().index("falk")
    return (
        text.rindex(" ", 0, family - 1) + 1 if " " in text[: family - 1] else 0,
        family - 1,
        family,
    )


@pytest.mark.parametrize("text", FIRST.values(), ids=FIRST)
def test_a_first_name_before_a_family_name(text: str) -> None:
    """The person is found with it, and the family name does not stand alone."""
    family = at(text)[2]
    assert is_first_name(text, *at(text))
    assert not stands_alone(text, family, family + 4)
    found = Detection("PERSON", family, family + 4, 0.8, "model", text[family : family + 4])
    people = [one for one in refine_people(text, [found]) if one.start < family + 4 <= one.end]
    assert [one.start for one in people] == [at(text)[0]]


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_a_word_that_is_no_first_name(text: str) -> None:
    """Requests, questions, titles and what is said of somebody name nobody else."""
    assert not is_first_name(text, *at(text))


def test_another_person_before_stays_another() -> None:
    """Two people side by side in small letters are not joined."""
    text = "john mary is nice"
    found = [Detection("PERSON", 0, 4, 0.8, "model", "john"),
             Detection("PERSON", 5, 9, 0.8, "model", "mary")]  # fmt: skip
    assert [one.text for one in refine_people(text, found)] == ["john", "mary"]
