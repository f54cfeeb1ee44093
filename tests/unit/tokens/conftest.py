"""Fixtures of the tests of tokens and the blocklist."""

import pytest

from proxy.clock import FrozenClock
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist


@pytest.fixture
def blocklist(ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Blocklist:
    """An empty blocklist."""
    return Blocklist(ledger, keyring, clock)
