"""Whoever asked hears the true end of an erasure, also where another process took it up first."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from proxy.background import spawn
from proxy.clock import FrozenClock
from proxy.erasure import quick, worker
from proxy.erasure.requests.confirming import Confirmations
from proxy.erasure.saga import durable
from proxy.erasure.saga.durable import LEASE
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.ledger import jobs
from tests.support.erasing import Erasing
from tests.support.small_store import SmallStore

WAIT_SECONDS = 60
BY_ID, CONFIRMED = "handed over on the short way", "confirmed"


@dataclass
class Other:
    """Another process: it leases the job as soon as it is free, and is held up at the store."""

    bench: Erasing
    small: SmallStore
    at_store: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    run: "asyncio.Task[int] | None" = None

    async def take(self) -> None:
        """Lease what is due."""
        send = self.small.send

        async def held_up(request: Any) -> Any:
            self.at_store.set()
            await self.goes_on.wait()
            return await send(request)

        self.small.send = held_up  # type: ignore[method-assign]
        self.run = spawn(ErasureService(self.bench.means).run_due(), name="other")
        await asyncio.wait_for(self.at_store.wait(), WAIT_SECONDS)

    async def job(self, view: ErasureView) -> jobs.Job:
        """The job as it stands."""
        found = await self.bench.ledger.read(lambda tx: jobs.of_erasure(tx, view.id))
        assert found is not None
        return found


async def _does_not_suit(*_: Any) -> None:
    """As the short way ends that leaves the rest to the saga."""


@pytest.fixture(params=[BY_ID, CONFIRMED])
def other(request: pytest.FixtureRequest, bench: Erasing, monkeypatch: pytest.MonkeyPatch) -> Other:
    """Comes in between, wherever a job is free for a moment."""
    assert bench.small is not None
    found = Other(bench, bench.small)
    if request.param == BY_ID:
        free = worker.Worker.hand_over

        async def hand_over(self: worker.Worker, job: jobs.Job) -> None:
            await free(self, job)
            await found.take()

        monkeypatch.setattr(quick, "finish", _does_not_suit)
        monkeypatch.setattr(worker.Worker, "hand_over", hand_over)
        return found
    confirmed = Confirmations._confirmed

    async def confirm(self: Any, erasure: Any) -> ErasureView:
        view = await confirmed(self, erasure)
        await found.take()
        return view

    monkeypatch.setattr(quick, "suits", lambda *_: False)
    monkeypatch.setattr(Confirmations, "_confirmed", confirm)
    return found


async def delete(bench: Erasing, *, lagging: bool = False) -> "asyncio.Task[ErasureView]":
    """Remember something and delete it as a client does."""
    memory_id = await bench.remember("u-1", "Collects lighthouse postcards", mentions=[])
    if lagging and bench.small is not None:
        bench.small.lagging.add(memory_id)
    target = Target(kind="memory", values=(memory_id,))
    return spawn(bench.forget(target, origin="client"), name="asked")


@pytest.mark.parametrize("lagging", [False, True], ids=["all goes", "the store still shows it"])
async def test_the_end_is_waited_for(bench: Erasing, other: Other, lagging: bool) -> None:
    """It is answered as it ended, never as it stood on the way."""
    asked = await delete(bench, lagging=lagging)
    await asyncio.wait_for(other.at_store.wait(), WAIT_SECONDS)
    assert not asked.done()
    other.goes_on.set()
    view = await asyncio.wait_for(asked, WAIT_SECONDS)
    assert other.run is not None
    assert await other.run == 1
    reached = (view.state, view.certificate_ready, (await other.job(view)).state)
    assert reached == (("verifying", False, "ready") if lagging else ("complete", True, "done"))


async def test_an_end_that_does_not_come_is_not_claimed(
    bench: Erasing, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the longest time it is said to be under way, and its lease is still the other's."""
    monkeypatch.setattr(worker, "OTHERS_S", 0.0)
    view = await asyncio.wait_for(await delete(bench), WAIT_SECONDS)
    assert view.state in {"confirmed", "executing", "verifying"}
    assert (await other.job(view)).state == "running"
    other.goes_on.set()
    assert other.run is not None
    assert await other.run == 1


async def test_the_job_of_a_worker_that_died_is_run_here(
    bench: Erasing, clock: FrozenClock, other: Other
) -> None:
    """Its lease ends, and whoever waits takes the job over."""
    asked = await delete(bench)
    await asyncio.wait_for(other.at_store.wait(), WAIT_SECONDS)
    assert other.run is not None
    other.run.cancel()
    await asyncio.gather(other.run, return_exceptions=True)
    other.goes_on.set()
    clock.advance(2 * LEASE)
    view = await asyncio.wait_for(asked, WAIT_SECONDS)
    assert (view.state, other.small.rows) == ("complete", {})


async def test_a_short_way_that_stood_still_ends_as_the_worker_ended_it(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ran out, a worker deleted the memory: the client hears that, and no failure."""
    finish = quick.finish

    async def late(run: Any, items: Any) -> Any:
        clock.advance(2 * LEASE)
        assert await ErasureService(bench.means).run_due() == 1
        return await finish(run, items)

    monkeypatch.setattr(quick, "finish", late)
    view = await asyncio.wait_for(await delete(bench), WAIT_SECONDS)
    assert (view.state, view.certificate_ready, view.counts["deleted"]) == ("complete", True, 1)


async def test_a_short_way_keeps_its_lease(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the store takes, no worker comes in between while this process lives."""
    monkeypatch.setattr(durable, "BEAT_S", 0.01)
    finish, taken, renewed = quick.finish, list[int](), asyncio.Event()
    renew = durable.Saga.renew

    async def renew_and_tell(saga: durable.Saga) -> None:
        await renew(saga)
        renewed.set()

    async def slow(run: Any, items: Any) -> Any:
        for _ in range(3):
            clock.advance(LEASE * 0.9)
            renewed.clear()
            await renewed.wait()
        taken.append(await ErasureService(bench.means).run_due())
        return await finish(run, items)

    monkeypatch.setattr(durable.Saga, "renew", renew_and_tell)
    monkeypatch.setattr(quick, "finish", slow)
    view = await asyncio.wait_for(await delete(bench), WAIT_SECONDS)
    assert (view.state, taken) == ("complete", [0])
