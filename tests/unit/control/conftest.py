"""The control plane over real services and an empty store; a file may fill the store first."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from proxy.control.services import ControlServices
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from tests.support.control import Client, bench_of, client_of, services_of
from tests.support.erasing import Erasing


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Erasing:
    """The engine of erasures over an empty store."""
    return await bench_of(ledger, keyring, tenant_id, clock, tmp_path)


@pytest.fixture
def services(bench: Erasing) -> ControlServices:
    """What the control plane calls, over the test's ledger."""
    return services_of(bench)


@pytest.fixture
async def client(services: ControlServices) -> AsyncIterator[Client]:
    """A client of the control plane."""
    async with client_of(services) as made:
        yield made
