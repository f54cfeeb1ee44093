"""Reviews: what a data subject is asked about what is still remembered."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import reviews


@dataclass(frozen=True, slots=True)
class Review:
    """One review: counts only."""

    id: str
    tenant_id: str
    owner_id: str | None
    state: str  # open | answered | lapsed
    summary: Mapping[str, Any]
    created_at: datetime
    due_at: datetime | None = None
    closed_at: datetime | None = None


async def insert(tx: AsyncConnection, review: Review) -> None:
    """Open a review."""
    values = {name: getattr(review, name) for name in Review.__slots__}
    await tx.execute(reviews.insert().values(values | {"summary": dict(review.summary)}))


async def get(tx: AsyncConnection, tenant_id: str, review_id: str) -> Review | None:
    """One review of the tenant."""
    query = select(reviews).where(reviews.c.tenant_id == tenant_id, reviews.c.id == review_id)
    row = (await tx.execute(query)).mappings().first()
    return Review(**row) if row else None


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
    tx: AsyncConnection, tenant_id: str, *, state: str | None = None, owner_id: str | None = None
) -> list[Review]:
    """Reviews of the tenant, newest first."""
    query = select(reviews).where(reviews.c.tenant_id == tenant_id)
    if state:
        query = query.where(reviews.c.state == state)
    if owner_id:
        query = query.where(reviews.c.owner_id == owner_id)
    rows = await tx.execute(query.order_by(reviews.c.id.desc()))
    return [Review(**row) for row in rows.mappings()]


async def overdue(tx: AsyncConnection, at: datetime) -> list[Review]:
    """Open reviews of any tenant whose answer is late."""
    query = select(reviews).where(reviews.c.state == "open", reviews.c.due_at <= at)
    return [Review(**row) for row in (await tx.execute(query)).mappings()]
