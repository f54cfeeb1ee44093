"""The unchanged Mem0 clients through the data plane, against the real Mem0."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.gateway import Plane

os.environ["MEM0_TELEMETRY"] = "False"
mem0_client = pytest.importorskip("mem0")

MESSAGE = [{"role": "user", "content": "Likes rye bread; write to alva.brenn@example.org"}]


async def in_thread(plane: Plane, work: Callable[[Any], Any], tenant: str = "acme") -> Any:
    """Run the blocking client beside the proxy's loop."""
    return await asyncio.to_thread(
        lambda: work(mem0_client.MemoryClient(api_key=plane.keys[tenant], host=plane.url))
    )


def add(client: Any, user: str = "u-1", **more: Any) -> str:
    return str(client.add(MESSAGE, user_id=user, infer=False, **more)["results"][0]["id"])


async def test_every_call_works_as_against_mem0(plane: Plane) -> None:
    """Add, get, list, search, update, history, owners and delete do what the client expects."""

    def work(client: Any) -> dict[str, Any]:
        memory_id = add(client, metadata={"place": {"shelf": 3}})
        seen = {
            "get": client.get(memory_id),
            "all": client.get_all(filters={"user_id": "u-1"}),
            "found": client.search("bread", filters={"user_id": "u-1"}),
            "users": client.users(),
            "history": client.history(memory_id),
            "updated": client.update(memory_id, text="Likes oat bread"),
            "deleted": client.delete(memory_id),
            "after": client.get_all(filters={"user_id": "u-1"}),
        }
        with pytest.raises(mem0_client.exceptions.MemoryNotFoundError):
            client.get(memory_id)
        return seen

    seen = await in_thread(plane, work)
    assert seen["get"]["memory"] == MESSAGE[0]["content"]
    assert seen["get"]["user_id"] == "u-1"
    assert seen["get"]["metadata"] == {"place": {"shelf": 3}}
    assert seen["all"]["count"] == 1
    assert [item["memory"] for item in seen["found"]["results"]] == [MESSAGE[0]["content"]]
    assert [owner["name"] for owner in seen["users"]["results"]] == ["u-1"]
    assert seen["history"][0]["new_memory"] == MESSAGE[0]["content"]
    assert seen["updated"]["memory"] == "Likes oat bread"
    assert seen["after"]["results"] == []


async def test_the_store_sees_neither_the_address_nor_the_owner(plane: Plane) -> None:
    """What is tokenised for the store comes back in clear words to the client."""
    memory_id = await in_thread(plane, add)
    item = await plane.services.stores["mem0"].store.get(memory_id)
    assert item is not None
    assert "rye bread" in item.text
    assert "alva.brenn@example.org" not in item.text
    assert item.owners["user"] != "u-1"


async def test_the_asynchronous_client_works(plane: Plane) -> None:
    """AsyncMemoryClient stores, finds and deletes."""

    def construct() -> Any:
        return mem0_client.AsyncMemoryClient(api_key=plane.keys["acme"], host=plane.url)

    client = await asyncio.to_thread(construct)
    added = await client.add(MESSAGE, user_id="u-2", infer=False)
    found = await client.search("bread", filters={"user_id": "u-2"})
    assert found["results"][0]["id"] == added["results"][0]["id"]
    await client.delete_all(user_id="u-2")
    assert (await client.get_all(filters={"user_id": "u-2"}))["results"] == []


async def test_pages_lead_through_the_proxy(plane: Plane) -> None:
    """A list comes in pages whose links name the proxy, not the store."""

    def work(client: Any) -> tuple[Any, Any]:
        for number in range(5):
            client.add(f"Note {number}", user_id="u-3", infer=False)
        filters = {"user_id": "u-3"}
        return (
            client.get_all(filters=filters, page=1, page_size=2),
            client.get_all(filters=filters, page=3, page_size=2),
        )

    first, last = await in_thread(plane, work)
    assert first["count"] == 5
    assert len(first["results"]) == 2
    assert first["next"].startswith(plane.url)
    assert len(last["results"]) == 1


async def test_batches_touch_only_what_is_the_tenants(plane: Plane) -> None:
    """Batch update and delete pass over ids of somebody else."""
    foreign = await in_thread(plane, add, "globex")

    def work(client: Any) -> tuple[Any, Any, Any]:
        mine = add(client, "u-4")
        client.batch_update(
            [{"memory_id": mine, "text": "new"}, {"memory_id": foreign, "text": "stolen"}]
        )
        changed = client.get(mine)
        client.batch_delete([{"memory_id": mine}, {"memory_id": foreign}])
        return mine, changed, client.get_all(filters={"user_id": "u-4"})

    _, changed, after = await in_thread(plane, work)
    assert changed["memory"] == "new"
    assert after["results"] == []
    kept = await in_thread(plane, lambda client: client.get(foreign), "globex")
    assert kept["memory"] == MESSAGE[0]["content"]
