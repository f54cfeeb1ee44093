"""A clock that is set back: the log says so itself, and only so are earlier dates explained."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from proxy.audit.log import AuditLog
from proxy.clock import Clock
from proxy.ledger import audit
from proxy.ledger.engine import Tx

EVENT = "clock.set_back"
NOTICED = timedelta(minutes=1)  # well within what verifying forgives
LOOKED_AT = 100
_TOLD = f'"event":"{EVENT}"'.encode()  # a leaf is canonical, and no value of it holds a quote


@dataclass(slots=True)
class SetBack:
    """Where the clock was set back, and which entries are dated before it was."""

    index: int
    last: int
    latest: datetime
    by: timedelta

    @property
    def seconds(self) -> int:
        """By how much, at the first entry."""
        return round(self.by.total_seconds())

    @property
    def message(self) -> str:
        """What there is to say."""
        if self.last == self.index:
            which = f"entry {self.index} is dated before entries that precede it"
        else:
            which = (
                f"entries {self.index} to {self.last} are dated before entries that precede them"
            )
        return f"The clock was set back by {self.seconds} seconds: {which}."


async def noted(
    tx: Tx, size: int, waiting: Iterable[audit.Entry], clock: Clock
) -> list[audit.Entry]:
    """What is to be logged next, with an entry of its own wherever the clock was set back.

    An early date alone is no such place: our own clock must be behind the log as well.

    Args:
        size: how many entries are logged.
        waiting: what is not logged yet, in order.
        clock: of whoever gives entries their place.
    """
    logged = await audit.entries(tx, max(0, size - LOOKED_AT), LOOKED_AT)
    latest, now, batch = _latest(logged), clock.now(), list[audit.Entry]()
    for entry in waiting:
        if latest is not None and latest - max(now, entry.recorded_at) > NOTICED:
            batch += await _tell(tx, clock, latest)
            latest = now
        batch.append(entry)
        latest = max(entry.recorded_at, latest or entry.recorded_at)
    return batch


def _latest(entries: Iterable[audit.Entry]) -> datetime | None:
    """The latest date since the clock was last set back."""
    latest: datetime | None = None
    for entry in entries:
        if latest is None or _TOLD in entry.leaf:
            latest = entry.recorded_at
        latest = max(latest, entry.recorded_at)
    return latest


async def _tell(tx: Tx, clock: Clock, latest: datetime) -> list[audit.Entry]:
    entry_id = await AuditLog(clock).append(tx, None, EVENT, {"latest": latest})
    found = await audit.entry(tx, entry_id)
    return [found] if found else []
