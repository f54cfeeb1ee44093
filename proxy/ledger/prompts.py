"""Prompts: memories about which their data subject is to be asked, or was asked."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, and_, case, exists, literal, or_, select, union, update

from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory, by_ids
from proxy.ledger.reach import chunks
from proxy.ledger.reviews import EXPIRING, Review
from proxy.ledger.schema import Instant, memories, memory_owners, owners, reviews

ABOUT = ("live", "restricted")  # what is held for review is asked about once it is released
_STANDS = and_(memories.c.state.in_(ABOUT), memories.c.pinned.is_(False))
_UNASKED = or_(memories.c.asked_at.is_(None), memories.c.asked_at < memories.c.prompt_at)
# A memory is sealed under the key of its first owner (user, agent, run, app): that one is asked.
_OWNED = and_(memory_owners.c.memory_id == memories.c.id, owners.c.id == memory_owners.c.owner_id,
              owners.c.dek_id == memories.c.dek_id)  # fmt: skip


async def due(
    tx: Tx,
    tenant_id: str,
    tiers: Collection[str],
    now: datetime,
    horizon: datetime,
    *,
    after: str = "",
    limit: int,
) -> list[Memory]:
    """Memories not asked about yet whose prompt has come, or that end within the notice.

    In order of their row ids.

    Args:
        tiers: those whose memories are asked about.
        horizon: ends up to here are within the notice.
    """
    unasked = select(memories.c.id).where(
        memories.c.tenant_id == tenant_id,
        memories.c.tier.in_(list(tiers)),
        memories.c.id > after,
        _STANDS,
        _UNASKED,
    )
    either = union(  # each half by an index of its own
        unasked.where(memories.c.prompt_at <= now), unasked.where(memories.c.expires_at <= horizon)
    ).subquery()
    found = (await tx.execute(select(either.c.id).order_by(either.c.id).limit(limit))).scalars()
    return sorted(await by_ids(tx, list(found)), key=lambda memory: memory.id)


async def mark(tx: Tx, memory_ids: Collection[str], now: datetime) -> set[str]:
    """Record that their subjects are asked; gives those that nobody else has asked about."""
    prompt = memories.c.prompt_at
    done = await tx.execute(
        update(memories)
        .where(memories.c.id.in_(list(memory_ids)), _STANDS, _UNASKED)
        .values(
            asked_at=now, prompt_at=case((prompt <= now, prompt), else_=literal(now, Instant()))
        )
        .returning(memories.c.id)
    )
    return set(done.scalars())


async def asked(tx: Tx, review: Review, *, ending_after: datetime | None = None) -> list[Memory]:
    """What a review asks about: not what has gone, was pinned or answered meanwhile.

    In order of their row ids, so that what is derived comes after its sources.

    Args:
        ending_after: what has ended by then is no question any more (silence keeps it).
    """
    query = select(memories.c.id).where(
        memory_owners.c.owner_id == review.owner_id,
        *_in_question(ending_after),
        memories.c.asked_at >= review.created_at,
    )
    found = sorted((await tx.execute(query)).scalars())
    return [each for part in chunks(found) for each in await by_ids(tx, part)]


async def pointless(
    tx: Tx, tenant_id: str, *, ending_after: datetime | None = None, limit: int
) -> list[Review]:
    """Open reviews that ask about nothing any more."""
    left = exists().where(
        memory_owners.c.owner_id == reviews.c.owner_id,
        *_in_question(ending_after),
        memories.c.asked_at >= reviews.c.created_at,
    )
    query = select(reviews).where(
        reviews.c.tenant_id == tenant_id,
        reviews.c.state == "open",
        reviews.c.reason == EXPIRING,
        ~left,
    )
    rows = await tx.execute(query.order_by(reviews.c.id).limit(limit))
    return [Review(**row) for row in rows.mappings()]


def _in_question(ending_after: datetime | None) -> list[ColumnElement[bool]]:
    ends = [] if ending_after is None else [memories.c.expires_at > ending_after]
    return [_OWNED, _STANDS, memories.c.asked_at >= memories.c.prompt_at, *ends]
