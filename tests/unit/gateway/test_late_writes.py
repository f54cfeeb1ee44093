"""A write answered with an error lands later: while, and after, a person it names is forgotten."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio

from policies import Policy, load_text
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.gateway.memories import settle
from proxy.gateway.memories.pending import PendingWrites
from proxy.ledger import writes
from proxy.ledger.engine import Ledger
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from proxy.upstreams.layers import from_config
from tests.support.erasing import InProcessDetectors
from tests.support.fault_store import FaultStore, Received, answer
from tests.support.gateway import Plane

OPERATOR = Actor("operator", "op-1")
SOME_ID = "a0000000-0000-4000-8000-{:012d}"
PERSON = Target(kind="entity", values=("Alva Brenn",))
HEAD = b"apiVersion: expunge/v1\nkind: Policy\nname: tested\nextends: builtin/gdpr-default\n"
CLEAR = b"write: {entities: [{id: in-clear, when: {entities: [PERSON]}, action: tag}]}\n"
UNBLOCKED = b'blocklist: {after_erasure: "off"}\n'
POLICIES = {
    "tokens": HEAD,
    "in-clear": HEAD + CLEAR,
    "tokens-nobody-blocked": HEAD + UNBLOCKED,
    "in-clear-nobody-blocked": HEAD + CLEAR + UNBLOCKED,
}


@dataclass
class Slow:
    """The open-source server: while ``late``, what it is told to add is shown only after ``land``.

    ``away``: it deletes nothing now.
    """

    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    held: dict[str, dict[str, Any]] = field(default_factory=dict)
    late: bool = False
    away: bool = False
    says: Any = None  # of what is late; else that it failed

    def land(self) -> None:
        """What was said to have failed is there now."""
        self.shown |= self.held
        self.held, self.late, self.away = {}, False, False

    def __call__(self, request: Received) -> Any:
        at = urlsplit(request.target)
        memory_id = at.path.removeprefix("/memories").strip("/")
        if request.method == "POST" and at.path == "/memories":
            return self._add(request.json())
        if request.method == "POST":
            return answer({"results": [{**each, "score": 0.9} for each in self.shown.values()]})
        if request.method == "DELETE":
            if not self.away:
                self.shown.pop(memory_id, None)
            return answer({"message": "ok"}, 503 if self.away else 200)
        if request.method == "PUT":
            return self._change(memory_id, request.json())
        if memory_id.endswith("/history") or at.path == "/entities":
            return answer([])
        if memory_id:
            return answer(self.shown.get(memory_id))
        asked = parse_qs(at.query).get("user_id", [""])[0]
        return answer({"results": [m for m in self.shown.values() if m["user_id"] == asked]})

    def _change(self, memory_id: str, body: dict[str, Any]) -> Any:
        item = {**self.shown[memory_id], "memory": body["text"]}
        (self.held if self.late else self.shown)[memory_id] = item
        return answer({"detail": "bad gateway"}, 502) if self.late else answer(item)

    def _add(self, body: dict[str, Any]) -> Any:
        item = {
            "id": SOME_ID.format(len(self.held) + len(self.shown)),
            "memory": body["messages"][0]["content"],
            "user_id": body["user_id"],
            "metadata": body.get("metadata"),
        }
        (self.held if self.late else self.shown)[item["id"]] = item
        if self.late:
            return self.says or answer({"detail": "internal error"}, 500)
        return answer({"results": [{"id": item["id"], "memory": item["memory"], "event": "ADD"}]})


@pytest.fixture
def slow(faults: FaultStore) -> Slow:
    """A store that finishes what it said had failed."""
    faults.script = found = Slow()
    faults.keeps = lambda _: False
    return found


@pytest_asyncio.fixture(loop_scope="session", params=POLICIES)
async def plane(request: Any, slow: Slow, opened_faulty: Any) -> AsyncIterator[Plane]:
    """A data plane with names as tokens or in clear, and with or without a block afterwards."""
    asked: Policy = load_text(POLICIES[request.param], "tested.yaml")
    async with opened_faulty(profiles=("mem0-oss",), change=lambda _: asked) as found:
        yield found


async def add(plane: Plane, text: str) -> int:
    body = {"messages": [{"role": "user", "content": text}], "user_id": "u-1", "infer": False}
    status, _ = await plane.call("POST", "/memories", body)
    return status


async def seen(plane: Plane) -> list[str]:
    """What a client reads by list and by search."""
    _, listed = await plane.call("GET", "/memories?user_id=u-1")
    asked = {"query": "what is there", "filters": {"user_id": "u-1"}}
    _, searched = await plane.call("POST", "/search", asked)
    return sorted({item["memory"] for said in (listed, searched) for item in said["results"]})


async def look(plane: Plane) -> None:
    await PendingWrites(plane.services).run_once()


def service(plane: Plane) -> ErasureService:
    found = plane.services.erasure
    assert isinstance(found, ErasureService)
    return found


async def forget(plane: Plane, target: Target = PERSON) -> ErasureView:
    tenant = plane.tenants["acme"]
    return await service(plane).forget(tenant, target, actor=OPERATOR, origin="control")


async def go_on(plane: Plane, view: ErasureView) -> ErasureView:
    plane.clock.advance(timedelta(seconds=10))
    return await service(plane).run(plane.tenants["acme"], view.id)


async def first_read(plane: Plane) -> list[str]:
    return await seen(plane)


async def first_poll(plane: Plane) -> list[str]:
    await look(plane)
    return await seen(plane)


ORDERS = [pytest.param(first_read, id="read-first"), pytest.param(first_poll, id="polled-first")]


@pytest.mark.parametrize("order", ORDERS)
async def test_an_erasure_waits_for_a_write_under_way(plane: Plane, slow: Slow, order: Any) -> None:
    """It does not end before, and what lands goes; what names somebody else stays."""
    slow.late = True
    assert await add(plane, "Alva Brenn has a cat.") == 500
    assert await add(plane, "Tilda Moss has a dog.") == 500
    view = await forget(plane)
    assert (view.state, view.completed_at) == ("verifying", None)
    assert (await go_on(plane, view)).state == "verifying"
    slow.land()
    await look(plane)
    done = await go_on(plane, view)
    assert done.state != "verifying"
    assert await order(plane) == ["Tilda Moss has a dog."]
    assert len(slow.shown) == 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("plane", ["tokens", "in-clear"], indirect=True)
async def test_what_lands_is_not_read_while_an_erasure_is_incomplete(
    plane: Plane, slow: Slow, order: Any
) -> None:
    """The store deletes nothing now: keys live on, and the block holds already."""
    assert await add(plane, "Alva Brenn has a boat.") == 200
    slow.late = slow.away = True
    assert await add(plane, "Alva Brenn has a cat.") == 500
    assert await add(plane, "Tilda Moss has a dog.") == 500
    view = await forget(plane)
    assert view.state == "incomplete"
    slow.land()
    slow.away = True
    shown = await order(plane)
    assert shown == ["Tilda Moss has a dog."]
    slow.away = False
    await look(plane)
    await go_on(plane, view)
    assert await seen(plane) == ["Tilda Moss has a dog."]
    assert len(slow.shown) == 1


@pytest.mark.parametrize("order", ORDERS)
async def test_what_lands_after_the_erasure_ended_is_killed(
    plane: Plane, slow: Slow, order: Any
) -> None:
    """The write was given up, the erasure ended; hours later it lands nevertheless."""
    slow.late = True
    assert await add(plane, "Alva Brenn has a cat.") == 500
    assert await add(plane, "Tilda Moss has a dog.") == 500
    plane.clock.advance(timedelta(seconds=31))
    await look(plane)
    view = await forget(plane)
    assert view.state != "verifying"
    plane.clock.advance(timedelta(hours=3))
    slow.land()
    assert await order(plane) == ["Tilda Moss has a dog."]
    assert await seen(plane) == ["Tilda Moss has a dog."]
    assert len(slow.shown) == 1


@pytest.mark.parametrize("plane", ["tokens", "tokens-nobody-blocked"], indirect=True)
@pytest.mark.parametrize("way", ["read", "recheck"])
async def test_an_update_that_lands_after_the_erasure_ended_is_found(
    plane: Plane, slow: Slow, way: str
) -> None:
    """It bears no stamp, but the token of somebody erased where other words were known."""
    for text in ("Neutral lamp memory.", "Alva Brenn plays golf.", "A sofa."):
        assert await add(plane, text) == 200
    lamp, _, sofa = slow.shown
    slow.late = True
    for memory_id, text in ((lamp, "Alva Brenn broke her leg."), (sofa, "Tilda Moss has a dog.")):
        status, _ = await plane.call("PUT", f"/memories/{memory_id}", {"text": text})
        assert status == 502
    plane.clock.advance(timedelta(seconds=31))
    await look(plane)
    slow.late = False
    view = await forget(plane)
    assert view.deleted == 1
    tenant = plane.tenants["acme"]
    found = await service(plane).recheck(tenant, view.id, actor=OPERATOR)
    assert found.returned == 0
    slow.land()
    if way == "recheck":
        found = await service(plane).recheck(tenant, view.id, actor=OPERATOR)
        assert (found.returned, found.by_mention) == (1, 1)
        returned = await reconcile(service(plane)._means, service(plane), tenant, actor=OPERATOR)
        assert (returned.by_mention, returned.erased) == (1, 1)
        assert set(slow.shown) == {sofa}
    assert await seen(plane) == ["Tilda Moss has a dog."]
    assert set(slow.shown) == {sofa}


@pytest.mark.parametrize("plane", ["tokens", "in-clear"], indirect=True)
async def test_an_update_that_an_erasure_overtakes_is_not_called_done(
    plane: Plane, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store took it, the erasure began, the memory is deleted at once."""
    assert await add(plane, "Neutral lamp memory.") == 200
    (lamp,) = slow.shown
    made = settle._made

    async def overtaken(*given: Any) -> Any:
        found = await made(*given)
        await forget(plane)
        return found

    monkeypatch.setattr(settle, "_made", overtaken)
    asked = {"text": "Alva Brenn broke her leg."}
    status, told = await plane.call("PUT", f"/memories/{lamp}", asked)
    assert (status, told["detail"]) == (409, "An erasure overtook this write.")
    assert slow.shown == {}


@pytest.mark.parametrize("plane", ["tokens"], indirect=True)
async def test_a_write_of_an_erased_owner_is_killed_whenever_it_lands(
    plane: Plane, slow: Slow
) -> None:
    """Two memories of one write: the second lands after the write was killed for the first."""
    slow.late = True
    assert await add(plane, "likes rye bread") == 500
    view = await forget(plane, Target(kind="owner", values=("u-1",)))
    assert view.state == "verifying"
    (first,) = slow.held.values()
    slow.land()
    await look(plane)
    assert slow.shown == {}
    second = {**first, "id": SOME_ID.format(99)}
    slow.shown = {second["id"]: second}
    assert await seen(plane) == []
    assert slow.shown == {}


ODD = [
    pytest.param([1, 2, "x"], id="list"),
    pytest.param([], id="empty-list"),
    pytest.param("done", id="text"),
    pytest.param(7, id="number"),
    pytest.param(True, id="truth"),
]


@pytest.mark.parametrize("odd", ODD)
async def test_an_answer_of_another_shape_leaves_the_write_open(
    faulty: Plane, slow: Slow, odd: Any
) -> None:
    """The client is told that it cannot be read; the stamp tells what became of the write."""
    slow.late, slow.says = True, answer(odd)
    body = {"messages": [{"role": "user", "content": "likes rye"}], "user_id": "u-1"}
    key = {"X-API-Key": faulty.keys["acme"]}
    status, problem = await faulty.call("POST", "/memories", body, tenant=None, headers=key)
    assert (status, problem["type"]) == (502, "urn:expunge:problem:upstream-garbled")
    assert await states(faulty) == ["unknown"]
    slow.land()
    assert await add(faulty, "likes oats") == 200  # the twin: an answer as it should be
    await look(faulty)
    assert await states(faulty) == []
    assert len(slow.shown) == 2


async def states(plane: Plane) -> list[str]:
    """Of the first tenant's writes that are open."""
    found = await plane.services.ledger.read(
        lambda tx: writes.open_writes(tx, before=plane.clock.now())
    )
    return [write.state for write in found if write.tenant_id == plane.tenants["acme"]]


@pytest.mark.parametrize("plane", ["tokens", "in-clear"], indirect=True)
async def test_a_block_from_another_process_holds_at_once(plane: Plane, tmp_path: Path) -> None:
    """Another connection blocks a name between two reads, for one owner only, and lifts it."""
    assert await add(plane, "Alva Brenn has a boat.") == 200
    assert await add(plane, "Tilda Moss has a dog.") == 200
    both = ["Alva Brenn has a boat.", "Tilda Moss has a dog."]
    tenant = plane.tenants["acme"]
    assert await seen(plane) == both
    assert not await plane.services.blocklist.blocks_names(tenant)
    elsewhere = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path}/f/ledger.db")
    theirs = Blocklist(elsewhere, plane.services.keyring, plane.clock, InProcessDetectors())
    name = Name("Alva Brenn")
    try:
        await elsewhere.write(lambda tx: theirs.add(tx, tenant, [name], owner_id="own_other"))
        assert await seen(plane) == both
        await elsewhere.write(lambda tx: theirs.add(tx, tenant, [name]))
        assert await seen(plane) == both[1:]
        await elsewhere.write(lambda tx: theirs.lift(tx, tenant, name=name))
        assert await seen(plane) == both
    finally:
        await elsewhere.close()


@pytest.mark.parametrize("owner", [None, "u-1"], ids=["all", "its owner"])
async def test_what_lands_late_goes_from_every_layer(
    slow: Slow, opened_faulty: Any, tmp_path: Path, owner: str | None
) -> None:
    """An erasure by what texts say waits for it, and clears anew what it had cleared before."""
    path = tmp_path / "history.db"
    layers = from_config({"history": {"reach": "side:sqlite", "path": str(path)}})
    with closing(sqlite3.connect(path)) as history:
        history.execute(
            "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, "
            "created_at TEXT, updated_at TEXT)"
        )
        async with opened_faulty(profiles=("mem0-oss",), layers=layers) as plane:
            tag = Target(kind="tag", values=("pii:email_address",), owner=owner)
            assert await add(plane, "Write to ada.fenwick@example.org") == 200
            slow.late = True
            assert await add(plane, "Write to bo.lindqvist@example.org") >= 500
            view = await forget(plane, tag)
            assert view.state == "verifying"
            (late,) = slow.held
            slow.land()
            history.execute("INSERT INTO history (id, memory_id) VALUES ('h', ?)", (late,))
            history.commit()
            plane.clock.advance(timedelta(seconds=10))
            await look(plane)
            done = await service(plane).run(plane.tenants["acme"], view.id)
            assert (done.counts["deleted"], slow.shown) == (2, {})
            assert history.execute("SELECT count(*) FROM history").fetchone() == (0,)
            assert not [layer for layer in done.layers if layer.residual]


@pytest.mark.parametrize("owner", [None, "u-1"], ids=["all", "its owner"])
async def test_nothing_is_found_only_where_nothing_is_on_its_way(
    slow: Slow, opened_faulty: Any, owner: str | None
) -> None:
    """The first memory of a tag has not landed yet; a write of somebody else holds up nothing."""
    async with opened_faulty(profiles=("mem0-oss",)) as plane:
        tag = Target(kind="tag", values=("pii:email_address",), owner=owner)
        elsewhere = Target(kind="tag", values=("pii:email_address",), owner="u-2")
        slow.late = True
        assert await add(plane, "Write to bo.lindqvist@example.org") >= 500
        view = await forget(plane, tag)
        assert (view.state, view.outcome, view.counts["under_way"]) == ("verifying", None, 1)
        assert (await forget(plane, elsewhere)).outcome == "nothing_found"
        slow.land()
        plane.clock.advance(timedelta(seconds=10))
        await look(plane)
        done = await service(plane).run(plane.tenants["acme"], view.id)
        assert (done.counts["deleted"], slow.shown) == (1, {})
        assert {layer.residual for layer in done.layers} == {0, None}  # None: out of reach
        again = await forget(plane, tag)
        assert (again.outcome, again.counts.get("under_way")) == ("nothing_found", None)
