"""Durable jobs: leases with fencing, and steps memoised in the transaction that they belong to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import jobs, steps

CLEAR = "clear/"  # steps that delete: clear/upstream/layer/wave
REOPENED = "reopened"  # a step that says when the job was let run again
TAKEN_OVER = "taken_over"  # a step that says that a worker ended in the midst of the job
SUMS = "cleared/"  # what such steps of former runs deleted: cleared/upstream/layer


_NEW = jobs.insert()
_HELD = update(jobs).where(jobs.c.id == bindparam("job"), jobs.c.fence == bindparam("held"))


class LostLease(Exception):
    """The job's lease was taken over; nothing more may be recorded for it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job and the fence of the lease under which it was read."""

    id: str
    tenant_id: str
    erasure_id: str
    saga_version: int
    state: str
    lease_owner: str | None
    lease_until: datetime | None
    fence: int
    attempts: int
    run_after: datetime
    created_at: datetime


async def create(tx: AsyncConnection, job: Job) -> None:
    """Queue a job."""
    await tx.execute(_NEW, {name: getattr(job, name) for name in Job.__slots__})


async def of_erasure(tx: AsyncConnection, erasure_id: str) -> Job | None:
    """The erasure's job."""
    rows = await tx.execute(select(jobs).where(jobs.c.erasure_id == erasure_id))
    row = rows.mappings().first()
    return Job(**row) if row else None


async def lease(
    tx: AsyncConnection, worker: str, now: datetime, length: timedelta, job_id: str | None = None
) -> Job | None:
    """Take a job that is due, or whose worker died; ``None`` when there is none.

    Args:
        worker: this worker's id.
        now: the current instant.
        length: how long the lease lasts unless it is renewed.
        job_id: take this job or none.
    """
    free = or_(jobs.c.state == "ready", jobs.c.lease_until < now)
    query = select(jobs).where(jobs.c.state.in_(("ready", "running")), free)
    query = query.where(jobs.c.id == job_id) if job_id else query.where(jobs.c.run_after <= now)
    query = query.order_by(jobs.c.run_after).limit(1).with_for_update(skip_locked=True)
    row = (await tx.execute(query)).mappings().first()
    if row is None:
        return None
    taken = {
        "state": "running", "lease_owner": worker, "lease_until": now + length,
        "fence": row["fence"] + 1, "attempts": row["attempts"] + 1,
    }  # fmt: skip
    guard = (jobs.c.id == row["id"], jobs.c.fence == row["fence"])
    done = await tx.execute(update(jobs).where(*guard).values(taken))
    if not done.rowcount:
        return None
    if row["state"] == "running":
        await mark_taken_over(tx, row["id"], row["fence"], now)
    return Job(**{**row, **taken})


async def mark_taken_over(tx: AsyncConnection, job_id: str, fence: int, now: datetime) -> None:
    """Remember that more may have been done than is on record."""
    if TAKEN_OVER in await recorded(tx, job_id):
        return
    values = {"job_id": job_id, "name": TAKEN_OVER, "result": {}, "fence": fence}
    await tx.execute(steps.insert(), {**values, "completed_at": now})


async def renew(tx: AsyncConnection, job: Job, until: datetime) -> None:
    """Keep the lease.

    Raises:
        LostLease: another worker took it.
    """
    given = {"job": job.id, "held": job.fence, "lease_until": until}
    done = await tx.execute(_HELD.where(jobs.c.state == "running"), given)
    if not done.rowcount:
        raise LostLease


async def record_step(
    tx: AsyncConnection,
    job: Job,
    name: str,
    result: Mapping[str, Any],
    *,
    now: datetime,
    until: datetime,
) -> None:
    """Memoise a step, in the same transaction as the rows that it changed.

    Raises:
        LostLease: another worker took the job; the caller's transaction must not commit.
    """
    await renew(tx, job, until)
    values = {
        "job_id": job.id, "name": name, "result": dict(result),
        "fence": job.fence, "completed_at": now,
    }  # fmt: skip
    await tx.execute(steps.insert(), values)


async def recorded(tx: AsyncConnection, job_id: str) -> dict[str, Mapping[str, Any]]:
    """Results of the steps that are done."""
    rows = await tx.execute(select(steps.c.name, steps.c.result).where(steps.c.job_id == job_id))
    return {str(row[0]): row[1] for row in rows}


async def release(
    tx: AsyncConnection, job: Job, *, state: str, run_after: datetime, attempts: int | None = None
) -> None:
    """Give the lease back with the job's next state.

    Raises:
        LostLease: another worker took it.
    """
    fields: dict[str, Any] = {"state": state, "run_after": run_after, "lease_owner": None}
    fields |= {"lease_until": None} | ({} if attempts is None else {"attempts": attempts})
    done = await tx.execute(_HELD, {"job": job.id, "held": job.fence, **fields})
    if not done.rowcount:
        raise LostLease


async def reopen(
    tx: AsyncConnection, erasure_id: str, now: datetime, *, forget: Sequence[str]
) -> None:
    """Let a stopped job run again, repeating the steps whose names start with one of ``forget``.

    What the forgotten steps deleted stays on record, summed per layer (``deleted_before``).
    """
    job = await of_erasure(tx, erasure_id)
    if job is None:
        return
    done = await recorded(tx, job.id)
    again = [name for name in done if name.startswith(tuple(forget)) and not name.startswith(SUMS)]
    await _sum_up(tx, job, {name: done[name] for name in again}, deleted_before(done), now)
    await tx.execute(delete(steps).where(steps.c.job_id == job.id, steps.c.name.in_(again)))
    told = {"fence": job.fence, "completed_at": now, "result": {"at": now.isoformat()}}
    await _replace(tx, job, REOPENED, told)
    await tx.execute(
        update(jobs)
        .where(jobs.c.id == job.id, jobs.c.state != "running")
        .values(state="ready", run_after=now, attempts=0)
    )


def deleted_before(done: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Rows that runs before the last reopening deleted, by ``upstream/layer``."""
    return {
        name.removeprefix(SUMS): int(result["deleted"])
        for name, result in done.items()
        if name.startswith(SUMS)
    }


def deleted_now(done: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Rows that the steps of the current run deleted, by ``upstream/layer``."""
    found: Counter[str] = Counter()
    for name, result in done.items():
        if name.startswith(CLEAR):
            found[name.removeprefix(CLEAR).rsplit("/", 1)[0]] += int(result["deleted"])
    return dict(found)


async def _sum_up(
    tx: AsyncConnection, job: Job, forgotten: Mapping[str, Mapping[str, Any]],
    before: Mapping[str, int], now: datetime,
) -> None:  # fmt: skip
    for key, number in deleted_now(forgotten).items():
        result = {"deleted": number + before.get(key, 0)}
        told = {"fence": job.fence, "completed_at": now, "result": result}
        await _replace(tx, job, f"{SUMS}{key}", told)


async def _replace(tx: AsyncConnection, job: Job, name: str, told: Mapping[str, Any]) -> None:
    await tx.execute(delete(steps).where(steps.c.job_id == job.id, steps.c.name == name))
    await tx.execute(steps.insert(), {"job_id": job.id, "name": name, **told})


async def unfinished(tx: AsyncConnection) -> list[Job]:
    """Jobs that are not done: for progress, metrics and operators."""
    rows = await tx.execute(select(jobs).where(jobs.c.state != "done").order_by(jobs.c.id))
    return [Job(**row) for row in rows.mappings()]
