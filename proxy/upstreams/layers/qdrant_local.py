"""Collections of an embedded Qdrant, read beside the process that holds them.

Each point is one pickled object in a SQLite table. Reading is safe at any time; the classes a
pickle may name are limited. Changing is only sound while no process holds the directory: the
holder keeps every point in memory and would neither notice nor keep the change.
"""

import io
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import portalocker

from proxy.upstreams.layers.base import Entry, LayerScope, LayerUnavailable, Reach
from proxy.upstreams.layers.matching import LINKS, Judge, Verdict, entry_of, surviving_links
from proxy.upstreams.layers.sqlite import SqliteLayer, changing, reading

_CLASSES = {
    ("qdrant_client.http.models.models", "PointStruct"),
    ("qdrant_client.http.models.models", "SparseVector"),
}
Row = tuple[str, Verdict, Any]


@dataclass(frozen=True, slots=True)
class QdrantLocalLayer(SqliteLayer):
    """Rows of one collection.

    Args:
        path: the Qdrant directory.
        collection: name of the collection.
        judge: makes the rule that decides over a row.
        name: of the layer.
    """

    path: Path
    collection: str
    judge: Callable[[LayerScope], Judge]
    name: str
    note: str = (
        "Can be read at any time, but rows can be deleted directly only while the store is "
        "stopped. While it runs, only the store itself can delete them."
    )
    reach: Reach = "side:qdrant-local"

    def _entries(self, after: int, limit: int) -> list[Entry]:
        if not self._file.is_file() and self.path.is_dir():
            return []
        with reading(self._file) as connection:
            rows = connection.execute(
                "SELECT rowid, point FROM points WHERE rowid > ? ORDER BY rowid LIMIT ?",
                (after, limit),
            )
            points = ((position, _unpickled(blob)) for position, blob in rows)
            return [
                entry_of(self.name, position, str(point.id), point.payload or {})
                for position, point in points
            ]

    def _count(self, scope: LayerScope) -> int:
        if not self._file.is_file() and self.path.is_dir():
            return 0
        with reading(self._file) as connection:
            return len(self._affected(connection, scope))

    def _delete(self, scope: LayerScope) -> int:
        """Only if no process holds the directory; else nothing, and 0."""
        if not self._file.is_file() and self.path.is_dir():
            return 0
        with _held(self.path) as free:
            if not free:
                return 0
            with changing(self._file, scope.needles) as change:
                rows = self._affected(change.connection, scope)
                change.texts.extend(text for _, _, point in rows for text in _texts(point))
                for row in rows:
                    _apply(change.connection, row, frozenset(scope.memory_ids))
                return len(rows)

    @property
    def _file(self) -> Path:
        return self.path / "collection" / self.collection / "storage.sqlite"

    def _affected(self, connection: sqlite3.Connection, scope: LayerScope) -> list[Row]:
        judge = self.judge(scope)
        judged = (
            (key, judge(str(point.id), point.payload or {}), point)
            for key, point in _points(connection)
        )
        return [row for row in judged if row[1] != "keep"]


def _texts(point: Any) -> list[str]:
    """What a point says; short strings of its payload are labels and ids."""
    said = (point.payload or {}).values()
    return [each for each in said if isinstance(each, str) and " " in each]


def _points(connection: sqlite3.Connection) -> Iterator[tuple[str, Any]]:
    for key, blob in connection.execute("SELECT id, point FROM points"):
        yield key, _unpickled(blob)


def _unpickled(blob: bytes) -> Any:
    try:
        return _PointUnpickler(io.BytesIO(blob)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, ValueError, TypeError):
        raise LayerUnavailable("unreadable") from None


class _PointUnpickler(pickle.Unpickler):
    """Loads points and nothing else: a pickle may otherwise run any code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _CLASSES:
            raise pickle.UnpicklingError("not a point")
        return super().find_class(module, name)


def _apply(connection: sqlite3.Connection, row: Row, erased: frozenset[str]) -> None:
    key, verdict, point = row
    if verdict == "delete":
        connection.execute("DELETE FROM points WHERE id = ?", (key,))
        return
    point.payload[LINKS] = surviving_links(point.payload, erased)
    connection.execute("UPDATE points SET point = ? WHERE id = ?", (pickle.dumps(point), key))


@contextmanager
def _held(directory: Path) -> Iterator[bool]:
    """Take the directory's lock, as a Qdrant client does; gives whether it was free."""
    lock = directory / ".lock"
    if not lock.is_file():
        raise LayerUnavailable("unreachable")
    with lock.open("r+", encoding="utf-8") as handle:
        try:
            portalocker.lock(
                handle, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING
            )
        except portalocker.LockException:
            yield False
            return
        try:
            yield True
        finally:
            portalocker.unlock(handle)
