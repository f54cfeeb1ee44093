"""Notices that something shared went, or that a subject is asked; never what it is about."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import notifications

WAITING = ("pending", "by_hand")  # nobody has read, received or told them yet
WITHDRAWN = "withdrawn"  # ended with whom it was for, or was about


@dataclass(frozen=True, slots=True)
class Notification:
    """One notice and how far its delivery got."""

    id: str
    tenant_id: str
    erasure_id: str | None
    owner_id: str | None
    kind: str  # shared_context, review, or event:recipient
    state: str  # pending | sent | failed | by_hand | withdrawn
    created_at: datetime
    attempts: int = 0
    sent_at: datetime | None = None
    review_id: str | None = None


async def add(tx: AsyncConnection, notices: Iterable[Notification]) -> None:
    """Queue notices."""
    rows = [{name: getattr(each, name) for name in Notification.__slots__} for each in notices]
    if rows:
        await tx.execute(notifications.insert(), rows)


async def pending(tx: AsyncConnection, *, limit: int = 100) -> list[Notification]:
    """Notices of any tenant that are still to be delivered."""
    query = select(notifications).where(notifications.c.state == "pending")
    rows = await tx.execute(query.order_by(notifications.c.id).limit(limit))
    return [Notification(**row) for row in rows.mappings()]


async def outgoing(
    tx: AsyncConnection, now: datetime, since: Sequence[int], *, limit: int = 500
) -> list[Notification]:
    """Notices to recipients of any tenant whose next try is due.

    Args:
        since: seconds from a notice's queueing to each of its tries.
    """
    query = select(notifications).where(
        notifications.c.state == "pending", notifications.c.owner_id.is_(None)
    )
    rows = await tx.execute(query.order_by(notifications.c.id).limit(limit))
    waiting = [Notification(**row) for row in rows.mappings()]
    return [
        each
        for each in waiting
        if each.created_at + timedelta(seconds=since[min(each.attempts, len(since) - 1)]) <= now
    ]


async def of_erasure(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> list[Notification]:
    """Notices that an erasure owes."""
    query = select(notifications).where(
        notifications.c.tenant_id == tenant_id, notifications.c.erasure_id == erasure_id
    )
    return [Notification(**row) for row in (await tx.execute(query)).mappings()]


async def waiting(tx: AsyncConnection, review_ids: Collection[str]) -> set[tuple[str, str]]:
    """(review, kind) of the reviews' notices that nobody has read, received or told yet."""
    query = select(notifications.c.review_id, notifications.c.kind).where(
        notifications.c.review_id.in_(list(review_ids)),
        notifications.c.state.in_(WAITING),
    )
    return {(row[0], row[1]) for row in await tx.execute(query)}


async def of_owner(tx: AsyncConnection, tenant_id: str, owner_id: str) -> list[Notification]:
    """Notices addressed to an owner, newest first; none that ended with them."""
    query = select(notifications).where(
        notifications.c.tenant_id == tenant_id,
        notifications.c.owner_id == owner_id,
        notifications.c.state != WITHDRAWN,
    )
    rows = await tx.execute(query.order_by(notifications.c.id.desc()))
    return [Notification(**row) for row in rows.mappings()]


async def undelivered(
    tx: AsyncConnection, owner_ids: Collection[str], review_ids: Collection[str]
) -> list[str]:
    """Ids of notices to these owners, or to anybody about these reviews, that still wait."""
    query = select(notifications.c.id).where(
        notifications.c.state.in_(WAITING),
        or_(
            notifications.c.owner_id.in_(list(owner_ids)),
            notifications.c.review_id.in_(list(review_ids)),
        ),
    )
    return list((await tx.execute(query)).scalars())


async def withdraw(tx: AsyncConnection, notice_ids: Collection[str]) -> None:
    """Deliver these no more."""
    change = update(notifications).where(
        notifications.c.id.in_(list(notice_ids)), notifications.c.state.in_(WAITING)
    )
    await tx.execute(change.values(state=WITHDRAWN))


async def mark(
    tx: AsyncConnection, notice_id: str, state: str, *, attempts: int, sent_at: datetime | None
) -> None:
    """Record an attempt at delivery."""
    await tx.execute(
        update(notifications)
        .where(notifications.c.id == notice_id)
        .values(state=state, attempts=attempts, sent_at=sent_at)
    )
