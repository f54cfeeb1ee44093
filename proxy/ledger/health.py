"""What a database says of its own durability, and whether it takes a change now."""

import asyncio
import shutil
from pathlib import Path

from sqlalchemy import text

from proxy.ledger import counters
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

PROBE_S = 2.0  # as long as a change may take; shorter than whoever asks waits
LEAST = 1024 * 1024  # bytes free on the ledger's disk: a little change may still fit into less
_PROBE = "probe"

_SQLITE: dict[str, dict[str, str]] = {
    "journal_mode": {},
    "synchronous": {"0": "off", "1": "normal", "2": "full", "3": "extra"},
    "secure_delete": {"0": "off", "1": "on", "2": "fast"},
    "foreign_keys": {"0": "off", "1": "on"},
}
_POSTGRES = ("server_version", "synchronous_commit")


async def settings(tx: Tx) -> dict[str, str]:
    """Names and values of the settings on which durability and erasure rest."""
    if tx.dialect.name == "postgresql":
        return {name: await _value(tx, f"SHOW {name}") for name in _POSTGRES}
    found = {name: await _value(tx, f"PRAGMA {name}") for name in _SQLITE}
    return {name: _SQLITE[name].get(value, value) for name, value in found.items()}


async def _value(tx: Tx, statement: str) -> str:
    return str((await tx.execute(text(statement))).scalar_one())


async def ails(ledger: Ledger, *, proves: bool = True) -> str | None:
    """Why the ledger cannot be read or takes no change now; None if it is well.

    A lock is not waited for to its end: whoever asks has no more time than ``PROBE_S``.

    Args:
        proves: whether it has to take a change, too.
    """
    try:
        async with asyncio.timeout(PROBE_S):
            await ledger.read(settings)
            if proves:
                await prove(ledger)
    except Problem as problem:
        return problem.detail
    except TimeoutError:
        return f"It took no change within {PROBE_S:g} seconds: somebody holds its lock."
    return None


async def prove(ledger: Ledger) -> None:
    """Commit one small change: only that shows a lock, a full disk, or one that is read-only.

    Raises:
        Problem: ``ledger-unavailable``.
    """
    if ledger.path is not None and await asyncio.to_thread(_free, ledger.path) < LEAST:
        raise Problem("ledger-unavailable", "The disk is full.")
    await ledger.write(lambda tx: counters.raise_by(tx, _PROBE))


def _free(path: Path) -> int:
    """Bytes that are free where a file lies.

    Raises:
        Problem: ``ledger-unavailable``: nobody can tell.
    """
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        raise Problem("ledger-unavailable", "The disk cannot be read.") from None
