"""Mem0's collections in PostgreSQL with pgvector: one table each, the payload in JSONB."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg

from proxy.upstreams.layers.base import Entry, LayerScope, LayerUnavailable, Reach, payload_field
from proxy.upstreams.layers.matching import (
    EMBEDDING,
    ENTITIES,
    LINKS,
    OWNER_FIELDS,
    Judge,
    Verdict,
    entry_of,
    surviving_links,
)

CONNECT_SECONDS = 10.0
Row = tuple[Any, Verdict, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PgvectorLayer:
    """Rows of one collection.

    Args:
        dsn: address of the database, with its credential.
        collection: name of the table.
        judge: makes the rule that decides over a row.
        name: of the layer.
    """

    dsn: str = field(repr=False)
    collection: str
    judge: Callable[[LayerScope], Judge]
    name: str
    note: str = (
        "Rows are deleted at once; old row versions stay in the table until VACUUM and copies in "
        "the write-ahead log until it is recycled."
    )
    reach: Reach = "side:pgvector"

    async def count(self, scope: LayerScope) -> int | None:
        """Rows that are to go or to lose a link."""
        async with self._connected() as connection:
            return len(await self._affected(connection, scope))

    async def delete(self, scope: LayerScope) -> int:
        """Delete or unlink rows in one transaction, then vacuum the table."""
        async with self._connected() as connection:
            async with connection.transaction():
                rows = await self._affected(connection, scope, lock=True)
                for row in rows:
                    await self._apply(connection, row, frozenset(scope.memory_ids))
            if rows:
                await connection.execute(f"VACUUM {self._table}")
            return len(rows)

    async def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Rows in the order of their ids."""
        async with self._connected() as connection:
            rows = await connection.fetch(
                f"SELECT id, payload::text AS payload FROM {self._table} "  # noqa: S608
                "WHERE id > $1::uuid ORDER BY id LIMIT $2",
                UUID(int=after),
                limit,
            )
        return [
            entry_of(self.name, row["id"].int, str(row["id"]), json.loads(row["payload"] or "{}"))
            for row in rows
        ]

    @property
    def _table(self) -> str:
        return '"' + self.collection.replace('"', '""') + '"'

    async def _affected(
        self, connection: Any, scope: LayerScope, *, lock: bool = False
    ) -> list[Row]:
        judge = self.judge(scope)
        statement = self._candidates + (" FOR UPDATE" if lock else "")
        found = await connection.fetch(statement, *_arguments(scope))
        payloads = ((row["id"], json.loads(row["payload"] or "{}")) for row in found)
        judged = ((key, judge(str(key), payload), payload) for key, payload in payloads)
        return [row for row in judged if row[1] != "keep"]

    @property
    def _candidates(self) -> str:
        owned = " OR ".join(
            f"payload->>'{name}' = ANY(${number}::text[])"
            for number, name in enumerate(OWNER_FIELDS, start=2)
        )
        return (
            f"SELECT id, payload::text AS payload FROM {self._table} "  # noqa: S608
            f"WHERE id::text = ANY($1::text[]) OR payload->'{LINKS}' ?| $1::text[] OR {owned}"
        )

    async def _apply(self, connection: Any, row: Row, erased: frozenset[str]) -> None:
        key, verdict, payload = row
        if verdict == "delete":
            await connection.execute(f"DELETE FROM {self._table} WHERE id = $1", key)  # noqa: S608
            return
        kept = json.dumps({**payload, LINKS: surviving_links(payload, erased)})
        await connection.execute(
            f"UPDATE {self._table} SET payload = $2::jsonb WHERE id = $1",  # noqa: S608
            key,
            kept,
        )

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Any]:
        try:
            connection = await asyncpg.connect(self.dsn, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, asyncpg.PostgresError):
            raise LayerUnavailable("unreachable") from None
        try:
            yield connection
        except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
            raise LayerUnavailable("unreadable") from None
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            raise LayerUnavailable("busy") from None
        finally:
            await connection.close(timeout=CONNECT_SECONDS)


def _arguments(scope: LayerScope) -> list[list[str]]:
    owners = [
        [owner for kind, owner in scope.touched if payload_field(kind) == name]
        for name in OWNER_FIELDS
    ]
    rows = [*scope.whole_rows(EMBEDDING), *scope.whole_rows(ENTITIES)]
    return [[*scope.memory_ids, *rows], *owners]
