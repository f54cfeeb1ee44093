"""Mem0's buffer of raw messages, which it feeds back to the extraction model on the next add."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from proxy.upstreams.layers.base import Entry, LayerScope, Owners, Reach, payload_field
from proxy.upstreams.layers.sqlite import SqliteLayer, changing, reading


@dataclass(frozen=True, slots=True)
class MessagesLayer(SqliteLayer):
    """Rows by session scope, for every owner the erasure is about.

    Args:
        path: Mem0's ``history.db``.
    """

    path: Path
    name: str = "messages"
    reach: Reach = "side:sqlite"
    note: str = "The last ten raw messages of each scope; dropped as a whole for its owners."

    def _entries(self, after: int, limit: int) -> list[Entry]:
        with reading(self.path) as connection:
            rows = connection.execute(
                "SELECT rowid, id, session_scope, content, name, created_at FROM messages "
                "WHERE rowid > ? ORDER BY rowid LIMIT ?", (after, limit),
            ).fetchall()  # fmt: skip
        return [_entry(*row) for row in rows]

    def _count(self, scope: LayerScope) -> int:
        """Rows in scopes of these owners."""
        with reading(self.path) as connection:
            return len(_matching(connection, scope))

    def _delete(self, scope: LayerScope) -> int:
        with changing(self.path, scope.needles) as change:
            rows = json.dumps(_matching(change.connection, scope))
            where = "FROM messages WHERE rowid IN (SELECT value FROM json_each(?))"
            return change.take("content, name", where, f"DELETE {where}", (rows,))


def scope_part(kind: str, owner: str) -> str:
    """How Mem0 writes one owner into a session scope: ``user_id=<escaped id>``."""
    escaped = owner.replace("%", "%25").replace("&", "%26").replace("=", "%3D")
    return f"{payload_field(kind)}={escaped}"


def _entry(
    position: int, row_id: str, session: str | None, content: str | None, name: str | None,
    made: str | None,
) -> Entry:  # fmt: skip
    said = "\n".join(filter(None, (name, content)))
    texts = {"content": said}
    return Entry(position, row_id, "content", texts, owners=_owners(session or ""), made=made)


def _owners(session: str) -> Owners:
    pairs = (part.partition("=") for part in session.split("&") if "=" in part)
    return tuple((field.removesuffix("_id"), unquote(owner)) for field, _, owner in pairs)


def _matching(connection: sqlite3.Connection, scope: LayerScope) -> list[int]:
    wanted = {scope_part(kind, owner) for kind, owner in scope.touched}
    single = set(scope.whole_rows("messages"))
    rows: Iterable[tuple[int, str, str | None]] = connection.execute(
        "SELECT rowid, id, session_scope FROM messages"
    )
    return [
        rowid for rowid, row_id, session in rows
        if wanted & set((session or "").split("&")) or row_id in single
    ]  # fmt: skip
