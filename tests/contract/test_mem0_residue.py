"""What the bare store keeps after a delete: each is a layer that an erasure must reach."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import pytest

from proxy.upstreams.layers import Layer, LayerScope, from_config
from tests.support.mem0_calls import remember
from tests.support.mem0_store import RunningStore, running_store

_NUMBERS = count(100)


@pytest.fixture
def canary() -> str:
    """A word that no other test uses."""
    return "quill" + "".join(chr(ord("a") + int(digit)) for digit in str(next(_NUMBERS)))


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


@pytest.mark.parametrize("bulk", [False, True], ids=["single", "bulk"])
async def test_history_survives_the_delete(
    oss: httpx.AsyncClient, store: RunningStore, user: str, canary: str, *, bulk: bool
) -> None:
    """The API itself still returns the deleted text, and offers no way to delete it."""
    memory_id = await remember(oss, f"Alva likes {canary}", user_id=user)
    if bulk:
        await oss.delete("/memories", params={"user_id": user})
    else:
        await oss.delete(f"/memories/{memory_id}")
    entries = (await oss.get(f"/memories/{memory_id}/history")).json()
    assert [(entry["event"], entry["new_memory"] or entry["old_memory"]) for entry in entries] == [
        ("ADD", f"Alva likes {canary}"),
        ("DELETE", f"Alva likes {canary}"),
    ]
    layers, scope = _layers(store.directory), LayerScope((memory_id,), needles=(canary,))
    assert await layers["history"].count(scope) == 2
    assert await layers["vectors"].count(scope) == 0
    assert await layers["files"].count(scope) == 2


async def test_history_keeps_both_sides_of_an_update(oss: httpx.AsyncClient, user: str) -> None:
    """An update in place leaves the old text; even one of metadata adds a copy of the text."""
    memory_id = await remember(oss, "lives in Porto", user_id=user)
    await oss.put(f"/memories/{memory_id}", json={"text": "moved away"})
    await oss.put(f"/memories/{memory_id}", json={"metadata": {"a": 1}})
    entries = (await oss.get(f"/memories/{memory_id}/history")).json()
    assert [(entry["old_memory"], entry["new_memory"]) for entry in entries] == [
        (None, "lives in Porto"),
        ("lives in Porto", "moved away"),
        ("moved away", "moved away"),
    ]


async def test_metadata_is_not_in_the_history(
    oss: httpx.AsyncClient, store: RunningStore, user: str, canary: str
) -> None:
    """What stands only in metadata goes with the memory."""
    files, scope = _layers(store.directory)["files"], LayerScope(needles=(canary,))
    memory_id = await remember(oss, "red", user_id=user, metadata={"by": canary})
    assert await files.count(scope) == 1
    await oss.delete(f"/memories/{memory_id}")
    assert await files.count(scope) == 0


async def test_the_history_layer_reaches_it(
    oss: httpx.AsyncClient, store: RunningStore, user: str, canary: str
) -> None:
    """Deleted beside the running store, its API and the bytes are empty of it."""
    memory_id = await remember(oss, f"Alva likes {canary}", user_id=user)
    await oss.delete(f"/memories/{memory_id}")
    layers, scope = _layers(store.directory), LayerScope((memory_id,), needles=(canary,))
    assert await layers["history"].delete(scope) == 2
    assert (await oss.get(f"/memories/{memory_id}/history")).json() == []
    assert await layers["files"].count(scope) == 0
    await remember(oss, "the store still works", user_id=user)


async def test_entity_rows_are_cleaned_by_the_process_that_made_them(
    oss: httpx.AsyncClient, store: RunningStore, user: str
) -> None:
    """Within one process a delete takes the entity rows along."""
    memory_id = await remember(oss, "placeholder", user_id=user)
    await oss.put(f"/memories/{memory_id}", json={"text": "Anna Holmquist lives in Uppsala"})
    entities, scope = _layers(store.directory)["entities"], LayerScope((memory_id,))
    assert await entities.count(scope) == 2
    await oss.delete(f"/memories/{memory_id}")
    assert await entities.count(scope) == 0


async def test_expired_memories_stay_readable(oss: httpx.AsyncClient, user: str) -> None:
    """Expiry hides a memory from lists; by id and in the unscoped list it is still there."""
    memory_id = await remember(oss, "red", user_id=user, expiration_date="2020-01-01")
    listed = await oss.get("/memories", params={"user_id": user})
    assert listed.json()["results"] == []
    assert (await oss.get(f"/memories/{memory_id}")).json()["memory"] == "red"
    every = (await oss.get("/memories")).json()["results"]
    assert memory_id in {row["id"] for row in every}


def _search(client: httpx.Client, owner: str, query: str) -> None:
    body = {"query": query, "filters": {"user_id": owner}}
    client.post("/search", json=body).raise_for_status()


def _delete_one(client: httpx.Client, owner: str, memory_id: str) -> None:
    client.delete(f"/memories/{memory_id}").raise_for_status()


def _delete_all(client: httpx.Client, owner: str, memory_id: str) -> None:
    client.delete("/memories", params={"user_id": owner}).raise_for_status()


def _search_and_delete(client: httpx.Client, owner: str, memory_id: str) -> None:
    _search(client, owner, "is")
    _delete_one(client, owner, memory_id)


def _replace(client: httpx.Client, owner: str, memory_id: str) -> None:
    client.put(f"/memories/{memory_id}", json={"text": "nothing of note"}).raise_for_status()


Action = Callable[[httpx.Client, str, str], None]
UNPRIMED: dict[str, Action] = {
    "single": _delete_one,
    "bulk": _delete_all,
    "no-proper-noun": _search_and_delete,
}
PRIMED: dict[str, Action] = {"primed-single": _delete_one, "primed-bulk": _delete_all}


@dataclass(frozen=True, slots=True)
class Afterwards:
    """Entity rows left per owner after what was done to it; and after the repair."""

    left: dict[str, int | None]
    refused: int
    orphans_deleted: int
    orphans_left: int | None
    bytes_left: int | None
    kept: str
    exit_code: int


@pytest.fixture(scope="module")
def afterwards(tmp_path_factory: pytest.TempPathFactory) -> Afterwards:
    """Owners with entity rows; a restart; deletes without and with a search before; a repair."""
    directory = tmp_path_factory.mktemp("restarted")
    owners = [*UNPRIMED, "replaced", *PRIMED, "kept"]
    with running_store(directory) as store, _caller(store) as client:
        ids = {owner: _with_entities(client, owner) for owner in owners}
        exit_code = store.stop()
    orphans = LayerScope(owners=tuple(("user", owner) for owner in UNPRIMED))
    with running_store(directory) as store, _caller(store) as client:
        for owner, action in UNPRIMED.items():
            action(client, owner, ids[owner])
        _replace(client, "replaced", ids["replaced"])
        left = {owner: _entities(directory, ids[owner]) for owner in (*UNPRIMED, "replaced")}
        _search(client, "kept", "Where does Anna Vex live?")
        for owner, action in PRIMED.items():
            action(client, owner, ids[owner])
        left |= {owner: _entities(directory, ids[owner]) for owner in PRIMED}
        refused = asyncio.run(_layers(directory)["entities"].delete(orphans))
    deleted = asyncio.run(_layers(directory)["entities"].delete(orphans))
    erased = LayerScope(tuple(ids[owner] for owner in owners if owner != "kept"))
    asyncio.run(_layers(directory)["history"].delete(erased))
    with running_store(directory) as store, _caller(store) as client:
        _search(client, "kept", "Where does Anna Vex live?")
        kept = client.get(f"/memories/{ids['kept']}").json()["memory"]
        orphans_left = asyncio.run(_layers(directory)["entities"].count(orphans))
        names = LayerScope(needles=tuple(_name(owner) for owner in UNPRIMED))
        bytes_left = asyncio.run(_layers(directory)["files"].count(names))
    return Afterwards(left, refused, deleted, orphans_left, bytes_left, kept, exit_code)


def _caller(store: RunningStore) -> httpx.Client:
    return httpx.Client(base_url=store.url, headers=store.oss_headers, timeout=60)


def _name(owner: str) -> str:
    return "Anna Holm" + owner.replace("-", "")


def _with_entities(client: httpx.Client, owner: str) -> str:
    """A memory with two entity rows: an update makes them, a verbatim write does not."""
    messages = [{"role": "user", "content": "placeholder"}]
    body = {"messages": messages, "user_id": owner, "infer": False}
    memory_id: str = client.post("/memories", json=body).json()["results"][0]["id"]
    text = f"{_name(owner)} lives in Uppsala"
    client.put(f"/memories/{memory_id}", json={"text": text}).raise_for_status()
    return memory_id


def _entities(directory: Path, memory_id: str) -> int | None:
    return asyncio.run(_layers(directory)["entities"].count(LayerScope((memory_id,))))


@pytest.mark.parametrize("owner", [*UNPRIMED, "replaced"])
def test_entity_rows_survive_after_a_restart(afterwards: Afterwards, owner: str) -> None:
    """A fresh process deletes or replaces the memory and leaves its names behind."""
    assert afterwards.left[owner] == 2


@pytest.mark.parametrize("owner", PRIMED)
def test_a_search_with_a_proper_noun_primes_the_cleaning(
    afterwards: Afterwards, owner: str
) -> None:
    """After one such search, whoever it was for, deletes take the names along."""
    assert afterwards.left[owner] == 0


def test_orphaned_rows_go_only_while_the_store_is_stopped(afterwards: Afterwards) -> None:
    """Beside the running store nothing is deleted or claimed; without it all are, for good."""
    assert afterwards.refused == 0
    assert afterwards.orphans_deleted == 2 * len(UNPRIMED)
    assert afterwards.orphans_left == 0
    assert afterwards.bytes_left == 0


def test_data_survives_restarts(afterwards: Afterwards) -> None:
    """A stopped store ends with 0, and the next start finds what nobody deleted."""
    assert afterwards.exit_code == 0
    assert afterwards.kept == "Anna Holmkept lives in Uppsala"
