"""Fixtures of the tests of tokens and the blocklist."""

import pytest

from proxy.clock import FrozenClock
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from tests.support.erasing import InProcessDetectors


@pytest.fixture
def blocklist(ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> Blocklist:
    """An empty blocklist."""
    return Blocklist(ledger, keyring, clock, InProcessDetectors())


@pytest.fixture
def vault(ledger: Ledger, keyring: KeyRing, clock: FrozenClock) -> TokenVault:
    """A token vault on an empty ledger."""
    return TokenVault(ledger, keyring, clock)
