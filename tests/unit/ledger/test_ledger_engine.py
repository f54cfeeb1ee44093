"""Opening, reading, writing, group commit and failure of the ledger, on both databases."""

import asyncio
import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.ledger import counters, upgrade
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.failures import Conflict
from proxy.ledger.schema import counters as table
from proxy.ledger.sqlite import is_query
from proxy.problems import Problem


@pytest.fixture
def path(tmp_path: Path, sqlite_template: Path) -> Path:
    """The file of an empty SQLite ledger."""
    copy = tmp_path / "ledger.db"
    copy.write_bytes(sqlite_template.read_bytes())
    return copy


async def _add(tx: Tx, name: str) -> None:
    await tx.execute(table.insert().values(name=name, value=1))


async def test_a_write_is_there_after_closing_and_opening(ledger_url: str) -> None:
    """What write returned from survives the process."""
    first = await Ledger.open(ledger_url)
    await first.write(lambda tx: counters.raise_by(tx, "n", 41))
    await first.close()
    second = await Ledger.open(ledger_url)
    assert await second.read(lambda tx: counters.value_of(tx, "n")) == 41
    await second.close()


async def test_a_failed_unit_leaves_its_neighbours_alone(ledger: Ledger) -> None:
    """Units of one batch share a commit but not their failures."""

    async def broken(tx: Tx) -> None:
        await _add(tx, "half")
        raise KeyError("mine")

    results = await asyncio.gather(
        ledger.write(lambda tx: _add(tx, "before")),
        ledger.write(broken),
        ledger.write(lambda tx: _add(tx, "after")),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), KeyError, type(None)]
    names = await ledger.read(_names)
    assert names == ["after", "before"]


async def _names(tx: Tx) -> list[str]:
    return sorted((await tx.execute(text("SELECT name FROM counters"))).scalars())


async def test_a_clash_is_a_conflict(ledger: Ledger) -> None:
    """A second row with the same key raises our own type and changes nothing."""
    await ledger.write(lambda tx: _add(tx, "one"))
    with pytest.raises(Conflict):
        await ledger.write(lambda tx: _add(tx, "one"))
    await ledger.write(lambda tx: _add(tx, "two"))


async def test_concurrent_raises_lose_nothing(ledger: Ledger) -> None:
    """200 concurrent increments give 200 different values."""
    raises = [ledger.write(lambda tx: counters.raise_by(tx, "n")) for _ in range(200)]
    assert sorted(await asyncio.gather(*raises)) == list(range(1, 201))


async def test_two_processes_share_a_ledger(ledger_url: str) -> None:
    """Two writers on one database wait for each other instead of failing."""
    one, two = await Ledger.open(ledger_url), await Ledger.open(ledger_url)
    work = [
        each.write(lambda tx: counters.raise_by(tx, "n")) for _ in range(50) for each in (one, two)
    ]
    assert sorted(await asyncio.gather(*work)) == list(range(1, 101))
    await one.close()
    await two.close()


async def test_reads_cannot_write(ledger: Ledger) -> None:
    """A reader that tries to write is refused by the database itself."""
    with pytest.raises(Problem) as caught:
        await ledger.read(lambda tx: _add(tx, "sneaked"))
    assert caught.value.slug == "ledger-unavailable"
    assert await ledger.read(_names) == []


async def test_a_closed_ledger_says_so(ledger_url: str) -> None:
    """After close, reads and writes are problems, not hangs; closing again is harmless."""
    ledger = await Ledger.open(ledger_url)
    await ledger.close()
    await ledger.close()
    for attempt in (ledger.write, ledger.read):
        with pytest.raises(Problem) as caught:
            await attempt(_names)
        assert caught.value.slug == "ledger-unavailable"


async def test_queued_writes_finish_before_closing(ledger_url: str) -> None:
    """Close commits what was queued before it."""
    ledger = await Ledger.open(ledger_url)
    writes = [asyncio.ensure_future(ledger.write(lambda tx: counters.raise_by(tx, "n")))] * 3
    await asyncio.sleep(0)
    await ledger.close()
    assert await asyncio.gather(*writes) == [1, 1, 1]


async def test_a_cancelled_caller_does_not_disturb_the_batch(ledger: Ledger) -> None:
    """A caller that gives up early neither blocks nor breaks the others."""
    given_up = asyncio.ensure_future(ledger.write(lambda tx: _add(tx, "given up")))
    kept = asyncio.ensure_future(ledger.write(lambda tx: _add(tx, "kept")))
    await asyncio.sleep(0)
    given_up.cancel()
    await kept
    assert "kept" in await ledger.read(_names)


@pytest.mark.parametrize(
    "url",
    ["mysql://host/name", "sqlite:///x.db", "postgresql://host/name", "not a url"],
    ids=["mysql", "sync-sqlite", "sync-postgres", "garbage"],
)
async def test_other_databases_are_refused(url: str) -> None:
    """Only the two tested drivers open; the problem does not repeat the URL."""
    with pytest.raises(Problem) as caught:
        await Ledger.open(url)
    assert caught.value.slug == "invalid-config"
    assert url not in caught.value.detail


async def test_an_unreachable_server_is_a_problem() -> None:
    """No server: a problem that says so, without the address."""
    with pytest.raises(Problem) as caught:
        await Ledger.open("postgresql+asyncpg://nobody@127.0.0.1:9/none")
    assert caught.value.slug == "ledger-unavailable"
    assert "127.0.0.1" not in caught.value.detail


async def test_a_damaged_file_is_a_problem(tmp_path: Path) -> None:
    """Garbage in place of the database is refused and left as it is."""
    path = tmp_path / "ledger.db"
    path.write_bytes(b"this is no database " * 500)
    with pytest.raises(Problem) as caught:
        await Ledger.open(f"sqlite+aiosqlite:///{path}")
    assert caught.value.slug == "ledger-unavailable"
    assert path.read_bytes().startswith(b"this is no database")


async def test_a_foreign_lock_is_waited_for_beside_the_loop(path: Path) -> None:
    """A lock that another connection gives back in time costs patience, not the write."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    other = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    release, locked = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        locked.set()
        await release.wait()

    holding = asyncio.ensure_future(other.write(hold))
    await locked.wait()
    waiting = asyncio.ensure_future(ledger.write(lambda tx: counters.raise_by(tx, "n")))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    release.set()
    await holding
    assert await waiting == 1
    await ledger.close()
    await other.close()


async def test_a_locked_file_is_a_problem(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreign lock ends in a problem after the timeout, and writing works again afterwards."""
    monkeypatch.setattr("proxy.ledger.connect._PRAGMAS", ("PRAGMA busy_timeout=50",))
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    other = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    release, locked = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        locked.set()
        await release.wait()

    holding = asyncio.ensure_future(other.write(hold))
    await locked.wait()
    with pytest.raises(Problem) as caught:
        await ledger.write(lambda tx: counters.raise_by(tx, "n"))
    assert (caught.value.slug, caught.value.detail) == (
        "ledger-unavailable",
        "It is locked by another process.",
    )
    release.set()
    await holding
    assert await ledger.write(lambda tx: counters.raise_by(tx, "n")) == 1
    await ledger.close()
    await other.close()


async def test_a_full_disk_fails_closed_and_recovers(path: Path) -> None:
    """No space: every unit of the batch is refused, nothing is half written; later it works."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    await ledger.write(lambda tx: _limit(tx, grow=0))
    results = await asyncio.gather(
        *(ledger.write(lambda tx, n=n: _fill(tx, n)) for n in range(3)), return_exceptions=True
    )
    assert {getattr(result, "detail", None) for result in results} == {"The disk is full."}
    await ledger.write(lambda tx: _limit(tx, grow=10_000))
    assert await ledger.read(_names) == []
    await ledger.write(lambda tx: _fill(tx, 1))
    await ledger.close()


async def _limit(tx: Tx, grow: int) -> None:
    pages = (await tx.execute(text("PRAGMA page_count"))).scalar_one()
    await tx.execute(text(f"PRAGMA max_page_count={pages + grow}"))


async def _fill(tx: Tx, number: int) -> None:
    await tx.execute(table.insert(), [{"name": f"{number}-{i}", "value": i} for i in range(3000)])


async def test_sqlite_is_set_to_be_durable_and_clean(tmp_path: Path) -> None:
    """WAL, full synchronisation and secure deletion hold on reading and writing connections."""
    path = tmp_path / "new" / "ledger.db"
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    for run in (ledger.read, ledger.write):
        assert await run(_settings) == ("wal", 2, 1, 1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await ledger.close()


async def _settings(tx: Tx) -> tuple[str, int, int, int]:
    names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
    return tuple([(await tx.execute(text(f"PRAGMA {name}"))).scalar_one() for name in names])


async def test_a_long_query_leaves_the_event_loop_free(path: Path) -> None:
    """A query beyond the budget goes on in its thread, gives all rows and keeps its transaction."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<1000000) "
    beats = 0

    async def unit(tx: Tx) -> int:
        await _add(tx, "kept")
        return int((await tx.execute(text(numbers + "SELECT count(*) FROM n"))).scalar_one())

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0)
            beats += 1

    beating = asyncio.ensure_future(beat())
    assert await ledger.write(unit) == 1_000_000
    assert beats > 50
    beating.cancel()
    assert await ledger.read(_names) == ["kept"]
    await ledger.close()


@pytest.mark.parametrize(
    ("statement", "reads"),
    [
        ("SELECT 1", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("WITH a AS (SELECT 1) DELETE FROM counters", False),
        ("UPDATE counters SET value=1", False),
        ("BEGIN IMMEDIATE", False),
    ],
)
def test_only_what_reads_may_be_interrupted(statement: str, reads: bool) -> None:
    """Interrupting a change would undo the whole transaction."""
    assert is_query(statement) is reads


async def test_a_newer_ledger_is_refused(ledger_url: str) -> None:
    """A database that a later release migrated is not touched."""
    ledger = await Ledger.open(ledger_url)
    await ledger.write(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num='9999'")))
    await ledger.close()
    with pytest.raises(Problem) as caught:
        await Ledger.open(ledger_url)
    assert caught.value.detail == "The ledger was made by a newer release."


async def test_the_migrations_make_exactly_the_tables(ledger: Ledger) -> None:
    """Metadata and migrated database do not differ in tables, columns, types, keys or indexes."""
    differences = await ledger.read(lambda tx: tx.run_sync(upgrade.differences))
    assert differences == []


async def test_the_comparison_can_find_a_difference(ledger: Ledger) -> None:
    """The twin: a column too many is seen."""
    await ledger.write(lambda tx: tx.execute(text("ALTER TABLE counters ADD COLUMN extra INTEGER")))
    assert await ledger.read(lambda tx: tx.run_sync(upgrade.differences))


async def test_the_log_is_emptied_only_when_no_reader_needs_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """checkpoint says no while a snapshot is held, and empties the log afterwards."""
    monkeypatch.setattr("proxy.ledger.connect.BUSY_TIMEOUT_MS", 10)
    monkeypatch.setattr("proxy.ledger.engine.CHECKPOINT_TRIES", 2)
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    await ledger.write(lambda tx: counters.raise_by(tx, "n"))

    async def hold(tx: Tx) -> bool:
        await _names(tx)
        await ledger.write(lambda tx: counters.raise_by(tx, "n"))
        return await ledger.checkpoint()

    assert await ledger.read(hold) is False
    assert await ledger.checkpoint() is True
    assert path.with_name("ledger.db-wal").stat().st_size == 0
    await ledger.close()
