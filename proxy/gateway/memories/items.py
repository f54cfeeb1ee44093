"""Reads: every item of an answer is looked up; what may not be read is taken out."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from policies import Context
from policies import decide as ask
from policies.retention import hidden_at
from proxy.gateway.answers.answers import container
from proxy.gateway.answers.look_up import look_up, look_up_owners
from proxy.gateway.answers.restore import NOT_FOUND, answer_with
from proxy.gateway.answers.said import (
    all_said,
    holds_items,
    judge_beside,
    named_beside,
    take_nested,
    unreadable,
)
from proxy.gateway.exchange import Exchange, Sifted
from proxy.gateway.memories import adopt, late
from proxy.gateway.memories.named import arrange, put_first
from proxy.gateway.memories.sighting import Seen
from proxy.gateway.request.concerned import of_memories, together
from proxy.gateway.request.extraction import check_items
from proxy.gateway.services import Concerned, GatewayServices
from proxy.gateway.wire.aside import run_aside
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.telemetry import metrics
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import first, slots
from proxy.upstreams.store import item_of

PURPOSE = "purpose"
BEYOND = frozenset({"foreign", "not-asked-for"})
PAGING = frozenset(
    {"count", "total", "page", "pages", "page_size", "limit", "offset", "next", "previous"}
)


async def filter_items(exchange: Exchange, services: GatewayServices) -> None:
    """Take out of the answer what the caller may not read, and count what stays."""
    await tally(exchange, services, await sift(exchange, services))


async def tally(exchange: Exchange, services: GatewayServices, found: Sifted) -> None:
    """Count what was shown and what was not; raises as ``check_items``."""
    for reason in found.reasons:
        metrics.ITEMS_HIDDEN.labels(reason).inc()
    await check_items(exchange, services, found.shown)


async def sift(exchange: Exchange, services: GatewayServices) -> Sifted:
    """Take out of the answer what the caller may not read."""
    if not exchange.answered or exchange.reply is None or exchange.reply.status >= 300:
        return Sifted()
    check_shape(exchange)
    found = await run_aside(exchange.heavy, _seen, exchange)
    await judge(exchange, services, found)
    hidden = {id(seen.raw) for seen in found if seen.reason}
    readable = [seen for seen in found if not seen.reason]
    wanted = await put_first(exchange, services, readable)
    shown = wanted[: exchange.policy.read.max_items]
    thinned = bool(hidden) or len(shown) < len(wanted)  # the client asked for no more than these
    hidden |= {id(seen.raw) for seen in readable} - {id(seen.raw) for seen in shown}
    _remove(exchange, hidden)
    arrange(exchange, shown)
    for seen in shown:
        take_nested(exchange, seen.raw)
    if any(seen.reason in BEYOND for seen in found):
        _distrust(exchange, len(found) - len(hidden))
    whose = together([seen.concerned for seen in shown] or [exchange.concerned])
    await judge_beside(exchange, services, whose, thinned=thinned, bare=not shown)
    return Sifted(
        frozenset(seen.memory.ref for seen in shown if seen.memory is not None),
        tuple(seen.reason for seen in found if seen.reason),
    )


def check_shape(exchange: Exchange) -> None:
    """Refuse an answer whose items are not where the profile says: they could not be judged.

    Raises:
        Problem: ``upstream-garbled``.
    """
    selector, answer = exchange.route.outward.items, exchange.answer[0]
    if selector is None or not _tells(exchange, answer):
        return
    if selector.steps:
        fits = isinstance(container(exchange, selector.steps[:-1]), list)
    else:
        fits = isinstance(answer, dict) and first(exchange.route.outward.id, answer) is not None
    if not fits:
        raise Problem(
            "upstream-garbled",
            "The store's answer has another shape than its profile says.",
            hint="Check that the profile fits the store's version.",
            upstream="sent",
        )


def _tells(exchange: Exchange, answer: Any) -> bool:
    """Whether an answer says more than that there is nothing, and how much of it.

    An event of a stream may say other things in plain members, or hold a text and no item beside
    it; a write's may have no results yet.
    """
    if not isinstance(answer, dict):
        return answer not in (None, [])
    if exchange.route.streams:
        texts = {each.steps[0] for each in exchange.route.outward.text if each.steps}
        return any(
            isinstance(part, list | dict)
            and part
            and (name not in texts or holds_items(exchange, part))
            for name, part in answer.items()
        )
    if exchange.route.op == "event" and "results" not in answer:
        return False
    known = PAGING | named_beside(exchange.route.outward) | exchange.profile.known_keys
    return any(
        name not in known or not (part in (None, [], {}) or isinstance(part, Number))
        for name, part in answer.items()
    )


def count_items(exchange: Exchange) -> int:
    """How many items an answer holds now."""
    return len(_seen(exchange))


def _seen(exchange: Exchange) -> list[Seen]:
    """Every item; a part of the list that is no item with an id cannot be judged and goes."""
    selector = exchange.route.outward.items
    if selector is None:
        return []
    found = []
    for slot in slots(selector, exchange.answer, 0):
        raw = slot.value
        item = item_of(exchange.route.outward, raw) if isinstance(raw, dict) else None
        if item is not None:
            found.append(Seen(raw, item))
    return found


async def judge(
    exchange: Exchange,
    services: GatewayServices,
    found: Sequence[Seen],
    *,
    addressed: bool = False,
) -> None:
    """Set the reason of every item that may not be read; ``addressed`` as in ``adopt``."""
    if not found:
        return
    await _look_up(exchange, services, found)
    await _check_owners(exchange, services, found)
    known = [seen for seen in found if seen.memory is not None]
    await late.take_back(exchange, services, [seen for seen in known if not seen.reason])
    await adopt.adopt(exchange, services, found, addressed=addressed)
    await _learn_whose(exchange, services, [seen for seen in found if not seen.reason])
    decided: dict[Any, str] = {}
    for seen in found:
        seen.reason = seen.reason or hidden_because(exchange, seen.memory, seen.concerned, decided)
    shown = [seen for seen in known if not seen.reason]  # of the others every word was judged
    listed = [(seen.raw, seen.item, seen.concerned) for seen in shown]
    for at in await unreadable(exchange, services, listed):
        shown[at].reason = PURPOSE
    await _check_blocked(exchange, services, [seen for seen in found if not seen.reason])


async def _look_up(exchange: Exchange, services: GatewayServices, found: Sequence[Seen]) -> None:
    known = await look_up(exchange, services, {seen.item.memory_id for seen in found})
    for seen in found:
        seen.memory, erased = known[seen.item.memory_id]
        if erased:
            seen.reason = "erased"


async def _learn_whose(
    exchange: Exchange, services: GatewayServices, found: Sequence[Seen]
) -> None:
    whose = await of_memories(exchange, services, [(seen.memory, seen.item) for seen in found])
    for seen, concerned in zip(found, whose, strict=True):
        seen.concerned = concerned


async def _check_owners(
    exchange: Exchange, services: GatewayServices, found: Sequence[Seen]
) -> None:
    """An item must belong to the tenant, and to the owner that was asked for."""
    pairs = {(kind, name) for seen in found for kind, name in seen.item.owners.items()}
    await look_up_owners(exchange, services, pairs)
    for seen in found:
        owners = seen.item.owners
        foreign = not owners.items() <= exchange.known.keys()
        if foreign or (seen.memory is None and not owners):
            seen.reason = "foreign"
        elif not _asked_for(exchange, seen):
            seen.reason = "not-asked-for"


def _asked_for(exchange: Exchange, seen: Seen) -> bool:
    owners = seen.item.owners
    if "" in exchange.required and owners:
        return not exchange.required[""].isdisjoint(owners.values())
    return all(owners[kind] in ids for kind, ids in exchange.required.items() if kind in owners)


def hidden_because(
    exchange: Exchange,
    memory: Memory | None,
    concerned: Concerned,
    decided: dict[Any, str] | None = None,
) -> str:
    """Why a memory may not be read now; empty if it may.

    Args:
        concerned: those whose it is.
        decided: what the policy said of other memories in this answer; it is asked once of equals.
    """
    if memory is None:
        passes = exchange.policy.read.unknown == "allow"
        return _purpose(exchange, (), None, concerned) if passes else "unknown"
    if memory.state != "live":
        return memory.state
    ends = hidden_at(
        exchange.policy, memory.tier, memory.expires_at, memory.created_at, memory.tags
    )
    if ends is not None and ends <= exchange.now:
        return "expired"
    known = {} if decided is None else decided
    aged = memory.created_at if exchange.policy.rules.texts["read"] else None
    # Without rules for texts nothing else of a memory counts; equals share those they concern.
    alike = (memory.categories, aged, id(concerned))
    if alike not in known:
        known[alike] = _purpose(exchange, memory.categories, memory.created_at, concerned)
    return known[alike]


def _purpose(
    exchange: Exchange,
    categories: Collection[str],
    created_at: datetime | None,
    concerned: Concerned,
) -> str:
    context = Context(
        operation="read",
        at=exchange.now,
        purpose=exchange.purpose,
        region=exchange.raw.header("expunge-region") or None,
        owners=concerned.owners,
        consents=concerned.consents,
        preferences=concerned.preferences,
        inherited_categories=frozenset(categories),
        content_at=created_at,
    )
    return PURPOSE if ask(exchange.policy, (), (), context).outcome != "allow" else ""


async def _check_blocked(
    exchange: Exchange, services: GatewayServices, found: Sequence[Seen]
) -> None:
    if not await services.blocklist.blocks_names(exchange.tenant_id):
        return
    pairs = {pair for seen in found for pair in seen.item.owners.items()}
    rows = await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)
    stored = await all_said(exchange, [(seen.raw, seen.item) for seen in found])
    read = await services.vault.restore_many(exchange.tenant_id, stored)  # a token names as well
    texts = [each.text for each in read]
    blocked = await services.blocklist.blocked_mentions(exchange.tenant_id, texts, rows)
    for seen, hits in zip(found, blocked, strict=True):
        if hits:
            seen.reason = "blocked"


def _remove(exchange: Exchange, hidden: set[int]) -> None:
    """Drop items from their list, and from the count beside it."""
    selector = exchange.route.outward.items
    if selector is None:
        return
    if not selector.steps:
        if id(exchange.answer[0]) in hidden:
            answer_with(exchange, exchange.route.absent or NOT_FOUND)
        return
    listed = container(exchange, selector.steps[:-1])
    if not isinstance(listed, list):
        return
    kept = [raw for raw in listed if isinstance(raw, dict) and id(raw) not in hidden]
    kept = [raw for raw in kept if first(exchange.route.outward.id, raw) is not None]
    dropped = len(listed) - len(kept)
    if dropped:
        listed[:] = kept
        exchange.rewritten = True
        lower_count(exchange, dropped)


def _distrust(exchange: Exchange, shown: int) -> None:
    """The store answered beyond what was asked: its total and its other pages tell too much."""
    for selector in exchange.route.outward.count:
        for slot in slots(selector, exchange.answer, 0):
            slot.value = shown
    root = exchange.answer[0]
    if isinstance(root, dict):
        for name in [name for name, value in root.items() if isinstance(value, Number)]:
            del root[name]  # a number that the profile does not know counts who knows what
    for selector in exchange.route.outward.links:
        for slot in slots(selector, exchange.answer, 0):
            slot.value = None


def lower_count(exchange: Exchange, dropped: int) -> None:
    """Make the answer's total agree with what is shown."""
    for selector in exchange.route.outward.count:
        for slot in slots(selector, exchange.answer, 0):
            text = str(slot.value)
            if text.isdigit():
                slot.value = max(0, int(text) - dropped)
