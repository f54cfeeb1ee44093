"""Who is only spoken to, and whom a text is about."""

import pytest

from proxy.erasure.plans.roles import is_of_another, role
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
        pytest.param("Jon, my landlord, danced with Mia", "about", id="somebodys"),
        pytest.param("Jon, my boss.", "about", id="somebodys-alone"),
        pytest.param("Mia's nephew, Jon, failed", "about", id="whose-relative"),
        pytest.param("Jon, Mia's nephew, failed", "about", id="whose-relative-behind"),
        pytest.param("Jon, 61, retired, a widower, sings", "about", id="several"),
        pytest.param("Jon, 54, lost his licence", "about", id="age"),
        pytest.param("Jon, CFO, was fired", "about", id="office"),
        pytest.param("Jon, unsere Nachbarin, hat Fieber", "about", id="german"),
        pytest.param("Jon, mi vecina, perdió su trabajo", "about", id="spanish"),
        pytest.param("Jon, the fine was 500, as you know", "mentioned", id="told-something"),
        pytest.param("Jon, my car broke down.", "mentioned", id="told-of-mine"),
        pytest.param("Jon, please, send it", "mentioned", id="asked"),
        pytest.param("Jon, my friend, thanks!", "mentioned", id="thanked"),
        pytest.param("Jon, my friend, I moved to Oslo.", "mentioned", id="told-as-a-friend"),
        pytest.param("Jon, my wife, Mia, works nights.", "mentioned", id="told-of-my-wife"),
        pytest.param("Jon, my boss, again, wants me in", "mentioned", id="told-of-my-boss"),
        pytest.param("Hey Jon, my landlord, old Mr. Fox, calls", "mentioned", id="greeted"),
        pytest.param("Jon, mate, got the flat!", "mentioned", id="called-mate"),
        pytest.param("Jon, the dog, the cat and I moved", "mentioned", id="told-of-us"),
        pytest.param("Jon, the doctors, as expected, say no", "mentioned", id="told-of-doctors"),
        pytest.param("Jon, my boss, also earns too much", "about", id="adverb"),
        pytest.param("Jon, my boss, and Mia met", "about", id="joined"),
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
    ("text", "another"),
    [
        ("Mia moved to Bern", True),
        ("Dr. Mia Falk moved to Bern", True),
        ("Has asthma, says Dr. Mia Falk", False),
        ("She was arrested with Mia", False),
        ("Owes Mia 400 pounds", False),
        ("Has asthma", False),
    ],
)
def test_another_persons_is_what_opens_with_their_name(text: str, another: bool) -> None:
    """Whoever is only named within it has no part that would stay without the forgotten one."""
    start = text.find("Mia")
    assert is_of_another(text, [(start, start + 3)] if start >= 0 else []) is another
