"""Rules that correct the name model, without the model: its spans are given."""

import pytest

from detectors.detection import Detection
from detectors.people.corrections import refine_people


def spans(text: str, *found: tuple[str, str]) -> list[Detection]:
    """Detections of a model at the first place where their text stands."""
    return [
        Detection(kind, start := text.index(part), start + len(part), 0.85, "model", part)
        for kind, part in found
    ]


def people(text: str, *found: tuple[str, str]) -> list[str]:
    """Names that remain."""
    refined = refine_people(text, spans(text, *found))
    assert all(text[one.start : one.end] == one.text for one in refined)
    return [one.text for one in refined if one.entity_type == "PERSON"]


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        pytest.param("Forget Johnny", [("PERSON", "Forget Johnny")], ["Johnny"], id="verb before"),
        pytest.param("Alva's car", [("PERSON", "Alva's")], ["Alva"], id="possessive"),
        pytest.param(
            "Tilda van der Kolk fietst.",
            [("PERSON", "Tilda van der Kolk fietst")],
            ["Tilda van der Kolk"],
            id="foreign verb behind",
        ),
        pytest.param(
            "W. van der Kolk betaalde.",
            [("PERSON", "van der Kolk betaalde")],
            ["van der Kolk"],
            id="foreign verb behind a family name",
        ),
        pytest.param(
            "Anna tahaholm",
            [("PERSON", "Anna tahaholm")],
            ["Anna tahaholm"],
            id="family name in small letters",
        ),
        pytest.param("Will turned nine", [], ["Will"], id="name that is a word"),
        pytest.param("Hope's exam is near", [], ["Hope"], id="word with possessive"),
        pytest.param("her son is called Hunter", [], ["Hunter"], id="called"),
        pytest.param("User's sister Rose is here", [], ["Rose"], id="relation"),
        pytest.param("my sister lakshmi is here", [], ["lakshmi"], id="lower-case relation"),
        pytest.param("ask john for the key", [], ["john"], id="lower-case known name"),
        pytest.param("did priyanka call", [], ["priyanka"], id="lower-case rarer name"),
        pytest.param("Zyra and Qelth met", [("PERSON", "Zyra")], ["Zyra", "Qelth"], id="and"),
        pytest.param("Saoirse is here", [("ORGANIZATION", "Saoirse")], ["Saoirse"], id="as firm"),
        pytest.param(
            "Zyra left. We miss Zyra", [("PERSON", "Zyra")], ["Zyra", "Zyra"], id="said again"
        ),
    ],
)
def test_people_are_found_and_trimmed(
    text: str, found: list[tuple[str, str]], expected: list[str]
) -> None:
    """What is a name is reported, and no more than the name."""
    assert people(text, *found) == expected


APART = {
    "given and family": ("Met Sten Lode", ["Sten", "Lode"], ["Sten Lode"]),
    "given, given and family": ("Met Sten Ivo Lode", ["Sten Ivo", "Lode"], ["Sten Ivo Lode"]),
    "small": ("met sten lodenby", ["sten", "lodenby"], ["sten lodenby"]),
    "possessive behind": ("Met Sten Lode's son", ["Sten", "Lode"], ["Sten Lode"]),
    "two given names, small": ("ask john mary said", ["john", "mary"], ["john", "mary"]),
    "day": ("Saw Sten Friday", ["Sten"], ["Sten"]),
    "comma": ("Sten, Lodenby and I", ["Sten", "Lodenby"], ["Sten", "Lodenby"]),
    "sentences": ("I met Sten. Lodenby left", ["Sten", "Lodenby"], ["Sten", "Lodenby"]),
    "possessive between": ("Sten's Lodenby", ["Sten", "Lodenby"], ["Sten", "Lodenby"]),
}


@pytest.mark.parametrize(("text", "found", "expected"), APART.values(), ids=APART)
def test_a_name_found_in_two_parts_is_one(text: str, found: list[str], expected: list[str]) -> None:
    """Given and family name right beside each other; two people stay two."""
    assert people(text, *(("PERSON", part) for part in found)) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("Redis is down", [("PERSON", "Redis")], id="technical"),
        pytest.param("is a Muslim", [("PERSON", "Muslim")], id="creed"),
        pytest.param("takes Biktarvy", [("PERSON", "Biktarvy")], id="medicine"),
        pytest.param("IBAN DE89", [("PERSON", "DE89")], id="code"),
        pytest.param("Hudson River rose", [("PERSON", "Hudson River")], id="river"),
        pytest.param("Autumn leaves fell", [("PERSON", "Autumn")], id="season"),
        pytest.param("Redis and Kafka run", [("PERSON", "Redis")], id="and of products"),
        pytest.param("User prefers tea", [("PERSON", "User")], id="the user"),
        pytest.param("finds joy in music", [("PERSON", "joy")], id="lower-case word"),
        pytest.param("Will try again", [], id="verb"),
        pytest.param("Hope this helps", [], id="wish"),
        pytest.param("Rose wine is fine", [], id="colour"),
        pytest.param("the dog is called Waffles", [], id="pet"),
        pytest.param("i moved to paris", [], id="place"),
        pytest.param("write to john.quist@example.org", [], id="address"),
        pytest.param("see https://example.org/maria/notes", [], id="link"),
        pytest.param("Trinkt morgens Tee", [], id="foreign"),
        pytest.param("", [], id="empty"),
    ],
)
def test_what_is_no_name_is_not_reported(text: str, found: list[tuple[str, str]]) -> None:
    """Words, products, places and pets are not people."""
    assert people(text, *found) == []


def test_other_kinds_pass_unchanged_unless_they_are_people() -> None:
    """Places and dates stay; an organisation called ``User`` goes."""
    text = "User moved to Lisbon in May"
    found = spans(text, ("ORGANIZATION", "User"), ("LOCATION", "Lisbon"), ("DATE_TIME", "May"))
    assert [one.entity_type for one in refine_people(text, found)] == ["LOCATION", "DATE_TIME"]


def test_spans_never_overlap_with_people() -> None:
    """A person found by a rule displaces what the model said about the same words."""
    text = "her son is called Hunter"
    refined = refine_people(text, spans(text, ("ORGANIZATION", "called Hunter")))
    assert [(one.entity_type, one.text) for one in refined] == [("PERSON", "Hunter")]
