"""A second connection to a SQLite file that another process keeps open."""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proxy.upstreams.layers.base import Entry, LayerScope, LayerUnavailable
from proxy.upstreams.layers.grep import holds_any

BUSY_SECONDS = 10.0
# Rebuilding locks the owner out; it waits 5 s by default, and this takes well under one.
REBUILD_ALWAYS_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Change:
    """A transaction on such a file, and the texts that it takes out of it."""

    connection: sqlite3.Connection
    texts: list[str] = field(default_factory=list, repr=False)

    def take(self, columns: str, where: str, statement: str, given: Sequence[object]) -> int:
        """Change rows, of which some columns go; gives how many.

        Args:
            columns: whose texts go, ``a, b``.
            where: ``FROM`` and ``WHERE`` of the rows.
            statement: deletes or clears them.
            given: parameters of both.
        """
        rows = self.connection.execute(f"SELECT {columns} {where}", given)
        self.texts.extend(each for row in rows for each in row if isinstance(each, str))
        return self.connection.execute(statement, given).rowcount


class SqliteLayer(ABC):
    """A layer in such a file; whatever it does waits in a thread."""

    __slots__ = ()

    async def count(self, scope: LayerScope) -> int | None:
        """Rows that are to go or to lose a part."""
        return await asyncio.to_thread(self._count, scope)

    async def delete(self, scope: LayerScope) -> int:
        """Delete those rows, or the part."""
        return await asyncio.to_thread(self._delete, scope)

    async def entries(self, after: int, limit: int) -> Sequence[Entry]:
        """Rows in the order in which they were made."""
        return await asyncio.to_thread(self._entries, after, limit)

    @abstractmethod
    def _count(self, scope: LayerScope) -> int: ...

    @abstractmethod
    def _delete(self, scope: LayerScope) -> int: ...

    @abstractmethod
    def _entries(self, after: int, limit: int) -> list[Entry]: ...


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open for reading only.

    Raises:
        LayerUnavailable: no such file, not a database, or locked.
    """
    with _opened(path, "ro") as connection:
        yield connection


@contextmanager
def changing(path: Path, needles: Sequence[str] = ()) -> Iterator[Change]:
    """Open for changes; deleted content is overwritten, not only unlinked.

    One transaction, which takes the write lock at its start. Afterwards a write-ahead log is
    emptied and the file rebuilt, so that rows its owner deleted without overwriting them are gone
    too: a large one only if it still holds what went, or a needle, for its owner waits meanwhile.

    Raises:
        LayerUnavailable: no such file, not a database, or locked.
    """
    with _opened(path, "rw") as connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("BEGIN IMMEDIATE")
        change = Change(connection)
        yield change
        connection.execute("COMMIT")
        _empty_log(connection)
        if path.stat().st_size <= REBUILD_ALWAYS_BYTES or _holds(path, [*change.texts, *needles]):
            connection.execute("VACUUM")
            _empty_log(connection)


def _holds(path: Path, texts: Sequence[str]) -> bool:
    said = [each for each in texts if each.strip()]
    if not said:
        return False
    with path.open("rb") as stream:
        return holds_any(stream, said)


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise LayerUnavailable("unreachable")
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS,
        isolation_level=None,
    )  # fmt: skip
    try:
        yield connection
    except sqlite3.OperationalError as failure:
        raise LayerUnavailable("busy" if _is_busy(failure) else "unreadable") from None
    except sqlite3.DatabaseError:
        raise LayerUnavailable("unreadable") from None
    finally:
        connection.close()


def _is_busy(failure: sqlite3.OperationalError) -> bool:
    return failure.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _empty_log(connection: sqlite3.Connection) -> None:
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    if busy:
        raise LayerUnavailable("busy")
