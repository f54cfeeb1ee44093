"""What the bare store keeps after a delete: each is a layer that an erasure must reach.

The names in the texts are invented; a byte scan of the directory is the judge.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from proxy.upstreams.layers import Layer, LayerScope, from_config
from tests.support.mem0_calls import remember
from tests.support.mem0_store import RunningStore, mem0_store

TEXT = "Holmquist lives in Uppsala"


@pytest.fixture
async def own_store(tmp_path: Path) -> AsyncIterator[RunningStore]:
    """A store of its own, which the test may stop."""
    async with mem0_store(tmp_path / "store") as running:
        yield running


def _client(store: RunningStore) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=store.url, headers=store.oss_headers)


def _layers(directory: Path) -> dict[str, Layer]:
    history = {"reach": "side:sqlite", "path": directory / "history.db"}
    qdrant = {"reach": "side:qdrant-local", "path": directory / "qdrant"}
    return from_config(
        {
            "history": history,
            "messages": history,
            "entities": qdrant,
            "vectors": qdrant,
            "files": {"reach": "side:files", "path": directory},
        }
    )


async def _counts(directory: Path, scope: LayerScope) -> dict[str, int | None]:
    return {name: await layer.count(scope) for name, layer in _layers(directory).items()}


async def _with_entity(client: httpx.AsyncClient, owner: str) -> str:
    """A memory with a row in the entity store: an update makes it, a verbatim write does not."""
    memory_id = await remember(client, "placeholder", user_id=owner)
    answer = await client.put(f"/memories/{memory_id}", json={"text": TEXT})
    answer.raise_for_status()
    return memory_id


async def _prime(client: httpx.AsyncClient, owner: str) -> None:
    body = {"query": "Where does Anna Vex live?", "filters": {"user_id": owner}}
    (await client.post("/search", json=body)).raise_for_status()


async def test_history_survives_the_delete(own_store: RunningStore) -> None:
    """The API itself still returns the deleted text, and offers no way to delete it."""
    async with _client(own_store) as client:
        memory_id = await remember(client, TEXT, user_id="alva")
        await client.delete(f"/memories/{memory_id}")
        entries = (await client.get(f"/memories/{memory_id}/history")).json()
    assert [(entry["event"], entry["new_memory"] or entry["old_memory"]) for entry in entries] == [
        ("ADD", TEXT),
        ("DELETE", TEXT),
    ]
    scope = LayerScope(memory_ids=(memory_id,), needles=("Holmquist",))
    counts = await _counts(own_store.directory, scope)
    assert (counts["history"], counts["vectors"]) == (2, 0)
    assert counts["files"] == 2


async def test_history_survives_a_bulk_delete(own_store: RunningStore) -> None:
    """A bulk delete leaves as much as single deletes."""
    async with _client(own_store) as client:
        memory_id = await remember(client, TEXT, user_id="alva")
        await client.delete("/memories", params={"user_id": "alva"})
        assert len((await client.get(f"/memories/{memory_id}/history")).json()) == 2


async def test_history_keeps_both_sides_of_an_update(own_store: RunningStore) -> None:
    """An update in place leaves the old text; delete and add anew leaves no less."""
    async with _client(own_store) as client:
        memory_id = await remember(client, TEXT, user_id="alva")
        await client.put(f"/memories/{memory_id}", json={"text": "moved away"})
        await client.put(f"/memories/{memory_id}", json={"metadata": {"a": 1}})
        entries = (await client.get(f"/memories/{memory_id}/history")).json()
    assert [(entry["old_memory"], entry["new_memory"]) for entry in entries] == [
        (None, TEXT),
        (TEXT, "moved away"),
        ("moved away", "moved away"),
    ]


async def test_metadata_is_not_in_the_history(own_store: RunningStore) -> None:
    """What stands only in metadata goes with the memory."""
    async with _client(own_store) as client:
        memory_id = await remember(client, "red", user_id="alva", metadata={"by": "Holmquist"})
        await client.delete(f"/memories/{memory_id}")
    assert (
        await _layers(own_store.directory)["files"].count(LayerScope(needles=("Holmquist",))) == 0
    )


async def test_the_history_layer_reaches_it(own_store: RunningStore) -> None:
    """Deleted beside the running store, its API and the bytes are empty of it."""
    async with _client(own_store) as client:
        memory_id = await remember(client, TEXT, user_id="alva")
        await client.delete(f"/memories/{memory_id}")
        layers, scope = _layers(own_store.directory), LayerScope(memory_ids=(memory_id,))
        assert await layers["history"].delete(scope) == 2
        assert (await client.get(f"/memories/{memory_id}/history")).json() == []
        assert await layers["files"].count(LayerScope(needles=("Holmquist",))) == 0
        await remember(client, "the store still works", user_id="alva")


async def test_entity_rows_are_cleaned_by_the_process_that_made_them(
    own_store: RunningStore,
) -> None:
    """Within one process a delete takes the entity rows along."""
    async with _client(own_store) as client:
        memory_id = await _with_entity(client, "alva")
        scope = LayerScope(memory_ids=(memory_id,))
        assert (await _counts(own_store.directory, scope))["entities"] == 2
        await client.delete(f"/memories/{memory_id}")
        assert (await _counts(own_store.directory, scope))["entities"] == 0


@pytest.mark.parametrize("bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("primed", [False, True], ids=["unprimed", "primed"])
async def test_entity_rows_after_a_restart(tmp_path: Path, *, primed: bool, bulk: bool) -> None:
    """After a restart they survive the delete, unless a search with a proper noun came before."""
    directory = tmp_path / "store"
    async with mem0_store(directory) as first, _client(first) as client:
        memory_id = await _with_entity(client, "alva")
    async with mem0_store(directory) as second, _client(second) as client:
        if primed:
            await _prime(client, "alva")
        if bulk:
            await client.delete("/memories", params={"user_id": "alva"})
        else:
            await client.delete(f"/memories/{memory_id}")
        scope = LayerScope(memory_ids=(memory_id,), owners=(("user", "alva"),))
        counts = await _counts(directory, scope)
    assert counts["vectors"] == 0
    assert counts["entities"] == (0 if primed else 2)


async def test_a_search_without_a_proper_noun_does_not_prime(tmp_path: Path) -> None:
    """Only a query in which the library sees an entity opens the entity store."""
    directory = tmp_path / "store"
    async with mem0_store(directory) as first, _client(first) as client:
        memory_id = await _with_entity(client, "alva")
    async with mem0_store(directory) as second, _client(second) as client:
        await client.post("/search", json={"query": "is", "filters": {"user_id": "alva"}})
        await client.delete(f"/memories/{memory_id}")
        scope = LayerScope(memory_ids=(memory_id,))
        assert (await _counts(directory, scope))["entities"] == 2


async def test_an_old_name_survives_an_update_after_a_restart(tmp_path: Path) -> None:
    """The entity rows of a text replaced after a restart stay linked."""
    directory = tmp_path / "store"
    async with mem0_store(directory) as first, _client(first) as client:
        memory_id = await _with_entity(client, "alva")
    async with mem0_store(directory) as second, _client(second) as client:
        await client.put(f"/memories/{memory_id}", json={"text": "nothing of note"})
    scope = LayerScope(needles=("Holmquist",), within=(("user", "alva"),))
    assert (await _counts(directory, scope))["entities"] == 1


async def test_orphaned_entity_rows_go_while_the_store_is_stopped(tmp_path: Path) -> None:
    """Rows no API reaches are deleted directly, and the next start does not bring them back."""
    directory = tmp_path / "store"
    async with mem0_store(directory) as first, _client(first) as client:
        memory_id = await _with_entity(client, "alva")
    scope = LayerScope(memory_ids=(memory_id,), owners=(("user", "alva"),), needles=("Uppsala",))
    async with mem0_store(directory) as second, _client(second) as client:
        await client.delete(f"/memories/{memory_id}")
        assert await _layers(directory)["entities"].delete(scope) == 0
    layers = _layers(directory)
    assert await layers["entities"].delete(scope) == 2
    assert await layers["history"].delete(scope) == 3
    async with mem0_store(directory) as third, _client(third) as client:
        await _prime(client, "alva")
        assert (await _counts(directory, scope))["entities"] == 0
    assert await layers["files"].count(LayerScope(needles=("Holmquist", "Uppsala"))) == 0


async def test_expired_memories_stay_readable(own_store: RunningStore) -> None:
    """Expiry hides a memory from lists; by id and in the unscoped list it is still there."""
    async with _client(own_store) as client:
        memory_id = await remember(client, TEXT, user_id="alva", expiration_date="2020-01-01")
        listed = await client.get("/memories", params={"user_id": "alva"})
        assert listed.json()["results"] == []
        assert (await client.get(f"/memories/{memory_id}")).json()["memory"] == TEXT
        every = (await client.get("/memories")).json()["results"]
        assert [row["memory"] for row in every] == [TEXT]


async def test_data_survives_a_restart(tmp_path: Path) -> None:
    """A second start on the same directory finds everything again; the first ends with 0."""
    async with mem0_store(tmp_path) as first, _client(first) as client:
        memory_id = await remember(client, TEXT, user_id="alva")
        assert first.stop() == 0
    async with mem0_store(tmp_path) as second, _client(second) as client:
        assert (await client.get(f"/memories/{memory_id}")).json()["memory"] == TEXT
