"""Searches that name somebody: the memories that mention whom they name come first.

The store compares tokens, which look alike to its model, and a part of a name has another token
than the whole. The ledger knows which memories mention whom. So the store is asked for more than
the client wants, and of what may be read that is put first; its order and scores stay otherwise.
"""

from collections.abc import Collection, Sequence
from typing import Any

from proxy.gateway.answers.answers import container
from proxy.gateway.exchange import Exchange, Sought
from proxy.gateway.hop.forward import send
from proxy.gateway.memories.sighting import Seen
from proxy.gateway.request.decide import to_tokenise
from proxy.gateway.request.scope import places
from proxy.gateway.services import GatewayServices
from proxy.ledger import memories
from proxy.upstreams.plain_json import Number
from proxy.upstreams.profile import Hits
from proxy.upstreams.selectors import Slot

MOST_NAMES = 16  # of one search
MOST_DIGITS = 9  # of a number of items: a longer one is the store's to refuse
TOO_MANY = frozenset({400, 413, 422})  # how a store may refuse a number


async def seek(exchange: Exchange, services: GatewayServices) -> None:
    """Ask for more where the query names, in words that the store sees as tokens, somebody known.

    That is for as many as the ledger knows under the owners, up to what the profile says. A search
    that names nobody whom they mention stays as it is.
    """
    hits, texts = exchange.route.hits, exchange.texts
    named = list(to_tokenise(text for text in texts if text.role == "query"))[:MOST_NAMES]
    if hits is None or not named:
        return
    said = [place for each in hits.limit for place in places(exchange, each)]
    limit = _limit([place.value for place in said], hits)
    pairs = {(owner.kind, owner.upstream_id) for owner in exchange.owners}
    rows = await services.owners.row_ids(services.ledger, exchange.names, exchange.tenant_id, pairs)
    if limit is None or not rows:
        return
    found = await services.vault.mentioned(exchange.tenant_id, named, rows)
    if not any(found):
        return
    at = tuple(said or [Slot(exchange.body[0], hits.limit[0].name)])
    exchange.sought = Sought(tuple(found), limit, at)
    known = await services.ledger.read(lambda tx: memories.number_under(tx, rows, hits.maximum))
    if known > limit and not _is_dear(exchange, hits):
        _ask_for(exchange, exchange.sought, known)


async def seek_less(exchange: Exchange, services: GatewayServices) -> None:
    """Ask a store that refuses so many for what the client wants; raises as ``send``."""
    reply, sought = exchange.reply, exchange.sought
    if sought is not None and reply is not None and reply.status in TOO_MANY:
        _ask_for(exchange, sought, sought.limit)
        await send(exchange, services)


def _ask_for(exchange: Exchange, sought: Sought, number: int) -> None:
    for place in sought.places:
        place.value = Number(str(number))
    exchange.changed = True


def _is_dear(exchange: Exchange, hits: Hits) -> bool:
    """Whether the store spends more on each item: on what the client did not want it shall not."""
    return hits.unless is not None and any(
        place.value not in (None, False) for place in places(exchange, hits.unless)
    )


def _limit(said: Sequence[Any], hits: Hits) -> int | None:
    """How many items are wanted; None if that is not certain, or none are."""
    numbers = [value for value in said if value is not None]
    spelled = {str(value) if isinstance(value, Number) else "" for value in numbers}
    if not spelled:
        return hits.usual
    text = spelled.pop()
    if spelled or not text.isdecimal() or len(text) > MOST_DIGITS:
        return None
    return int(text) or None


async def put_first(
    exchange: Exchange, services: GatewayServices, shown: Sequence[Seen]
) -> list[Seen]:
    """What the client gets of the items that it may read, in the order in which it gets them.

    More of those named come first, among as many those named wholly; else the store's order stays.
    """
    sought = exchange.sought
    if sought is None:
        return list(shown)
    known = {seen.memory.id for seen in shown if seen.memory is not None}
    linked = await services.ledger.read(lambda tx: memories.entities_of(tx, known))

    def rank(seen: Seen) -> tuple[int, int]:
        return _named(sought, linked.get(seen.memory.id, ()) if seen.memory is not None else ())

    return sorted(shown, key=rank, reverse=True)[: sought.limit]


def _named(sought: Sought, entities: Collection[str]) -> tuple[int, int]:
    """How many of the names mean one of the entities, and how many of these wholly."""
    wholly = [
        any(named[each] for each in entities if each in named)
        for named in sought.named
        if not named.keys().isdisjoint(entities)
    ]
    return len(wholly), sum(wholly)


def arrange(exchange: Exchange, shown: Sequence[Seen]) -> None:
    """Give the items of the answer the order of ``shown``; all others were taken out."""
    selector = exchange.route.outward.items
    listed: Any = container(exchange, selector.steps[:-1]) if selector is not None else None
    ordered = [seen.raw for seen in shown]
    if exchange.sought is not None and isinstance(listed, list) and listed != ordered:
        listed[:] = ordered
        exchange.rewritten = True
