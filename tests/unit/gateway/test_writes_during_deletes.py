"""A write and a delete of its owner at the same moment: whoever comes first, both can go on."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from proxy.background import spawn
from proxy.erasure.saga import steps, verify
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.gateway.answers import answers
from proxy.ledger import jobs, memories, owners
from proxy.ledger.engine import Tx
from tests.support.gateway import Plane

MAIL = "Write to ada.fenwick@example.org"
OWNED = "/v1/memories/?user_id=u-1"
ADD = "/v3/memories/add/"
WRITE = {"messages": [{"role": "user", "content": "likes kilns"}], "user_id": "u-1", "infer": False}


Call = asyncio.Task[tuple[int, Any]]


class Gate:
    """Stops a function where a test wants it to stop, once."""

    def __init__(self) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def pass_through(self) -> None:
        """Say that this point is reached, and wait until it may go on."""
        self.reached.set()
        await self.opened.wait()


def after(gate: Gate, work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The function, stopped when it has done its work."""

    async def stopped(*args: Any, **named: Any) -> Any:
        done = await work(*args, **named)
        await gate.pass_through()
        return done

    return stopped


async def rows(plane: Plane) -> list[str]:
    """States of what the ledger knows of the owner's memories."""
    tenant = plane.tenants["acme"]
    names = await plane.services.keyring.tenant(tenant)

    async def unit(tx: Tx) -> list[str]:
        row = await owners.find(tx, tenant, "user", owners.ref(names, "user", "u-1"))
        return [each.state for each in await memories.of_owners(tx, [row.id])] if row else []

    return await plane.services.ledger.read(unit)


async def texts(plane: Plane) -> list[str]:
    """What the store shows of the owner."""
    _, body = await plane.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    return sorted(item["memory"] for item in body["results"])


async def listed(plane: Plane) -> int:
    return len(await texts(plane))


async def waiting(plane: Plane) -> list[str]:
    """Erasures of the tenant that are to go on by themselves."""
    tenant, found = plane.tenants["acme"], await plane.services.ledger.read(jobs.unfinished)
    mine = [job for job in found if job.tenant_id == tenant]
    return [job.erasure_id for job in mine if job.state in ("ready", "running")]


async def work(plane: Plane) -> None:
    """What the worker does a while later."""
    plane.clock.advance(timedelta(seconds=10))
    service = plane.services.erasure
    assert isinstance(service, ErasureService)
    for erasure_id in await waiting(plane):
        await service.run(plane.tenants["acme"], erasure_id)


@dataclass
class Race:
    """A delete and a write of one owner, stopped where the test wants them to stop."""

    plane: Plane
    waited: Gate = field(default_factory=Gate)  # the delete has seen no write under way
    looked: Gate = field(default_factory=Gate)  # it has looked for what turned up meanwhile
    stored: Gate = field(default_factory=Gate)  # the store has shown what the write made

    async def begin(
        self, patch: pytest.MonkeyPatch, *, later: timedelta = timedelta(0)
    ) -> tuple[Call, Call]:
        """Delete up to the second look, then write up to the memory at the store."""
        await self.plane.add("likes tea")
        patch.setattr(steps, "await_writes", after(self.waited, steps.await_writes))
        patch.setattr(verify, "again", after(self.looked, verify.again))
        patch.setattr(answers, "read_back", after(self.stored, answers.read_back))
        delete = spawn(self.plane.call("DELETE", OWNED), name="test-delete")
        await self.waited.reached.wait()
        self.plane.clock.advance(later)
        write = spawn(self.plane.call("POST", ADD, WRITE), name="test-write")
        await self.stored.reached.wait()
        self.waited.opened.set()
        await self.looked.reached.wait()
        return delete, write


async def test_a_write_of_the_same_moment_that_a_delete_overtook_is_told_so(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The delete took what the store showed already: the write leaves no row behind."""
    monkeypatch.setattr(steps, "PATIENCE_S", 0.0)
    race = Race(plane)
    delete, write = await race.begin(monkeypatch)
    race.looked.opened.set()
    deleted, _ = await delete
    race.stored.opened.set()
    written, _ = await write
    assert (deleted, written) == (502, 409)  # the delete saw that something is under way
    assert (await listed(plane), await rows(plane)) == (0, [])
    await work(plane)
    assert await goes_on(plane)


async def test_a_write_of_the_same_moment_that_is_recorded_goes_with_the_rest(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look knew the memory from the store alone; its row goes all the same."""
    race = Race(plane)
    delete, write = await race.begin(monkeypatch)
    race.stored.opened.set()
    written, _ = await write
    race.looked.opened.set()
    deleted, _ = await delete
    assert (deleted, written) == (200, 200)
    assert (await listed(plane), await rows(plane)) == (0, [])
    assert await goes_on(plane)


@pytest.mark.parametrize("recorded", [True, False])
async def test_what_is_written_after_a_delete_began_stays(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, *, recorded: bool
) -> None:
    """Whether the second look finds it on record or by its stamp alone."""
    race = Race(plane)
    delete, write = await race.begin(monkeypatch, later=timedelta(milliseconds=1))
    first, second = (race.stored, race.looked) if recorded else (race.looked, race.stored)
    first.opened.set()
    await asyncio.wait([write if recorded else delete])
    second.opened.set()
    assert ((await delete)[0], (await write)[0]) == (200, 200)
    assert (await listed(plane), await rows(plane)) == (1, ["live"])
    assert await goes_on(plane)


async def test_a_delete_waits_for_what_was_being_written(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client hears that all is gone once it is."""
    write = await under_way(plane, stored := Gate(), monkeypatch)
    begun = Gate()
    monkeypatch.setattr(steps, "begin", after(begun, steps.begin))
    delete = spawn(plane.call("DELETE", OWNED), name="test-delete")
    await begun.reached.wait()
    begun.opened.set()
    stored.opened.set()
    assert ((await delete)[0], (await write)[0]) == (200, 409)
    assert (await listed(plane), await rows(plane)) == (0, [])
    assert await goes_on(plane)


@pytest.mark.parametrize("both", [True, False], ids=["under both", "under one of them"])
async def test_a_delete_of_what_two_owners_have_waits_too(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, *, both: bool
) -> None:
    """For what is being written under both of them, and for nothing else."""
    await plane.add("likes tea", agent_id="bot")
    owned = {"agent_id": "bot"} if both else {}
    write = await under_way(plane, stored := Gate(), monkeypatch, **owned)
    delete = spawn(plane.call("DELETE", f"{OWNED}&agent_id=bot"), name="test-delete")
    done, _ = await asyncio.wait([delete], timeout=1.0 if both else 60.0)
    assert bool(done) is not both
    stored.opened.set()
    assert ((await delete)[0], (await write)[0]) == (200, 200)
    assert await texts(plane) == ([] if both else ["likes kilns"])


async def test_what_is_written_while_a_delete_is_put_off_stays(
    plane: Plane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that takes longer than the delete waits goes with it later, and nothing else does."""
    await plane.add("likes tea")
    write = await under_way(plane, stored := Gate(), monkeypatch)
    monkeypatch.setattr(steps, "PATIENCE_S", 0.2)
    status, problem = await plane.call("DELETE", OWNED)
    assert (status, problem["title"]) == (502, "Not everything is deleted yet")
    plane.clock.advance(timedelta(seconds=1))
    await plane.add("likes cake")
    stored.opened.set()
    assert (await write)[0] == 409
    await work(plane)
    assert (await waiting(plane), await texts(plane), await rows(plane)) == (
        [], ["likes cake"], ["live"],
    )  # fmt: skip
    assert await goes_on(plane)


@pytest.mark.parametrize("owner", [None, "u-1", "u-2"], ids=["all", "its owner", "another owner"])
async def test_what_goes_by_its_text_is_waited_for(
    plane: Plane, monkeypatch: pytest.MonkeyPatch, owner: str | None
) -> None:
    """An add that the store took before the erasure lands after it began, and goes."""
    for user in ("u-1", "u-2"):
        await plane.add(MAIL, user)
    write = await under_way(plane, stored := Gate(), monkeypatch, text=f"{MAIL} or call")
    service, tenant = plane.services.erasure, plane.tenants["acme"]
    assert isinstance(service, ErasureService)
    tag = Target(kind="tag", values=("pii:email_address",), owner=owner)
    view = await service.forget(tenant, tag, actor=Actor("operator", "op-1"), origin="control")
    assert view.state == ("incomplete" if owner == "u-2" else "verifying")
    stored.opened.set()
    assert (await write)[0] == 200
    await work(plane)
    assert await texts(plane) == ([MAIL, f"{MAIL} or call"] if owner == "u-2" else [])


async def under_way(
    plane: Plane,
    stored: Gate,
    patch: pytest.MonkeyPatch,
    *,
    text: str = "likes kilns",
    **owned: str,
) -> Call:
    """A write that the store has taken and that is not on record yet."""
    patch.setattr(answers, "read_back", after(stored, answers.read_back))
    body = {**WRITE, "messages": [{"role": "user", "content": text}], **owned}
    write = spawn(plane.call("POST", ADD, body), name="test-write")
    await stored.reached.wait()
    patch.undo()
    return write


async def test_a_delete_of_what_the_store_lost_ends(plane: Plane) -> None:
    """A memory that only the ledger knows has no owner at the store; its own can be deleted."""
    memory_id = await plane.add("likes kilns")
    store = next(iter(plane.services.stores.values())).store
    assert await store.delete(memory_id)
    assert await rows(plane) == ["live"]
    status, body = await plane.call("DELETE", OWNED)
    assert status == 200, body
    assert await goes_on(plane)


async def goes_on(plane: Plane) -> bool:
    """Whether nothing waits, and the owner can be written and deleted again."""
    assert await waiting(plane) == []
    await plane.add("likes cake")
    status, _ = await plane.call("DELETE", OWNED)
    return status == 200 and await listed(plane) == 0 and await waiting(plane) == []
