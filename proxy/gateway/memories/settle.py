"""After a write: what the store made of it goes into the ledger, or is taken back."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from proxy.background import spawn
from proxy.erasure.saga.withdrawal import withdraw
from proxy.gateway.answers import answers, rows
from proxy.gateway.answers.rows import Made, sealing_owner
from proxy.gateway.exchange import Exchange
from proxy.gateway.memories import drawn
from proxy.gateway.request.batches import groups_of
from proxy.gateway.request.decide import edited
from proxy.gateway.services import GatewayServices, committed
from proxy.ledger import entities, holds, memories, owners, writes
from proxy.ledger.engine import Tx
from proxy.ledger.writes import Write
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.telemetry import get_logger, metrics
from proxy.upstreams.errors import StoreError
from proxy.upstreams.profile import Route
from proxy.upstreams.selectors import first
from proxy.upstreams.store import item_of, items_of

_LOG = get_logger("gateway")
RECREATED = "memory.recreation_deleted"


async def settle(exchange: Exchange, services: GatewayServices) -> None:
    """Record the outcome of a write.

    Raises:
        Problem: ``subject-locked`` if an erasure overtook the write; what it made is deleted.
            ``upstream-garbled`` if the answer tells no outcome; the write stays open.
    """
    reply, write_id = exchange.reply, exchange.write_id
    if reply is None or write_id is None:
        return
    _check_shape(exchange)
    exchange.concluded = True
    if reply.status >= 500:
        drawn.hold(exchange, services)
        await conclude(services, write_id, "unknown")
    elif reply.status >= 400:
        await conclude(services, write_id, "failed")
    elif await _await_event(exchange, services, write_id):
        answers.show(exchange, ())
    else:
        write = exchange.write
        if write is not None:
            made = await _made(exchange, services, write)
            write = replace(write, event_ref=_event_of(exchange, write))
            write = await drawn.attributed(services, write, made, drawn.said(exchange))
            kept = await settle_write(services, write, made, since=exchange.intended_at)
            if made and not kept and exchange.route.op != "write":  # its answer names no memory
                raise _overtaken()
            shown = _readable(exchange, write, made) & kept
            exchange.held = len(kept - shown)
            answers.show(exchange, shown)


def _check_shape(exchange: Exchange) -> None:
    reply, writes_anew = exchange.reply, exchange.route.op == "write"
    if not (writes_anew and exchange.answered and reply is not None and reply.status < 300):
        return
    if exchange.answer[0] is not None and not isinstance(exchange.answer[0], dict):
        raise Problem(
            "upstream-garbled",
            "The store's answer has another shape than its profile says.",
            hint="Check that the profile fits the store's version.",
            upstream="sent",
        )


def _readable(exchange: Exchange, write: Write, made: Sequence[Made]) -> set[str]:
    """Ids of what is not held for review."""
    return {
        each.memory_id for each in made if not _part(exchange.names, write, each)["quarantined"]
    }


def _part(names: Pseudonyms, write: Write, made: Made) -> Mapping[str, Any]:
    """The part of a write's plan about what it made."""
    ref = memories.ref(names, write.upstream, made.memory_id)
    return rows.part_for(write.plan, memories.content_ref(names, made.text), ref)


async def abandon(exchange: Exchange, services: GatewayServices, failure: Exception) -> None:
    """A request ended early: its intent is closed, or left to the reconciler if in doubt."""
    write_id = exchange.write_id
    if write_id is None or exchange.route.op not in rows.EVENT or exchange.concluded:
        return
    refused = isinstance(failure, Problem) and (
        failure.upstream == "not_sent" or failure.slug == "upstream-refused"
    )
    if refused or not exchange.sent:
        await conclude(services, write_id, "failed")
    else:
        drawn.hold(exchange, services)
        await conclude(services, write_id, "unknown")


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
    drawn.hold(exchange, services)
    await services.ledger.write(lambda tx: _pend(tx, exchange, services, write_id, handle))
    metrics.PENDING_WRITES.inc()
    return True


def _event_of(exchange: Exchange, write: Write) -> bytes | None:
    """The event of a write that is over already; ours is the write's own id, and is not kept."""
    later = exchange.route.later
    handle = None if later is None else first((later.handle,), exchange.answer[0])
    named = isinstance(handle, str) and handle != write.id
    return exchange.names.of("event", str(handle)) if named else None


async def _pend(
    tx: Tx, exchange: Exchange, services: GatewayServices, write_id: str, handle: str
) -> None:
    write = await writes.by_id(tx, write_id)
    found = await owners.by_ids(tx, write.owner_ids) if write else []
    if not found:
        raise Problem("internal", "A write without owners cannot wait.", upstream="sent")
    dek_id = sealing_owner(found).dek_id
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


async def _made(exchange: Exchange, services: GatewayServices, write: Write) -> list[Made]:
    """What the request brought forth: for updates the addressed memories and their new texts."""
    if exchange.route.op == "write":
        named = made_of(exchange.route, exchange.answer[0])
        return await answers.read_back(services, write, named)
    new = {text.group: edited(exchange, text) for text in exchange.texts if text.role == "content"}
    groups = groups_of(exchange)
    return [
        Made(each, next((new[group] for group in reversed(groups[each]) if group in new), ""))
        for each in exchange.targets
    ]


def made_of(route: Route, answer: Any) -> list[Made]:
    """The memories named in an answer; whether they are the write's is still to be asked."""
    found = (item_of(route.outward, raw) for raw in items_of(route.outward, answer))
    return [Made(item.memory_id, item.text) for item in found if item is not None]


async def settle_write(
    services: GatewayServices, write: Write, made: Sequence[Made], *, since: int | None = None
) -> set[str]:
    """Record what a write made; anything that must not exist is deleted at once.

    Args:
        made: memories known to be the write's: see ``answers``.
        since: the ledger's state after the intent; with it the commit may end behind the answer.

    Returns:
        The store's ids of what stays.

    Raises:
        Problem: ``subject-locked`` if an erasure of an owner began after the write.
    """
    names = await services.keyring.tenant(write.tenant_id)
    held = services.unsettled.of(write.id)
    write = await drawn.attributed(services, write, made, held) if held else write
    blocked = await _blocked(services, write, made)
    fine = [each for each in made if each.memory_id not in blocked]
    if blocked:
        metrics.RECREATIONS.inc(len(blocked))
        left = await _take_back(services, write, blocked)
        fields = {"write_id": write.id, "count": len(blocked), "rows_left": left}
        await services.ledger.write(
            lambda tx: services.audit.append(tx, write.tenant_id, RECREATED, fields)
        )
    ledger = services.ledger
    record = partial(committed, ledger, lambda tx: rows.record(tx, services, names, write, fine))
    if since is None or not ledger.may_promise or await _fenced(services, write, since):
        await _end(services, write, fine, record())
    else:
        promised = _end(services, write, fine, ledger.promise(record()))
        _ = spawn(promised, name="write-end", on_failure=partial(_left_open, write))
    return {each.memory_id for each in fine}


async def _fenced(services: GatewayServices, write: Write, since: int) -> bool:
    """Whether an erasure overtook the write; what one does that begins later comes after it."""
    if services.ledger.recall.present() == since:
        return False  # nobody committed anything
    found = await services.ledger.read(lambda tx: writes.owners_unless_fenced(tx, write.id))
    return found is None


async def _end(
    services: GatewayServices, write: Write, made: Sequence[Made], fenced: Awaitable[bool]
) -> None:
    """Take back what a write made if it turns out to be fenced; raises as ``settle_write``."""
    if await fenced:
        await _take_back(services, write, [each.memory_id for each in made])
        await conclude(services, write.id, "killed")
        raise _overtaken()


def _overtaken() -> Problem:
    return Problem("subject-locked", "An erasure overtook this write.", upstream="sent")


def _left_open(write: Write, _: str, failure: BaseException) -> None:
    """After the answer: the intent stays, and its stamp at the store is looked for again."""
    slug = failure.slug if isinstance(failure, Problem) else "internal"
    if slug != "subject-locked":  # then it was taken back, and nothing is left
        _LOG.warning("write.not_settled", write_id=write.id, slug=slug)


async def _blocked(services: GatewayServices, write: Write, made: Sequence[Made]) -> list[str]:
    """Ids of memories about somebody who was erased: the store wrote them again, or too late."""
    late = await _late(services, write, made)
    if not await services.blocklist.blocks_names(write.tenant_id):
        return late
    read = await services.vault.restore_many(write.tenant_id, [each.text for each in made])
    found = await services.blocklist.blocked_mentions(
        write.tenant_id, [each.text for each in read], write.owner_ids
    )
    named = [each.memory_id for each, hits in zip(made, found, strict=True) if hits]
    return list(dict.fromkeys([*late, *named]))


async def _late(services: GatewayServices, write: Write, made: Sequence[Made]) -> list[str]:
    """Ids of memories that mention an entity which was erased after the write had begun."""
    if not write.entity_ids:
        return []
    names = await services.keyring.tenant(write.tenant_id)
    found = await services.ledger.read(
        lambda tx: entities.by_id(tx, write.tenant_id, write.entity_ids)
    )
    erased = {each.id for each in found.values() if each.state == "erased"}
    return [
        each.memory_id
        for each in made
        if erased.intersection(_part(names, write, each)["entities"])
    ]


async def _take_back(
    services: GatewayServices, write: Write, memory_ids: Sequence[str]
) -> int | None:
    """Delete memories and what the layers beside them hold of them; raises as ``settle_write``.

    Returns:
        Rows that are left there, for ``reconcile``; None where a layer did not answer.
    """
    store = services.stores[write.upstream].store
    held = await services.ledger.read(
        lambda tx: holds.in_force(tx, write.tenant_id, owner_ids=write.owner_ids)
    )
    try:
        left = await withdraw(store, memory_ids, buffers=not held)
    except StoreError:
        await conclude(services, write.id, "unknown")
        raise Problem(
            "upstream-unreachable",
            "What must not be kept could not be deleted yet; it will be.",
            upstream="sent",
        ) from None
    told = {"upstream": write.upstream, "write_id": write.id, "residual": left}
    _LOG.warning("write.taken_back", count=len(memory_ids), **told)
    return left
