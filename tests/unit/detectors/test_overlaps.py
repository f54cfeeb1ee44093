"""Overlapping detections become disjoint ones that still cover everything."""

import base64
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.detection import Detection
from detectors.engine import Detector
from detectors.overlaps import MODEL_TYPES, SPECIFICITY, resolve
from detectors.settings import DetectorSettings

TEXT = "Orla Quist 555-0172, tess.hale@example.org/profile/77 on 14 February 1987 in Leeds."


def _span(entity_type: str, part: str, score: float = 0.8) -> Detection:
    start = TEXT.index(part)
    return Detection(entity_type, start, start + len(part), score, "test")


# what was found, and what must remain, as (type, text)
ROWS = {
    "connected patterns become one": (
        [_span("EMAIL_ADDRESS", "tess.hale@example.org"), _span("URL", "example.org/profile/77")],
        [("EMAIL_ADDRESS", "tess.hale@example.org/profile/77")],
    ),
    "neighbours stay two": (
        [_span("EMAIL_ADDRESS", "tess.hale@"), _span("URL", "example.org/profile/77")],
        [("EMAIL_ADDRESS", "tess.hale@"), ("URL", "example.org/profile/77")],
    ),
    "checksum beats pattern": (
        [_span("US_SSN", "555-0172"), _span("BANK_ACCOUNT", "555-0172", 1.0)],
        [("BANK_ACCOUNT", "555-0172")],
    ),
    "an account beats a telephone": (
        [_span("PHONE_NUMBER", "555-0172", 0.9), _span("BANK_ACCOUNT", "555-0172", 0.8)],
        [("BANK_ACCOUNT", "555-0172")],
    ),
    "specific beats general": (
        [_span("PHONE_NUMBER", "555-0172", 0.95), _span("PASSPORT", "555-0172", 0.5)],
        [("PASSPORT", "555-0172")],
    ),
    "longer beats shorter": (
        [_span("URL", "example.org"), _span("URL", "example.org/profile/77")],
        [("URL", "example.org/profile/77")],
    ),
    "a name is not stretched over a number": (
        [_span("PERSON", "Orla Quist 555-0172"), _span("PHONE_NUMBER", "555-0172")],
        [("PERSON", "Orla Quist"), ("PHONE_NUMBER", "555-0172")],
    ),
    "a date within a birth goes": (
        [_span("DATE_TIME", "14 February 1987"), _span("DATE_OF_BIRTH", "14 February 1987")],
        [("DATE_OF_BIRTH", "14 February 1987")],
    ),
    "what is left of a name has letters": (
        [_span("PERSON", "555-0172,"), _span("PHONE_NUMBER", "555-0172")],
        [("PHONE_NUMBER", "555-0172")],
    ),
    "two models' people become one": (
        [_span("PERSON", "Orla"), _span("PERSON", "Orla Quist")],
        [("PERSON", "Orla Quist")],
    ),
    "an unknown type wins over a general one": (
        [_span("MONEY", "77"), _span("STAFF_NUMBER", "profile/77")],
        [("STAFF_NUMBER", "profile/77")],
    ),
}


@pytest.mark.parametrize(("found", "expected"), ROWS.values(), ids=ROWS)
def test_overlap(found: list[Detection], expected: list[tuple[str, str]]) -> None:
    """The right type keeps the right span, in either order of discovery."""
    for order in (found, found[::-1]):
        assert [(item.entity_type, item.text) for item in resolve(TEXT, order)] == expected


SPANS = st.builds(
    lambda kind, a, b, score: Detection(kind, min(a, b), max(a, b) + 1, score, "test"),
    st.sampled_from([*SPECIFICITY, "OWN_TYPE"]),
    st.integers(0, len(TEXT) - 2),
    st.integers(0, len(TEXT) - 2),
    st.floats(0, 1),
)


@given(st.lists(SPANS, max_size=12))
def test_every_letter_and_digit_stays_covered(found: list[Detection]) -> None:
    """Whatever was detected remains covered, up to the punctuation at a cut."""
    resolved = resolve(TEXT, found)
    covered = {index for item in resolved for index in range(item.start, item.end)}
    for item in found:
        for index in range(item.start, item.end):
            cut = item.entity_type in MODEL_TYPES and not TEXT[index].isalnum()
            assert index in covered or cut
    assert all(one.end <= other.start for one, other in itertools.pairwise(resolved))


POSSESSIVES = {
    # id: a text, what a model takes for a name in it, and what of that is one
    "apostrophe": ("Vera Sand's doctor", "Vera Sand's", "Vera Sand"),
    "curly": ("Vera Sand’s doctor", "Vera Sand’s", "Vera Sand"),
    "acute": ("Vera Sand´s doctor", "Vera Sand´s", "Vera Sand"),
    "capitals": ("VERA SAND'S DOCTOR", "VERA SAND'S", "VERA SAND"),
    "plural": ("the Sands' doctor", "Sands'", "Sands"),
    "at the end": ("The boat is Vera Sand's", "Vera Sand's", "Vera Sand"),
    "twin: inside": ("Vera O'Sand sings", "Vera O'Sand", "Vera O'Sand"),
    "twin: no ending": ("Vera Sands sings", "Vera Sands", "Vera Sands"),
}


@pytest.mark.parametrize(("text", "found", "left"), POSSESSIVES.values(), ids=POSSESSIVES)
@pytest.mark.parametrize("kind", ["PERSON", "ORGANIZATION"])
def test_the_ending_of_a_possessive_is_no_part_of_a_name(
    text: str, found: str, left: str, kind: str
) -> None:
    """It stays where a token or a phrase takes the place of the name."""
    start = text.index(found)
    one = Detection(kind, start, start + len(found), 0.8, "test")
    assert [each.text for each in resolve(text, [one])] == [left]


BESIDE_NAMES = [
    "my brother {}",
    "{} paid 300 euros",
    "{} is 34 years old",
    "{}, https://example.org/x",
]


@pytest.mark.parametrize("said", BESIDE_NAMES)
def test_a_name_in_an_encoded_run_hides_behind_nothing_that_says_less(said: str) -> None:
    """All that is found in one run has the run's span; in plain text each keeps its own."""
    detector = Detector(DetectorSettings(tier="fast"))
    words = said.format("Oluwaseun Adeyemi")
    runs = [base64.b64encode(words.encode()).decode(), words.encode().hex()]
    for run in runs:
        (found,) = detector.analyse([run])[0].detections
        assert (found.entity_type, found.text) == ("PERSON", run)
    plain = {found.entity_type for found in detector.analyse([words])[0].detections}
    assert len(plain) > 1
