"""The way back: the client's ids, the client's words, the client's host; nothing of ours."""

import re
from collections.abc import Sequence
from typing import Any

from proxy.gateway.answers.cited import strike
from proxy.gateway.answers.look_up import look_up_owners
from proxy.gateway.exchange import Exchange, Reply
from proxy.gateway.hop.forward import reply_headers
from proxy.gateway.hop.leads import through_us
from proxy.gateway.owners import KINDS
from proxy.gateway.services import GatewayServices
from proxy.gateway.wire import document
from proxy.gateway.wire.aside import run_aside
from proxy.ledger import memories, owners
from proxy.tokens import surrogate
from proxy.tokens.restore import Restored, restore_text
from proxy.tokens.surrogate import may_hold
from proxy.upstreams import plain_json
from proxy.upstreams.profile import Answer
from proxy.upstreams.selectors import Slot, holds, slots
from proxy.upstreams.transport import UpstreamReply

JSON_TYPE = ("Content-Type", "application/json")
HELD = "Expunge-Held"  # how many memories of a write wait for a review
UNKNOWN_SOURCES = "Expunge-Unknown-Sources"  # how many of `derived_from` are no memory (yet)
_OPAQUE = re.compile(r"[a-z2-7]{26}")
OPAQUE_ID = re.compile(r"(?<![a-z0-9])[a-z0-9]{8}-[a-z2-7]{26}(?![a-z0-9])")
Place = tuple[Any, Any]  # container and key
NOT_FOUND = Answer(404, {"detail": "Not found"})


async def restore(exchange: Exchange, services: GatewayServices) -> None:
    """Rewrite the answer for the client, where anything in it must change."""
    if not exchange.answered:
        return
    _drop(exchange)
    strings, keys = await run_aside(exchange.heavy, _survey, exchange)
    await strike(exchange, services, strings)
    await _learn_owners(exchange, services, strings)
    _owner_ids(exchange, strings)
    if exchange.caller.roles & set(exchange.policy.read.detokenise_roles):
        await _words(exchange, services, strings, keys)
    _links(exchange)


def reply_of(exchange: Exchange) -> Reply:
    """The reply as it goes out: the store's own bytes unless something had to change."""
    if exchange.ready is not None:
        return exchange.ready
    found = exchange.reply
    if found is None:
        raise RuntimeError("a request ended without a reply")
    headers = reply_headers(exchange, found, rewritten=exchange.rewritten)
    counted = ((HELD, exchange.held), (UNKNOWN_SOURCES, exchange.sources.unknown))
    headers = (*headers, *((name, str(count)) for name, count in counted if count))
    if exchange.raw.method == "HEAD" and (length := found.header("content-length")):
        headers = (*headers, ("Content-Length", length))
    body = plain_json.dump(exchange.answer[0]) if exchange.rewritten else found.body
    return Reply(found.status, headers, body)


def answer_with(exchange: Exchange, answer: Answer, extra: dict[str, Any] | None = None) -> None:
    """Answer as the store would, without asking it."""
    body = {**answer.body, **extra} if extra and isinstance(answer.body, dict) else answer.body
    exchange.reply = UpstreamReply(answer.status, (JSON_TYPE,), plain_json.dump(body))
    exchange.answer, exchange.answered, exchange.rewritten = [body], True, True


def _drop(exchange: Exchange) -> None:
    """A ``$`` selector starts from the root, an ``@`` selector from every item."""
    outward = exchange.route.outward
    items = list(slots(outward.items, exchange.answer, 0)) if outward.items else []
    for selector in outward.drop:
        starts = items if selector.relative else [Slot(exchange.answer, 0)]
        found = [at for at in starts if holds(selector, at.container[at.key])]
        for slot in [place for at in found for place in slots(selector, at.container, at.key)]:
            if isinstance(slot.container, dict):
                del slot.container[slot.key]
                exchange.rewritten = True


async def _learn_owners(
    exchange: Exchange, services: GatewayServices, strings: Sequence[Place]
) -> None:
    """Opaque ids of this tenant that the answer shows and the request did not name."""
    mine = owners.prefix(exchange.names) + "-"
    said = {at[key] for at, key in strings if at[key].startswith(mine)}
    seen = {text for text in said if _OPAQUE.fullmatch(text[len(mine) :])}
    unknown = seen - {upstream_id for _, upstream_id in exchange.known}
    if unknown:
        pairs = {(kind, upstream_id) for kind in KINDS for upstream_id in unknown}
        await look_up_owners(exchange, services, pairs)


def _owner_ids(exchange: Exchange, strings: Sequence[Place]) -> None:
    """Wherever a known upstream id stands as a whole string, the client's id goes back."""
    known = {upstream_id: client_id for (_, upstream_id), client_id in exchange.known.items()}
    if all(upstream_id == client_id for upstream_id, client_id in known.items()):
        return
    for at, key in strings:
        if at[key] in known:
            at[key] = known[at[key]]
            exchange.rewritten = True


def _survey(exchange: Exchange) -> tuple[list[Place], list[Place]]:
    """Every string, and every member name that may hold a token; our stamp is taken out on the way.

    The stamp is not the client's business, wherever metadata stands.
    """
    stamp, empty = exchange.profile.stamp, exchange.profile.empty_metadata
    strings: list[Place] = []
    keys: list[Place] = []
    stack: list[Any] = [exchange.answer]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if stamp in value:
                del value[stamp]
                exchange.rewritten = True
            keys += [(value, key) for key in value if "_" in key and may_hold(key)]
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(part, str):
                strings.append((value, key))
            elif empty is None and isinstance(part, dict) and part.keys() == {stamp}:
                value[key] = None  # there was nothing but the stamp
                exchange.rewritten = True
            elif isinstance(part, dict | list):
                stack.append(part)
    return strings, keys


def _links(exchange: Exchange) -> None:
    """Links to other pages lead through the proxy, with the client's ids and no other in them."""
    for selector in exchange.route.outward.links:
        for slot in slots(selector, exchange.answer, 0):
            if isinstance(slot.value, str):
                link = through_us(exchange, slot.value)
                slot.value = None if OPAQUE_ID.search(link) else link
                exchange.rewritten = True


async def _restored(
    exchange: Exchange, services: GatewayServices, texts: Sequence[str]
) -> list[Restored]:
    """The texts with clear words; the writer's own words need not be asked for."""
    own = _just_said(exchange)
    found = {text: {(at.code, at.form) for at in surrogate.find(text)} for text in texts}
    others = [text for text, tokens in found.items() if not tokens <= own.keys()]
    asked = await clear(exchange, services, others) if others else []
    restored = dict(zip(others, asked, strict=True))
    return [restored.get(text) or restore_text(text, own) for text in texts]


async def clear(
    exchange: Exchange, services: GatewayServices, texts: Sequence[str]
) -> list[Restored]:
    """Texts with clear words for the tokens of those owners whose texts these are."""
    rows = await _whose(exchange, services)
    return await services.vault.restore_many(exchange.tenant_id, texts, owners=rows)


async def _whose(exchange: Exchange, services: GatewayServices) -> set[str]:
    """Row ids of the owners that the request or its answer is about."""
    rows = {row.id for row in exchange.owner_rows}
    rows |= set(exchange.write.owner_ids) if exchange.write is not None else set()
    rows |= await services.owners.row_ids(
        services.ledger, exchange.names, exchange.tenant_id, exchange.known.keys()
    )
    if exchange.rows and not rows:  # a history that does not say whose it is
        memory_ids = [memory.id for memory in exchange.rows.values()]
        linked = await services.ledger.read(lambda tx: memories.owners_of(tx, memory_ids))
        rows = {each for found in linked.values() for each in found}
    return rows


def _just_said(exchange: Exchange) -> dict[tuple[str, int], str]:
    """What the tokens of a write that is settled stand for, by stem and form."""
    if exchange.write is None:
        return {}
    return {
        (at.code, at.form): original
        for (_, original), token in exchange.tokens.items()
        for at in surrogate.find(token)
    }


async def _words(
    exchange: Exchange, services: GatewayServices, strings: Sequence[Place], keys: Sequence[Place]
) -> None:
    """Clear words for tokens in every string and in every key; keys last, they are places."""
    found = [(at, key) for at, key in strings if "_" in at[key] and may_hold(at[key])]
    texts = [*(at[key] for at, key in found), *(key for _, key in keys)]
    if not texts:
        return
    restored = await _restored(exchange, services, texts)
    for index, new in enumerate(restored):
        if not new.changed:
            continue
        exchange.rewritten = True
        if index < len(found):
            at, key = found[index]
            at[key] = new.text
        else:
            at, key = keys[index - len(found)]
            document.rename(at, key, new.text)  # a key that is taken stays
