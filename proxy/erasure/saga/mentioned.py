"""What only erased memories mentioned: it ends with them, so that no key of ours opens it."""

from collections import Counter
from collections.abc import Collection

from proxy.erasure.saga.run import Run
from proxy.ledger import entities, reach, writes
from proxy.ledger.engine import Tx

MOST_NAMED = 200  # of their keys in a certificate; all are counted


async def only_in(tx: Tx, run: Run, memory_ids: Collection[str]) -> list[str]:
    """Entities that nothing but these memories is linked with, in an order of their own.

    Whom the erasure itself is about is left to its end, and so is what a write under way mentions.
    """
    linked = await reach.entities(tx, memory_ids)
    here = Counter(each for found in linked.values() for each in found)
    there = await entities.memory_counts(tx, [*here])
    alone = {each for each, count in here.items() if there[each] <= count}
    alone -= {*run.brief.entity_ids}
    if alone:
        alone -= {entity for entity, _ in await writes.open_mentions(tx, run.tenant_id)}
    return sorted(alone)


async def end(tx: Tx, run: Run, entity_ids: Collection[str]) -> int:
    """Destroy their names, forms and keys; gives how many."""
    if entity_ids:
        await run.means.vault.erase(tx, run.tenant_id, sorted(entity_ids), ended_by=run.erasure.id)
    return len(entity_ids)


async def ended(tx: Tx, run: Run) -> tuple[list[str], int]:
    """Ids of the data keys that ended so with this erasure, the first of them, and how many."""
    return await entities.ended_by(tx, run.tenant_id, run.erasure.id, MOST_NAMED)
