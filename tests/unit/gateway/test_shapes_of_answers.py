"""A list or a search is answered in the shape that the profile knows, or it is a 502."""

from functools import partial
from typing import Any

import pytest

from proxy.ledger import owners
from tests.support.fault_store import MEMORY_ID, FaultStore, Received, added, answer
from tests.support.gateway import Plane

PLATFORM = {"filters": {"user_id": "u-1"}}
READS = [
    pytest.param("GET", "/memories?user_id=u-1", None, id="open-source-list"),
    pytest.param("POST", "/search", {"query": "tea", **PLATFORM}, id="open-source-search"),
    pytest.param("POST", "/v3/memories/", PLATFORM, id="list"),
    pytest.param("POST", "/v3/memories/search/", {"query": "tea", **PLATFORM}, id="search"),
]
BY_ID = [
    pytest.param("GET", f"/memories/{MEMORY_ID}", None, id="open-source-get"),
    pytest.param("GET", f"/v1/memories/{MEMORY_ID}/", None, id="get"),
]
SAID = "Orla Quist keeps bees"
UNKNOWN: list[Any] = [
    {"orla.quist@example.org": 1}, {SAID: 1}, {SAID: None}, {SAID: []}, {"orla": 3},
    {"orla_keeps_bees": {}}, {"count": 1, SAID: 0}, {"memories": 1, "orla": 1}, {"data": SAID},
    {"memories": [{"id": MEMORY_ID, "memory": SAID}]}, SAID, 5, {"results": {"memory": SAID}},
]  # fmt: skip
NOTHING: list[Any] = [
    {}, None, [], {"results": []}, {"count": 0, "results": []}, {"results": None},
    {"total": 0, "page": 1}, {"memories": []}, {"next": None, "previous": None, "count": 0},
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), READS)
@pytest.mark.parametrize("said", UNKNOWN, ids=str)
async def test_a_list_in_another_shape_is_the_stores_fault(
    faulty: Plane, faults: FaultStore, said: Any, method: str, path: str, body: Any
) -> None:
    """Words as the names of members too, beside numbers and empty ones."""
    faults.script = lambda _: answer(said)
    status, shown = await faulty.call(method, path, body)
    assert (status, shown["type"]) == (502, "urn:expunge:problem:upstream-garbled")
    assert "rla" not in str(shown)


@pytest.mark.parametrize(("method", "path", "body"), READS)
@pytest.mark.parametrize("said", NOTHING, ids=str)
async def test_an_answer_that_says_nothing_passes(
    faulty: Plane, faults: FaultStore, said: Any, method: str, path: str, body: Any
) -> None:
    """Nulls, empty lists, and numbers under names for counting."""
    faults.script = lambda _: answer(said)
    assert await faulty.call(method, path, body) == (200, said)


def answer_to(said: Any, _: Received) -> Any:
    """What the store says to any request."""
    return answer(said)


async def item(plane: Plane, faults: FaultStore) -> dict[str, Any]:
    """A memory of the first tenant's owner, as the store shows it."""
    await plane.call("GET", "/memories?user_id=u-1")
    owner = faults.requests[-1].target.partition("user_id=")[2]
    return {"id": MEMORY_ID, "memory": "likes tea", "user_id": owner, "metadata": {}}


BESIDE: list[Any] = [
    {"summary": SAID}, {"note": "orla.quist@example.org keeps bees"}, {"answer": ["bees", "tea"]},
    {"relations": [{"source": "orla", "target": "bees"}]},
]  # fmt: skip
HARMLESS: list[Any] = [
    {"total": 0, "took": 3}, {"status": "OK"}, {"object": "list"}, {"relations": []},
    {"request_id": MEMORY_ID}, {"more": False},
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), READS)
@pytest.mark.parametrize("more", BESIDE, ids=str)
async def test_words_beside_no_item_belong_to_nobody(
    faulty: Plane, faults: FaultStore, more: Any, method: str, path: str, body: Any
) -> None:
    """They are left out; beside items that are all shown they stay."""
    mine = await item(faulty, faults)
    faults.script = lambda _: answer({"results": [], **more})
    assert await faulty.call(method, path, body) == (200, {"results": []})
    faults.script = lambda _: answer({"results": [mine], **more})
    _, shown = await faulty.call(method, path, body)
    assert (len(shown["results"]), shown.keys() & more.keys()) == (1, more.keys())
    foreign = {**mine, "id": MEMORY_ID.replace("1", "9"), "user_id": "somebody-elses"}
    faults.script = lambda _: answer({"results": [mine, foreign], **more})
    _, shown = await faulty.call(method, path, body)
    assert (len(shown["results"]), shown.keys() & more.keys()) == (1, set())


@pytest.mark.parametrize(("method", "path", "body"), READS)
@pytest.mark.parametrize("more", HARMLESS, ids=str)
async def test_what_is_nobodys_words_stays_beside_no_item(
    faulty: Plane, faults: FaultStore, more: Any, method: str, path: str, body: Any
) -> None:
    """Numbers, switches, ids and the words of an answer itself."""
    faults.script = lambda _: answer({"results": [], **more})
    assert await faulty.call(method, path, body) == (200, {"results": [], **more})


@pytest.mark.parametrize(("method", "path", "body"), READS)
async def test_an_id_of_another_tenants_owner_is_left_out_beside_the_items(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any
) -> None:
    """It stands for a person; the tenant's own is turned back into the client's."""
    mine = await item(faulty, faults)
    prefix = owners.prefix(await faulty.services.keyring.tenant(faulty.tenants["globex"]))
    foreign = f"{prefix}-{mine['user_id'].rpartition('-')[2]}"
    for said, shown in ((foreign, None), (mine["user_id"], "u-1")):
        body_of = {"results": [mine], "user": said}
        faults.script = partial(answer_to, body_of)
        _, found = await faulty.call(method, path, body)
        assert (len(found["results"]), found.get("user")) == (1, shown)


@pytest.mark.parametrize(("method", "path", "body"), BY_ID)
@pytest.mark.parametrize("said", UNKNOWN[:5], ids=str)
async def test_a_memory_in_another_shape_is_the_stores_fault(
    faulty: Plane, faults: FaultStore, said: Any, method: str, path: str, body: Any
) -> None:
    """Neither its words nor an absent memory; of an id that nobody knows no word is asked."""
    faults.script = lambda _: added()
    await faulty.add("likes tea")
    faults.script = lambda _: answer(said)
    status, shown = await faulty.call(method, path, body)
    assert (status, "rla" in str(shown)) == (502, False)
