"""Items that the ledger does not know: of a write under way, from before, or from elsewhere."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from detectors.detection import Analysis, Detection
from policies import Context
from policies import decide as ask
from proxy.gateway.answers import answers
from proxy.gateway.answers.rows import Draft, new_memory
from proxy.gateway.answers.said import all_said
from proxy.gateway.exchange import Exchange, Text
from proxy.gateway.memories import settle
from proxy.gateway.memories.record import NO_ENTITY, kept, owner_row
from proxy.gateway.memories.sighting import Seen
from proxy.gateway.request.concerned import of_memories
from proxy.gateway.request.decide import combine
from proxy.gateway.request.detect import scan_answer, tier_of
from proxy.gateway.request.sources import expiry
from proxy.gateway.services import Concerned, GatewayServices, committed
from proxy.ledger import memories, provenance, writes
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from proxy.upstreams.selectors import Slot
from proxy.upstreams.store import Item

TOO_LONG = "too-long"
AT_A_TIME = 32  # items with one commit; what is committed need not be done again


async def adopt(
    exchange: Exchange,
    services: GatewayServices,
    found: Sequence[Seen],
    *,
    addressed: bool = False,
) -> None:
    """Give unknown items of the tenant a row, if the policy wants them indexed on sight.

    Args:
        addressed: the items are named by id, and may be changed: they need a row in any case.
    """
    unknown = [seen for seen in found if seen.memory is None and not seen.reason]
    late = await _of_writes(exchange, services, unknown)
    rest = [seen for seen in unknown if id(seen) not in late and not seen.reason]
    if rest and (addressed or exchange.policy.read.unknown == "index"):
        await _index(exchange, services, rest)


async def _of_writes(
    exchange: Exchange, services: GatewayServices, unknown: Sequence[Seen]
) -> set[int]:
    """Items that carry the stamp of one of the tenant's writes: settled now, by its plan."""
    stamp, done = exchange.profile.stamp, set()
    for seen in unknown:
        write_id = seen.item.metadata.get(stamp)
        if not isinstance(write_id, str):
            continue
        await asyncio.sleep(0)  # others get their turn
        write = await services.ledger.read(partial(writes.by_id, write_id=write_id))
        if write is None or write.tenant_id != exchange.tenant_id:
            continue
        made = await answers.own(services, write, [seen.item])
        if not made:
            continue
        try:
            await settle.settle_write(services, write, made)
        except Problem:
            seen.reason = "erased"
        seen.memory = await _row(exchange, services, seen.item)
        if seen.memory is None:
            seen.reason = "erased"
        done.add(id(seen))
    return done


async def _row(exchange: Exchange, services: GatewayServices, item: Item) -> Memory | None:
    ref = memories.ref(exchange.names, exchange.binding.name, item.memory_id)
    found = await services.ledger.read(
        lambda tx: memories.by_refs(tx, exchange.tenant_id, exchange.binding.name, [ref])
    )
    return found.get(ref)


async def _index(exchange: Exchange, services: GatewayServices, rest: Sequence[Seen]) -> None:
    for start in range(0, len(rest), AT_A_TIME):
        await _index_some(exchange, services, rest[start : start + AT_A_TIME])


async def _index_some(exchange: Exchange, services: GatewayServices, rest: Sequence[Seen]) -> None:
    listed = await all_said(exchange, [(seen.raw, seen.item) for seen in rest])
    found = await scan_answer(services, exchange.tenant_id, listed, tier=tier_of(exchange))
    judged = []
    for seen, words, scanned in zip(rest, listed, found, strict=True):
        if scanned is None:
            seen.reason = TOO_LONG
        else:
            (whose,) = await of_memories(exchange, services, [(None, seen.item)])
            judged.append((seen, _judged(exchange, whose, seen.item, words, *scanned)))
    if not judged:
        return
    items = [(seen.item, text) for seen, text in judged]
    rows = await committed(services.ledger, lambda tx: _adopt_all(tx, exchange, services, items))
    for (seen, _), row in zip(judged, rows, strict=True):
        seen.memory = row


def _judged(
    exchange: Exchange,
    whose: Concerned,
    item: Item,
    words: str,
    analysis: Analysis,
    known: Sequence[Detection],
) -> Text:
    text = Text(Slot([words], 0), words, "content", analysis=analysis)
    text.detections = (*analysis.detections, *known)
    context = Context(
        operation="read", at=exchange.now, text_length=len(text.text),
        language=analysis.language, content_at=_created(item), owners=whose.owners,
        consents=whose.consents, preferences=whose.preferences,
    )  # fmt: skip
    text.decision = ask(exchange.policy, text.detections, analysis.categories, context)
    return text


def _created(item: Item) -> datetime | None:
    try:
        at = datetime.fromisoformat(item.created_at or "")
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _curtain(plan: dict[str, Any], item: Item) -> None:
    """The store's own expiry counts too."""
    if item.expires is None:
        return
    try:
        ends = expiry(item.expires).isoformat()
    except Problem:
        return
    plan["expires_at"] = min(filter(None, (plan["expires_at"], ends)))


async def _adopt_all(
    tx: Tx,
    exchange: Exchange,
    services: GatewayServices,
    items: Sequence[tuple[Item, Text]],
) -> list[Memory]:
    """A row for each of a few items, in one transaction; what got one meanwhile keeps it."""
    store = exchange.binding.name
    refs = [memories.ref(exchange.names, store, item.memory_id) for item, _ in items]
    known = await memories.by_refs(tx, exchange.tenant_id, store, refs)
    fresh = []
    for ref, (item, text) in zip(refs, items, strict=True):
        if ref not in known:
            await asyncio.sleep(0)  # others get their turn
            known[ref] = await _adopt(tx, exchange, services, item, text, ref)
            fresh.append(known[ref].id)
    await provenance.spread(tx, exchange.tenant_id, fresh)
    return [known[ref] for ref in refs]


async def _adopt(
    tx: Tx, exchange: Exchange, services: GatewayServices, item: Item, text: Text, ref: bytes
) -> Memory:
    plan = kept(combine([text], exchange))
    _curtain(plan, item)
    rows = [
        await owner_row(tx, exchange, services, (pair[0], exchange.known[pair]), pair[1])
        for pair in item.owners.items()
    ]
    draft = Draft(
        exchange.tenant_id, exchange.binding.name, ref, item.memory_id, "adopted",
        memories.content_ref(exchange.names, item.text), exchange.policy.digest,
    )  # fmt: skip
    memory = await new_memory(tx, services, rows, draft, plan, exchange.now)
    owner_ids = [row.id for row in rows]
    entities = await services.vault.index(tx, exchange.tenant_id, _mentions(text, tuple(owner_ids)))
    await memories.insert(
        tx,
        memory,
        owner_ids=owner_ids,
        entity_ids=entities,
        refs=[provenance.id_ref(exchange.names, item.memory_id)],
    )
    return memory


def _mentions(text: Text, owner_ids: tuple[str, ...]) -> list[Mention]:
    pairs = {
        (found.entity_type, text.text[found.start : found.end]): None
        for found in text.detections
        if found.entity_type not in NO_ENTITY
    }
    return [Mention(kind, surface, owner_ids) for kind, surface in pairs if surface.strip()]
