"""The quick look whether a text may hold a token never overlooks one."""

import pytest

from proxy.tokens import surrogate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Person_7f3a2c", True),
        ("ask PERSON_7F3A2C_2 again", True),
        ("Email_0123456789abcdef0123456789abcdef", True),
        ("Person_7f3a2", False),
        ("created_at", False),
        ("no underscore 7f3a2c", False),
    ],
)
def test_whatever_holds_a_token_may_hold_one(text: str, expected: bool) -> None:
    """True for each spelling of a token, False for ordinary names of members."""
    assert surrogate.may_hold(text) is expected
    assert bool(list(surrogate.find(text))) is expected
