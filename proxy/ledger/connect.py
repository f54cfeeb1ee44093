"""How connections are made: durability, secure deletion and transaction modes per database."""

import os
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from proxy.ledger.sqlite import Connection
from proxy.problems import Problem

BUSY_TIMEOUT_MS = 5000  # a lock of somebody else is waited for
POOL_TIMEOUT_S = 5.0
READERS = 8
DRIVERS = ("sqlite+aiosqlite", "postgresql+asyncpg")

_PRAGMAS = (
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # NORMAL may lose the last commits, and with them a write's intent
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-4096",  # KiB for each of nine connections; the system caches the file, too
    "PRAGMA secure_delete=ON",  # some builds leave deleted rows readable in free pages
)


def parse(url: str) -> URL:
    """Check a ledger URL; raises ``Problem("invalid-config")`` for a database we do not support."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise Problem("invalid-config", "The ledger's URL cannot be read.") from None
    if parsed.drivername not in DRIVERS:
        raise Problem(
            "invalid-config",
            "The ledger's database is not supported.",
            hint=f"Use {DRIVERS[0]}:///path or {DRIVERS[1]}://host/name.",
        )
    return parsed


def sqlite_path(url: URL) -> Path | None:
    """The database file, or None on a server."""
    return Path(url.database or "") if url.drivername.startswith("sqlite") else None


def prepare_file(path: Path) -> None:
    """Create folder and file so that only we can read them, whatever the umask."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def writer_engine(url: URL) -> AsyncEngine:
    """One connection whose transactions take the write lock at once."""
    if sqlite_path(url) is None:
        return _postgres(url, size=1)
    return _sqlite(url, size=1, writes=True)


def reader_engine(url: URL) -> AsyncEngine:
    """A few connections that cannot write."""
    if sqlite_path(url) is None:
        engine = _postgres(url, size=READERS)
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return _sqlite(url, size=READERS, writes=False, extra=("PRAGMA query_only=ON",))


def _postgres(url: URL, *, size: int) -> AsyncEngine:
    return create_async_engine(
        url,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={
            "timeout": POOL_TIMEOUT_S,
            "command_timeout": 60,
            "server_settings": {"lock_timeout": str(BUSY_TIMEOUT_MS)},
        },
    )


def _sqlite(url: URL, *, size: int, writes: bool, extra: tuple[str, ...] = ()) -> AsyncEngine:
    async def opened() -> Connection:
        connection = await Connection.open(url.database or "", (*_PRAGMAS, *extra))
        _require_secure_delete(connection)
        return connection

    engine = create_async_engine(
        url,
        async_creator=opened,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        hide_parameters=True,
    )

    def begin(on: Any) -> None:
        """Asked of the driver itself: it costs half of what a statement of SQLAlchemy's does."""
        on.connection.dbapi_connection.run_async(lambda connection: connection.begin(writes=writes))

    event.listen(engine.sync_engine, "begin", begin)
    return engine


def _require_secure_delete(connection: Connection) -> None:
    (secure,) = connection.raw.execute("PRAGMA secure_delete").fetchone()
    if secure != 1:
        connection.stop()
        raise Problem(
            "ledger-unavailable",
            "This SQLite cannot overwrite deleted rows.",
            hint="Use an SQLite that supports secure_delete.",
        )
