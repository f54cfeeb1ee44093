"""Who is only spoken to, and whom a text is about."""

import pytest

from proxy.erasure.plans.roles import leads, role
from proxy.erasure.texts.mentions import Needles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Hey Jon! How are you?", "mentioned", id="greeting"),
        pytest.param("Thanks, Jon, I love painting.", "mentioned", id="vocative"),
        pytest.param("Wow, Jon. I moved to Oslo.", "mentioned", id="exclamation"),
        pytest.param("I moved to Oslo, Jon!", "mentioned", id="at-the-end"),
        pytest.param("Jon: I moved to Oslo", "about", id="speaker"),
        pytest.param("Jon moved to Oslo", "about", id="subject"),
        pytest.param("I met Jon in Oslo", "about", id="object"),
        pytest.param("We invited Ann, Jon, and Mia", "about", id="list"),
        pytest.param("Hey Jon! I told Mia that Jon moved", "about", id="both"),
        pytest.param("Jon's studio opened", "about", id="possessive"),
        pytest.param("Jon, who is ill, danced with Mia", "about", id="relative"),
        pytest.param("Jon, a diabetic, danced with Mia", "about", id="apposition"),
        pytest.param("Jon, the fine was 500, as you know", "mentioned", id="told-something"),
    ],
)
def test_role(text: str, expected: str) -> None:
    """A name that is only addressed says nothing about its bearer."""
    spans = Needles.build(["Jon"], entity_type="PERSON").find(text)
    assert role(text, spans, own=False) == expected


def test_ones_own_memory_is_the_authors() -> None:
    """Under the data subject's own id everything is theirs."""
    assert role("Hey Jon!", [], own=True) == "author"


@pytest.mark.parametrize(
    ("text", "first"),
    [("Jon met Mia", True), ("Mia met Jon", False), ("Met Jon and liked it", True)],
)
def test_the_main_subject_comes_first(text: str, first: bool) -> None:
    """Primary is who is named before anybody else."""
    spans = Needles.build(["Jon"], entity_type="PERSON").find(text)
    start = text.find("Mia")
    assert leads(spans, [(start, start + 3)] if start >= 0 else []) is first
