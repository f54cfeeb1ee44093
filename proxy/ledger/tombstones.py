"""Tombstones: that something was erased and when, never what it was."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ids import new
from proxy.ledger.inserts import insert_ignore
from proxy.ledger.schema import erasures, plan_items, tombstones

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One erased memory: pseudonyms of its id and of its stored text."""

    upstream: str
    ref: bytes
    content_ref: bytes | None
    erasure_id: str
    deleted_at: datetime


async def add(tx: AsyncConnection, tenant_id: str, stones: Iterable[Tombstone]) -> None:
    """Record erased memories; those that have a tombstone keep it."""
    unique = {(stone.upstream, stone.ref): stone for stone in stones}
    rows = [
        {name: getattr(stone, name) for name in Tombstone.__slots__}
        | {"id": new("tmb"), "tenant_id": tenant_id}
        for stone in unique.values()
    ]
    for start in range(0, len(rows), CHUNK):
        await insert_ignore(tx, tombstones, rows[start : start + CHUNK])


async def matching(
    tx: AsyncConnection,
    tenant_id: str,
    upstream: str,
    refs: Collection[bytes],
    *,
    since: str | None = None,
) -> dict[bytes, str]:
    """Which of these memories were erased, and by which erasure.

    Args:
        since: an erasure; only what was erased after it was asked for.
    """
    found: dict[bytes, str] = {}
    listed = list(refs)
    least = f"tmb_{since.partition('_')[2]}" if since else ""  # ids are in the order of time
    for start in range(0, len(listed), CHUNK):
        query = select(tombstones.c.ref, tombstones.c.erasure_id).where(
            tombstones.c.tenant_id == tenant_id,
            tombstones.c.upstream == upstream,
            tombstones.c.ref.in_(listed[start : start + CHUNK]),
            tombstones.c.id >= least,
        )
        found |= {row[0]: row[1] for row in await tx.execute(query)}
    return found


async def rewritten(
    tx: AsyncConnection, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> dict[str, int]:
    """Of which erasures (by reference) these erased memories were rewritten, and how many."""
    joined = tombstones.join(erasures, erasures.c.id == tombstones.c.erasure_id).join(
        plan_items,
        (plan_items.c.erasure_id == tombstones.c.erasure_id)
        & (plan_items.c.upstream == tombstones.c.upstream)
        & (plan_items.c.ref == tombstones.c.ref),
    )
    found: Counter[str] = Counter()
    listed = list(refs)
    for start in range(0, len(listed), CHUNK):
        query = select(erasures.c.reference).select_from(joined).where(
            tombstones.c.tenant_id == tenant_id,
            tombstones.c.upstream == upstream,
            tombstones.c.ref.in_(listed[start : start + CHUNK]),
            plan_items.c.action.in_(("redact", "regenerate")),
        )  # fmt: skip
        found.update(row[0] for row in await tx.execute(query))
    return dict(found)


async def of_erasure(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> list[Tombstone]:
    """All tombstones of one erasure."""
    query = select(
        tombstones.c.upstream,
        tombstones.c.ref,
        tombstones.c.content_ref,
        tombstones.c.erasure_id,
        tombstones.c.deleted_at,
    ).where(tombstones.c.tenant_id == tenant_id, tombstones.c.erasure_id == erasure_id)
    return [Tombstone(*row) for row in await tx.execute(query)]


async def count_of(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> int:
    """How many memories one erasure erased."""
    query = select(func.count()).where(
        tombstones.c.tenant_id == tenant_id, tombstones.c.erasure_id == erasure_id
    )
    return int((await tx.execute(query)).scalar_one())


async def drop(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> None:
    """Delete the tombstones of an erasure; only a self-test has nothing to remember."""
    await tx.execute(
        delete(tombstones).where(
            tombstones.c.tenant_id == tenant_id, tombstones.c.erasure_id == erasure_id
        )
    )


async def count(tx: AsyncConnection, tenant_id: str) -> int:
    """How many memories of the tenant were ever erased."""
    query = select(func.count()).where(tombstones.c.tenant_id == tenant_id)
    return int((await tx.execute(query)).scalar_one())
