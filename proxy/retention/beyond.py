"""What leaves though its period has not ended: held too long for review, or beyond the budget."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from policies.access import quarantine_ends
from policies.decay import Aged, evict
from proxy.erasure.search.means import Means
from proxy.ledger import budget, held, reach
from proxy.ledger.memories import Memory, by_ids

PAGE = 200


async def unreviewed(
    means: Means, tenant_id: str, now: datetime
) -> AsyncIterator[Sequence[Memory]]:
    """Quarantined memories that nobody decided on in time (``poisoning.release_after``)."""
    policy, after = means.policies(tenant_id), ""
    if policy.poisoning.release_after is None or not policy.retention.automatic:
        return
    while page := await _held(means, tenant_id, after):
        after = page[-1].id
        ends = [
            (each, quarantine_ends(policy, _held_since(each))) for each in page if not each.pinned
        ]
        yield [each for each, end in ends if end is not None and end <= now]


async def excess(means: Means, tenant_id: str, now: datetime) -> AsyncIterator[Sequence[Memory]]:
    """Memories beyond what an owner may have (``retention.decay``), first to go first."""
    policy = means.policies(tenant_id)
    rules = policy.retention.decay
    if rules.strategy == "none" or not policy.retention.automatic:
        return
    crowded = await means.ledger.read(lambda tx: budget.crowded(tx, tenant_id, rules.budget))
    for dek_id in crowded:
        gone = evict(rules, await _aged(means, tenant_id, dek_id), seed=int(now.timestamp()))
        for chosen in reach.chunks(gone, PAGE):
            yield await _rows(means, chosen)


async def _held(means: Means, tenant_id: str, after: str) -> list[Memory]:
    return await means.ledger.read(lambda tx: held.page(tx, tenant_id, after=after, limit=PAGE))


async def _aged(means: Means, tenant_id: str, dek_id: str) -> list[Aged]:
    known = await means.ledger.read(lambda tx: budget.under(tx, tenant_id, dek_id))
    return [Aged(*each) for each in known]


async def _rows(means: Means, row_ids: Sequence[str]) -> list[Memory]:
    return await means.ledger.read(lambda tx: by_ids(tx, row_ids))


def _held_since(memory: Memory) -> datetime:
    return memory.updated_at or memory.created_at
