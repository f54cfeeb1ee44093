"""Reviews: what a data subject is asked about what is still remembered."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import reviews

STATES = ("open", "answered", "lapsed")
REQUESTED, EXPIRING = "requested", "expiring"


@dataclass(frozen=True, slots=True)
class Review:
    """One review: counts only."""

    id: str
    tenant_id: str
    owner_id: str | None
    state: str  # one of STATES
    summary: Mapping[str, Any]
    created_at: datetime
    due_at: datetime | None = None
    closed_at: datetime | None = None
    reason: str = REQUESTED


async def insert(tx: AsyncConnection, review: Review) -> None:
    """Open a review."""
    values = {name: getattr(review, name) for name in Review.__slots__}
    await tx.execute(reviews.insert().values(values | {"summary": dict(review.summary)}))


async def get(tx: AsyncConnection, tenant_id: str, review_id: str) -> Review | None:
    """One review of the tenant."""
    query = select(reviews).where(reviews.c.tenant_id == tenant_id, reviews.c.id == review_id)
    row = (await tx.execute(query)).mappings().first()
    return Review(**row) if row else None


async def asking(tx: AsyncConnection, owner_ids: Collection[str]) -> dict[str, Review]:
    """The open review of each owner that asks what is to be kept of what ends soon."""
    query = select(reviews).where(
        reviews.c.owner_id.in_(list(owner_ids)),
        reviews.c.state == "open",
        reviews.c.reason == EXPIRING,
    )
    return {row["owner_id"]: Review(**row) for row in (await tx.execute(query)).mappings()}


async def tell(tx: AsyncConnection, review_id: str, summary: Mapping[str, Any]) -> None:
    """Say anew what a review was about."""
    change = update(reviews).where(reviews.c.id == review_id)
    await tx.execute(change.values(summary=dict(summary)))


async def close(
    tx: AsyncConnection, review_id: str, state: str, at: datetime, summary: Mapping[str, Any]
) -> bool:
    """Close an open review; False if it was closed."""
    done = await tx.execute(
        update(reviews)
        .where(reviews.c.id == review_id, reviews.c.state == "open")
        .values(state=state, closed_at=at, summary=dict(summary))
    )
    return bool(done.rowcount)


async def of_tenant(
    tx: AsyncConnection,
    tenant_id: str,
    *,
    state: str | None = None,
    owner_id: str | None = None,
    before: str | None = None,
    limit: int = 200,
) -> list[Review]:
    """Reviews of the tenant, newest first.

    Args:
        before: go on after this one.
    """
    query = select(reviews).where(reviews.c.tenant_id == tenant_id)
    if state:
        query = query.where(reviews.c.state == state)
    if owner_id:
        query = query.where(reviews.c.owner_id == owner_id)
    if before:
        query = query.where(reviews.c.id < before)
    rows = await tx.execute(query.order_by(reviews.c.id.desc()).limit(limit))
    return [Review(**row) for row in rows.mappings()]


async def of_owners(tx: AsyncConnection, owner_ids: Collection[str]) -> list[Review]:
    """Every review of the owners."""
    query = select(reviews).where(reviews.c.owner_id.in_(list(owner_ids)))
    return [Review(**row) for row in (await tx.execute(query)).mappings()]


async def count_open(tx: AsyncConnection) -> int:
    """How many reviews of all tenants wait for an answer."""
    query = select(func.count()).where(reviews.c.state == "open")
    return int((await tx.execute(query)).scalar_one())
