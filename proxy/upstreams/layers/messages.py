"""Mem0's buffer of raw messages, which it feeds back to the extraction model on the next add."""

import asyncio
import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proxy.upstreams.layers.base import LayerScope, Reach, payload_field
from proxy.upstreams.layers.sqlite import changing, reading


@dataclass(frozen=True, slots=True)
class MessagesLayer:
    """Rows by session scope, for every owner the erasure is about.

    Args:
        path: Mem0's ``history.db``.
    """

    path: Path
    name: str = "messages"
    reach: Reach = "side:sqlite"
    note: str = "The last ten raw messages of each scope; dropped as a whole for its owners."

    async def count(self, scope: LayerScope) -> int | None:
        """Rows in scopes of these owners."""
        return await asyncio.to_thread(self._count, scope)

    async def delete(self, scope: LayerScope) -> int:
        """Delete those rows; their bytes go too."""
        return await asyncio.to_thread(self._delete, scope)

    def _count(self, scope: LayerScope) -> int:
        with reading(self.path) as connection:
            return len(_matching(connection, scope))

    def _delete(self, scope: LayerScope) -> int:
        with changing(self.path) as connection:
            rows = json.dumps(_matching(connection, scope))
            statement = "DELETE FROM messages WHERE rowid IN (SELECT value FROM json_each(?))"
            return connection.execute(statement, (rows,)).rowcount


def scope_part(kind: str, owner: str) -> str:
    """How Mem0 writes one owner into a session scope: ``user_id=<escaped id>``."""
    escaped = owner.replace("%", "%25").replace("&", "%26").replace("=", "%3D")
    return f"{payload_field(kind)}={escaped}"


def _matching(connection: sqlite3.Connection, scope: LayerScope) -> list[int]:
    wanted = {scope_part(kind, owner) for kind, owner in scope.touched}
    rows: Iterable[tuple[int, str | None]] = connection.execute(
        "SELECT rowid, session_scope FROM messages"
    )
    return [rowid for rowid, session in rows if wanted & set((session or "").split("&"))]
