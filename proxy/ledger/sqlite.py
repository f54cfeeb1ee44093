"""SQLite's connection as SQLAlchemy's async dialect wants it, with few changes of thread.

aiosqlite changes threads three or four times a statement, which costs more than most statements.
Here small changes within a transaction, and queries up to a budget of work, run where they are
(tens of microseconds); so does taking the write lock where nobody holds it. What has to wait for a
lock, what goes to the disk, and queries beyond the budget, run in the connection's own thread.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")

FEW = 64  # parameter sets
BUDGET = 20_000  # steps of SQLite's machine: about a millisecond
_CHANGES = ("INSERT ", "UPDATE ", "DELETE ")
_LOCK = "BEGIN IMMEDIATE"
_QUICK = ("INSERT", "UPDATE", "DELETE", "SAVEPOINT", "RELEASE", "ROLLBACK TO")


class Cursor:
    """The part of a cursor that the dialect uses."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._cursor = connection.raw.cursor()
        self._rows: list[Any] = []

    async def __aenter__(self) -> "Cursor":
        return self

    @property
    def description(self) -> Any:
        """Columns of the last statement, None if it gives no rows."""
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        """Rows the last statement changed."""
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int | None:
        """Row id of the last insert."""
        return self._cursor.lastrowid

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement and keep its rows."""
        if self._connection.is_quick(statement):
            self._run(statement, parameters)
        elif not is_query(statement) or not self._run_briefly(statement, parameters):
            await self._connection.off_loop(lambda: self._run(statement, parameters))

    async def executemany(self, statement: str, parameters: Sequence[Sequence[Any]]) -> None:
        """Run a statement once per parameter set."""
        if self._connection.is_quick(statement) and len(parameters) <= FEW:
            self._cursor.executemany(statement, parameters)
        else:
            await self._connection.off_loop(lambda: self._cursor.executemany(statement, parameters))

    async def fetchall(self) -> list[Any]:
        """The rows of the last statement."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Release the statement."""
        self._cursor.close()

    def _run_briefly(self, statement: str, parameters: Sequence[Any]) -> bool:
        """Answer a query within the budget; False if it needs more, and then nothing happened."""
        self._connection.raw.set_progress_handler(lambda: 1, BUDGET)
        try:
            self._run(statement, parameters)
        except sqlite3.OperationalError as failure:
            if failure.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return False
            raise
        finally:
            self._connection.raw.set_progress_handler(None, 0)
        return True

    def _run(self, statement: str, parameters: Sequence[Any]) -> None:
        self._cursor.execute(statement, parameters)
        self._rows = self._cursor.fetchall() if self._cursor.description else []


class Connection:
    """One SQLite connection and the thread for what may take long."""

    def __init__(self, raw: sqlite3.Connection, thread: ThreadPoolExecutor) -> None:
        self.raw, self._thread = raw, thread
        self._connection: sqlite3.Connection | None = raw  # the dialect asks whether it is open
        self._changes = raw.total_changes  # when the last transaction ended
        (self._patience,) = raw.execute("PRAGMA busy_timeout").fetchone()

    @classmethod
    async def open(cls, path: str, pragmas: Sequence[str]) -> "Connection":
        """Connect, with no transactions but those asked for."""
        thread = ThreadPoolExecutor(1, "ledger-sqlite")
        loop = asyncio.get_running_loop()
        try:
            raw = await loop.run_in_executor(thread, _connect, path, pragmas)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        return cls(raw, thread)

    def cursor(self) -> Cursor:
        """A new cursor."""
        return Cursor(self)

    async def begin(self, *, writes: bool) -> None:
        """Begin a transaction.

        Args:
            writes: with the write lock from the start.
        """
        if not writes:
            self.raw.execute("BEGIN")  # takes no lock
        elif not self._locks_now():
            await self.off_loop(lambda: self.raw.execute(_LOCK))

    async def commit(self) -> None:
        """Make the transaction durable."""
        await self.off_loop(self.raw.commit)
        self._changes = self.raw.total_changes

    async def rollback(self) -> None:
        """Undo the transaction; nothing to do for one that read only."""
        if self.raw.total_changes == self._changes:
            self.raw.rollback()
        else:
            await self.off_loop(self.raw.rollback)
        self._changes = self.raw.total_changes

    def _locks_now(self) -> bool:
        """Begin a transaction with the write lock; False if another connection holds it."""
        self.raw.execute("PRAGMA busy_timeout=0")
        try:
            self.raw.execute(_LOCK)
        except sqlite3.OperationalError as failure:
            if failure.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise
        finally:
            self.raw.execute(f"PRAGMA busy_timeout={self._patience}")
        return True

    def is_quick(self, statement: str) -> bool:
        """Whether a statement is over before a change of thread would be."""
        return self.raw.in_transaction and statement.startswith(_QUICK)

    async def create_function(self, *arguments: Any, **options: Any) -> None:
        """Register an SQL function."""
        self.raw.create_function(*arguments, **options)

    async def close(self) -> None:
        """Close once; later calls do nothing."""
        if self._connection is not None:
            self._connection = None
            await self.off_loop(self.raw.close)
            self._thread.shutdown(wait=False)

    def stop(self) -> None:
        """Close without an event loop."""
        if self._connection is not None:
            self._connection = None
            self._thread.submit(self.raw.close)
            self._thread.shutdown(wait=False)

    async def off_loop(self, work: Callable[[], T]) -> T:
        """Run ``work`` in the connection's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


@lru_cache(maxsize=1024)
def is_query(statement: str) -> bool:
    """Whether a statement only reads: interrupting it leaves its transaction as it was."""
    return statement.startswith("SELECT") or (
        statement.startswith("WITH") and not any(change in statement for change in _CHANGES)
    )


def _connect(path: str, pragmas: Sequence[str]) -> sqlite3.Connection:
    raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        for pragma in pragmas:
            raw.execute(pragma)
    except BaseException:
        raw.close()
        raise
    return raw
