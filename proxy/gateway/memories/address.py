"""Calls that name a memory by its id: answered only if it is the tenant's."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import orjson

from proxy.erasure.requests.held import refuse_held
from proxy.gateway.answers.restore import NOT_FOUND, answer_with
from proxy.gateway.exchange import Exchange
from proxy.gateway.memories import items
from proxy.gateway.memories.sighting import Seen
from proxy.gateway.request.batches import BATCHES, batch_of
from proxy.gateway.request.concerned import of_memories, owners_of, together
from proxy.gateway.request.refused import refuse_closed
from proxy.gateway.request.scope import places
from proxy.gateway.services import NOBODY, GatewayServices
from proxy.ledger import holds, memories
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import Slot, slots
from proxy.upstreams.store import item_of
from proxy.upstreams.transport import UpstreamRequest

DELETES = frozenset({"delete", "batch_delete"})
CHANGES = frozenset({"update", "batch_update"})
WRITES = CHANGES | {"annotate"}


async def address(exchange: Exchange, services: GatewayServices) -> None:
    """Look up the memories that the request names; absent and foreign ones look the same.

    For one id, the answer is given here if it may not be seen. In a batch, such ids are taken
    out, as the store passes over ids it does not know.

    Raises:
        Problem: ``held`` if the text of one that a legal hold keeps would be replaced,
            ``purpose-denied`` if the data subject of one objected to the purpose.
    """
    named = list(_named(exchange))
    wanted = list(dict.fromkeys(memory_id for memory_id, _ in named))
    found = await _rows(exchange, services, wanted)
    if exchange.route.op in DELETES:
        await _take_deletable(exchange, services, found)
    else:
        await _take_readable(exchange, services, found)
    exchange.targets = list(exchange.rows)
    if exchange.route.inward.items is not None:
        _thin_out(exchange, named)
    elif not exchange.rows:
        answer_with(exchange, exchange.route.absent or NOT_FOUND)
    if exchange.route.op in CHANGES:
        await _check_held(exchange, services)


async def _take_readable(
    exchange: Exchange, services: GatewayServices, found: Mapping[str, Memory]
) -> None:
    """Of each what its own owners decided counts; a write to several is of all of them."""
    whose = await of_memories(exchange, services, [(memory, None) for memory in found.values()])
    concerned = dict(zip(found, whose, strict=True))
    for name, memory in found.items():
        reason = items.hidden_because(exchange, memory, concerned[name])
        if reason == items.PURPOSE:
            await refuse_closed(exchange, services, concerned[name].preferences)
        elif not reason:
            exchange.rows[name] = memory
    exchange.concerned = together([concerned[name] for name in exchange.rows])
    if exchange.route.op in WRITES:
        ids = {memory.id for memory in exchange.rows.values()}
        owned = await owners_of(exchange, services, ids)
        exchange.owner_rows = list(
            {row.id: row for some in owned.values() for row in some}.values()
        )


async def _take_deletable(
    exchange: Exchange, services: GatewayServices, found: Mapping[str, Memory]
) -> None:
    exchange.rows = {
        name: memory
        for name, memory in found.items()
        if items.hidden_because(exchange, memory, NOBODY) in _DELETABLE
    }
    await _leave_restricted(exchange, services)


async def _leave_restricted(exchange: Exchange, services: GatewayServices) -> None:
    """What is restricted is kept, and looks absent to whoever wants it deleted (GDPR Art. 18)."""
    ids = [memory.id for memory in exchange.rows.values()]

    async def unit(tx: Tx) -> set[str]:
        linked = await memories.owners_of(tx, ids)
        owned = {each: linked.get(each, []) for each in ids}
        return await holds.restricted(tx, exchange.tenant_id, owned)

    kept = await services.ledger.read(unit)
    exchange.rows = {name: row for name, row in exchange.rows.items() if row.id not in kept}


# What may still be deleted although it cannot be read any more.
_DELETABLE = frozenset({"", "expired", items.PURPOSE, "quarantined"})


def _named(exchange: Exchange) -> list[tuple[str, Slot | None]]:
    """Ids that the request names, with the batch item each stands in."""
    if "id" in exchange.variables:
        return [(exchange.variables["id"], None)]
    inward = exchange.route.inward
    if inward.items is None:
        if exchange.route.op in BATCHES:
            batch_of(exchange)
        return [
            (_id_at(exchange, slot), None) for ids in inward.ids for slot in places(exchange, ids)
        ]
    return [
        (_id_at(exchange, slot), item)
        for item in batch_of(exchange)
        for ids in inward.ids
        for slot in slots(ids, item.container, item.key)
    ]


def _id_at(exchange: Exchange, slot: Slot) -> str:
    """The id at a place; one of the store's form is no text, whatever its digits look like."""
    if not isinstance(slot.value, str | Number):
        raise Problem("invalid-request", "A memory id is a string.")
    if exchange.profile.ids.fullmatch(str(slot.value)):
        exchange.skipped.add(slot.place)
    return str(slot.value)


async def _rows(
    exchange: Exchange, services: GatewayServices, wanted: Sequence[str]
) -> dict[str, Memory]:
    name, tenant_id = exchange.binding.name, exchange.tenant_id
    refs = {memories.ref(exchange.names, name, each): each for each in wanted}
    known = await services.ledger.read(lambda tx: memories.by_refs(tx, tenant_id, name, list(refs)))
    found = {refs[ref]: memory for ref, memory in known.items()}
    for memory_id in wanted:
        strange = exchange.profile.ids.fullmatch(memory_id) is None
        if memory_id not in found and not strange and exchange.policy.read.unknown != "hide":
            memory = await _fetch(exchange, services, memory_id)
            if memory is not None:
                found[memory_id] = memory
    return found


async def _fetch(exchange: Exchange, services: GatewayServices, memory_id: str) -> Memory | None:
    """An id that the ledger does not know: the store's item says whose it is."""
    route = exchange.profile.use["get"]
    target = route.path(id=quote(memory_id, safe=""))
    reply = await exchange.dialect.transport.send(
        UpstreamRequest("GET", target, (("Accept", "application/json"),))
    )
    if reply.status >= 300:
        return None
    try:
        raw: Any = orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        return None
    item = item_of(route.outward, raw) if isinstance(raw, dict) else None
    if item is None:
        return None
    seen = Seen(raw, item)
    await items.judge(exchange, services, [seen], addressed=True)
    return seen.memory


def _thin_out(exchange: Exchange, named: Sequence[tuple[str, Slot | None]]) -> None:
    gone = {
        (id(slot.container), slot.key)
        for memory_id, slot in named
        if slot is not None and memory_id not in exchange.rows
    }
    if not gone:
        return
    exchange.changed = True
    containers = {id(slot.container): slot.container for _, slot in named if slot is not None}
    for container in containers.values():
        container[:] = [
            part for index, part in enumerate(container) if (id(container), index) not in gone
        ]


async def _check_held(exchange: Exchange, services: GatewayServices) -> None:
    named = {row.id: memory_id for memory_id, row in exchange.rows.items()}
    store = exchange.binding.store
    await refuse_held(services.ledger, exchange.tenant_id, exchange.names, store, named)
