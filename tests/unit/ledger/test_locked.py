"""A ledger that somebody else has locked is told as such, whoever waited for it."""

import asyncio

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from proxy.ledger import counters
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.patience import patience
from proxy.problems import Problem

LOCKED = ("ledger-unavailable", "It is locked by another process.")


@pytest.mark.parametrize("how", ["read", "write"])
async def test_a_lock_on_tables_is_waited_for_as_one_on_a_file_is(
    how: str, ledger_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table locked on a server: the ledger's own problem, soon, and over with the lock.

    SQLite has no such lock: who reads is not in the way of who writes, and writes are waited for.
    """
    monkeypatch.setattr("proxy.ledger.connect.BUSY_TIMEOUT_MS", 50)
    monkeypatch.setattr("proxy.ledger.connect._PRAGMAS", ("PRAGMA busy_timeout=50",))
    ledger, other = await Ledger.open(ledger_url), await Ledger.open(ledger_url)
    release, locked = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        if ledger.path is None:
            await tx.execute(text("LOCK TABLE counters IN ACCESS EXCLUSIVE MODE"))
        locked.set()
        await release.wait()

    async def use() -> int:
        if how == "write":
            return await ledger.write(lambda tx: counters.raise_by(tx, "n"))
        return await ledger.read(lambda tx: counters.value_of(tx, "n"))

    holding = asyncio.ensure_future(other.write(hold))
    await locked.wait()
    if ledger.path is None or how == "write":
        with pytest.raises(Problem) as caught:
            await use()
        assert (caught.value.slug, caught.value.detail) == LOCKED
    else:
        assert await use() == 0
    release.set()
    await holding
    assert await use() == (1 if how == "write" else 0)
    await ledger.close()
    await other.close()


async def test_a_statement_that_was_stopped_is_not_called_a_shutdown(ledger_url: str) -> None:
    """A server's own limit for a statement: the ledger's problem, with its true reason."""
    ledger = await Ledger.open(ledger_url)
    if ledger.path is None:

        async def stopped(tx: Tx) -> None:
            await tx.execute(text("SET LOCAL statement_timeout = 20"))
            await tx.execute(text("SELECT pg_sleep(5)"))

        with pytest.raises(Problem) as caught:
            await ledger.write(stopped)
        assert (caught.value.slug, caught.value.detail) == (
            "ledger-unavailable",
            "The database stopped the statement.",
        )
    assert await ledger.write(lambda tx: counters.raise_by(tx, "n")) == 1
    await ledger.close()


async def test_a_database_that_takes_no_connections_is_the_ledgers_fault(ledger_url: str) -> None:
    """As during maintenance: the ledger's problem with its reason, no error of ours."""
    ledger = await Ledger.open(ledger_url)
    if ledger.path is None:
        name = make_url(ledger_url).database
        server = create_async_engine(
            make_url(ledger_url).set(database="postgres"), isolation_level="AUTOCOMMIT"
        )
        async with server.connect() as admin:
            await admin.execute(text(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false'))
            with pytest.raises(Problem) as caught:
                await ledger.read(lambda tx: counters.value_of(tx, "n"))
            await admin.execute(text(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true'))
        await server.dispose()
        assert (caught.value.slug, caught.value.detail) == (
            "ledger-unavailable",
            "The database takes no connections now.",
        )
    assert await ledger.read(lambda tx: counters.value_of(tx, "n")) == 0
    await ledger.close()


@pytest.mark.parametrize(("awaits", "told"), [("read", True), ("write", True), ("other", False)])
async def test_whoever_runs_out_of_time_knows_what_was_awaited(
    awaits: str, told: bool, ledger: Ledger
) -> None:
    """Time that ran out in the ledger is told apart from time that ran out beside it."""

    async def endless(_: Tx) -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        await ledger.read(lambda tx: counters.value_of(tx, "n"))
        if awaits == "read":
            await ledger.read(endless)
        elif awaits == "write":
            held = asyncio.ensure_future(ledger.write(lambda _: asyncio.sleep(0.2)))
            await ledger.write(lambda tx: counters.raise_by(tx, "n"))
            await held
        await asyncio.Event().wait()

    with patience() as mine, pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await work()
    assert mine.on_ledger is told
