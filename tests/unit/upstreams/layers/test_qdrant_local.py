"""Rows of an embedded Qdrant, beside and without the process that holds it."""

import pickle
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

from proxy.upstreams.layers import (
    Entry,
    Layer,
    LayerScope,
    LayerUnavailable,
    Legible,
    Row,
    from_config,
)

ANNA, MIKA, SHARED, OTHER = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(1, 5))
M1, M2 = "10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"
ROWS: dict[str, dict[str, Any]] = {
    ANNA: {"data": "Anna Vex", "linked_memory_ids": [M1], "user_id": "acme/7"},
    MIKA: {"data": "Mika", "linked_memory_ids": ["gone"], "user_id": "acme/7"},
    SHARED: {"data": "Uppsala", "linked_memory_ids": [M1, M2], "user_id": "acme/7"},
    OTHER: {"data": "Mika", "linked_memory_ids": ["elsewhere"], "user_id": "other/7"},
}


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[QdrantClient]:
    """A client that holds the directory, as Mem0 does."""
    client = QdrantClient(path=str(tmp_path / "qdrant"))
    for name in ("memories", "memories_entities"):
        client.create_collection(name, models.VectorParams(size=4, distance=models.Distance.COSINE))
    _insert(client, "memories_entities", ROWS)
    _insert(client, "memories", {M1: {"data": "Anna Vex sings", "user_id": "acme/7"},
                                 M2: {"data": "Tea at four", "user_id": "other/7"}})  # fmt: skip
    yield client
    client.close()


def _insert(client: QdrantClient, name: str, rows: dict[str, dict[str, Any]]) -> None:
    points = [
        models.PointStruct(id=key, vector=[0.1, 0.2, 0.3, 0.4], payload=payload)
        for key, payload in rows.items()
    ]
    client.upsert(name, points)


def _layer(name: str, directory: Path) -> Layer:
    return from_config({name: {"reach": "side:qdrant-local", "path": directory / "qdrant"}})[name]


SCOPES = [
    pytest.param(LayerScope(memory_ids=(M1,)), {ANNA}, {SHARED}, id="by link"),
    pytest.param(LayerScope(memory_ids=(M1, M2)), {ANNA, SHARED}, set(), id="by every link"),
    pytest.param(
        LayerScope(owners=(("user", "acme/7"),)), {ANNA, MIKA, SHARED}, set(), id="by owner"
    ),
    pytest.param(
        LayerScope(needles=("mika",), within=(("user", "acme/7"),)), {MIKA}, set(),
        id="by name within an owner",
    ),
    pytest.param(LayerScope(needles=("mika",)), set(), set(), id="a name alone proves nothing"),
    pytest.param(
        LayerScope(needles=("ann", "uppsal"), within=(("user", "acme/7"),)), set(), set(),
        id="parts of words",
    ),
    pytest.param(LayerScope(owners=(("user", "acme/70"),)), set(), set(), id="longer owner"),
    pytest.param(LayerScope(owners=(("agent", "acme/7"),)), set(), set(), id="other kind"),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "deleted", "unlinked"), SCOPES)
async def test_entity_rows_of_a_stopped_store(
    tmp_path: Path, holder: QdrantClient, scope: LayerScope, deleted: set[str], unlinked: set[str]
) -> None:
    """Rows are deleted or lose their link, and the next holder reads exactly that."""
    layer = _layer("entities", tmp_path)
    holder.close()
    affected = len(deleted) + len(unlinked)
    assert await layer.count(scope) == affected
    assert await layer.delete(scope) == affected
    assert await layer.count(scope) == 0
    found = _reopened(tmp_path)
    assert found.keys() == ROWS.keys() - deleted
    assert all(found[key]["linked_memory_ids"] == [M2] for key in unlinked)
    unchanged = found.keys() - unlinked
    assert all(found[key] == ROWS[key] for key in unchanged)


def _reopened(directory: Path) -> dict[str, dict[str, Any]]:
    client = QdrantClient(path=str(directory / "qdrant"))
    points, _ = client.scroll("memories_entities", limit=100)
    client.close()
    return {str(point.id): point.payload or {} for point in points}


async def test_deleted_rows_leave_no_bytes(tmp_path: Path, holder: QdrantClient) -> None:
    """The name is not in the collection's file afterwards."""
    holder.close()
    file = tmp_path / "qdrant" / "collection" / "memories_entities" / "storage.sqlite"
    assert b"Anna Vex" in file.read_bytes()
    await _layer("entities", tmp_path).delete(LayerScope(owners=(("user", "acme/7"),)))
    assert b"Anna Vex" not in file.read_bytes()


async def test_a_held_directory_is_read_but_not_changed(
    tmp_path: Path, holder: QdrantClient
) -> None:
    """While a store runs, rows are counted truly and none is reported as deleted."""
    layer, scope = _layer("entities", tmp_path), LayerScope(memory_ids=(M1,))
    assert await layer.count(scope) == 2
    assert await layer.delete(scope) == 0
    assert await layer.count(scope) == 2
    assert holder.count("memories_entities").count == len(ROWS)


async def test_rows_the_store_deletes_are_seen(tmp_path: Path, holder: QdrantClient) -> None:
    """The count follows what the running store does."""
    layer, scope = _layer("entities", tmp_path), LayerScope(owners=(("user", "acme/7"),))
    assert await layer.count(scope) == 3
    holder.delete("memories_entities", models.PointIdsList(points=[ANNA, MIKA, SHARED]))
    assert await layer.count(scope) == 0


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(LayerScope(memory_ids=(M1,)), 1, id="by id"),
        pytest.param(LayerScope(owners=(("user", "acme/7"),)), 1, id="by owner"),
        pytest.param(LayerScope(memory_ids=(M1, M2)), 2, id="both"),
        pytest.param(
            LayerScope(needles=("Anna Vex",), within=(("user", "acme/7"),)), 0, id="not by name"
        ),
    ],
)
async def test_memory_rows(
    tmp_path: Path, holder: QdrantClient, scope: LayerScope, expected: int
) -> None:
    """Memory rows are counted by id and by whole owners."""
    assert await _layer("vectors", tmp_path).count(scope) == expected


@pytest.mark.parametrize(
    ("name", "ids", "memory_ids"),
    [
        pytest.param("entities", [ANNA, MIKA, SHARED, OTHER], {None}, id="names"),
        pytest.param("vectors", [M1, M2], {M1, M2}, id="memories"),
    ],
)
async def test_rows_are_read_in_parts(
    tmp_path: Path, holder: QdrantClient, name: str, ids: list[str], memory_ids: set[str | None]
) -> None:
    """Every row once, with its words and its owner; only a vector's row is a memory's."""
    layer = _layer(name, tmp_path)
    assert isinstance(layer, Legible)
    read: list[Entry] = []
    while page := await layer.entries(read[-1].position if read else 0, 1):
        read += page
    assert sorted(each.id for each in read) == sorted(ids)
    assert {each.memory_id for each in read} == memory_ids
    said = {each.id: each.texts["data"] for each in read}
    assert said[ids[0]] == ("Anna Vex" if name == "entities" else "Anna Vex sings")
    assert {each.owners for each in read} == {(("user", "acme/7"),), (("user", "other/7"),)}


@pytest.mark.parametrize(
    ("name", "row", "left"),
    [
        pytest.param("entities", Row("entities", ANNA), {MIKA, SHARED, OTHER}, id="a name"),
        pytest.param("entities", Row("embedding", ANNA), {*ROWS}, id="of another layer"),
        pytest.param("vectors", Row("embedding", M1), {M2}, id="a vector"),
    ],
)
async def test_single_rows_go(
    tmp_path: Path, holder: QdrantClient, name: str, row: Row, left: set[str]
) -> None:
    """A row that names somebody goes by its own id."""
    layer = _layer(name, tmp_path)
    holder.close()
    await layer.delete(LayerScope(rows=(row,)))
    assert isinstance(layer, Legible)
    assert {each.id for each in await layer.entries(0, 10)} == left


async def test_no_entity_collection_yet(tmp_path: Path) -> None:
    """A store that never linked an entity has none, which is 0 and not unknown."""
    QdrantClient(path=str(tmp_path / "qdrant")).close()
    layer, scope = _layer("entities", tmp_path), LayerScope(memory_ids=(M1,))
    assert await layer.count(scope) == 0
    assert await layer.delete(scope) == 0
    assert isinstance(layer, Legible)
    assert await layer.entries(0, 10) == []


async def test_no_store_at_all(tmp_path: Path) -> None:
    """A wrong path is unreachable, never empty."""
    layer = _layer("entities", tmp_path)
    for action in (layer.count, layer.delete):
        with pytest.raises(LayerUnavailable) as failure:
            await action(LayerScope(memory_ids=(M1,)))
        assert failure.value.reason_code == "unreachable"


class _Exploit:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (Path.touch, (Path("/nonexistent"),))  # type: ignore[return-value]


async def test_a_pickle_may_name_no_other_class(tmp_path: Path, holder: QdrantClient) -> None:
    """A row that is no point is refused instead of run."""
    holder.close()
    file = tmp_path / "qdrant" / "collection" / "memories_entities" / "storage.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO points VALUES ('x', ?)", (pickle.dumps(_Exploit()),))
    connection.close()
    with pytest.raises(LayerUnavailable) as failure:
        await _layer("entities", tmp_path).count(LayerScope(memory_ids=(M1,)))
    assert failure.value.reason_code == "unreadable"
