"""Overlapping detections become disjoint ones that still cover everything."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.detection import Detection
from detectors.overlaps import MODEL_TYPES, SPECIFICITY, resolve

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
