"""A client's updates of what a legal hold keeps are refused, as its deletes are."""

from typing import Any

import pytest
from sqlalchemy import update

from proxy import ids
from proxy.ledger import holds, memories, owners
from proxy.ledger.schema import memory_owners
from tests.support.gateway import Plane

PATHS = ("/v1/memories/{}/", "/memories/{}")
BODIES: dict[str, dict[str, Any]] = {
    "text": {"text": "changed"},
    "metadata": {"metadata": {"seat": "aisle"}},
    "both": {"text": "changed", "metadata": {"seat": "aisle"}},
}
HELD = "urn:expunge:problem:held"


async def put_on_hold(plane: Plane, memory_id: str, *, owner: bool, kind: str = "hold") -> str:
    """A hold (or a restriction) on one memory, or on its owner with all memories."""
    tenant, services = plane.tenants["acme"], plane.services
    ref = memories.ref(await services.keyring.tenant(tenant), "mem0", memory_id)
    hold_id = ids.new("hld")

    async def unit(tx: Any) -> None:
        row = (await memories.by_refs(tx, tenant, "mem0", [ref]))[ref]
        owner_id = (await memories.owners_of(tx, [row.id]))[row.id][0]
        await holds.insert(tx, holds.Hold(
            hold_id, tenant, None if owner else row.id, owner_id if owner else None, kind,
            "legal_claims", b"a" * 16, services.clock.now(),
        ))  # fmt: skip

    await services.ledger.write(unit)
    return hold_id


async def text_of(plane: Plane, memory_id: str) -> str:
    """What the store holds."""
    item = await plane.services.stores["mem0"].store.get(memory_id)
    assert item is not None
    return item.text


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("owner", [True, False], ids=["owner", "memory"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_an_update_is_refused_as_a_delete_is(
    plane: Plane, path: str, owner: bool, body: dict[str, Any]
) -> None:
    """The same status and type, and the store has the same text; another's takes the new one."""
    kept, free = await plane.add("kept"), await plane.add("free", "u-2")
    hold_id = await put_on_hold(plane, kept, owner=owner)
    status, told = await plane.call("PUT", path.format(kept), body)
    deleted = await plane.call("DELETE", path.format(kept))
    assert (status, told["type"], told["detail"]) == (409, HELD, "A legal hold keeps it.")
    assert (deleted[0], deleted[1]["type"]) == (status, told["type"])
    assert await text_of(plane, kept) == "kept"
    assert (await plane.call("PUT", path.format(free), body))[0] == 200
    assert await text_of(plane, free) == body.get("text", "free")
    tenant = plane.tenants["acme"]
    await plane.services.ledger.write(lambda tx: holds.lift(tx, tenant, hold_id, plane.clock.now()))
    assert (await plane.call("PUT", path.format(kept), body))[0] == 200
    assert await text_of(plane, kept) == body.get("text", "kept")


@pytest.mark.parametrize("owner", [True, False], ids=["owner", "memory"])
async def test_a_batch_with_one_that_is_held_changes_nothing(plane: Plane, owner: bool) -> None:
    """The whole is refused before anything is sent; without that one it is taken."""
    kept, free = await plane.add("kept"), await plane.add("free", "u-2")
    await put_on_hold(plane, kept, owner=owner)
    batch = [{"memory_id": each, "text": "changed"} for each in (free, kept)]
    status, told = await plane.call("PUT", "/v1/batch/", {"memories": batch})
    assert (status, told["type"], told["upstream"]) == (409, HELD, "not_sent")
    assert [await text_of(plane, each) for each in (free, kept)] == ["free", "kept"]
    assert (await plane.call("PUT", "/v1/batch/", {"memories": batch[:1]}))[0] == 200
    assert await text_of(plane, free) == "changed"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("held", [True, False], ids=["held", "twin: no hold"])
async def test_the_owner_that_the_store_tells_counts(plane: Plane, path: str, held: bool) -> None:
    """The ledger has it under one owner, the store under another, who is on hold."""
    await plane.add("another's")
    mine, more = await plane.add("mine", "u-2"), await plane.add("more", "u-2")
    tenant, services = plane.tenants["acme"], plane.services
    names = await services.keyring.tenant(tenant)
    if held:
        await put_on_hold(plane, more, owner=True)

    async def move(tx: Any) -> None:
        other = await owners.find(tx, tenant, "user", owners.ref(names, "user", "u-1"))
        ref = memories.ref(names, "mem0", mine)
        row = (await memories.by_refs(tx, tenant, "mem0", [ref]))[ref]
        assert other is not None
        link = update(memory_owners).where(memory_owners.c.memory_id == row.id)
        await tx.execute(link.values(owner_id=other.id))

    await services.ledger.write(move)
    status, _ = await plane.call("PUT", path.format(mine), {"text": "changed"})
    assert (status, await text_of(plane, mine)) == ((409, "mine") if held else (200, "changed"))


async def test_what_is_restricted_too_stays_absent(plane: Plane) -> None:
    """A hold does not tell a client of what it may not see."""
    kept = await plane.add("kept")
    await put_on_hold(plane, kept, owner=False)
    await put_on_hold(plane, kept, owner=False, kind="restriction")
    tenant, services = plane.tenants["acme"], plane.services
    ref = memories.ref(await services.keyring.tenant(tenant), "mem0", kept)

    async def hide(tx: Any) -> None:
        row = (await memories.by_refs(tx, tenant, "mem0", [ref]))[ref]
        await memories.set_state(tx, [row.id], "restricted")

    await services.ledger.write(hide)
    assert (await plane.call("PUT", f"/v1/memories/{kept}/", {"text": "changed"}))[0] == 404
