"""Fixtures of the data plane's tests: a real Mem0 in its own process, a store of faults."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from tests.support.fault_store import FaultStore, fault_store
from tests.support.gateway import Plane, data_plane
from tests.support.mem0_store import RunningStore, running_store


@pytest.fixture(scope="session")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One embedded store for the whole run; tests use tenants of their own in it."""
    with running_store(tmp_path_factory.mktemp("mem0")) as running:
        yield running


@pytest.fixture
async def plane(
    mem0: RunningStore, tmp_path: Path, sqlite_template: Path, clock: FrozenClock
) -> AsyncIterator[Plane]:
    """A data plane in front of the real Mem0."""
    async with data_plane(tmp_path / "p", mem0.url, mem0.api_key, sqlite_template, clock) as found:
        yield found


@pytest.fixture
async def faults() -> AsyncIterator[FaultStore]:
    """A store that does as it is told."""
    async with fault_store() as store:
        yield store


@pytest.fixture
async def faulty(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path, clock: FrozenClock
) -> AsyncIterator[Plane]:
    """A data plane in front of the store of faults."""
    async with data_plane(tmp_path / "f", faults.url, "store-key", sqlite_template, clock) as found:
        yield found
