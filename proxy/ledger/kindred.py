"""Erasures that concern what another one concerns: its memories, its target."""

from collections.abc import Collection, Sequence

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.erasures import CHUNK, Erasure, matching
from proxy.ledger.schema import erasures, plan_items


async def of_memories(
    tx: AsyncConnection,
    tenant_id: str,
    upstream: str,
    refs: Sequence[bytes],
    states: Collection[str],
) -> list[Erasure]:
    """Erasures in one of the states whose plan holds one of these memories."""
    found: list[Erasure] = []
    for start in range(0, len(refs), CHUNK):
        planned = exists().where(
            plan_items.c.erasure_id == erasures.c.id,
            plan_items.c.upstream == upstream,
            plan_items.c.ref.in_(refs[start : start + CHUNK]),
        )
        found += await matching(
            tx, erasures.c.tenant_id == tenant_id, erasures.c.state.in_(list(states)), planned
        )
    return found


async def overtaken(tx: AsyncConnection) -> list[tuple[Erasure, str]]:
    """Plans of any tenant, each with the last erasure of its target that is complete since."""
    other = erasures.alias()
    same = (
        (other.c.tenant_id == erasures.c.tenant_id)
        & (other.c.target_ref == erasures.c.target_ref)
        & (other.c.state == "complete")
        & (other.c.completed_at >= erasures.c.planned_at)
    )
    query = (
        select(erasures.c.id, func.max(other.c.id))
        .join(other, same)
        .where(erasures.c.state == "planned")
        .group_by(erasures.c.id)
    )
    by = {row[0]: row[1] for row in await tx.execute(query)}
    plans = await matching(tx, erasures.c.id.in_(list(by)))
    return [(each, by[each.id]) for each in plans]
