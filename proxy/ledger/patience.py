"""Who let a caller wait: whether time ran out on the ledger or on what is done beside it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Patience:
    """What became of a caller's time; ``on_ledger``: it ran out while the ledger was awaited."""

    on_ledger: bool = False


_PATIENCE: ContextVar[Patience | None] = ContextVar("PATIENCE", default=None)


@contextmanager
def patience() -> Iterator[Patience]:
    """Notice inside whether it is the ledger that is awaited when this task is cancelled."""
    mine = Patience()
    outer = _PATIENCE.set(mine)
    try:
        yield mine
    finally:
        _PATIENCE.reset(outer)


@contextmanager
def awaited() -> Iterator[None]:
    """Mark what is inside as waiting for the ledger."""
    try:
        yield
    except asyncio.CancelledError:
        if (told := _PATIENCE.get()) is not None:
            told.on_ledger = True
        raise
