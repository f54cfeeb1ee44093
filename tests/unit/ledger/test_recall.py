"""What was read is given out again only while nobody committed anything."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from proxy.ledger.engine import Ledger
from proxy.ledger.recall import CAPACITY, Recall


class Counted:
    """A look-up that says how often it was made."""

    def __init__(self) -> None:
        self.times = 0

    async def one(self) -> int:
        self.times += 1
        return self.times

    async def many(self, keys: list[str]) -> dict[str, int]:
        self.times += len(keys)
        return dict.fromkeys(keys, self.times)


@pytest.fixture
async def ledger(tmp_path: Path, sqlite_template: Path) -> Ledger:
    """An SQLite ledger."""
    path = tmp_path / "ledger.db"
    shutil.copy(sqlite_template, path)
    return await Ledger.open(f"sqlite+aiosqlite:///{path}")


async def turn() -> None:
    """The loop's next turn: what comes now began after what was before."""
    import asyncio

    await asyncio.sleep(0)


async def bump(ledger: Ledger) -> None:
    """A commit by this process."""
    from proxy.ledger import counters

    await ledger.write(lambda tx: counters.raise_by(tx, "test"))


def bump_elsewhere(path: Path) -> None:
    """A commit by somebody else."""
    other = sqlite3.connect(path)
    other.execute("INSERT INTO counters (name, value) VALUES ('else', 1)")
    other.commit()
    other.close()


async def test_known_until_a_commit_of_ours(ledger: Ledger) -> None:
    """Twice from memory, anew after a write through the same ledger."""
    look = Counted()
    assert [await ledger.recall.one("k", look.one) for _ in range(2)] == [1, 1]
    await bump(ledger)
    assert await ledger.recall.one("k", look.one) == 2
    await ledger.close()


async def test_known_until_a_commit_of_another(ledger: Ledger) -> None:
    """A worker or a tool that writes to the file is noticed in the next turn of the loop."""
    look = Counted()
    assert await ledger.recall.one("k", look.one) == 1
    assert ledger.path is not None
    bump_elsewhere(ledger.path)
    await turn()
    assert await ledger.recall.one("k", look.one) == 2
    await ledger.close()


async def test_a_commit_during_the_look_up_is_not_overlooked(ledger: Ledger) -> None:
    """What was loaded around a commit is not kept."""
    look = Counted()

    async def around() -> int:
        found = await look.one()
        await bump(ledger)
        return found

    assert await ledger.recall.one("k", around) == 1
    assert await ledger.recall.one("k", look.one) == 2
    await ledger.close()


async def test_only_what_is_missing_is_loaded(ledger: Ledger) -> None:
    """Of several keys those that are not known; other scopes have their own."""
    look = Counted()
    await ledger.recall.many("s", ["a", "b"], look.many)
    found = await ledger.recall.many("s", ["a", "b", "c"], look.many)
    assert (found, look.times) == ({"a": 2, "b": 2, "c": 3}, 3)
    await ledger.recall.many("t", ["a"], look.many)
    assert look.times == 4
    await ledger.close()


async def test_a_counter_is_read_as_it_is(ledger: Ledger) -> None:
    """Before anybody raised it, after, and not at all of a server."""
    assert ledger.recall.counter("test") == 0
    await bump(ledger)
    assert ledger.recall.counter("test") == 1
    assert Recall(None).counter("test") is None
    await ledger.close()


async def test_a_server_keeps_nothing() -> None:
    """Without a count of commits every look-up is made."""
    look, recall = Counted(), Recall(None)
    assert [await recall.one("k", look.one) for _ in range(2)] == [1, 2]
    assert await recall.many("s", ["a"], look.many) == {"a": 3}


async def test_it_does_not_grow_for_ever(ledger: Ledger) -> None:
    """Beyond its capacity it starts anew."""
    look = Counted()
    for start in range(0, CAPACITY + 10, CAPACITY // 4):
        keys = [str(start + n) for n in range(CAPACITY // 4)]
        await ledger.recall.many("s", keys, look.many)
    assert len(ledger.recall._known) <= CAPACITY
    await ledger.close()


async def test_a_closed_ledger_knows_nothing(ledger: Ledger) -> None:
    """Its memory ends with it."""
    look = Counted()
    await ledger.recall.one("k", look.one)
    await ledger.close()
    assert await ledger.recall.one("k", look.one) == 2
