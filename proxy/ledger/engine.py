"""The ledger as the rest of the proxy sees it: open, read, write, close."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from proxy.background import spawn
from proxy.ledger import connect
from proxy.ledger.failures import is_database_failure, translate, unavailable
from proxy.ledger.integrity import refuse_torn
from proxy.ledger.patience import awaited
from proxy.ledger.recall import Recall
from proxy.ledger.upgrade import upgrade
from proxy.ledger.writer import WRITING, GroupCommit
from proxy.problems import Problem

Tx = AsyncConnection
T = TypeVar("T")

CHECKPOINT_TRIES = 100
CHECKPOINT_PAUSE_S = 0.05


class Ledger:
    """One database, one writer task, a few readers.

    Attributes:
        alone: whether no other process serves requests from this ledger.
    """

    alone = False

    def __init__(self, url: URL, writer: AsyncEngine, reader: AsyncEngine) -> None:
        self._url, self._writer_engine, self._reader_engine = url, writer, reader
        self._writer = GroupCommit(writer)
        self.recall = Recall(connect.sqlite_path(url))
        self._promised: set[asyncio.Task[Any]] = set()
        self._closed = False

    @classmethod
    async def open(cls, url: str) -> "Ledger":
        """Open the ledger and bring its schema up to date.

        Args:
            url: ``sqlite+aiosqlite:///path`` or ``postgresql+asyncpg://…``.

        Raises:
            Problem: ``invalid-config`` for another database, ``ledger-unavailable`` if it cannot
                be opened, or was made by a newer release.
        """
        parsed = connect.parse(url)
        engine = connect.writer_engine(parsed)
        try:
            if (path := connect.sqlite_path(parsed)) is not None:
                connect.prepare_file(path)
                refuse_torn(path)
            await upgrade(engine)
        except Exception as failure:
            await engine.dispose()
            if is_database_failure(failure):
                raise unavailable(failure) from None
            raise
        return cls(parsed, engine, connect.reader_engine(parsed))

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._url.get_backend_name()

    @property
    def path(self) -> Path | None:
        """The database file, None on a server."""
        return connect.sqlite_path(self._url)

    async def write(self, unit: Callable[[Tx], Awaitable[T]]) -> T:
        """Run ``unit`` in a savepoint of the next batch; returns after the commit.

        The unit may run again after a deadlock, so it must have no effect but on the database.

        Raises:
            Problem: ``ledger-unavailable``; nothing of the unit is kept.
            Conflict: a row with the same key exists.
        """
        with awaited():
            return cast("T", await self._writer.write(unit))

    @property
    def may_promise(self) -> bool:
        """Whether all who could miss a commit that ends behind an answer are in this process."""
        return self.alone and self.path is not None

    def promise(self, commit: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Let a commit end later; whatever this process reads from now on waits for it.

        Args:
            commit: writes one unit, and reads nothing.
        """
        task = spawn(commit, name="ledger-promise")
        self._promised.add(task)
        self.recall.pause()
        task.add_done_callback(self._kept)
        return task

    def _kept(self, task: asyncio.Task[Any]) -> None:
        self._promised.discard(task)
        if not self._promised:
            self.recall.resume()

    async def read(self, unit: Callable[[Tx], Awaitable[T]]) -> T:
        """Run ``unit`` on a consistent snapshot; it cannot write.

        Raises:
            Problem: ``ledger-unavailable``.
        """
        if self._closed:
            raise Problem("ledger-unavailable", "The ledger is closed.")
        try:
            with awaited():
                if self._promised and not WRITING.get():
                    await asyncio.wait(self._promised)
                async with self._reader_engine.connect() as connection:
                    return await unit(connection)
        except Exception as failure:
            if is_database_failure(failure):
                raise translate(failure) from None
            raise

    async def checkpoint(self) -> bool:
        """Move everything out of SQLite's write-ahead log and empty it.

        Deleted key rows stay readable in the log until then. Returns False while some reader's
        snapshot prevents it; True at once on a server, where it cannot be asked for.
        """
        if self.path is None:
            return True
        for _ in range(CHECKPOINT_TRIES):
            if await self._checkpoint_once():
                return True
            await asyncio.sleep(CHECKPOINT_PAUSE_S)
        return False

    async def close(self) -> None:
        """Commit what is queued and release every connection; safe to call twice."""
        self._closed = True
        if self._promised:
            await asyncio.wait(self._promised)
        await self._writer.close()
        self.recall.close()
        await self._reader_engine.dispose()
        await self._writer_engine.dispose()

    async def _checkpoint_once(self) -> bool:
        return await asyncio.to_thread(_truncate_wal, cast("Path", self.path))


def _truncate_wal(path: Path) -> bool:
    connection = sqlite3.connect(path, timeout=connect.BUSY_TIMEOUT_MS / 1000)
    try:
        row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return tuple(row) == (0, 0, 0)
