"""Fixtures of the data plane's tests: one real Mem0 and one store of faults for the whole run."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from proxy import ids
from proxy.clock import FrozenClock
from tests.support.fault_store import FaultStore, answer, fault_store
from tests.support.gateway import Plane, add_tenants, data_plane
from tests.support.ledger import START
from tests.support.mem0_store import RunningStore, running_store

Opened = Callable[..., AbstractAsyncContextManager[Plane]]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder share one event loop, because they share the planes."""
    for item in items:
        work = getattr(item, "function", None)
        if HERE in item.path.parents and inspect.iscoroutinefunction(work):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStore]:
    """One embedded store; every test has tenants of its own in it."""
    with running_store(tmp_path_factory.mktemp("mem0")) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_plane(
    mem0: RunningStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The data plane in front of the real Mem0."""
    folder = tmp_path_factory.mktemp("plane")
    clock = FrozenClock(START)
    async with data_plane(folder, mem0.url, mem0.api_key, sqlite_template, clock) as plane:
        yield plane


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_faults() -> AsyncIterator[FaultStore]:
    """The store that does as it is told."""
    async with fault_store() as store:
        yield store


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_faulty(
    shared_faults: FaultStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The data plane in front of the store of faults."""
    folder = tmp_path_factory.mktemp("faulty")
    clock = FrozenClock(START)
    async with data_plane(folder, shared_faults.url, "store-key", sqlite_template, clock) as plane:
        yield plane


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_named(
    shared_faults: FaultStore, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> AsyncIterator[Plane]:
    """The data plane in front of the store of faults, with detection of names."""
    folder, clock = tmp_path_factory.mktemp("named"), FrozenClock(START)
    async with data_plane(
        folder, shared_faults.url, "store-key", sqlite_template, clock, tier="full"
    ) as plane:
        yield plane


@pytest_asyncio.fixture(loop_scope="session")
async def named(shared_named: Plane) -> Plane:
    """Two new tenants in front of the store of faults, with detection of names."""
    return await renewed(shared_named)


@pytest_asyncio.fixture(loop_scope="session")
async def plane(shared_plane: Plane) -> Plane:
    """Two new tenants, ``acme`` and ``globex``, in front of the real Mem0."""
    return await renewed(shared_plane)


@pytest_asyncio.fixture(loop_scope="session")
async def faulty(shared_faulty: Plane) -> Plane:
    """Two new tenants in front of the store of faults."""
    return await renewed(shared_faulty)


@pytest.fixture
def faults(shared_faults: FaultStore) -> FaultStore:
    """The store of faults, with nothing received and nothing wrong."""
    for noted in (shared_faults.requests, shared_faults.kept, shared_faults.read_backs):
        noted.clear()
    shared_faults.keeps = lambda _: True
    shared_faults.script, shared_faults.cut = (lambda _: answer({"results": []})), False
    return shared_faults


async def renewed(plane: Plane) -> Plane:
    """The same plane with tenants that nobody used yet, and nothing counted."""
    plane.services.throttle._buckets.clear()
    plane.detectors.failure = None
    suffix = ids.new("t")
    tenants, keys = await add_tenants(plane.services, {n: n + suffix for n in ("acme", "globex")})
    return replace(plane, tenants=tenants, keys=keys)


@pytest.fixture
def opened(mem0: RunningStore, tmp_path: Path, sqlite_template: Path) -> Opened:
    """Opens data planes of one's own, with another policy, form or limit."""
    clock = FrozenClock(START)
    return partial(data_plane, tmp_path / "d", mem0.url, mem0.api_key, sqlite_template, clock)


@pytest.fixture
def opened_faulty(faults: FaultStore, tmp_path: Path, sqlite_template: Path) -> Opened:
    """As ``opened``, in front of the store of faults and with detection of names."""
    clock = FrozenClock(START)
    return partial(
        data_plane, tmp_path / "f", faults.url, "store-key", sqlite_template, clock, tier="full"
    )


@pytest.fixture
def opened_plain(faults: FaultStore, tmp_path: Path, sqlite_template: Path) -> Opened:
    """As ``opened``, in front of the store of faults."""
    clock = FrozenClock(START)
    return partial(data_plane, tmp_path / "o", faults.url, "store-key", sqlite_template, clock)
