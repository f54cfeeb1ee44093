"""Lists of owners and looks at events: only the tenant's own."""

from collections import Counter
from typing import Any

from policies.access import closed
from proxy.gateway.answers import answers
from proxy.gateway.answers.look_up import look_up_owners
from proxy.gateway.answers.restore import NOT_FOUND, answer_with
from proxy.gateway.exchange import Exchange
from proxy.gateway.memories import deletions, items, settle
from proxy.gateway.request.concerned import of_memories, of_pairs, of_write, owners_of
from proxy.gateway.request.refused import refuse_closed
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import query
from proxy.ledger import memories, owners, writes
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.writes import Write
from proxy.problems import Problem
from proxy.upstreams.asked import MADE
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import Slot, first, slots


async def filter_owners(exchange: Exchange, services: GatewayServices) -> None:
    """Keep the tenant's owners in a list of owners, and make the totals agree."""
    selector = exchange.route.outward.items
    if not exchange.answered or selector is None or exchange.reply is None:
        return
    if exchange.reply.status < 300:
        items.check_shape(exchange)
    found = [slot for slot in slots(selector, exchange.answer, 0) if isinstance(slot.value, dict)]
    pairs = {id(slot.value): _pair(exchange, slot.value) for slot in found}
    await look_up_owners(exchange, services, filter(None, pairs.values()))
    kept = [slot for slot in found if pairs[id(slot.value)] in exchange.known]
    kept = [slot for slot in kept if await _may_be_named(exchange, services, pairs[id(slot.value)])]
    kept = await _counted(exchange, services, kept, pairs)
    _name(exchange, kept, pairs)
    _totals(exchange, kept, pairs)
    listed = answers.container(exchange, selector.steps[:-1])
    if isinstance(listed, list):
        listed[:] = [slot.value for slot in kept]
    exchange.rewritten = True


def _pair(exchange: Exchange, raw: dict[str, Any]) -> tuple[str, str] | None:
    outward = exchange.route.outward
    kind = exchange.profile.kind_words.get(str(first(outward.kind, raw)))
    name = first(outward.name, raw)
    return None if kind is None or name is None else (kind, str(name))


async def _may_be_named(exchange: Exchange, services: GatewayServices, pair: Any) -> bool:
    """Whether an owner has not objected to the purpose for which owners are listed."""
    whose = await of_pairs(exchange, services, [(pair[0], exchange.known[pair])])
    return closed(exchange.policy, exchange.purpose, whose.preferences) is None


def _name(exchange: Exchange, kept: list[Slot], pairs: dict[int, Any]) -> None:
    for slot in kept:
        for selector in exchange.route.outward.name:
            for place in slots(selector, slot.container, slot.key):
                place.value = exchange.known[pairs[id(slot.value)]]


async def _counted(
    exchange: Exchange, services: GatewayServices, kept: list[Slot], pairs: dict[int, Any]
) -> list[Slot]:
    """Lower each owner's number by what may not be read; without anything left it is no owner."""
    hidden = await _hidden(exchange, services)
    shown = []
    for slot in kept:
        kind, upstream_id = pairs[id(slot.value)]
        fewer = hidden[(kind, owners.upstream_ref(exchange.names, upstream_id))]
        places = [place for selector in exchange.route.outward.total
                  for place in slots(selector, slot.container, slot.key)]  # fmt: skip
        numbers = [int(str(place.value)) for place in places if str(place.value).isdigit()]
        for place, number in zip(places, numbers, strict=False):
            place.value = max(0, number - fewer)
        if not (fewer and numbers and max(numbers) <= fewer):
            shown.append(slot)
    return shown


async def _hidden(exchange: Exchange, services: GatewayServices) -> Counter[tuple[str, bytes]]:
    """How many memories of each owner, by kind and reference, are there but may not be read."""

    aside = await services.ledger.read(
        lambda tx: memories.aside(tx, exchange.tenant_id, exchange.binding.name, exchange.now)
    )
    whose = await of_memories(exchange, services, [(row, None) for row in aside])
    rows = zip(aside, whose, strict=True)
    gone = {row.id for row, concerned in rows if items.hidden_because(exchange, row, concerned)}
    owned = await owners_of(exchange, services, gone)
    return Counter((row.kind, row.upstream_ref) for some in owned.values() for row in some)


def _totals(exchange: Exchange, kept: list[Slot], pairs: dict[int, Any]) -> None:
    """Every number beside the list counts other tenants too: only those we can count stay."""
    root = exchange.answer[0]
    if not isinstance(root, dict):
        return
    counts = {"count": len(kept), "total": len(kept)}
    for kind in exchange.profile.owner_fields:
        counts[f"total_{kind}s"] = sum(pairs[id(slot.value)][0] == kind for slot in kept)
    for name in [name for name, value in root.items() if isinstance(value, Number)]:
        if name in counts:
            root[name] = counts[name]
        else:
            del root[name]


async def own_event(exchange: Exchange, services: GatewayServices) -> None:
    """Only the tenant's own writes are looked at; a deletion is over since it was answered.

    Raises:
        Problem: ``purpose-denied`` if the data subject of the write objected to the purpose.
    """
    if deletions.is_event(exchange.names, exchange.variables["event"]):
        answer_with(exchange, deletions.event(exchange.variables["event"]))
        return
    ref = exchange.names.of("event", exchange.variables["event"])
    write = await services.ledger.read(lambda tx: writes.by_event(tx, exchange.tenant_id, ref))
    write = write or await _done_at_once(exchange, services)
    if write is None:
        answer_with(exchange, exchange.route.absent or NOT_FOUND)
        return
    whose = await of_write(exchange, services, write)
    await refuse_closed(exchange, services, whose.preferences)
    exchange.write_id, exchange.write = write.id, write


async def _done_at_once(exchange: Exchange, services: GatewayServices) -> Write | None:
    """A write that a translated store answered at once: it is asked for by what it made."""

    async def unit(tx: Tx) -> tuple[Write | None, list[bytes | None]]:
        write = await writes.by_id(tx, exchange.variables["event"])
        whose = None if write is None else (write.tenant_id, write.upstream, write.state)
        if write is None or whose != (exchange.tenant_id, exchange.binding.name, "settled"):
            return None, []
        made = [m for m in await memories.of_write(tx, write.id) if m.state in memories.PRESENT]
        sealed = [(m.dek_id, m.sealed_id, memories.aad(m.tenant_id, m.id)) for m in made]
        return write, await services.keyring.unseal_many(tx, sealed)

    write, made = await services.ledger.read(unit)
    named = ",".join(each.decode() for each in made if each is not None)
    exchange.query = query.parse(f"{MADE}={named}" if named else "")
    return write


async def settle_event(exchange: Exchange, services: GatewayServices) -> None:
    """What the store says of a finished event goes into the ledger at once."""
    write_id = exchange.write_id
    if write_id is None or not exchange.answered or exchange.reply is None:
        return
    later = _later(exchange)
    state = first((later.state,), exchange.answer[0]) if later else None
    write = await services.ledger.read(lambda tx: writes.by_id(tx, write_id))
    if write is not None and write.state == "pending" and later and state in later.done:
        try:
            named = settle.made_of(exchange.route, exchange.answer[0])
            made = await answers.read_back(services, write, named)
            await settle.settle_write(services, write, made)
        except Problem as problem:
            if problem.slug != "subject-locked":
                raise
    if write is not None:
        own = {exchange.variables["event"]}  # an event names itself as well
        answers.show(exchange, own | await _named_of(exchange, services, write))
    await items.filter_items(exchange, services)


async def _named_of(exchange: Exchange, services: GatewayServices, write: Write) -> set[str]:
    """Ids in an event's answer that are memories which its write made."""
    named = [each.memory_id for each in settle.made_of(exchange.route, exchange.answer[0])]
    refs = {memories.ref(exchange.names, exchange.binding.name, each): each for each in named}

    async def unit(tx: Tx) -> set[str]:
        rows = await memories.by_refs(tx, write.tenant_id, write.upstream, list(refs))
        linked = await memories.owners_of(tx, [row.id for row in rows.values()])
        mine = set(write.owner_ids)
        fine = [row for row in rows.values() if _by_write(row, write)]
        return {refs[row.ref] for row in fine if mine.issuperset(linked.get(row.id, ()))}

    return await services.ledger.read(unit)


def _by_write(row: Memory, write: Write) -> bool:
    """Whether the write made or changed a memory, or may have made one that changed since."""
    later = row.updated_at is not None and row.created_at >= write.created_at
    return row.write_id == write.id or later


def _later(exchange: Exchange) -> Any:
    return next((route.later for route in exchange.profile.routes if route.later), None)
