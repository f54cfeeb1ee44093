"""The durable run of a job: memoised steps under a fenced lease that a heartbeat keeps."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from proxy.background import spawn
from proxy.clock import Clock
from proxy.ledger import jobs
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.jobs import Job, LostLease
from proxy.problems import Problem

VERSION = 1
LEASE = timedelta(seconds=30)
BEAT_S = 10.0

Result = Mapping[str, Any]
Rows = Callable[[Tx], Awaitable[Any]]
Work = Callable[[], Awaitable[tuple[Result, Rows | None]]]


class Postpone(Exception):
    """The job cannot go on now.

    Args:
        cause: ``unavailable``, ``settling`` or ``pending_writes``.
        after: seconds until the next try; None leaves it to the backoff.
    """

    def __init__(self, cause: str, after: float | None = None) -> None:
        super().__init__(cause)
        self.cause, self.after = cause, after


@dataclass(slots=True)
class Saga:
    """One leased job and what of it is already done."""

    ledger: Ledger
    clock: Clock
    job: Job
    done: dict[str, Result] = field(default_factory=dict)

    @property
    def taken_over(self) -> bool:
        """Whether a worker ended in the midst of it, so that not all that was done is on record."""
        return jobs.TAKEN_OVER in self.done

    @classmethod
    async def resume(cls, ledger: Ledger, clock: Clock, job: Job) -> "Saga":
        """Take up a job where it stands."""
        done = await ledger.read(lambda tx: jobs.recorded(tx, job.id))
        return cls(ledger, clock, job, dict(done))

    async def step(self, name: str, work: Work) -> Result:
        """Do a step once: its result is committed together with the rows it changes.

        A step that was interrupted runs again, so whatever it does outside the ledger must bear
        repetition.

        Raises:
            LostLease: another worker has the job.
        """
        if name in self.done:
            return self.done[name]
        result, rows = await work()

        async def commit(tx: Tx) -> None:
            now = self.clock.now()
            await jobs.record_step(tx, self.job, name, result, now=now, until=now + LEASE)
            if rows is not None:
                await rows(tx)

        await self.ledger.write(commit)
        self.done[name] = result
        return result

    async def renew(self) -> None:
        """Keep the lease; raises ``LostLease``."""
        until = self.clock.now() + LEASE
        await self.ledger.write(lambda tx: jobs.renew(tx, self.job, until))

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Keep the lease while the job runs, for as long as this process lives."""
        beat = spawn(self._beat(), name="erasure-heartbeat")
        try:
            yield
        finally:
            beat.cancel()
            with suppress(asyncio.CancelledError):
                await beat

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            with suppress(LostLease, Problem):
                await self.renew()
