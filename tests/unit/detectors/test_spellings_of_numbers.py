"""One telephone number in all usual spellings, and numbers that are other people's."""

import pytest

from detectors.identity.keys import name_keys
from detectors.identity.windows import candidate_keys
from detectors.recognisers.phone import find

GERMAN = [
    "+49 170 5550101", "+491705550101", "+49-170-555-0101", "+49 (0) 170-555-0101",
    "+49(0)170 5550101", "+49 (170) 5550101", "(+49) 170 5550101", "0049 170 555 0101",
    "00 49 170 5550101", "0049 (0) 170 5550101", "00491705550101", "011 49 170 5550101",
    "49 170 5550101", "491705550101", "0170 5550101", "0170/5550101", "0170-555 01 01",
    "(0170) 5550101", "(0)170 555 0101", "170 5550101", "+49 170.555.0101",
]  # fmt: skip
AMERICAN = [
    "+1 415 555 0101", "+1 (415) 555-0101", "001 415 555 0101", "1 (415) 555-0101",
    "1-415-555-0101", "(415) 555-0101", "415.555.0101", "415-555-0101", "+14155550101",
]  # fmt: skip
BRITISH = [
    "+44 20 7946 0101", "+44 (0)20 7946 0101", "0044 20 7946 0101", "020 7946 0101",
    "(020) 7946 0101", "+44 (0) 20 7946 0101",
]  # fmt: skip
OTHERS = [
    "+47 170 5550101", "0047 170 555 0101", "+49 170 5550102", "0170 5550102", "+49 171 5550101",
    "+49 170 55501011", "1 70 555 01 0", "order 4917055501010",
]  # fmt: skip


def found(given: str, text: str) -> bool:
    """Whether a text has the given number."""
    keys = {key for key in name_keys(given, "PHONE_NUMBER") if key.kind == "full"}
    return any(key in keys for _, _, key in candidate_keys(f"Call {text} after six"))


@pytest.mark.parametrize("written", [*GERMAN, *AMERICAN, *BRITISH])
def test_every_spelling_is_known_by_every_other(written: str) -> None:
    """Whichever was given; a number without its country is that of any country."""
    family = next(each for each in (GERMAN, AMERICAN, BRITISH) if written in each)
    missed = [text for text in family if not found(written, text)]
    assert missed == []


@pytest.mark.parametrize("other", OTHERS)
def test_another_number_is_not_taken_for_it(other: str) -> None:
    """Of another country, with another digit, or with more or fewer."""
    assert not found("+49 170 5550101", other)


@pytest.mark.parametrize(
    "written", ["00 49 170 5550101", "0049 (0) 170 5550101", "(0)170 555 0101"]
)
def test_it_is_detected(written: str) -> None:
    """Whoever does not look for it sees that it is a number, whole."""
    text = f"Met her in Bergen: {written}, after six"
    assert [each for each in find(("DE",), text) if text[each.start : each.end] == written]
