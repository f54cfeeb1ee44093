"""Every byte under a directory: what no table knows of any more may still be on disk."""

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy.upstreams.layers.base import LayerScope, LayerUnavailable, Reach
from proxy.upstreams.layers.grep import ByteNeedles
from proxy.upstreams.layers.needles import Needles

ROWS = 500
_SQLITE_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class FilesLayer:
    """Counts needles in files; deletes nothing.

    Args:
        path: directory; symbolic links are not followed.
    """

    path: Path
    name: str = "files"
    reach: Reach = "side:files"
    note: str = "Looked at, never changed: what is found here belongs to one of the other layers."

    async def count(self, scope: LayerScope) -> int | None:
        """Occurrences of the needles in all files."""
        return sum((await self.per_file(scope)).values())

    async def delete(self, scope: LayerScope) -> int:
        """Nothing: bytes go with the rows they belong to."""
        return 0

    async def per_file(self, scope: LayerScope) -> dict[str, int]:
        """Occurrences by path relative to the directory; files without any are left out.

        Raises:
            LayerUnavailable: the directory or a file in it cannot be read.
        """
        return await asyncio.to_thread(self._per_file, scope)

    def _per_file(self, scope: LayerScope) -> dict[str, int]:
        if not self.path.is_dir():
            raise LayerUnavailable("unreachable")
        raw = ByteNeedles(scope.needles, scope.told)
        text = Needles(scope.needles, scope.told)
        counts = {
            file.relative_to(self.path).as_posix(): _count(file, raw, text)
            for file in _files(self.path)
        }
        return {name: count for name, count in counts.items() if count}


def _files(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _count(file: Path, raw: ByteNeedles, text: Needles) -> int:
    try:
        with file.open("rb") as stream:
            is_database = stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
            stream.seek(0)
            found = raw.count(stream)
    except FileNotFoundError:
        return 0
    except OSError:
        raise LayerUnavailable("unreadable") from None
    return max(found, _count_rows(file, raw, text)) if is_database else found


def _count_rows(file: Path, raw: ByteNeedles, text: Needles) -> int:
    """The same in decoded values: a value longer than a page is scattered over the file."""
    try:
        connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=10)
    except sqlite3.Error:
        return 0
    try:
        return sum(
            raw.count_bytes(value) if isinstance(value, bytes) else text.count(value)
            for value in _values(connection)
        )
    except sqlite3.Error:
        return 0
    finally:
        connection.close()


def _values(connection: sqlite3.Connection) -> Iterator[str | bytes]:
    connection.text_factory = lambda content: content.decode("utf-8", "replace")
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in names:
        for row in _rows('"' + name.replace('"', '""') + '"', connection):
            yield from (value for value in row if isinstance(value, str | bytes))


def _rows(table: str, connection: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """All rows, some at a time: whoever writes to the file waits for a statement to end."""
    if not _has_row_ids(table, connection):
        yield from connection.execute(f"SELECT * FROM {table}")  # noqa: S608
        return
    after = -(2**63)
    page = f"SELECT rowid, * FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {ROWS}"  # noqa: S608
    while rows := connection.execute(page, (after,)).fetchall():
        yield from (row[1:] for row in rows)
        after = rows[-1][0]


def _has_row_ids(table: str, connection: sqlite3.Connection) -> bool:
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 0")  # noqa: S608
    except sqlite3.OperationalError:
        return False
    return True
