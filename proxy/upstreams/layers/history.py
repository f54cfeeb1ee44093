"""Mem0's history: every version of every memory, which its API never deletes."""

import json
from dataclasses import dataclass
from pathlib import Path

from proxy.upstreams.layers.base import Entry, LayerScope, Reach
from proxy.upstreams.layers.sqlite import SqliteLayer, changing, reading

_OLD, _NEW = "old_memory", "new_memory"
_MATCHING = (
    "FROM history WHERE memory_id IN (SELECT value FROM json_each(?)) "
    "OR id IN (SELECT value FROM json_each(?))"
)
_FORMER = "FROM history WHERE old_memory IS NOT NULL AND id IN (SELECT value FROM json_each(?))"
_CLEAR_OLD = (
    "UPDATE history SET old_memory = NULL "
    "WHERE old_memory IS NOT NULL AND id IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True, slots=True)
class HistoryLayer(SqliteLayer):
    """Rows by memory id, and single rows by their own; the table knows no owner.

    Args:
        path: Mem0's ``history.db``.
    """

    path: Path
    name: str = "history"
    reach: Reach = "side:sqlite"
    note: str = (
        "Versions of erased memories go with their ids, older versions of living ones by what "
        "they say."
    )

    def _count(self, scope: LayerScope) -> int:
        """Rows of the erased memories, and single rows that name whom is erased."""
        gone, former = self._wanted(scope)
        with reading(self.path) as connection:
            rows = connection.execute(f"SELECT count(*) {_MATCHING}", gone).fetchone()[0]
            parts = connection.execute(f"SELECT count(*) {_FORMER}", former)
            return int(rows + parts.fetchone()[0])

    def _delete(self, scope: LayerScope) -> int:
        """Of a row that only tells the text before it, that text goes."""
        gone, former = self._wanted(scope)
        with changing(self.path, scope.needles) as change:
            rows = change.take(f"{_OLD}, {_NEW}", _MATCHING, f"DELETE {_MATCHING}", gone)
            return rows + change.take(_OLD, _FORMER, _CLEAR_OLD, former)

    def _entries(self, after: int, limit: int) -> list[Entry]:
        with reading(self.path) as connection:
            return [_entry(row) for row in connection.execute(
                "SELECT rowid, id, memory_id, old_memory, new_memory, created_at, updated_at "
                "FROM history WHERE rowid > ? ORDER BY rowid LIMIT ?", (after, limit),
            )]  # fmt: skip

    def _wanted(self, scope: LayerScope) -> tuple[tuple[str, str], tuple[str]]:
        gone = (json.dumps(scope.memory_ids), json.dumps(scope.whole_rows(self.name)))
        return gone, (json.dumps(scope.parts(self.name, _OLD)),)


def _entry(
    row: tuple[int, str, str | None, str | None, str | None, str | None, str | None],
) -> Entry:
    position, row_id, memory_id, old, new, born, changed = row
    texts = {name: text for name, text in ((_OLD, old), (_NEW, new)) if text}
    return Entry(
        position, str(row_id), _NEW, texts, memory_id=memory_id, made=changed or born, born=born
    )
