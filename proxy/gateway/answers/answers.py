"""Which ids of a store's answer to a write may be believed, and what of the answer is shown.

A memory counts as made by a write only if the store, asked for it, shows it under the write's
owners and with the write's stamp. Everything else is neither recorded nor deleted nor shown.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from proxy.gateway.answers.rows import Made
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.ledger import memories, writes
from proxy.ledger.memories import Memory
from proxy.ledger.writes import Write
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.telemetry import get_logger, metrics
from proxy.upstreams.errors import StoreError
from proxy.upstreams.selectors import first
from proxy.upstreams.store import Item, Store

_LOG = get_logger("gateway")
Answer = TypeVar("Answer")
STRANGE = "write.strange_ids"
AT_ONCE = 8  # memories that are asked for at once
MOST = 1000  # memories that one answer may name


async def read_back(services: GatewayServices, write: Write, made: Sequence[Made]) -> list[Made]:
    """Those of the named memories that this write made, with the texts that the store holds.

    Raises:
        Problem: ``upstream-garbled`` if too many are named, ``upstream-unreachable`` if the store
            does not show them; the write stays open in both cases.
    """
    named = list(dict.fromkeys(each.memory_id for each in made))
    store = services.stores[write.upstream].store
    if len(named) > MOST:
        await _leave_open(services, write)
        raise Problem("upstream-garbled", "The store's answer names too many.", upstream="sent")
    wanted = [each for each in named if store.profile.ids.fullmatch(each)]
    try:
        shown = await at_once(store.get, wanted)
    except StoreError:
        await _leave_open(services, write)
        raise Problem(
            "upstream-unreachable", "The store does not show what it wrote.", upstream="sent"
        ) from None
    found = [item for item in shown.values() if item is not None]
    fine = await own(services, write, [each for each in found if each.memory_id in shown])
    await _note(services, write, len(named) - len(fine))
    return fine


async def own(services: GatewayServices, write: Write, found: Sequence[Item]) -> list[Made]:
    """Those of the store's items that belong to a write: by owner, and by stamp or as changed."""
    names = await services.keyring.tenant(write.tenant_id)
    store = services.stores[write.upstream].store
    theirs = {
        memories.ref(names, write.upstream, item.memory_id): item
        for item in found
        if await _of_owners(services, names, write, item)
    }
    older = [ref for ref, item in theirs.items() if not _stamped(store, write, item)]
    known = await _known(services, write, older) if older else {}
    return [
        Made(item.memory_id, item.text)
        for ref, item in theirs.items()
        if ref not in older or _of_write(names, store, item, known.get(ref))
    ]


async def _of_owners(
    services: GatewayServices, names: Pseudonyms, write: Write, item: Item
) -> bool:
    """Whether the item has owners, and none but the write's."""
    rows = await services.owners.row_ids(
        services.ledger, names, write.tenant_id, item.owners.items()
    )
    return 0 < len(rows) == len(item.owners) and rows <= set(write.owner_ids)


async def _known(
    services: GatewayServices, write: Write, refs: Sequence[bytes]
) -> dict[bytes, Memory]:
    return await services.ledger.read(
        lambda tx: memories.by_refs(tx, write.tenant_id, write.upstream, refs)
    )


def _stamped(store: Store, write: Write, item: Item) -> bool:
    return bool(item.metadata.get(store.profile.stamp) == write.id)


def _of_write(names: Pseudonyms, store: Store, item: Item, known: Memory | None) -> bool:
    """Whether an item without the write's stamp is its work all the same."""
    stamp = item.metadata.get(store.profile.stamp)
    if known is not None:  # an older memory of the same owner: only if the store changed it
        return known.content_ref != memories.content_ref(names, item.text)
    stamps = store.profile.use["add"].inward.meta is not None
    return stamp is None and not stamps and store.owner_form != "keep"


async def at_once(
    ask: Callable[[str], Awaitable[Answer]], memory_ids: Iterable[str]
) -> dict[str, Answer]:
    """What a store says of each memory; it is asked for a few at a time."""
    gate, wanted = asyncio.Semaphore(AT_ONCE), list(memory_ids)

    async def one(memory_id: str) -> Answer:
        async with gate:
            return await ask(memory_id)

    said = await asyncio.gather(*(one(each) for each in wanted))
    return dict(zip(wanted, said, strict=True))


async def _leave_open(services: GatewayServices, write: Write) -> None:
    await services.ledger.write(lambda tx: writes.conclude(tx, write.id, "unknown"))


async def _note(services: GatewayServices, write: Write, count: int) -> None:
    """Count ids that are not this write's, and leave an entry in the audit log."""
    if count <= 0:
        return
    metrics.STRANGE_IDS.inc(count)
    _LOG.warning("write.strange_ids", upstream=write.upstream, write_id=write.id)
    fields = {"write_id": write.id, "count": count}
    await services.ledger.write(
        lambda tx: services.audit.append(tx, write.tenant_id, STRANGE, fields)
    )


def show(exchange: Exchange, shown: Collection[str]) -> None:
    """Leave of the answer only what is about these memories.

    Of a memory that the request names and that is not shown it says the id.

    Raises:
        Problem: ``upstream-garbled`` if the answer as a whole is about another memory.
    """
    root, fields = exchange.answer[0], _id_fields(exchange)
    named = {*shown, *exchange.targets}
    if isinstance(root, list) or (isinstance(root, dict) and _strange(root, fields, named)):
        raise Problem(
            "upstream-garbled", "The store's answer is about another memory.", upstream="sent"
        )
    if isinstance(root, dict) and _strange(root, fields, shown):
        exchange.answer[0] = {name: root[name] for name in root if name in fields}
        exchange.rewritten = True
    elif isinstance(root, dict):
        gone = _unjudged(exchange, root, shown)
        for name in gone:
            del root[name]
        thinned = _thin(exchange, root, fields, shown)
        exchange.rewritten = exchange.rewritten or bool(gone) or thinned


def _unjudged(exchange: Exchange, root: dict[str, Any], shown: Collection[str]) -> list[str]:
    """Members that the profile does not know as items, and words that name another memory."""
    plain, ids = exchange.route.outward.items is None, exchange.profile.ids

    def beyond(name: str, part: Any) -> bool:
        if isinstance(part, str):
            return name == "message" and any(m[0] not in shown for m in ids.finditer(part))
        return plain and isinstance(part, dict | list)

    return [name for name, part in root.items() if beyond(name, part)]


def _id_fields(exchange: Exchange) -> frozenset[str]:
    """Names of the members in which the dialect puts a memory's id."""
    route = exchange.route
    named = (each.name for each in (*route.outward.id, *route.inward.ids))
    return frozenset({"id", "memory_id", *named})


def _strange(value: dict[str, Any], fields: Collection[str], shown: Collection[str]) -> bool:
    said = [value[name] for name in fields if name in value]
    return any(each is not None and str(each) not in shown for each in said)


def _thin(
    exchange: Exchange, root: dict[str, Any], fields: Collection[str], shown: Collection[str]
) -> bool:
    """Take what names another memory out of what holds it; whether there was any."""
    ids, changed = exchange.profile.ids, False

    def beyond(part: Any, listed: bool) -> bool:
        if isinstance(part, dict):
            return _strange(part, fields, shown)
        return listed and isinstance(part, str) and bool(ids.fullmatch(part)) and part not in shown

    stack: list[Any] = [root]
    while stack:
        holder = stack.pop()
        listed = isinstance(holder, list)
        parts = list(enumerate(holder)) if listed else list(holder.items())
        gone = [key for key, part in parts if beyond(part, listed)]
        for key in reversed(gone):
            del holder[key]
        changed = changed or bool(gone)
        stack += [part for key, part in parts if key not in gone and isinstance(part, dict | list)]
    return _nameless(exchange) or changed


def _nameless(exchange: Exchange) -> bool:
    """Take out items without an id: nobody can say whose they are."""
    selector = exchange.route.outward.items
    if selector is None or not selector.steps or selector.steps[-1] is not None:
        return False
    holder = container(exchange, selector.steps[:-1])
    if not isinstance(holder, list):
        return False
    kept = [raw for raw in holder if first(exchange.route.outward.id, raw) is not None]
    changed = len(kept) != len(holder)
    holder[:] = kept
    return changed


def container(exchange: Exchange, steps: Sequence[Any]) -> Any:
    """What stands in an answer behind these steps."""
    holder = exchange.answer[0]
    for step in steps:
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder
