"""What retention looks for beside expiries: how many memories one keeps."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from proxy.ledger.engine import Tx
from proxy.ledger.schema import memories

COUNTED = "live"


async def crowded(tx: Tx, tenant_id: str, budget: int) -> list[str]:
    """Data keys under which more memories live than the budget.

    A memory is sealed under the key of its first owner in the order user, agent, run, app, so
    that each counts once.
    """
    query = (
        select(memories.c.dek_id)
        .where(memories.c.tenant_id == tenant_id, memories.c.state == COUNTED)
        .group_by(memories.c.dek_id)
        .having(func.count() > budget)
        .order_by(memories.c.dek_id)
    )
    return [str(dek_id) for dek_id in (await tx.execute(query)).scalars()]


async def under(tx: Tx, tenant_id: str, dek_id: str) -> Sequence[tuple[str, datetime, bool]]:
    """Row id, age and pin of every memory that lives under a data key."""
    query = select(memories.c.id, memories.c.created_at, memories.c.pinned).where(
        memories.c.tenant_id == tenant_id,
        memories.c.state == COUNTED,
        memories.c.dek_id == dek_id,
    )
    return [(row[0], row[1], row[2]) for row in await tx.execute(query)]
