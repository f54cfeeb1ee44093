"""What only erased memories mentioned: it ends with them, so that no key of ours opens it."""

from collections import Counter
from collections.abc import Collection

from proxy.erasure.saga.run import Run
from proxy.ledger import entities, reach, writes
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure

MOST_NAMED = 200  # of their keys in a certificate; all are counted


async def any_in(run: Run, memory_ids: Collection[str]) -> bool:
    """Whether anything is mentioned in these memories alone."""
    return bool(await run.means.ledger.read(lambda tx: _only_in(tx, run, memory_ids)))


async def end(tx: Tx, run: Run, memory_ids: Collection[str]) -> int:
    """Destroy names, forms and keys of what only these memories mention; gives how many."""
    linked = await reach.entities(tx, memory_ids)
    await entities.lock(tx, [*{each for found in linked.values() for each in found}])
    alone = await _only_in(tx, run, memory_ids)
    if alone:
        await run.means.vault.erase(tx, run.tenant_id, alone, ended_by=run.erasure.id)
    return len(alone)


async def _only_in(tx: Tx, run: Run, memory_ids: Collection[str]) -> list[str]:
    """Entities that nothing but these memories is linked with, in order.

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


async def ended(tx: Tx, erasure: Erasure) -> tuple[list[str], int]:
    """Ids of the data keys that ended so with an erasure, the first of them, and how many."""
    return await entities.ended_by(tx, erasure.tenant_id, erasure.id, MOST_NAMED)
