"""A commit that ends behind an answer: whoever reads afterwards waits for it, and nobody else."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.ledger import counters
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

NAME = "promised"


@pytest.fixture
async def ledger(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Ledger]:
    """An SQLite ledger."""
    path = tmp_path / "ledger.db"
    shutil.copy(sqlite_template, path)
    opened = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    yield opened
    await opened.close()


class Held:
    """A unit that waits in the middle of its transaction until it is let go."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.begun, self.go, self.failure = asyncio.Event(), asyncio.Event(), failure

    async def __call__(self, tx: Tx) -> int:
        self.begun.set()
        await self.go.wait()
        if self.failure is not None:
            raise self.failure
        return await counters.raise_by(tx, NAME)


async def value(ledger: Ledger) -> int:
    """The counter as a reader sees it."""
    return await ledger.read(lambda tx: counters.value_of(tx, NAME))


async def remembered(ledger: Ledger) -> int:
    """The counter as a reader sees it who would take it from memory."""
    return await ledger.recall.one("counter", lambda: value(ledger))


@pytest.mark.parametrize("look", [value, remembered])
async def test_a_reader_waits_for_what_was_promised(ledger: Ledger, look: object) -> None:
    """Neither the file nor memory shows the state before it."""
    assert callable(look)
    assert await look(ledger) == 0
    unit = Held()
    _ = ledger.promise(ledger.write(unit))
    assert ledger.recall.counter(NAME) is None, "not to be told without a transaction"
    reading = asyncio.ensure_future(look(ledger))
    await unit.begun.wait()
    assert not reading.done()
    unit.go.set()
    assert await reading == 1
    assert ledger.recall.counter(NAME) == 1


async def test_a_reader_does_not_wait_for_what_was_not_promised(ledger: Ledger) -> None:
    """A commit that its caller waits for holds nobody up."""
    unit = Held()
    writing = asyncio.ensure_future(ledger.write(unit))
    await unit.begun.wait()
    assert await value(ledger) == 0
    unit.go.set()
    assert await writing == 1


async def test_a_reader_waits_for_every_promise_before_it(ledger: Ledger) -> None:
    """Also for the one that is made last."""
    units = [Held() for _ in range(3)]
    for unit in units:
        _ = ledger.promise(ledger.write(unit))
    reading = asyncio.ensure_future(remembered(ledger))
    for unit in units:
        assert not reading.done()
        unit.go.set()
    assert await reading == 3
    assert await remembered(ledger) == 3


async def test_a_unit_that_reads_beside_its_transaction_is_not_stuck(ledger: Ledger) -> None:
    """The promise waits for the writer, so the writer does not wait for the promise."""
    unit = Held()

    async def reads(_: Tx) -> int:
        return await value(ledger)

    before = asyncio.ensure_future(ledger.write(reads))
    _ = ledger.promise(ledger.write(unit))
    unit.go.set()
    assert await before == 0


@pytest.mark.parametrize("failure", [Problem("internal", "no"), RuntimeError("no")])
async def test_a_broken_promise_holds_nobody_up(ledger: Ledger, failure: Exception) -> None:
    """The reader sees what there is; the failure is its maker's to hear."""
    unit = Held(failure)
    promise = ledger.promise(ledger.write(unit))
    unit.go.set()
    assert await remembered(ledger) == 0
    with pytest.raises(type(failure)):
        await promise


async def test_what_was_loaded_before_a_promise_is_not_kept(ledger: Ledger) -> None:
    """A look-up that began before and ends after it is known to nobody."""
    loading, go = asyncio.Event(), asyncio.Event()

    async def slow() -> int:
        found = await value(ledger)
        loading.set()
        await go.wait()
        return found

    early = asyncio.ensure_future(ledger.recall.one("counter", slow))
    await loading.wait()
    unit = Held()
    unit.go.set()
    await ledger.promise(ledger.write(unit))
    go.set()
    assert await early == 0
    assert await remembered(ledger) == 1


async def test_closing_keeps_what_was_promised(tmp_path: Path, sqlite_template: Path) -> None:
    """An orderly end commits first."""
    path = tmp_path / "ledger.db"
    shutil.copy(sqlite_template, path)
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    unit = Held()
    unit.go.set()
    _ = ledger.promise(ledger.write(unit))
    await ledger.close()
    again = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    assert await value(again) == 1
    await again.close()


async def test_only_a_lone_process_with_a_file_may_promise(ledger: Ledger) -> None:
    """Another worker would not know that it has to wait."""
    assert not ledger.may_promise
    ledger.alone = True
    assert ledger.may_promise
