"""Pseudonyms: equal for equal input under one secret, different in every other respect."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.pseudonyms import Pseudonyms

ACME, OTHER = Pseudonyms(b"a" * 32), Pseudonyms(b"b" * 32)


def test_stable_across_instances() -> None:
    """The same secret gives the same pseudonym after a restart."""
    assert ACME.of("owner", "user", "42") == Pseudonyms(b"a" * 32).of("owner", "user", "42")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param(ACME.of("owner", "42"), OTHER.of("owner", "42"), id="another tenant"),
        pytest.param(ACME.of("owner", "42"), ACME.of("subject", "42"), id="another domain"),
        pytest.param(ACME.of("owner", "a", "bc"), ACME.of("owner", "ab", "c"), id="other parts"),
        pytest.param(ACME.of("owner", "u-1"), ACME.of("owner", "u-10"), id="a prefix"),
        pytest.param(ACME.of("owner", "u-1"), ACME.of("owner", "U-1"), id="another case"),
    ],
)
def test_what_differs_gets_another_pseudonym(one: bytes, two: bytes) -> None:
    """Tenants, domains, part borders, prefixes and case are never confused."""
    assert one != two


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_injective_over_part_lists(one: list[str], two: list[str]) -> None:
    """Different lists of parts give different pseudonyms, equal ones equal."""
    assert (ACME.of("ref", *one) == ACME.of("ref", *two)) == (one == two)


def test_text_form_fits_urls() -> None:
    """The text form is 26 lower-case base32 characters."""
    assert re.fullmatch(r"[a-z2-7]{26}", ACME.text("subject", "Alva Brenn"))


def test_short_secrets_are_refused() -> None:
    """A secret below 32 bytes would be guessable."""
    with pytest.raises(ValueError, match="32 bytes"):
        Pseudonyms(b"short")
