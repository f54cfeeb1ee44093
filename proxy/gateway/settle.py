"""After a write: what the store made of it goes into the ledger, or is taken back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from proxy import ids
from proxy.gateway.decide import edited
from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices, committed
from proxy.ledger import holds, memories, owners, provenance, writes
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.owners import Owner
from proxy.ledger.writes import Write
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.telemetry import get_logger, metrics
from proxy.upstreams.errors import StoreError
from proxy.upstreams.profile import Route
from proxy.upstreams.selectors import first, slots
from proxy.upstreams.store import item_of, items_of

_LOG = get_logger("gateway")
RECREATED = "memory.recreation_deleted"
RESTRICTION = "restriction"


@dataclass(frozen=True, slots=True)
class Made:
    """One memory that a write brought forth: the store's id and its text."""

    memory_id: str
    text: str


async def settle(exchange: Exchange, services: GatewayServices) -> None:
    """Record the outcome of a write.

    Raises:
        Problem: ``subject-locked`` if an erasure overtook the write; what it made is deleted.
    """
    reply, write_id = exchange.reply, exchange.write_id
    if reply is None or write_id is None:
        return
    exchange.concluded = True
    if reply.status >= 500:
        await conclude(services, write_id, "unknown")
    elif reply.status >= 400:
        await conclude(services, write_id, "failed")
    elif not await _await_event(exchange, services, write_id):
        made = _made(exchange)
        write = await services.ledger.read(lambda tx: writes.by_id(tx, write_id))
        if write is not None:
            kept = await settle_write(services, write, made)
            _hide(exchange, kept)


async def abandon(exchange: Exchange, services: GatewayServices, failure: Exception) -> None:
    """A request ended early: its intent is closed, or left to the reconciler if in doubt."""
    write_id = exchange.write_id
    if write_id is None or exchange.route.op not in _EVENT or exchange.concluded:
        return
    refused = isinstance(failure, Problem) and (
        failure.upstream == "not_sent" or failure.slug == "upstream-refused"
    )
    await conclude(services, write_id, "failed" if refused or not exchange.sent else "unknown")


async def conclude(services: GatewayServices, write_id: str, state: str) -> None:
    """Note how a write ended."""
    at = None if state == "unknown" else services.clock.now()
    await services.ledger.write(lambda tx: writes.conclude(tx, write_id, state, at=at))


async def _await_event(exchange: Exchange, services: GatewayServices, write_id: str) -> bool:
    later, answer = exchange.route.later, exchange.answer[0]
    if later is None or first((later.when,), answer) != later.equals:
        return False
    handle = first((later.handle,), answer)
    if not isinstance(handle, str):
        raise Problem("upstream-garbled", "The store's answer names no event.", upstream="sent")
    await services.ledger.write(lambda tx: _pend(tx, exchange, services, write_id, handle))
    metrics.PENDING_WRITES.inc()
    return True


async def _pend(
    tx: Tx, exchange: Exchange, services: GatewayServices, write_id: str, handle: str
) -> None:
    write = await writes.by_id(tx, write_id)
    rows = await owners.by_ids(tx, write.owner_ids) if write else []
    if not rows:
        raise Problem("internal", "A write without owners cannot wait.", upstream="sent")
    dek_id = sealing_owner(rows).dek_id
    sealed = await services.keyring.seal(
        tx, dek_id, handle.encode(), writes.aad(exchange.tenant_id, write_id)
    )
    await writes.await_event(
        tx,
        write_id,
        event_ref=exchange.names.of("event", handle),
        sealed_event=sealed,
        dek_id=dek_id,
    )


def _made(exchange: Exchange) -> list[Made]:
    """What the request brought forth: for updates the addressed memories and their new texts."""
    if exchange.route.op == "write":
        return made_of(exchange.route, exchange.answer[0])
    new = {text.group: edited(exchange, text) for text in exchange.texts if text.role == "content"}
    groups = groups_of(exchange)
    return [Made(each, new.get(groups.get(each, -1), "")) for each in exchange.targets]


def groups_of(exchange: Exchange) -> dict[str, int]:
    """Index of the batch item that names each memory."""
    inward = exchange.route.inward
    if inward.items is None:
        return {}
    return {
        str(place.value): index
        for index, item in enumerate(slots(inward.items, exchange.body, 0))
        for ids in inward.ids
        for place in slots(ids, item.container, item.key)
    }


def made_of(route: Route, answer: Any) -> list[Made]:
    """The memories named in an answer."""
    found = (item_of(route.outward, raw) for raw in items_of(route.outward, answer))
    return [Made(item.memory_id, item.text) for item in found if item is not None]


async def settle_write(services: GatewayServices, write: Write, made: Sequence[Made]) -> set[str]:
    """Record what a write made; anything that must not exist is deleted at once.

    Returns:
        The store's ids of what stays and may be read.

    Raises:
        Problem: ``subject-locked`` if an erasure of an owner began after the write.
    """
    names = await services.keyring.tenant(write.tenant_id)
    blocked = await _blocked(services, write, made)
    fine = [each for each in made if each.memory_id not in blocked]
    if blocked:
        metrics.RECREATIONS.inc(len(blocked))
        await _take_back(services, write, blocked)
        fields = {"write_id": write.id, "count": len(blocked)}
        await services.ledger.write(
            lambda tx: services.audit.append(tx, write.tenant_id, RECREATED, fields)
        )
    fenced = await committed(services.ledger, lambda tx: _record(tx, services, names, write, fine))
    if fenced:
        await _take_back(services, write, [each.memory_id for each in fine])
        await conclude(services, write.id, "killed")
        raise Problem(
            "subject-locked", "An erasure of the owner overtook this write.", upstream="sent"
        )
    return set() if write.plan["quarantined"] else {each.memory_id for each in fine}


async def _blocked(services: GatewayServices, write: Write, made: Sequence[Made]) -> list[str]:
    """Ids of memories whose text names somebody who was erased: the store wrote them again."""
    found = await services.blocklist.blocked_mentions(
        write.tenant_id, [each.text for each in made], write.owner_ids
    )
    return [each.memory_id for each, hits in zip(made, found, strict=True) if hits]


async def _take_back(services: GatewayServices, write: Write, memory_ids: Iterable[str]) -> None:
    store = services.stores[write.upstream].store
    for memory_id in memory_ids:
        try:
            await store.delete(memory_id)
        except StoreError:
            await conclude(services, write.id, "unknown")
            raise Problem(
                "upstream-unreachable",
                "What must not be kept could not be deleted yet; it will be.",
                upstream="sent",
            ) from None
        _LOG.warning("write.taken_back", upstream=write.upstream, write_id=write.id)


async def _record(
    tx: Tx, services: GatewayServices, names: Pseudonyms, write: Write, made: Sequence[Made]
) -> bool:
    """Insert the memories and conclude the write; True (and nothing else) if it is fenced."""
    if await writes.fenced(tx, write.id):
        return True
    rows = await owners.by_ids(tx, write.owner_ids)
    now = services.clock.now()
    refs = {memories.ref(names, write.upstream, each.memory_id): each for each in made}
    known = await memories.by_refs(tx, write.tenant_id, write.upstream, list(refs))
    fresh = []
    for ref, each in refs.items():
        if ref in known:
            await _renew(tx, names, write, known[ref], each, now)
        else:
            fresh.append(await _insert(tx, services, names, write, rows, ref, each, now))
    sources = await provenance.sources(tx, write.tenant_id, [ref for ref, _ in _edges(write.plan)])
    changed = [*fresh, *(memory.id for memory in (*known.values(), *sources))]
    await provenance.spread(tx, write.tenant_id, changed)
    await writes.conclude(tx, write.id, "settled", at=now)
    if made:
        await services.audit.append(
            tx, write.tenant_id, f"memory.{_EVENT[write.plan['op']]}", _fields(write, len(made))
        )
    return False


_EVENT = {"write": "written", "update": "updated", "batch_update": "updated"}


def _fields(write: Write, count: int) -> dict[str, Any]:
    return {
        "write_id": write.id,
        "count": count,
        "tier": write.plan["tier"],
        "categories": list(write.plan["categories"]),
        "quarantined": write.plan["quarantined"],
        "policy_digest": write.policy_digest,
    }


def sealing_owner(rows: Sequence[Owner]) -> Owner:
    """The owner whose key seals what belongs to several."""
    order = {"user": 0, "agent": 1, "run": 2, "app": 3}
    return min(rows, key=lambda row: order.get(row.kind, 9))


def part_for(plan: Mapping[str, Any], content: bytes) -> Mapping[str, Any]:
    """The part of a plan about one text; the whole where the store rephrased it."""
    for part in plan["parts"]:
        if part["content"] == content.hex():
            found: Mapping[str, Any] = part
            return found
    return plan


async def _insert(
    tx: Tx,
    services: GatewayServices,
    names: Pseudonyms,
    write: Write,
    rows: Sequence[Owner],
    ref: bytes,
    made: Made,
    now: datetime,
) -> str:
    content = memories.content_ref(names, made.text)
    part = part_for(write.plan, content)
    memory = await new_memory(
        tx,
        services,
        rows,
        Draft(
            write.tenant_id,
            write.upstream,
            ref,
            made.memory_id,
            "write",
            content,
            write.policy_digest,
            write.id,
        ),
        part,
        now,
    )
    await memories.insert(
        tx,
        memory,
        owner_ids=[row.id for row in rows],
        entity_ids=part["entities"],
        refs=[provenance.id_ref(names, made.memory_id), *_refs(write.plan)],
    )
    await provenance.insert(tx, write.tenant_id, memory.id, _edges(write.plan), now)
    return memory.id


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a memory before its row is made."""

    tenant_id: str
    upstream: str
    ref: bytes
    memory_id: str
    origin: str
    content: bytes
    policy_digest: str
    write_id: str | None = None


async def new_memory(
    tx: Tx,
    services: GatewayServices,
    rows: Sequence[Owner],
    draft: Draft,
    part: Mapping[str, Any],
    now: datetime,
) -> Memory:
    """A memory's row, its id sealed; under a restricted owner it is restricted (GDPR Art. 18)."""
    row_id, dek_id = ids.new("mem"), sealing_owner(rows).dek_id
    limits = await holds.in_force(
        tx, draft.tenant_id, owner_ids=[row.id for row in rows], kind=RESTRICTION
    )
    state = "restricted" if limits else "live"
    sealed = await services.keyring.seal(
        tx, dek_id, draft.memory_id.encode(), memories.aad(draft.tenant_id, row_id)
    )
    return Memory(
        id=row_id,
        tenant_id=draft.tenant_id,
        upstream=draft.upstream,
        ref=draft.ref,
        sealed_id=sealed,
        dek_id=dek_id,
        origin=draft.origin,
        state="quarantined" if part["quarantined"] else state,
        tier=part["tier"],
        policy_digest=draft.policy_digest,
        created_at=now,
        write_id=draft.write_id,
        categories=tuple(part["categories"]),
        tags=tuple(part["tags"]),
        content_ref=draft.content,
        expires_at=moment(part["expires_at"]),
        prompt_at=moment(part["prompt_at"]),
    )


async def _renew(
    tx: Tx,
    names: Pseudonyms,
    write: Write,
    memory: Memory,
    made: Made,
    now: datetime,
) -> None:
    """An update: the new text's tags; what the memory inherited stays."""
    if memory.state == "erased":
        return
    content = memories.content_ref(names, made.text) if made.text else memory.content_ref
    part = part_for(write.plan, content or b"")
    entities = list(part["entities"])
    inherits = await provenance.sources(
        tx,
        write.tenant_id,
        [edge.source_ref for edge in await provenance.edges_of(tx, [memory.id])],
    )
    categories, expiry = provenance.inherited(inherits)
    ends = [at for at in (moment(part["expires_at"]), expiry) if at is not None]
    replaced = bool(made.text)
    if replaced:
        await memories.unlink_entities(tx, memory.id)
    else:
        categories, ends = (
            categories | set(memory.categories),
            [at for at in (*ends, memory.expires_at) if at is not None],
        )
    await memories.link_entities(tx, memory.id, entities)
    await memories.change(
        tx,
        memory.id,
        tier=part["tier"] if replaced else memory.tier,
        categories=sorted(categories | set(part["categories"])),
        tags=sorted(set(part["tags"]) | (set() if replaced else set(memory.tags))),
        expires_at=min(ends, default=None),
        prompt_at=moment(part["prompt_at"]) if replaced else memory.prompt_at,
        state="quarantined" if part["quarantined"] else memory.state,
        content_ref=content,
        policy_digest=write.policy_digest,
        write_id=write.id,
        updated_at=now,
    )
    await provenance.insert(tx, write.tenant_id, memory.id, _edges(write.plan), now)


def _refs(plan: Mapping[str, Any]) -> list[bytes]:
    return [bytes.fromhex(ref) for ref in plan["refs"]]


def _edges(plan: Mapping[str, Any]) -> list[tuple[bytes, str]]:
    return [(bytes.fromhex(ref), how) for ref, how in plan["edges"]]


def moment(text: str | None) -> datetime | None:
    """An instant of a plan."""
    return None if text is None else datetime.fromisoformat(text)


def _hide(exchange: Exchange, kept: set[str]) -> None:
    """Leave out of the answer what was taken back or is held."""
    selector = exchange.route.outward.items
    if selector is None or not selector.steps or selector.steps[-1] is not None:
        return
    holder = exchange.answer[0]
    for step in selector.steps[:-1]:
        holder = holder.get(step) if isinstance(holder, dict) else None
    if not isinstance(holder, list):
        return
    shown = [raw for raw in holder if str(first(exchange.route.outward.id, raw)) in kept]
    if len(shown) != len(holder):
        holder[:] = shown
        exchange.rewritten = True
