"""The worker: leases jobs, runs them, and decides what happens when one cannot go on."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from proxy import ids
from proxy.erasure.conduct import conduct
from proxy.erasure.proof.closing import GIVEN_UP
from proxy.erasure.saga.durable import LEASE, Postpone, Saga
from proxy.erasure.saga.failures import Failure, failure_of, told
from proxy.erasure.saga.run import Run
from proxy.erasure.search.means import Means
from proxy.ledger import erasures, jobs
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.ledger.jobs import Job, LostLease
from proxy.problems import Problem
from proxy.telemetry import get_logger

MAX_ATTEMPTS = 12
PATIENCE = timedelta(days=1)  # how long what may come back is waited for, however often tried
LONGEST_PAUSE_S = 600.0
LONGEST_NEAR_S = 60.0  # where asking costs little: keys, detectors, the ledger
IDLE_S = 1.0
OTHERS_S = 120.0  # how long somebody waits for what another worker has begun
LOOK_S = 0.1
COURSE = frozenset({__name__, "proxy.erasure.conduct"})  # what calls the steps
UNFINISHED = frozenset({"ready", "running"})

log = get_logger("erasure")


class Worker:
    """Runs erasure jobs of all tenants; several may run at once, in any number of processes."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self.id = ids.new("wrk")

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            try:
                worked = await self.run_one()
            except Problem:  # the ledger is away: nothing can be done, nothing is lost
                worked = False
            if not worked:
                await asyncio.sleep(IDLE_S)

    async def run_due(self) -> int:
        """Run what is due now, once each; gives how many."""
        count = 0
        while await self.run_one():
            count += 1
        return count

    async def run_one(self, job_id: str | None = None) -> bool:
        """Lease one job and run it; False if there is none to lease."""
        now = self._means.clock.now()
        job = await self._means.ledger.write(lambda tx: jobs.lease(tx, self.id, now, LEASE, job_id))
        if job is None:
            return False
        try:
            await self._run(job)
        except LostLease:
            log.info("erasure.lease_lost", job_id=job.id)
        return True

    async def see_through(self, erasure_id: str) -> None:
        """Run an erasure's job now; while another worker has it, wait for the end, for some time.

        Waiting holds no lease: if that worker dies, the job is free and is run here.
        """
        loop, waited = asyncio.get_running_loop(), False
        ends = loop.time() + OTHERS_S
        while (job := await self._job(erasure_id)) is not None and loop.time() < ends:
            if self._is_at_work(job):
                waited = True
                await asyncio.sleep(LOOK_S)
            elif job.state not in UNFINISHED or (waited and job.state == "ready"):
                return  # it has ended, or goes on later
            elif await self.run_one(job.id):
                return

    async def _job(self, erasure_id: str) -> Job | None:
        return await self._means.ledger.read(lambda tx: jobs.of_erasure(tx, erasure_id))

    def _is_at_work(self, job: Job) -> bool:
        now = self._means.clock.now()
        return job.state == "running" and (job.lease_until or now) >= now

    async def hand_over(self, job: Job) -> None:
        """Give a job that was begun elsewhere in this process to whoever is free."""
        await self._release(job, "ready", unrecorded=True)

    async def _run(self, job: Job) -> None:
        saga = await Saga.resume(self._means.ledger, self._means.clock, job)
        erasure = await self._means.ledger.read(lambda tx: erasures.by_id(tx, job.erasure_id))
        if erasure is None or erasure.state in {"complete", "cancelled", "refused"}:
            await self._release(job, "done")
            return
        often = job.attempts >= MAX_ATTEMPTS
        last = often and self._means.clock.now() - _begun(saga, erasure) >= PATIENCE
        async with saga.held():
            try:
                run = await Run.open(self._means, saga, erasure)
                state = await conduct(run, last=last)
            except Postpone as postponed:
                await self._postpone(job, postponed)
            except LostLease:
                raise
            except Exception as error:  # noqa: BLE001  (a poison job must not stop the others)
                failure = failure_of(error, COURSE)
                await self._failed(job, error, failure, last=last if failure.away else often)
            else:
                await self._ended(job, state, last=last)

    async def _ended(self, job: Job, state: str, *, last: bool) -> None:
        """Close a job that came to its end; one that waited for too long is given up."""

        async def give_up(tx: Tx) -> None:
            await erasures.change(tx, job.erasure_id, outcome=GIVEN_UP)

        done = state in {"complete", "held", erasures.OUT_OF_REACH}
        await self._release(
            job, "done" if done else GIVEN_UP, also=give_up if last and not done else None
        )

    async def _postpone(self, job: Job, postponed: Postpone) -> None:
        pause = postponed.after if postponed.after is not None else _backoff(job.attempts)
        log.info(
            "erasure.postponed", job_id=job.id, attempt=job.attempts,
            reason_code=postponed.cause, retry_after=pause,
        )  # fmt: skip
        await self._release(job, "ready", pause)

    async def _failed(self, job: Job, error: Exception, failure: Failure, *, last: bool) -> None:
        """Say what stopped it, and try again later; or leave it to an operator."""
        log.error(
            "erasure.step_failed", job_id=job.id, attempt=job.attempts, reason_code=failure.kind,
            step=failure.step, exc_info=error,
        )  # fmt: skip

        async def tell(tx: Tx) -> None:
            erasure = await erasures.by_id(tx, job.erasure_id)
            if erasure is None or (failure.kind == "store_unavailable" and not last):
                return  # which of several stores that is, the run itself tells
            views = told(erasure, failure, last=last)
            await erasures.change(tx, erasure.id, layers=[view.body() for view in views])

        async def give_up(tx: Tx) -> None:
            await jobs.release(tx, job, state=GIVEN_UP, run_after=self._means.clock.now())
            await erasures.change(tx, job.erasure_id, state="incomplete", outcome=GIVEN_UP)
            await tell(tx)

        if last:
            await self._means.ledger.write(give_up)
        else:
            pause = _backoff(job.attempts, _longest(failure))
            await self._release(job, "ready", pause, unrecorded=True, also=tell)

    async def _release(
        self, job: Job, state: str, pause: float = 0.0, *, unrecorded: bool = False,
        also: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            await jobs.release(tx, job, state=state, run_after=now + timedelta(seconds=pause))
            if unrecorded:  # something may be deleted of which nothing is on record
                await jobs.mark_taken_over(tx, job.id, job.fence, now)
            if also is not None:
                await also(tx)

        await self._means.ledger.write(unit)


def _begun(saga: Saga, erasure: Erasure) -> datetime:
    """When the erasure began to run, or could have; anew with each retry."""
    steps = (saga.done.get(name, {}).get("at") for name in ("begin", jobs.REOPENED))
    if stated := [datetime.fromisoformat(at) for at in steps if at]:
        return max(stated)
    return max(saga.job.created_at, erasure.execute_at or saga.job.created_at)


def _longest(failure: Failure) -> float:
    near = failure.away and failure.kind != "store_unavailable"
    return LONGEST_NEAR_S if near else LONGEST_PAUSE_S


def _backoff(attempts: int, longest: float = LONGEST_PAUSE_S) -> float:
    """Seconds: 1, 2, 4 … up to the longest."""
    return min(longest, 2.0 ** max(0, attempts - 1))
