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

    async def look(tx: Tx) -> bool:
        linked = await _linked(tx, memory_ids)
        return bool(linked and await _only_here(tx, run, linked))

    return await run.means.ledger.read(look)


async def end(tx: Tx, run: Run, memory_ids: Collection[str]) -> int:
    """Destroy names, forms and keys of what only these memories mention; gives how many."""
    linked = await _linked(tx, memory_ids)
    if not linked:
        return 0
    await entities.lock(tx, [*linked])
    alone = await _only_here(tx, run, linked)
    if alone:
        await run.means.vault.erase(tx, run.tenant_id, alone, ended_by=run.erasure.id)
    return len(alone)


async def _linked(tx: Tx, memory_ids: Collection[str]) -> Counter[str]:
    """In how many of these memories each entity is mentioned."""
    linked = await reach.entities(tx, memory_ids)
    return Counter(each for found in linked.values() for each in found)


async def _only_here(tx: Tx, run: Run, linked: Counter[str]) -> list[str]:
    """Entities that no other memory is linked with, in order.

    Whom the erasure itself is about is left to its end, and so is what a write under way mentions.
    """
    everywhere = await entities.memory_counts(tx, [*linked])
    alone = {each for each, count in linked.items() if everywhere[each] <= count}
    alone -= {*run.brief.entity_ids}
    if alone:
        alone -= {entity for entity, _ in await writes.open_mentions(tx, run.tenant_id)}
    return sorted(alone)


async def ended(tx: Tx, erasure: Erasure) -> tuple[list[str], int]:
    """Ids of the data keys that ended so with an erasure, the first of them, and how many."""
    return await entities.ended_by(tx, erasure.tenant_id, erasure.id, MOST_NAMED)
