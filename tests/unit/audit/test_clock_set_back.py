"""A clock that is set back spoils no log; an entry that is merely dated back is still found."""

from datetime import timedelta
from pathlib import Path

import pytest

from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.audit.verify import Report, verify
from proxy.clock import FrozenClock
from proxy.ledger.engine import Ledger

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


class Logged:
    """A log, and the clock of whoever writes and signs it."""

    def __init__(self, ledger: Ledger, clock: FrozenClock, folder: Path) -> None:
        self.ledger, self.clock = ledger, clock
        self.signer = Signer.open(folder / "audit.pem", "log.example.org/expunge")
        self.sequencer = Sequencer(ledger, self.signer, clock)

    async def append(self, count: int, clock: FrozenClock | None = None) -> None:
        """Put entries into the outbox, by this clock."""
        log = AuditLog(clock or self.clock)
        for _ in range(count):
            await self.ledger.write(lambda tx: log.append(tx, None, "memory.erased", {}))

    async def write(self, count: int) -> None:
        """The same, logged and signed."""
        await self.append(count)
        await self.sequencer.run_once()

    async def report(self) -> Report:
        """What verifying says."""
        keys: list[str | bytes] = [self.signer.verifier_key]
        return await self.ledger.read(lambda tx: verify(tx, keys))


@pytest.fixture
def logged(ledger: Ledger, clock: FrozenClock, tmp_path: Path) -> Logged:
    """An empty log."""
    return Logged(ledger, clock, tmp_path)


def told(report: Report) -> list[tuple[int, int, int]]:
    """First entry, last entry and seconds of every warning."""
    return [(each.index, each.last, each.seconds) for each in report.set_back]


@pytest.mark.parametrize(
    "by", [DAY, timedelta(hours=5), 6 * MINUTE, 400 * DAY], ids=["day", "hours", "minutes", "year"]
)
async def test_a_corrected_clock_is_a_warning_that_names_entries_and_time(
    logged: Logged, by: timedelta
) -> None:
    """It stays valid, then and when the clock is past the wrong dates again."""
    await logged.write(2)
    logged.clock.advance(by)
    await logged.write(2)
    logged.clock.advance(-by)
    await logged.write(1)
    await logged.write(2)
    report = await logged.report()
    assert (report.findings, report.entries) == ((), 8)
    assert told(report) == [(4, 7, by.total_seconds())]
    assert report.set_back[0].message == (
        f"The clock was set back by {by.total_seconds():.0f} seconds: entries 4 to 7 are dated "
        "before entries that precede them."
    )
    logged.clock.advance(by)
    await logged.write(3)
    report = await logged.report()
    assert (report.valid, told(report)) == (True, [(4, 7, by.total_seconds())])


async def test_each_time_it_is_set_back_is_told(logged: Logged) -> None:
    """Twice set back are two warnings, each with its own entries."""
    await logged.write(1)
    for _ in range(2):
        logged.clock.advance(-DAY)
        await logged.write(1)
    report = await logged.report()
    assert report.valid
    assert told(report) == [(1, 2, DAY.total_seconds()), (3, 4, DAY.total_seconds())]


async def test_it_is_noticed_within_a_batch(logged: Logged) -> None:
    """Entries from before and after wait together: the notice stands between them."""
    await logged.append(2)
    logged.clock.advance(-DAY)
    await logged.append(2)
    await logged.sequencer.run_once()
    report = await logged.report()
    assert (report.valid, told(report)) == (True, [(2, 4, DAY.total_seconds())])


async def test_clocks_that_differ_a_little_are_no_news(logged: Logged) -> None:
    """Half a minute between two replicas is neither a finding nor a warning."""
    await logged.write(1)
    logged.clock.advance(-MINUTE / 2)
    await logged.write(1)
    report = await logged.report()
    assert (report.findings, told(report), report.entries) == ((), [], 2)


@pytest.mark.parametrize("by", [timedelta(hours=1), 300 * DAY], ids=["hour", "months"])
async def test_an_entry_dated_back_while_the_clock_is_right_is_found(
    logged: Logged, by: timedelta
) -> None:
    """Our own clock shows that none was set back: nobody's early date is explained."""
    await logged.write(3)
    await logged.append(1, FrozenClock(logged.clock.now() - by))
    await logged.sequencer.run_once()
    report = await logged.report()
    assert [f.message for f in report.findings] == [
        "Entry 3 is dated before entries that precede it."
    ]
    assert told(report) == []


async def test_a_clock_set_back_explains_no_date_before_it(logged: Logged) -> None:
    """Behind the notice an entry that is earlier still is found."""
    await logged.write(1)
    logged.clock.advance(-DAY)
    await logged.write(1)
    await logged.append(1, FrozenClock(logged.clock.now() - timedelta(hours=1)))
    await logged.sequencer.run_once()
    report = await logged.report()
    assert [(f.code, f.index) for f in report.findings] == [("back-dated", 3)]
    assert [each.index for each in report.set_back] == [1]
