"""Lists in pages: the store is asked for no more of a page than the policy shows of one answer.

Else what a page holds above ``read.max_items`` stands on no other page either.
"""

from collections.abc import Iterator

from proxy.gateway.exchange import Exchange
from proxy.gateway.memories.named import MOST_DIGITS
from proxy.gateway.request.scope import places
from proxy.gateway.services import GatewayServices
from proxy.upstreams.plain_json import Number
from proxy.upstreams.selectors import Slot


async def fit(exchange: Exchange, _services: GatewayServices) -> None:
    """Ask for smaller pages where the client wants larger ones than it may see.

    Only where the profile says how pages are numbered and sized.

    Raises:
        Problem: ``invalid-request`` if the query says the size more than once.
    """
    page, most = exchange.route.page, exchange.policy.read.max_items
    if page is None or page.number is None:
        return
    said = [slot for slot in places(exchange, page.limit) if slot.value is not None]
    sizes = {_size(slot.value) for slot in said} or {page.usual}
    if not any(size is not None and size > most for size in sizes):
        return
    if not said:
        said = list(_add(exchange, page.limit.name, in_query=page.limit.source == "query"))
    for slot in said:
        slot.value = str(most) if page.limit.source == "query" else Number(str(most))
    exchange.changed |= page.limit.source == "body"


def _size(value: object) -> int | None:
    """A size as it is written; None if it is no such number."""
    text = str(value) if isinstance(value, str | Number) else ""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def _add(exchange: Exchange, name: str, *, in_query: bool) -> Iterator[Slot]:
    """A new place for the size, where there is something to put it in."""
    if in_query:
        yield Slot(exchange.query.values, exchange.query.add(name))
    elif isinstance(exchange.body[0], dict):
        yield Slot(exchange.body[0], name)
