"""Addresses in a store's headers: they lead through the proxy, or are left out."""

import re
from urllib.parse import quote_plus, urlsplit

from proxy.gateway import refusals
from proxy.gateway.exchange import Exchange

NAMES = frozenset({"location", "content-location", "refresh", "link"})
_LINK = re.compile(r"<([^<>]*)>")


def led(exchange: Exchange, name: str, value: str) -> str | None:
    """The header's value as the client may have it; None if it is left out.

    Args:
        name: in lower case, one of ``NAMES``.
    """
    if name == "link":
        return _LINK.sub(lambda found: f"<{through_us(exchange, found[1])}>", value)
    parts = urlsplit(value)
    here = parts.scheme in ("", "http", "https") and parts.path.startswith("/")
    if name == "refresh" or not here or not refusals.is_plain(exchange, parts.path + parts.query):
        return None
    return through_us(exchange, value)


def through_us(exchange: Exchange, link: str) -> str:
    """A link of the store's as one of ours, with the client's ids in it."""
    parts = urlsplit(link)
    query = parts.query
    for (_, upstream_id), client_id in exchange.known.items():
        query = query.replace(quote_plus(upstream_id), quote_plus(client_id))
    path = parts.path + (f"?{query}" if query else "")
    return exchange.raw.origin + path
