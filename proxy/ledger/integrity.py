"""Whether the pages of SQLite's file are whole: a crash of a disk or a machine may tear one."""

import asyncio
import sqlite3
from pathlib import Path

from proxy.problems import Problem

RESTORE = "Stop Expunge and put the newest backup of the ledger back ('expunge db accept' lets it)."
_MAGIC = b"SQLite format 3\x00"
_SIZE_AT = slice(16, 18)  # of the page size in the header; 1 means 65,536
_HEADER = 100  # bytes


async def damage(path: Path) -> str | None:
    """What SQLite finds broken in its file, None if it finds nothing; every page is read."""
    return await asyncio.to_thread(_damage, path)


def refuse_torn(path: Path) -> None:
    """Refuse a file that ends within a page, unless its write-ahead log makes that good.

    Only the size is looked at where the file ends with a page.

    Raises:
        Problem: ``ledger-unavailable``.
    """
    if _is_torn(path) and not (_is_logged(path) and _damage(path) is None):
        raise Problem(
            "ledger-unavailable", "The ledger's file is torn: it ends within a page.", hint=RESTORE
        )


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        return False
    size = int.from_bytes(header[_SIZE_AT], "big")
    return path.stat().st_size % (65_536 if size == 1 else size) != 0


def _is_logged(path: Path) -> bool:
    """Whether there is a write-ahead log, from which the last pages can be written again."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _damage(path: Path) -> str | None:
    try:
        connection = sqlite3.connect(path)
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            connection.close()
    except sqlite3.DatabaseError as failure:
        return failure.sqlite_errorname
    return None if found == "ok" else str(found)
