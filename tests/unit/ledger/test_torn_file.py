"""A ledger whose file was torn: by a machine that crashed, or a copy that was cut short."""

import os
import sqlite3
from pathlib import Path

import pytest

from proxy.app.diagnosis import of_ledger
from proxy.ledger import integrity
from proxy.ledger.engine import Ledger
from proxy.problems import Problem

PAGE = 4096


async def made(folder: Path) -> Path:
    """A ledger that was closed, so that all of it stands in one file."""
    path = folder / "ledger.db"
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    await ledger.checkpoint()
    await ledger.close()
    return path


@pytest.mark.parametrize("cut", [PAGE // 2, 3 * PAGE + 100])
async def test_a_file_that_ends_within_a_page_is_refused(tmp_path: Path, cut: int) -> None:
    """SQLite itself opens it where only the last page is torn, and reads zeros there."""
    path = await made(tmp_path)
    os.truncate(path, path.stat().st_size - cut)
    with pytest.raises(Problem) as refused:
        await Ledger.open(f"sqlite+aiosqlite:///{path}")
    assert refused.value.slug == "ledger-unavailable"
    assert refused.value.hint == integrity.RESTORE


async def test_the_doctor_finds_a_damaged_page(tmp_path: Path) -> None:
    """Of the right size, so only reading every page shows it."""
    path = await made(tmp_path)
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    assert [each.status for each in await of_ledger(ledger)] == ["ok"]
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - PAGE)
        file.write(b"\xff" * PAGE)
    (found,) = await of_ledger(ledger)
    assert (found.name, found.status, found.hint) == ("ledger", "failed", integrity.RESTORE)
    assert found.detail.startswith("Its file is damaged: ")
    await ledger.close()


async def test_what_the_write_ahead_log_makes_good_is_no_damage(tmp_path: Path) -> None:
    """A crash while the log is moved into the file may leave that torn; the log still has it."""
    path = await made(tmp_path)
    with sqlite3.connect(path) as writer:
        writer.execute("CREATE TABLE more (text TEXT)")
        writer.execute("INSERT INTO more VALUES (?)", ["x" * PAGE])
        writer.commit()
        with path.open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"\x00" * 100)
        integrity.refuse_torn(path)
        assert await integrity.damage(path) is None
    writer.close()
