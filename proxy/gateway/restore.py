"""The way back: the client's ids, the client's words, the client's host; nothing of ours."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote_plus, urlsplit

from proxy.gateway import document
from proxy.gateway.exchange import Exchange, Reply
from proxy.gateway.forward import reply_headers
from proxy.gateway.owners import KINDS
from proxy.gateway.services import GatewayServices
from proxy.ledger import owners
from proxy.upstreams.profile import Answer
from proxy.upstreams.selectors import Selector, Slot, slots
from proxy.upstreams.transport import UpstreamReply

JSON_TYPE = ("Content-Type", "application/json")
NOT_FOUND = Answer(404, {"detail": "Not found"})


async def restore(exchange: Exchange, services: GatewayServices) -> None:
    """Rewrite the answer for the client, where anything in it must change."""
    if not exchange.answered:
        return
    _drop(exchange)
    _stamps(exchange)
    strings = list(_strings(exchange))
    await _learn_owners(exchange, services, strings)
    _owner_ids(exchange, strings)
    _links(exchange)
    if exchange.caller.roles & set(exchange.policy.read.detokenise_roles):
        await _words(exchange, services, strings)


def reply_of(exchange: Exchange) -> Reply:
    """The reply as it goes out: the store's own bytes unless something had to change."""
    found = exchange.reply
    if found is None:
        raise RuntimeError("a request ended without a reply")
    headers = reply_headers(found, rewritten=exchange.rewritten)
    body = document.dump(exchange.answer[0]) if exchange.rewritten else found.body
    return Reply(found.status, headers, body)


def answer_with(exchange: Exchange, answer: Answer, extra: dict[str, Any] | None = None) -> None:
    """Answer as the store would, without asking it."""
    body = {**answer.body, **extra} if extra and isinstance(answer.body, dict) else answer.body
    exchange.reply = UpstreamReply(answer.status, (JSON_TYPE,), document.dump(body))
    exchange.answer, exchange.answered, exchange.rewritten = [body], True, True


def _drop(exchange: Exchange) -> None:
    for selector in exchange.route.outward.drop:
        for slot in _places(exchange, selector):
            if isinstance(slot.container, dict):
                del slot.container[slot.key]
                exchange.rewritten = True


def _places(exchange: Exchange, selector: Selector) -> list[Slot]:
    """A ``$`` selector from the root, an ``@`` selector from every item."""
    if not selector.relative:
        return list(slots(selector, exchange.answer, 0))
    items = exchange.route.outward.items
    if items is None:
        return []
    return [
        place
        for item in slots(items, exchange.answer, 0)
        for place in slots(selector, item.container, item.key)
    ]


async def _learn_owners(
    exchange: Exchange, services: GatewayServices, strings: Sequence[Slot]
) -> None:
    """Opaque ids of this tenant that the answer shows and the request did not name."""
    opaque = re.compile(f"{owners.prefix(exchange.names)}-[a-z2-7]{{26}}")
    seen = {slot.value for slot in strings if opaque.fullmatch(slot.value)}
    unknown = seen - {upstream_id for _, upstream_id in exchange.known}
    if unknown:
        exchange.known.update(
            await services.owners.client_ids(
                services.ledger,
                services.keyring,
                exchange.names,
                exchange.tenant_id,
                exchange.binding.store.owner_form,
                {(kind, upstream_id) for kind in KINDS for upstream_id in unknown},
                services.clock.monotonic(),
            )
        )


def _owner_ids(exchange: Exchange, strings: Sequence[Slot]) -> None:
    """Wherever a known upstream id stands as a whole string, the client's id goes back."""
    known = {upstream_id: client_id for (_, upstream_id), client_id in exchange.known.items()}
    if all(upstream_id == client_id for upstream_id, client_id in known.items()):
        return
    for slot in strings:
        if slot.value in known:
            slot.value = known[slot.value]
            exchange.rewritten = True


def _stamps(exchange: Exchange) -> None:
    """Our stamp is not the client's business, wherever metadata stands."""
    stamp = exchange.profile.stamp
    stack = [exchange.answer[0]]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if stamp in value:
                del value[stamp]
                exchange.rewritten = True
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _links(exchange: Exchange) -> None:
    """Links to other pages lead through the proxy, with the client's ids in them."""
    for selector in exchange.route.outward.links:
        for slot in slots(selector, exchange.answer, 0):
            if isinstance(slot.value, str):
                slot.value = _through_us(exchange, slot.value)
                exchange.rewritten = True


def _through_us(exchange: Exchange, link: str) -> str:
    parts = urlsplit(link)
    query = parts.query
    for (_, upstream_id), client_id in exchange.known.items():
        query = query.replace(quote_plus(upstream_id), quote_plus(client_id))
    path = parts.path + (f"?{query}" if query else "")
    return exchange.raw.origin + path


async def _words(exchange: Exchange, services: GatewayServices, strings: Sequence[Slot]) -> None:
    """Clear words for tokens in every string and in every key; keys last, they are places."""
    found = [slot for slot in strings if "_" in slot.value]
    keys = [leaf.slot for leaf in document.leaves(exchange.answer, 0)
            if leaf.is_key and "_" in leaf.slot.key]  # fmt: skip
    texts = [*(slot.value for slot in found), *(slot.key for slot in keys)]
    if not texts:
        return
    restored = await services.vault.restore_many(exchange.tenant_id, texts)
    for index, new in enumerate(restored):
        if not new.changed:
            continue
        exchange.rewritten = True
        if index < len(found):
            found[index].value = new.text
        else:
            place = keys[index - len(found)]
            document.rename(place.container, place.key, new.text)  # a key that is taken stays


def _strings(exchange: Exchange) -> Iterable[Slot]:
    for leaf in document.leaves(exchange.answer, 0):
        if not leaf.is_key and isinstance(leaf.slot.value, str):
            yield leaf.slot
