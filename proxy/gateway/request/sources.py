"""Provenance that a client declares in metadata: read, checked, and taken out."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from proxy.gateway.exchange import Exchange, Sources
from proxy.gateway.request.scope import places
from proxy.gateway.services import GatewayServices
from proxy.ledger import provenance
from proxy.problems import Problem

CONVENTION = "expunge"
CONTRIBUTIONS = ("primary", "context", "inference")
NAMING = ("ref", "dia_id", "event_id")
MAX_SOURCES = 1000
_MEMBERS = frozenset({"ref", "derived_from", "contribution"})


async def read_sources(exchange: Exchange, services: GatewayServices) -> None:
    """Take the declared provenance out of the metadata and look up what it hands down.

    Raises:
        Problem: ``invalid-request`` if the declaration is malformed.
    """
    selector = exchange.route.inward.meta
    found = [] if selector is None else [slot.value for slot in places(exchange, selector)]
    for metadata in found:
        if isinstance(metadata, dict):
            _take(exchange, metadata, alone=_is_alone(exchange))
    _expiry(exchange)
    _inference(exchange)
    refs = [ref for ref, _ in exchange.sources.edges]
    if refs:
        found = await services.ledger.read(
            lambda tx: provenance.sources(tx, exchange.tenant_id, refs)
        )
        categories, expires_at = provenance.inherited(found)
        exchange.sources.categories, exchange.sources.expires_at = categories, expires_at


def _is_alone(exchange: Exchange) -> bool:
    """Whether the request writes one memory, or none that it names."""
    items = exchange.route.inward.items
    return items is None or len(list(places(exchange, items))) == 1


def _take(exchange: Exchange, metadata: dict[str, Any], *, alone: bool) -> None:
    """Take out what no client may set, and the declaration; of several memories none is read.

    What a request declares counts for all that it writes: two memories of one batch would each be
    made from the sources of both, and go with them.
    """
    for name in exchange.profile.reserved & metadata.keys():
        del metadata[name]
        exchange.changed = True
    declared = metadata.pop(CONVENTION, None)
    if declared is not None:
        exchange.changed = True
    if alone:
        read(exchange, declared or {}, metadata)
    elif declared is not None:
        raise _malformed("A batch declares no provenance; update each memory by itself.")


def read(exchange: Exchange, declared: Any, metadata: dict[str, Any]) -> None:
    """Add names and edges to the exchange's sources."""
    if not isinstance(declared, dict) or not declared.keys() <= _MEMBERS:
        raise _malformed("ref, derived_from and contribution are the members of 'expunge'.")
    sources: Sources = exchange.sources
    for name in _names(declared, metadata):
        sources.names += _named(exchange, name)
    how = declared.get("contribution", "primary")
    if how not in CONTRIBUTIONS:
        raise _malformed(f"contribution is one of {', '.join(CONTRIBUTIONS)}.")
    for source in _listed(declared.get("derived_from")):
        sources.edges.append((provenance.id_ref(exchange.names, source), how))
        sources.edges += [(ref, how) for ref in _named(exchange, source)]


def _names(declared: dict[str, Any], metadata: dict[str, Any]) -> Iterator[str]:
    yield from _listed(declared.get("ref"))
    for key in NAMING:
        value = metadata.get(key)
        if isinstance(value, str) and value:
            yield value


def _named(exchange: Exchange, name: str) -> list[bytes]:
    return [
        provenance.named_ref(exchange.names, owner.kind, owner.client_id, name)
        for owner in exchange.owners
    ]


def _listed(value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value or []
    if not isinstance(listed, list) or len(listed) > MAX_SOURCES:
        raise _malformed("A reference is a string, or a list of at most 1000 strings.")
    if not all(isinstance(each, str) and each for each in listed):
        raise _malformed("A reference is a string that is not empty.")
    return listed


def _malformed(detail: str) -> Problem:
    error = {"pointer": "/metadata/expunge", "detail": detail}
    return Problem("invalid-request", "The declared provenance is not valid.", errors=[error])


def _expiry(exchange: Exchange) -> None:
    selector = exchange.route.inward.expiry
    if selector is None:
        return
    for slot in places(exchange, selector):
        if slot.value is not None:
            exchange.client_expiry = expiry(slot.value)
            exchange.skipped.add(slot.place)


def _inference(exchange: Exchange) -> None:
    """Whether the store will draw facts from the text: stores that can do so unless told not to."""
    selector = exchange.route.inward.infer
    if selector is not None:
        exchange.infers = not any(slot.value is False for slot in places(exchange, selector))


def expiry(value: Any) -> datetime:
    """The instant at which a memory with this date is no longer valid: the end of that day, UTC.

    Raises:
        Problem: ``invalid-request`` if it is no ISO 8601 date or time.
    """
    try:
        text = str(value)
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment + timedelta(days=1) if len(text) == len("2026-01-31") else moment
    except (ValueError, OverflowError):
        error = {"pointer": "/expiration_date", "detail": "A date such as 2026-01-31."}
        raise Problem("invalid-request", "The expiry is not a date.", errors=[error]) from None
