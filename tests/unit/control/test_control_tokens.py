"""Tokens of the control plane are too long to be guessed, and guessing tells nothing."""

import base64

import pytest

from proxy.clock import FrozenClock
from proxy.control.credentials import SHORTEST_TOKEN, Credentials
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.problems import Problem


@pytest.fixture
def tokens(ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Credentials:
    """Issues and checks tokens."""
    return Credentials(ledger, keyring, clock)


async def test_a_token_has_256_random_bits(tokens: Credentials) -> None:
    """Thirty-two bytes of the system's randomness, none alike, none shared in position."""
    issued = [await tokens.issue(None, ["operator"], "t") for _ in range(64)]
    raw = [base64.urlsafe_b64decode(token.partition("_")[2] + "=") for token in issued]
    assert {len(each) for each in raw} == {32}
    assert all(len({each[place] for each in raw}) > 32 for place in range(32))


async def test_a_short_token_of_ones_own_is_refused(tokens: Credentials, ledger: Ledger) -> None:
    """What is configured must be long too; the shortest that is taken opens."""
    short = "a" * (SHORTEST_TOKEN - 1)
    with pytest.raises(Problem, match="invalid-config"):
        await ledger.write(lambda tx: tokens.ensure(tx, None, ["operator"], "t", short))
    enough = "a" * SHORTEST_TOKEN
    await ledger.write(lambda tx: tokens.ensure(tx, None, ["operator"], "t", enough))
    assert (await tokens.authenticate(enough)).roles == {"operator"}


async def test_near_misses_are_refused_like_any_other(tokens: Credentials) -> None:
    """A token but for one character is told nothing that a wild guess is not told."""
    token = await tokens.issue(None, ["operator"], "t")
    guesses = [token[:-1], token + "A", token.swapcase(), token[:-1] + "~", "xpc_", "", "x" * 47]
    refusals = set()
    for guess in guesses:
        with pytest.raises(Problem) as caught:
            await tokens.authenticate(guess)
        refusals.add((caught.value.slug, caught.value.detail, caught.value.hint))
    assert {slug for slug, *_ in refusals} == {"unauthenticated"}
    assert len(refusals) == 1
    assert (await tokens.authenticate(token)).roles == {"operator"}
