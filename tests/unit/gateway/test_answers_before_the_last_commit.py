"""A lone process answers a write whose intent is durable, and records its result behind it."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from proxy.gateway.answers import rows
from proxy.gateway.memories.pending import PendingWrites
from proxy.ledger import owners, writes
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, answer
from tests.support.gateway import Plane

ADD = {"messages": [{"role": "user", "content": "likes rye bread"}], "user_id": "u-1",
       "infer": False}  # fmt: skip
ITEM = {"id": MEMORY_ID, "memory": "likes rye bread"}
LATER = timedelta(minutes=5)


class Recording:
    """Holds up the recording of results in its transaction; ``first`` runs there before it."""

    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()
        self.first: Callable[[Tx], Any] | None = None

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = rows.record

        async def record(tx: Tx, *arguments: Any) -> bool:
            self.begun.set()
            await self.go.wait()
            if self.first is not None:
                await self.first(tx)
            return await real(tx, *arguments)

        monkeypatch.setattr(rows, "record", record)


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> Recording:
    """The recording of results, held up."""
    made = Recording()
    made.install(monkeypatch)
    return made


@pytest.fixture
async def alone(faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch) -> Plane:
    """A process that knows that no other serves requests; its store has one memory."""
    monkeypatch.setattr(faulty.services.ledger, "alone", True)
    faults.script = lambda request: answer(shown(faults, request))
    return faulty


def shown(faults: FaultStore, request: Received) -> Any:
    """What the store says: to a delete that it did, else what it keeps."""
    if request.method == "DELETE":
        faults.kept.clear()
        return {"message": "ok"}
    if request.method == "POST" and request.target == "/memories":
        return {"results": [ITEM | {"event": "ADD"}]}
    if request.method == "GET" and MEMORY_ID in request.target:
        return faults.kept.get(MEMORY_ID)
    return {"results": list(faults.kept.values())}


async def state(plane: Plane) -> str:
    """How the tenant's write stands in the ledger."""
    every = ("intended", "pending", "settled", "failed", "unknown", "killed")
    found = await plane.services.ledger.read(
        lambda tx: writes.open_writes(tx, before=plane.clock.now(), states=every, limit=1000)
    )
    (mine,) = [each for each in found if each.tenant_id == plane.tenants["acme"]]
    return mine.state


async def fence(plane: Plane, tx: Tx) -> None:
    """What an erasure of the owner does first."""
    for row in await owners.of_tenant(tx, plane.tenants["acme"]):
        await owners.raise_epoch(tx, row.id)


ASKED = [
    pytest.param("GET", "/memories?user_id=u-1", None, id="list"),
    pytest.param("GET", f"/memories/{MEMORY_ID}", None, id="by-id"),
    pytest.param("POST", "/search", {"query": "bread", "filters": {"user_id": "u-1"}}, id="search"),
]


@pytest.mark.parametrize(("method", "path", "body"), ASKED)
async def test_the_next_request_sees_what_was_written(
    alone: Plane, recording: Recording, method: str, path: str, body: Any
) -> None:
    """The answer comes before the commit; whoever asks then waits for it."""
    status, _ = await alone.call("POST", "/memories", ADD)
    assert status == 200
    asking = asyncio.ensure_future(alone.call(method, path, body))
    await recording.begun.wait()
    recording.go.set()
    status, said = await asking
    assert (status, MEMORY_ID in str(said)) == (200, True)
    assert await state(alone) == "settled"


async def test_one_of_several_processes_answers_after_the_commit(
    faulty: Plane, faults: FaultStore, recording: Recording
) -> None:
    """The others could not know that they have to wait."""
    faults.script = lambda request: answer(shown(faults, request))
    writing = asyncio.ensure_future(faulty.call("POST", "/memories", ADD))
    await recording.begun.wait()
    assert not writing.done()
    recording.go.set()
    assert (await writing)[0] == 200


async def test_an_erasure_before_the_answer_is_told(
    alone: Plane, faults: FaultStore, recording: Recording
) -> None:
    """409, and what the write made is deleted: as ever."""
    recording.go.set()
    services = alone.services

    async def overtaken(request: Received) -> Any:
        if request.method == "POST":
            await services.ledger.write(lambda tx: fence(alone, tx))
        return answer(shown(faults, request))

    faults.script = overtaken
    status, said = await alone.call("POST", "/memories", ADD)
    assert (status, said["type"]) == (409, "urn:expunge:problem:subject-locked")
    assert not faults.kept
    assert await state(alone) == "killed"


async def test_an_erasure_after_the_answer_takes_it_back(
    alone: Plane, faults: FaultStore, recording: Recording
) -> None:
    """It came after the write, so it is an erasure of what was written."""
    recording.first = lambda tx: fence(alone, tx)
    status, _ = await alone.call("POST", "/memories", ADD)
    assert status == 200
    recording.go.set()
    ends = [task for task in asyncio.all_tasks() if task.get_name() == "write-end"]
    await asyncio.wait(ends)
    assert await state(alone) == "killed"
    assert not faults.kept


async def test_what_could_not_be_recorded_is_found_again(
    alone: Plane, faults: FaultStore, recording: Recording
) -> None:
    """A ledger that fails behind the answer leaves the intent, and the stamp at the store."""

    async def fails(_: Tx) -> None:
        raise Problem("ledger-unavailable", "The disk is full.")

    recording.first = fails
    recording.go.set()
    assert (await alone.call("POST", "/memories", ADD))[0] == 200
    assert await state(alone) == "intended"
    recording.first = None
    alone.clock.advance(LATER)
    await PendingWrites(alone.services).run_once()
    assert await state(alone) == "settled"
    _, said = await alone.call("GET", "/memories?user_id=u-1")
    assert [each["id"] for each in said["results"]] == [MEMORY_ID]


async def test_answers_are_shown_as_they_are_after_a_commit(
    alone: Plane, recording: Recording
) -> None:
    """A read that was kept for when it comes again is not given out from before the write."""
    recording.go.set()
    path = "/memories?user_id=u-1"
    assert (await alone.call("POST", "/memories", ADD))[0] == 200
    kept = [await alone.call("GET", path) for _ in range(2)]
    assert kept[0] == kept[1]
    recording.go.clear()
    recording.begun.clear()
    assert (await alone.call("POST", "/memories", ADD))[0] == 200
    asking = asyncio.ensure_future(alone.call("GET", path))
    await recording.begun.wait()
    assert not asking.done()
    recording.go.set()
    assert (await asking)[0] == 200
