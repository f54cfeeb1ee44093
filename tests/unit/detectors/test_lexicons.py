"""Word lists find what they list, whole words only, at exact places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.words.lexicons import find_groups, find_medical, find_relationships


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("takes Metformin daily", [("MEDICATION", "Metformin")], id="generic"),
        pytest.param("on zoloft since May", [("MEDICATION", "zoloft")], id="brand"),
        pytest.param("has type 2 diabetes", [("MEDICAL_CONDITION", "type 2 diabetes")], id="long"),
        pytest.param("Crohn’s disease", [("MEDICAL_CONDITION", "Crohn’s disease")], id="curly"),
        pytest.param("hat Bluthochdruck", [("MEDICAL_CONDITION", "Bluthochdruck")], id="German"),
        pytest.param("she has MS", [("MEDICAL_CONDITION", "MS")], id="capitals"),
        pytest.param("took 40 ms", [], id="milliseconds"),
        pytest.param("breaststroke and strokes", [], id="inside words"),
        pytest.param("the patient parser", [], id="other sense"),
        pytest.param("", [], id="empty"),
        pytest.param(
            "my dad has parkinsons", [("MEDICAL_CONDITION", "parkinsons")], id="no apostrophe"
        ),
        pytest.param("Diagnose: Lungenkrebs", [("MEDICAL_CONDITION", "Lungenkrebs")], id="lay"),
        pytest.param("prend du doliprane", [("MEDICATION", "doliprane")], id="French brand"),
        pytest.param("parks in Lungern", [], id="no illness"),
        pytest.param("he is depressed", [("MEDICAL_CONDITION", "depressed")], id="somebody"),
        pytest.param("Orla is depressed", [("MEDICAL_CONDITION", "depressed")], id="a name"),
        pytest.param(
            "she was depressed about prices",
            [("MEDICAL_CONDITION", "depressed")],
            id="somebody beside a thing",
        ),
        pytest.param("The economy is depressed.", [], id="economy"),
        pytest.param("a depressed housing market", [], id="market"),
        pytest.param("The button stays depressed", [], id="button"),
        pytest.param("The road surface is a little depressed here", [], id="surface"),
        pytest.param("has cancer", [("MEDICAL_CONDITION", "cancer")], id="illness"),
        pytest.param("her star sign is Cancer", [], id="star sign"),
        pytest.param("along the Tropic of Cancer", [], id="tropic"),
    ],
)
def test_medical_terms(text: str, expected: list[tuple[str, str]]) -> None:
    """Medicines and conditions, longest first, but no parts of words."""
    assert [(one.entity_type, one.text) for one in find_medical(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is a practising Muslim", ["Muslim"]),
        ("votes Labour", ["Labour"]),
        ("hard labour", []),
        ("black coffee", []),
        ("she is Polish", ["Polish"]),
        ("Polish the shoes", []),
        ("converted to Judaism", ["Judaism"]),
    ],
)
def test_groups(text: str, expected: list[str]) -> None:
    """Peoples, creeds and parties; words with another sense need their context."""
    assert [one.text for one in find_groups(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my ex-wife called", ["ex-wife"]),
        ("Orla's older brother", ["brother"]),
        ("the user's landlord", ["landlord"]),
        ("seine Schwester kommt", ["Schwester"]),
        ("a mother board", []),
        ("my brotherhood", []),
    ],
)
def test_relationships(text: str, expected: list[str]) -> None:
    """Relations count when they are somebody's."""
    assert [one.text for one in find_relationships(text)] == expected


@given(st.text(max_size=80))
def test_spans_are_exact(text: str) -> None:
    """Spans are code points of the text as given, whatever letters it has."""
    for find in (find_medical, find_groups, find_relationships):
        for one in find(text):
            assert text[one.start : one.end] == one.text


@given(st.text(alphabet="İßﬁ 😀\u0301", max_size=6))
def test_letters_that_grow_in_lower_case_do_not_shift_spans(prefix: str) -> None:
    """Lower-casing some letters makes them longer; the span must not move."""
    text = f"{prefix} takes metformin"
    assert [one.text for one in find_medical(text)] == ["metformin"]
