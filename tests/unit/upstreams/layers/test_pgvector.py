"""Rows of Mem0's collections in a real PostgreSQL."""

import json
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from proxy.upstreams.layers import (
    Entry,
    Layer,
    LayerScope,
    LayerUnavailable,
    Legible,
    Row,
    from_config,
)

pytestmark = pytest.mark.postgres

E1, E2, E3, M1, M2 = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(1, 6))
ROWS: dict[str, dict[str, Any]] = {
    E1: {"data": "Anna Vex", "linked_memory_ids": [M1], "user_id": "acme/7"},
    E2: {"data": "Uppsala", "linked_memory_ids": [M1, M2], "user_id": "acme/7"},
    E3: {"data": "Anna Vex", "linked_memory_ids": ["elsewhere"], "user_id": "other/7"},
}


@pytest.fixture
def dsn(postgres: str) -> str:
    """The server's address as an operator writes it."""
    return postgres.replace("+asyncpg", "", 1)


@pytest.fixture
async def server(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with an entity collection as Mem0 makes it."""
    connection = await asyncpg.connect(dsn)
    await connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    await connection.execute(
        'CREATE TABLE "odd ""name" (id UUID PRIMARY KEY, vector vector(3), payload JSONB)'
    )
    await connection.executemany(
        """INSERT INTO "odd ""name" VALUES ($1, '[1,2,3]', $2::jsonb)""",
        [(key, json.dumps(payload)) for key, payload in ROWS.items()],
    )
    yield connection
    await connection.execute('DROP TABLE "odd ""name"')
    await connection.close()


def _layer(dsn: str, name: str = "entities") -> Layer:
    given = {"reach": "side:pgvector", "dsn": dsn, "collection": 'odd "name'}
    return from_config({name: given})[name]


@pytest.mark.parametrize(
    ("scope", "deleted", "unlinked"),
    [
        pytest.param(LayerScope(memory_ids=(M1,)), {E1}, {E2}, id="by link"),
        pytest.param(LayerScope(owners=(("user", "acme/7"),)), {E1, E2}, set(), id="by owner"),
        pytest.param(
            LayerScope(needles=("anna vex",), within=(("user", "acme/7"),)),
            {E1},
            set(),
            id="by name within an owner",
        ),
        pytest.param(LayerScope(needles=("anna vex",)), set(), set(), id="a name alone"),
        pytest.param(LayerScope(owners=(("agent", "acme/7"),)), set(), set(), id="other kind"),
    ],
)
async def test_entity_rows(
    dsn: str,
    server: asyncpg.Connection,
    scope: LayerScope,
    deleted: set[str],
    unlinked: set[str],
) -> None:
    """Rows are deleted or lose their link; everybody else's stay as they were."""
    layer, affected = _layer(dsn), len(deleted) + len(unlinked)
    assert await layer.count(scope) == affected
    assert await layer.delete(scope) == affected
    assert await layer.count(scope) == 0
    left = {
        str(row["id"]): json.loads(row["payload"])
        for row in await server.fetch('SELECT id, payload FROM "odd ""name"')
    }
    assert left.keys() == ROWS.keys() - deleted
    assert all(left[key]["linked_memory_ids"] == [M2] for key in unlinked)
    assert all(left[key] == ROWS[key] for key in left.keys() - unlinked)


@pytest.mark.parametrize(("name", "where"), [("entities", "entities"), ("vectors", "embedding")])
async def test_rows_are_read_in_parts_and_go_alone(
    dsn: str, server: asyncpg.Connection, name: str, where: str
) -> None:
    """Every row once, with its words and its owner; one that names somebody goes by its id."""
    layer = _layer(dsn, name)
    assert isinstance(layer, Legible)
    read: list[Entry] = []
    while page := await layer.entries(read[-1].position if read else 0, 2):
        read += page
    assert sorted(each.id for each in read) == sorted(ROWS)
    assert {each.id: each.texts["data"] for each in read} == {k: v["data"] for k, v in ROWS.items()}
    assert {each.memory_id is None for each in read} == {name == "entities"}
    assert (("user", "acme/7"),) in {each.owners for each in read}
    assert await layer.delete(LayerScope(rows=(Row(where, E1),))) == 1
    assert {each.id for each in await layer.entries(0, 9)} == ROWS.keys() - {E1}
    assert await layer.delete(LayerScope(rows=(Row("history", E2),))) == 0


async def test_memory_rows_by_id(dsn: str, server: asyncpg.Connection) -> None:
    """In the memory collection a row is found by its own id."""
    layer, scope = _layer(dsn, "vectors"), LayerScope(memory_ids=(E1,))
    assert await layer.count(scope) == 1
    assert await layer.delete(scope) == 1
    assert await server.fetchval('SELECT count(*) FROM "odd ""name"') == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"collection": "absent"}, "unreadable", id="no such table"),
        pytest.param({"dsn": "postgresql://127.0.0.1:1/none"}, "unreachable", id="no server"),
    ],
)
async def test_what_cannot_be_reached(
    dsn: str, server: asyncpg.Connection, change: dict[str, str], reason: str
) -> None:
    """A wrong table or server is named as such, never counted as empty."""
    given = {"reach": "side:pgvector", "dsn": dsn, **change}
    layer = from_config({"entities": given})["entities"]
    with pytest.raises(LayerUnavailable) as failure:
        await layer.count(LayerScope(memory_ids=(M1,)))
    assert failure.value.reason_code == reason
