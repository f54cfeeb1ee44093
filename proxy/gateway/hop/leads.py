"""Addresses in a store's headers: they lead through the proxy, or are left out."""

import re
from urllib.parse import quote_plus, urlsplit

from proxy.gateway.exchange import Exchange
from proxy.gateway.hop import refusals
from proxy.gateway.hop.answer_headers import has_long_number, is_ordinary

NAMES = frozenset({"location", "content-location", "refresh", "link"})
_LINK = re.compile(r"<([^<>]*)>")


def led(exchange: Exchange, name: str, value: str) -> str | None:
    """The header's value as the client may have it; None if it is left out.

    Args:
        name: in lower case, one of ``NAMES``.
    """
    if name == "link":
        around = _LINK.sub("", value)
        targets = [found[1] for found in _LINK.finditer(value)]
        if not is_ordinary(around) or not all(_is_here(exchange, at) for at in targets):
            return None
        return _LINK.sub(lambda found: f"<{through_us(exchange, found[1])}>", value)
    return through_us(exchange, value) if name != "refresh" and _is_here(exchange, value) else None


def _is_here(exchange: Exchange, link: str) -> bool:
    """Whether a link leads to the store and says nothing that others wrote."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    here = parts.scheme in ("", "http", "https") and parts.path.startswith("/")
    return here and _is_plain(exchange, f"{parts.path} {parts.query}")


def _is_plain(exchange: Exchange, text: str) -> bool:
    return refusals.is_plain(exchange, text) and not has_long_number(text)


def through_us(exchange: Exchange, link: str) -> str:
    """A link of the store's as one of ours, with the client's ids in it."""
    parts = urlsplit(link)
    query = parts.query
    for (_, upstream_id), client_id in exchange.known.items():
        query = query.replace(quote_plus(upstream_id), quote_plus(client_id))
    path = parts.path + (f"?{query}" if query else "")
    return exchange.raw.origin + path
