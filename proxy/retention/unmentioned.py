"""What no memory mentions: minted for a search, or for a write that came to nothing.

It is nobody's memory, and yet our keys would open it; so it ends.
"""

from datetime import datetime, timedelta
from functools import partial

from proxy.erasure.search.means import Means
from proxy.ledger import entities, tenants, writes
from proxy.ledger.engine import Tx

KEPT = timedelta(days=1)
BATCH = 200


async def end_unmentioned(means: Means, now: datetime) -> int:
    """Destroy names and keys of what nothing has mentioned for a day; gives how many."""
    ended = 0
    for tenant in await means.ledger.read(tenants.every):
        if tenant.state == "active":
            ended += await _of_tenant(means, tenant.id, now - KEPT)
    return ended


async def _of_tenant(means: Means, tenant_id: str, before: datetime) -> int:
    ended, after = 0, ""
    while True:
        look = partial(
            entities.unmentioned, tenant_id=tenant_id, before=before, after=after, limit=BATCH
        )
        page = await means.ledger.read(look)
        if not page:
            return ended
        after = page[-1]
        end = partial(_end, means=means, tenant_id=tenant_id, page=page)
        ended += await means.ledger.write(end)


async def _end(tx: Tx, means: Means, tenant_id: str, page: list[str]) -> int:
    """Only what is not mentioned by now either, by a memory or by a write under way."""
    await entities.lock(tx, page)
    counts = await entities.memory_counts(tx, page)
    open_ = {entity for entity, _ in await writes.open_mentions(tx, tenant_id)}
    alone = [each for each in page if not counts[each] and each not in open_]
    if alone:
        await means.vault.erase(tx, tenant_id, alone)
    return len(alone)
