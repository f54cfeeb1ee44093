"""What a client hears of deletes and of what is not there: as it would hear it from the store."""

import uuid
from typing import Any

import pytest

from proxy.gateway.memories import deletions
from proxy.pseudonyms import Pseudonyms
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane

NOWHERE = "00000000-0000-4000-8000-000000000000"
PROGRESS = "Delete in progress. This may take some time."
OURS, THEIRS = Pseudonyms(b"o" * 32), Pseudonyms(b"t" * 32)
ALL_OF_ONE = [
    pytest.param("/v1/memories/?user_id=u-1", id="delete-all"),
    pytest.param("/v2/entities/user/u-1/", id="entity"),
    pytest.param("/v1/entities/user/u-1/", id="entity-v1"),
    pytest.param("/v1/memories/?user_id=nobody", id="nothing-there"),
]


@pytest.mark.parametrize("path", ALL_OF_ONE)
async def test_a_deletion_has_an_event_that_is_over(plane: Plane, path: str) -> None:
    """The platform's words and an id; asked about it, the tenant hears that it succeeded."""
    await plane.add("old")
    status, found = await plane.call("DELETE", path)
    assert (status, found.keys(), found["message"]) == (200, {"message", "event_id"}, PROGRESS)
    said = found["event_id"]
    status, event = await plane.call("GET", f"/v1/event/{said}/")
    assert (status, event["id"], event["status"], event["results"]) == (200, said, "SUCCEEDED", [])


async def test_nobody_else_hears_of_a_deletion(plane: Plane) -> None:
    """Another tenant's event and one that never was have the same bytes."""
    _, found = await plane.call("DELETE", "/v1/memories/?user_id=u-1")
    path = f"/v1/event/{found['event_id']}/"
    foreign = await plane.call("GET", path, tenant="globex")
    assert foreign == await plane.call("GET", f"/v1/event/{NOWHERE}/", tenant="globex")
    assert foreign[0] == 404


async def test_a_batch_says_how_many_are_gone(plane: Plane) -> None:
    """Those that existed and were the tenant's are counted; others are passed over."""
    mine = [await plane.add(text) for text in ("one", "two")]
    theirs = await plane.add("three", tenant="globex")
    batch = {"memories": [{"memory_id": each} for each in (*mine, theirs, NOWHERE)]}
    status, found = await plane.call("DELETE", "/v1/batch/", batch)
    assert (status, found) == (200, {"message": "Successfully deleted 2 memories"})
    status, found = await plane.call("DELETE", "/v1/batch/", batch)
    assert (status, found) == (200, {"message": "Successfully deleted 0 memories"})


HISTORIES = ["/v1/memories/{}/history/", "/memories/{}/history"]


@pytest.mark.parametrize("path", HISTORIES)
async def test_what_is_not_there_has_an_empty_history(plane: Plane, path: str) -> None:
    """Absent and foreign alike; what is there has one."""
    mine, theirs = await plane.add("old"), await plane.add("old", tenant="globex")
    for memory_id in (NOWHERE, theirs):
        assert await plane.call("GET", path.format(memory_id)) == (200, [])
    status, found = await plane.call("GET", path.format(mine))
    assert (status, len(found)) == (200, 1)


SHOWN = [
    pytest.param({}, None, id="none"),
    pytest.param({"metadata": {}}, None, id="empty"),
    pytest.param({"metadata": {"expunge": {"ref": "S1"}}}, None, id="only-ours"),
    pytest.param({"metadata": {"shelf": 1}}, {"shelf": 1}, id="some"),
    pytest.param({"metadata": {"shelf": {}}}, {"shelf": {}}, id="an-empty-part"),
]


@pytest.mark.parametrize(("given", "shown"), SHOWN)
async def test_no_metadata_is_null_at_the_open_source_server(
    plane: Plane, given: dict[str, Any], shown: Any
) -> None:
    """What held our stamp and nothing else reads as at the store without it, in every answer."""
    body = {"messages": [{"role": "user", "content": "old"}], "user_id": "u-1", "infer": False}
    _, made = await plane.call("POST", "/memories", body | given)
    memory_id = made["results"][0]["id"]
    _, one = await plane.call("GET", f"/memories/{memory_id}")
    _, listed = await plane.call("GET", "/memories?user_id=u-1")
    _, found = await plane.call("POST", "/search", {"query": "old", "filters": {"user_id": "u-1"}})
    _, platform = await plane.call("GET", f"/v1/memories/{memory_id}/")
    for item in (one, *listed["results"], *found["results"]):
        assert item["metadata"] == shown
    assert platform["metadata"] == (shown or {})


async def test_an_event_id_is_believed_of_its_tenant_only() -> None:
    """Its form is a UUID's; any change of it, another tenant, other words: not ours."""
    said = deletions.event_id(OURS)
    assert uuid.UUID(said).version == 4
    assert deletions.is_event(OURS, said)
    changed = said[:-1] + ("0" if said[-1] != "0" else "1")
    for other in (changed, said[:-1], "", "x", NOWHERE):
        assert not deletions.is_event(OURS, other)
    assert not deletions.is_event(THEIRS, said)


async def test_an_answer_of_the_store_is_not_taken_for_a_template(
    faulty: Plane, faults: FaultStore
) -> None:
    """Braces in what a store says of an update stay."""
    faults.script = lambda _: added()
    await faulty.add("old")
    faults.script = lambda _: answer({"message": "{count} {event}"})
    path = "/v1/memories/11111111-1111-4111-8111-111111111111/"
    assert await faulty.call("PUT", path, {"text": "new"}) == (200, {"message": "{count} {event}"})
