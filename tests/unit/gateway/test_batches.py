"""A batch names its memories at one place; whatever could name one otherwise is refused."""

from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from tests.support.fault_store import MEMORY_ID, FaultStore, added, answer
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START

BATCH = "/v1/batch/"
THEIRS = "22222222-2222-4222-8222-222222222222"
OWN = {"memory_id": MEMORY_ID, "text": "likes oat bread"}

STRANGE = [
    pytest.param([{"memory_id": THEIRS, "text": "x"}], id="bare-list"),
    pytest.param({"memories": [{"id": THEIRS, "text": "x"}]}, id="other-name"),
    pytest.param({"memories": {"memory_id": THEIRS, "text": "x"}}, id="no-list"),
    pytest.param({"items": [{"memory_id": THEIRS, "text": "x"}]}, id="other-place"),
    pytest.param({"memories": [OWN, {"id": THEIRS, "text": "x"}]}, id="mixed"),
    pytest.param({"memories": [{**OWN, "id": THEIRS}]}, id="two-names"),
    pytest.param({"memories": [{**OWN, "target": THEIRS}]}, id="an-id-elsewhere"),
    pytest.param({"memories": [OWN], "items": [{"memory_id": THEIRS}]}, id="two-lists"),
    pytest.param({"memories": [OWN], "memory_id": THEIRS}, id="beside"),
    pytest.param({"memories": [OWN], "more": THEIRS}, id="an-id-beside"),
    pytest.param({"memories": [THEIRS]}, id="plain"),
    pytest.param({"memories": [OWN, [OWN]]}, id="nested"),
    pytest.param({"memories": [{**OWN, "memory_id": None}]}, id="null"),
    pytest.param({"memories": [], "items": [OWN]}, id="empty-and-other-place"),
    pytest.param({"memories": None}, id="no-list-at-all"),
    pytest.param({}, id="nothing"),
]


async def _own(plane: Plane, faults: FaultStore) -> None:
    faults.script = lambda _: added(text="likes rye bread")
    await plane.add("likes rye bread")
    faults.requests.clear()
    faults.script = lambda _: answer({"message": "Successfully updated 1 memories"})


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("body", STRANGE)
async def test_a_batch_in_another_shape_reaches_no_store(
    faulty: Plane, faults: FaultStore, method: str, body: Any
) -> None:
    """Neither an update nor a delete of anybody's memory."""
    await _own(faulty, faults)
    status, problem = await faulty.call(method, BATCH, body)
    assert (status, problem["type"]) == (400, "urn:expunge:problem:invalid-request")
    assert faults.requests == []


PLAIN = [
    pytest.param({"memories": [OWN]}, id="one"),
    pytest.param({"memories": [OWN], "org_id": "o", "version": "v2"}, id="words-beside"),
    pytest.param({"memories": [{**OWN, "metadata": {"id": THEIRS}}]}, id="id-in-metadata"),
]


@pytest.mark.parametrize("body", PLAIN)
async def test_a_batch_as_the_client_sends_it_is_served(
    faulty: Plane, faults: FaultStore, body: Any
) -> None:
    """The negative twin: the declared shape goes through."""
    await _own(faulty, faults)
    status, problem = await faulty.call("PUT", BATCH, body)
    assert status == 200, problem
    assert faults.requests[0].json()["memories"][0]["memory_id"] == MEMORY_ID


@pytest.mark.parametrize("query", [f"?memory_id={THEIRS}", f"?more={THEIRS}", "?ids=x"])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_batch_named_in_the_query_as_well_reaches_no_store(
    faulty: Plane, faults: FaultStore, method: str, query: str
) -> None:
    """The body says which; what the path's end says could say otherwise."""
    await _own(faulty, faults)
    status, _ = await faulty.call(method, BATCH + query, {"memories": [OWN]})
    assert (status, faults.requests) == (400, [])


@pytest.mark.parametrize("memory_id", ["", " ", "\t"])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_an_empty_id_in_a_batch_is_refused(
    faulty: Plane, faults: FaultStore, method: str, memory_id: str
) -> None:
    """Nothing is named by it: no count of zero deleted, and no store is asked."""
    await _own(faulty, faults)
    empty = {"memory_id": memory_id, "text": "likes rye"}
    for batch in ([empty], [OWN, empty]):
        status, problem = await faulty.call(method, BATCH, {"memories": batch})
        assert (status, problem["type"]) == (400, "urn:expunge:problem:invalid-request")
        assert faults.requests == []


async def test_metadata_of_a_batch_is_cleaned_like_any_other(
    faulty: Plane, faults: FaultStore
) -> None:
    """No owner, no stamp and no declaration of a client reaches the store in any item."""
    await _own(faulty, faults)
    metadata = {
        "user_id": "u-2", "run_id": "r", "app_id": "a", "expunge_w": "forged", "colour": "red",
        "expunge": {"ref": "S3", "derived_from": ["D1"]},
    }  # fmt: skip
    status, found = await faulty.call("PUT", BATCH, {"memories": [{**OWN, "metadata": metadata}]})
    assert status == 200, found
    assert faults.requests[0].json()["memories"][0]["metadata"] == {"colour": "red"}


async def test_a_batch_of_several_declares_no_provenance(faulty: Plane, faults: FaultStore) -> None:
    """Each would count as made from the sources of all; one by one it works."""
    second = "33333333-3333-4333-8333-333333333333"
    await _own(faulty, faults)
    faults.script = lambda _: added(second, "likes oats")
    await faulty.add("likes oats")
    faults.requests.clear()
    faults.script = lambda _: answer({"message": "Successfully updated 2 memories"})
    told = {**OWN, "metadata": {"expunge": {"derived_from": ["D1"]}}}
    other = {"memory_id": second, "text": "likes rye", "metadata": {"dia_id": "D2"}}
    status, found = await faulty.call("PUT", BATCH, {"memories": [told, other]})
    assert (status, "provenance" in str(found), faults.requests) == (400, True, [])
    status, _ = await faulty.call("PUT", BATCH, {"memories": [told]})
    assert status == 200
    status, _ = await faulty.call("PUT", BATCH, {"memories": [OWN, other]})
    assert status == 200


# Selectors of profiles of one's own: (in, the batch of some ids, the same beside another id).
KINDS: dict[str, tuple[str, Any, list[Any]]] = {
    "deep list": (
        'items: "$.batch.rows[*]", id: "@.id", content: ["@.text"]',
        lambda ids: {"batch": {"rows": [{"id": each, "text": "x"} for each in ids]}},
        [{"batch": {"rows": [{"id": MEMORY_ID, "text": "x"}], "more": [{"id": THEIRS}]}},
         {"batch": {"rows": [{"id": MEMORY_ID, "text": "x"}], "ids": "all"}},
         {"batch": {"rows": [{"id": MEMORY_ID, "text": "x"}]}, "rows": [{"id": THEIRS}]}],
    ),
    "bare list": (
        'items: "$[*]", id: "@.id", content: ["@.text"]',
        lambda ids: [{"id": each, "text": "x"} for each in ids],
        [{"id": THEIRS}, {"rows": [{"id": THEIRS}]}, [{"memory_id": THEIRS, "text": "x"}]],
    ),
    "id in an object": (
        'items: "$.rows[*]", id: "@.ref.id", content: ["@.text"]',
        lambda ids: {"rows": [{"ref": {"id": each}, "text": "x"} for each in ids]},
        [{"rows": [{"ref": {"id": MEMORY_ID, "uuid": THEIRS}, "text": "x"}]},
         {"rows": [{"ref": {"id": MEMORY_ID}, "id": THEIRS, "text": "x"}]},
         {"rows": [{"ref": MEMORY_ID, "text": "x"}]}, {"rows": [{"text": "x"}]}],
    ),
    "ids in each item": (
        'items: "$.rows[*]", id: "@.ids[*]", content: ["@.text"]',
        lambda ids: {"rows": [{"ids": [each], "text": "x"} for each in ids]},
        [{"rows": [{"ids": [MEMORY_ID, {"id": THEIRS}], "text": "x"}]},
         {"rows": [{"ids": [], "text": "x"}]}, {"rows": [{"ids": THEIRS, "text": "x"}]}],
    ),
    "plain ids": (
        'items: "$.ids[*]", id: "@"',
        lambda ids: {"ids": list(ids)},
        [{"ids": [MEMORY_ID, None]}, {"ids": {"a": MEMORY_ID}}, {"ids": MEMORY_ID},
         {"ids": [MEMORY_ID], "memory_ids": [THEIRS]}, {"ids": [[MEMORY_ID]]}],
    ),
}  # fmt: skip
CUSTOM = """
  - match: PUT /some
    op: batch_update
    in: {{{selectors}}}
    absent: {{status: 404, body: {{detail: Not found}}}}
  - match: DELETE /some
    op: batch_delete
    in: {{{selectors}}}
    reply: {{status: 200, body: {{message: Deleted}}}}
    absent: {{status: 404, body: {{detail: Not found}}}}
"""


def _profile(folder: Path, selectors: str) -> str:
    """The open-source server's profile with batches that are named so."""
    text = resources.files("proxy.upstreams").joinpath("profiles/mem0-oss.yaml").read_text("utf-8")
    path = folder / "batches.yaml"
    routes = CUSTOM.format(selectors=selectors)
    path.write_text(text.replace("\nroutes:\n", f"\nroutes:{routes}", 1))
    return str(path)


@pytest.mark.parametrize("kind", KINDS)
async def test_the_check_follows_the_selectors_of_the_profile(
    faults: FaultStore, tmp_path: Path, sqlite_template: Path, kind: str
) -> None:
    """Own memories go through; theirs are taken out; what stands beside is refused, unsent."""
    selectors, batch, strange = KINDS[kind]
    async with data_plane(
        tmp_path / "d", faults.url, "store-key", sqlite_template, FrozenClock(START),
        profiles=[_profile(tmp_path, selectors)],
    ) as plane:  # fmt: skip
        faults.script = lambda _: answer(
            {"results": [{"id": MEMORY_ID, "memory": "x", "event": "ADD"}]}
        )
        body = {"messages": [{"role": "user", "content": "x"}], "user_id": "u-1", "infer": False}
        status, found = await plane.call("POST", "/memories", body)
        assert status == 200, found
        faults.requests.clear()
        faults.script = lambda _: answer({"message": "Updated"})
        for part in strange:
            for method in ("PUT", "DELETE"):
                status, found = await plane.call(method, "/some", part)
                assert (status, found["type"]) == (400, "urn:expunge:problem:invalid-request"), part
        assert faults.requests == []
        faults.script = lambda asked: answer({"message": "Updated"}, 200 if asked.body else 404)
        status, found = await plane.call("PUT", "/some", batch([MEMORY_ID, THEIRS]))
        assert status == 200, found
        sent = [request.json() for request in faults.requests if request.method == "PUT"]
        assert THEIRS not in str(sent)
        assert MEMORY_ID in str(sent)
