"""Sources that a client declares: what has an effect, and what it hears of those without one."""

from typing import Any

import pytest

from proxy.ledger import memories
from tests.unit.gateway.conftest import Plane

ADD, OSS = "/v3/memories/add/", "/memories"
ABSENT = "99999999-9999-4999-8999-999999999999"
UNKNOWN = "Expunge-Unknown-Sources"


async def unknown(plane: Plane, method: str, path: str, body: Any, tenant: str = "acme") -> str:
    """The header of the answer; empty if there is none."""
    headers = {"Authorization": f"Token {plane.keys[tenant]}"}
    async with plane.http.request(method, plane.url + path, json=body, headers=headers) as response:
        assert response.status == 200, await response.text()
        return response.headers.get(UNKNOWN, "")


def declared(*sources: str, user: str = "u-1", ref: str = "made") -> dict[str, Any]:
    """A write that says where it is from."""
    said = {"ref": ref, "derived_from": list(sources)}
    body = {"messages": [{"role": "user", "content": "likes rye"}], "user_id": user}
    return {**body, "infer": False, "metadata": {"expunge": said}}


@pytest.mark.parametrize("path", [ADD, OSS])
async def test_the_client_learns_how_many_sources_are_not_known(plane: Plane, path: str) -> None:
    """Of two that are known and two that are not the latter are counted, each once."""
    turn = await plane.add("a turn", metadata={"dia_id": "D1:1"})
    sources = ("D1:1", turn, ABSENT, "D9:9", "D9:9")
    assert await unknown(plane, "POST", path, declared(*sources)) == "2"
    assert await unknown(plane, "POST", path, declared("D1:1", turn)) == ""


async def test_foreign_and_absent_sources_count_alike(plane: Plane) -> None:
    """Another owner's name, another tenant's name and id: nothing tells them from nothing."""
    await plane.add("of another owner", "u-2", metadata={"dia_id": "D2:1"})
    theirs = await plane.add("of a tenant", metadata={"dia_id": "D3:1"}, tenant="globex")
    for source in ("D2:1", "D3:1", theirs, "D9:9", ABSENT):
        assert await unknown(plane, "POST", ADD, declared(source)) == "1", source


@pytest.mark.parametrize("state", ["erased", "restricted", "quarantined"])
async def test_a_source_that_cannot_be_read_counts_as_absent(plane: Plane, state: str) -> None:
    """The count is no oracle for what was erased or is held."""
    turn = await plane.add("a turn", metadata={"dia_id": "D1:1"})
    (row,) = await plane.services.ledger.read(
        lambda tx: memories.of_tenant(tx, plane.tenants["acme"])
    )
    await plane.services.ledger.write(lambda tx: memories.change(tx, row.id, state=state))
    assert await unknown(plane, "POST", ADD, declared(turn)) == "1"
    assert await unknown(plane, "POST", ADD, declared("D1:1")) == "1"


async def test_a_source_that_comes_later_has_its_effect_then(plane: Plane) -> None:
    """It is counted, as nobody can tell whether it will come; its erasure takes what waits."""
    assert await unknown(plane, "POST", ADD, declared("D1:1")) == "1"
    turn = await plane.add("a turn", metadata={"dia_id": "D1:1"})
    await plane.call("DELETE", f"/v1/memories/{turn}/")
    _, left = await plane.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    assert left["results"] == []


async def test_an_update_names_sources_within_its_memorys_owners(plane: Plane) -> None:
    """It states no owner itself; a name among its sources means the owner's, as in a write."""
    turn = await plane.add("a turn", metadata={"dia_id": "D1:1"})
    await plane.add("of another owner", "u-2", metadata={"dia_id": "D2:1"})
    fact = await plane.add("a fact")
    body = {"text": "another fact", "metadata": {"expunge": {"derived_from": ["D1:1", "D2:1"]}}}
    assert await unknown(plane, "PUT", f"/v1/memories/{fact}/", body) == "1"
    await plane.call("DELETE", f"/v1/memories/{turn}/")
    status, _ = await plane.call("GET", f"/v1/memories/{fact}/")
    assert status == 404, "it went with what it was derived from"


async def test_an_update_names_its_memory(plane: Plane) -> None:
    """A `ref` that an update gives is one to derive from, beside the name of the write."""
    fact = await plane.add("a fact", metadata={"expunge": {"ref": "F1"}})
    body = {"text": "another fact", "metadata": {"expunge": {"ref": "F2"}}}
    for _ in range(2):
        assert await unknown(plane, "PUT", f"/v1/memories/{fact}/", body) == ""
    assert await unknown(plane, "POST", ADD, declared("F1")) == ""
    assert await unknown(plane, "POST", ADD, declared("F2", ref="later")) == ""
    await plane.call("DELETE", f"/v1/memories/{fact}/")
    _, left = await plane.call("POST", "/v3/memories/", {"filters": {"user_id": "u-1"}})
    assert left["results"] == []
