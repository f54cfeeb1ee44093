"""A client's deletes leave what is restricted (GDPR Art. 18), and tell nothing of it."""

from functools import partial
from typing import Any

import pytest

from proxy import ids
from proxy.ledger import holds, memories, owners, reach
from tests.support.gateway import Plane

ABSENT = "99999999-9999-4999-8999-999999999999"
PATHS = ("/v1/memories/{}/", "/memories/{}")


async def restrict(plane: Plane, memory_id: str, *, owner: bool, state: str = "restricted") -> None:
    """Restrict one memory, or its owner with all memories."""
    tenant, services = plane.tenants["acme"], plane.services
    ref = memories.ref(await services.keyring.tenant(tenant), "mem0", memory_id)

    async def unit(tx: Any) -> None:
        row = (await memories.by_refs(tx, tenant, "mem0", [ref]))[ref]
        owner_id = (await memories.owners_of(tx, [row.id]))[row.id][0]
        hold = holds.Hold(
            ids.new("hld"), tenant, None if owner else row.id, owner_id if owner else None,
            "restriction", "accuracy_contested", b"a" * 16, services.clock.now(),
        )  # fmt: skip
        await holds.insert(tx, hold)
        await reach.move(tx, [row.id], state)

    await services.ledger.write(unit)


async def there(plane: Plane, memory_id: str) -> bool:
    """Whether the store still holds it."""
    return await plane.services.stores["mem0"].store.get(memory_id) is not None


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("owner", [True, False], ids=["owner", "memory"])
@pytest.mark.parametrize("state", ["restricted", "quarantined"])
async def test_a_restricted_memory_is_absent_to_a_delete(
    plane: Plane, path: str, owner: bool, state: str
) -> None:
    """The same answer as for an id that nobody has; another owner's memory is deleted."""
    kept, free = await plane.add("kept"), await plane.add("free", "u-2")
    await restrict(plane, kept, owner=owner, state=state)
    absent = await plane.call("DELETE", path.format(ABSENT))
    assert await plane.call("DELETE", path.format(kept)) == absent
    assert absent[0] == 404
    assert await there(plane, kept)
    assert (await plane.call("DELETE", path.format(free)))[0] == 200
    assert not await there(plane, free)


@pytest.mark.parametrize("path", PATHS)
async def test_a_restricted_memory_is_absent_to_an_update(plane: Plane, path: str) -> None:
    """Nothing is written into it; a free one takes the new text."""
    kept, free = await plane.add("kept"), await plane.add("free", "u-2")
    await restrict(plane, kept, owner=True)
    body = {"text": "changed"}
    absent = await plane.call("PUT", path.format(ABSENT), body)
    assert await plane.call("PUT", path.format(kept), body) == absent
    item = await plane.services.stores["mem0"].store.get(kept)
    assert item is not None
    assert item.text == "kept"
    assert (await plane.call("PUT", path.format(free), body))[0] == 200


async def test_a_batch_passes_over_what_is_restricted(plane: Plane) -> None:
    """As over an id that nobody has; the rest goes."""
    kept, free = await plane.add("kept"), await plane.add("free")
    await restrict(plane, kept, owner=False)
    batch = {"memories": [{"memory_id": each} for each in (kept, free, ABSENT)]}
    status, answer = await plane.call("DELETE", "/v1/batch/", batch)
    assert status == 200
    assert "1" in str(answer)
    assert (await there(plane, kept), await there(plane, free)) == (True, False)


@pytest.mark.parametrize(
    "path",
    ["/v1/memories/?user_id=u-1", "/memories?user_id=u-1", "/v2/entities/user/u-1/",
     "/v1/memories/?user_id=u-1&run_id=r-1"],
)  # fmt: skip
@pytest.mark.parametrize("owner", [True, False], ids=["owner", "memory"])
async def test_deleting_an_owner_leaves_what_is_restricted(
    plane: Plane, path: str, owner: bool
) -> None:
    """The answer is as ever; under a restricted owner everything stays, else the rest goes."""
    add = partial(plane.add, run_id="r-1") if "run_id" in path else plane.add
    kept, other = await add("kept"), await add("other")
    await restrict(plane, kept, owner=owner)
    status, _ = await plane.call("DELETE", path)
    assert status == 200
    assert (await there(plane, kept), await there(plane, other)) == (True, owner)


async def test_what_derives_from_a_deleted_one_stays_if_it_is_restricted(plane: Plane) -> None:
    """A cascade ends at a restriction; without one it goes on."""
    turn = await plane.add("turn")
    kept = await plane.add("kept", "u-2", metadata={"expunge": {"derived_from": [turn]}})
    gone = await plane.add("gone", metadata={"expunge": {"derived_from": [turn]}})
    await restrict(plane, kept, owner=True)
    assert (await plane.call("DELETE", f"/v1/memories/{turn}/"))[0] == 200
    assert (await there(plane, kept), await there(plane, gone)) == (True, False)


async def test_it_is_readable_again_once_the_restriction_is_lifted(plane: Plane) -> None:
    """Neither delete left anything behind that takes it later."""
    kept = await plane.add("kept")
    await restrict(plane, kept, owner=True)
    await plane.call("DELETE", f"/v1/memories/{kept}/")
    await plane.call("DELETE", "/v1/memories/?user_id=u-1")
    tenant = plane.tenants["acme"]

    async def lift(tx: Any) -> None:
        for each in await holds.of_tenant(tx, tenant, kind="restriction"):
            await holds.lift(tx, tenant, each.id, plane.clock.now())
        (owner,) = await owners.of_tenant(tx, tenant)
        owned = await memories.of_owners(tx, [owner.id], states=("restricted",))
        await reach.move(tx, [row.id for row in owned], "live")

    await plane.services.ledger.write(lift)
    assert (await plane.call("GET", f"/v1/memories/{kept}/"))[0] == 200
    assert (await plane.call("DELETE", f"/v1/memories/{kept}/"))[0] == 200
    assert not await there(plane, kept)
