"""What only erased memories mentioned: it ends with them, so that no key of ours opens it.

Not before the store was asked: what it acknowledged and still shows would lose its names for ever.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from proxy.erasure.saga.outcome import Checked
from proxy.erasure.saga.run import GONE, Run
from proxy.ledger import entities, memories, reach, writes
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem

MOST_NAMED = 200  # of their keys in a certificate; all are counted


async def end_gone(run: Run, checked: Iterable[Checked]) -> None:
    """End what only those memories mentioned that their stores, asked again, show no more."""
    for each in checked:
        if each.failed:
            continue
        upstream = each.store.name
        async for page in run.pages(upstream=upstream, states=("done", "gone"), actions=GONE):
            gone = [item for item in page if item.ref not in each.probes.back]
            await _end_items(run, upstream, gone)


async def _end_items(run: Run, upstream: str, items: Collection[PlanItem]) -> None:
    async def look(tx: Tx) -> list[str]:
        rows = await rows_of(tx, run.tenant_id, upstream, items)
        return rows if await _linked(tx, rows) else []

    if rows := await run.means.ledger.read(look):
        await run.commit(lambda tx: end(tx, run, rows))


async def rows_of(tx: Tx, tenant_id: str, upstream: str, items: Collection[PlanItem]) -> list[str]:
    """Row ids of memories, of those too that were recorded after the plan was made."""
    rows = [item.memory_id for item in items if item.memory_id]
    unknown = [item.ref for item in items if not item.memory_id]
    for part in reach.chunks(unknown):
        late = await memories.by_refs(tx, tenant_id, upstream, part)
        rows += [each.id for each in late.values()]
    return rows


async def any_in(run: Run, memory_ids: Collection[str]) -> bool:
    """Whether anything is mentioned in these memories alone."""

    async def look(tx: Tx) -> bool:
        linked = await _linked(tx, memory_ids)
        return bool(linked and await _only_here(tx, run, linked))

    return await run.means.ledger.read(look)


async def end(tx: Tx, run: Run, memory_ids: Collection[str]) -> None:
    """Destroy names, forms and keys of what only these memories mention; they mention no more."""
    linked = await _linked(tx, memory_ids)
    if not linked:
        return
    await entities.lock(tx, [*linked])
    alone = await _only_here(tx, run, linked)
    if alone:
        keys = await run.means.vault.erase(tx, run.tenant_id, alone, ended_by=run.erasure.id)
        prints = [key.fingerprint for key in keys]
        told = {"count": len(keys), "of_mentions": len(alone), "fingerprints": prints}
        await run.audit(tx, "keys.destroyed", told)
    await reach.clear_mentions(tx, memory_ids)


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
