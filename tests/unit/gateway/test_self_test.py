"""The self-test: an invented owner through the whole way, leaving nothing behind."""

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from aiohttp import web

from proxy.app.gauges import refresh
from proxy.app.self_test import SelfTest
from proxy.config.section import RESERVED
from proxy.ledger import blocklist, erasures, tenants, tombstones
from proxy.telemetry.metrics import SELF_TEST_AGE
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, added, answer
from tests.support.gateway import Plane

Opened = Callable[..., AbstractAsyncContextManager[Plane]]


def self_test_of(plane: Plane) -> SelfTest:
    """The self-test of a data plane."""
    services = plane.services
    create, forget = services.keyring.create_tenant, services.erasure.forget
    return SelfTest(services, forget, create, started=services.clock.now())


async def test_it_passes_again_and_again_and_piles_nothing_up(opened: Opened) -> None:
    """In a tenant of its own: marked erasures; no tombstone, blocklist entry or other change."""
    async with opened() as plane:
        services, test = plane.services, self_test_of(plane)
        kept = await plane.add("A pond.", "u-1")
        assert [await test.run_once() for _ in range(3)] == [True] * 3
        found = await services.ledger.read(lambda tx: tenants.by_name(tx, RESERVED))
        assert found is not None
        assert found.state == tenants.INTERNAL
        assert await services.ledger.read(lambda tx: tombstones.count(tx, found.id)) == 0
        assert await services.ledger.read(lambda tx: blocklist.live(tx, found.id)) == []
        rows = await services.ledger.read(lambda tx: erasures.of_tenant(tx, found.id))
        assert {(row.reason, row.reference[:9]) for row in rows} == {("self_test", "SELF-TEST")}
        mine = plane.tenants["acme"]
        assert await services.ledger.read(lambda tx: erasures.of_tenant(tx, mine)) == []
        assert (await plane.call("GET", f"/v1/memories/{kept}/"))[0] == 200
        left = [item async for item in services.stores["mem0"].store.crawl(None)]
        assert not any("kettle of shelf" in item.text for item in left)


async def test_it_passes_where_clients_send_credentials_of_their_own(opened: Opened) -> None:
    """It has none, so the store gets ours."""
    async with opened(passthrough="authorization") as plane:
        assert await self_test_of(plane).run_once() is True


def keeping(asked: Received) -> web.Response:
    """A store that says it deletes, and keeps."""
    if "/add/" in asked.target:
        return added()
    if asked.method == "GET" and MEMORY_ID in asked.target:
        return answer({"id": MEMORY_ID, "memory": "kept"})
    return answer({"results": []})


async def test_its_age_grows_until_it_passes(opened_plain: Opened, faults: FaultStore) -> None:
    """A store that is away, or that keeps what it says it deleted, is no success."""
    async with opened_plain() as plane:
        test, clock = self_test_of(plane), plane.clock
        faults.script = lambda _: answer({"detail": "away"}, 503)
        clock.advance(timedelta(hours=1))
        assert await test.run_once() is False
        assert await test.age() == 3600
        faults.script = keeping
        assert await test.run_once() is False
        await refresh(plane.services.ledger, test)
        assert SELF_TEST_AGE._value.get() == 3600
        await refresh(plane.services.ledger, None)
        assert math.isnan(SELF_TEST_AGE._value.get())


async def test_a_success_sets_its_age_to_nothing(opened: Opened) -> None:
    """And it is kept in the ledger, so a restart does not hide a failure."""
    async with opened() as plane:
        assert await self_test_of(plane).run_once()
        plane.clock.advance(timedelta(minutes=5))
        assert 299 <= await self_test_of(plane).age() <= 301
