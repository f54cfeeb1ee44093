"""What was read from the ledger lately, worth something until anybody commits anything.

SQLite counts commits of all connections and processes (``PRAGMA data_version``); asking costs
microseconds. What was loaded before a commit is never given out after it, so an answer from memory
is one that the ledger would give now. A server's ledger has no such count and nothing is kept.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Hashable
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

CAPACITY = 50_000
_ABSENT = object()
_VALUE = "SELECT value FROM counters WHERE name = ?"


class Recall:
    """Values by key, all of one state of the ledger."""

    def __init__(self, path: Path | None) -> None:
        self._counter = None if path is None else _counter(path)
        self._version = -1
        self._asked = self._paused = False
        self._known: dict[Hashable, Any] = {}

    async def one(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        """The value of a key, loaded if it is not known of the ledger's present state.

        Args:
            key: names everything that the value depends on, beside the ledger.
            load: reads the ledger; its value is shared between callers, so it must not be changed.
        """
        version = self.present()
        found = self._known.get(key, _ABSENT)
        if found is not _ABSENT:
            return cast("T", found)
        value = await load()
        self._keep(version, {key: value})
        return value

    async def many(
        self,
        scope: Hashable,
        keys: Collection[K],
        load: Callable[[list[K]], Awaitable[dict[K, T]]],
    ) -> dict[K, T]:
        """The values of several keys; those that are not known are loaded together.

        Args:
            scope: what all keys have in common.
            load: gives a value for each key it is given, else as for ``one``.
        """
        version = self.present()
        known = {key: self._known.get((scope, key), _ABSENT) for key in keys}
        missing = [key for key, value in known.items() if value is _ABSENT]
        if missing:
            loaded = await load(missing)
            self._keep(version, {(scope, key): value for key, value in loaded.items()})
            known.update(loaded)
        return cast("dict[K, T]", known)

    def counter(self, name: str) -> int | None:
        """A counter of the ledger as it is now, in microseconds; None if it takes a transaction.

        Args:
            name: as ``proxy.ledger.counters`` knows it; 0 for one that nobody raised yet.
        """
        if self._counter is None or self._paused:
            return None
        row = self._counter.execute(_VALUE, (name,)).fetchone()
        return 0 if row is None else int(row[0])

    def pause(self) -> None:
        """Know nothing until ``resume``: a commit is promised, and what was read is from before."""
        self._paused, self._asked, self._version = True, False, -1
        self._known.clear()

    def resume(self) -> None:
        """The commit was made, or has failed."""
        self._paused = False

    def close(self) -> None:
        """Stop counting; nothing is kept from now on."""
        self._known.clear()
        if self._counter is not None:
            self._counter.close()
            self._counter = None

    def present(self) -> int | None:
        """The ledger's state now: another number after each commit; None if it cannot be told."""
        if self._counter is None or self._paused:
            return None
        if self._asked:
            return self._version
        version = int(self._counter.execute("PRAGMA data_version").fetchone()[0])
        if version != self._version:
            self._known.clear()
            self._version = version
        # What runs in this turn of the loop began before the count was asked for: once is enough.
        self._asked = True
        asyncio.get_running_loop().call_soon(self._ask_again)
        return version

    def _ask_again(self) -> None:
        self._asked = False

    def _keep(self, version: int | None, values: dict[Any, Any]) -> None:
        """Keep what was loaded, unless the ledger was seen in another state meanwhile."""
        if version is None or version != self._version:
            return
        if len(self._known) + len(values) > CAPACITY:
            self._known.clear()
        self._known.update(values)


def _counter(path: Path) -> sqlite3.Connection:
    """A connection that never writes, so that every commit is another's to it."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)
