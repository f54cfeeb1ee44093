"""Provenance that a client declares in metadata: read, checked, and taken out."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from proxy.gateway.exchange import Exchange, Sources
from proxy.gateway.request.scope import places
from proxy.gateway.services import GatewayServices
from proxy.ledger import memories, provenance
from proxy.ledger.memories import READABLE
from proxy.problems import Problem
from proxy.tokens.owners import opened

CONVENTION = "expunge"
CONTRIBUTIONS = ("primary", "context", "inference")
NAMING = ("ref", "dia_id", "event_id")
MAX_SOURCES = 1000
Owner = tuple[str, str]  # kind and the client's id
_MEMBERS = frozenset({"ref", "derived_from", "contribution"})


async def read_sources(exchange: Exchange, services: GatewayServices) -> None:
    """Take the declared provenance out of the metadata and look up what it hands down.

    Raises:
        Problem: ``invalid-request`` if the declaration is malformed.
    """
    selector = exchange.route.inward.meta
    found = [] if selector is None else [slot.value for slot in places(exchange, selector)]
    written = [metadata for metadata in found if isinstance(metadata, dict)]
    owners = await _owners(exchange, services) if written else []
    for metadata in written:
        _take(exchange, metadata, owners, alone=_is_alone(exchange))
    _expiry(exchange)
    _inference(exchange)
    if exchange.sources.given:
        await _look_up(exchange, services)


async def _owners(exchange: Exchange, services: GatewayServices) -> list[Owner]:
    """Within whose names a name is meant; an update names nobody, its memory has owners."""
    if exchange.owners or not exchange.owner_rows:
        return [(owner.kind, owner.client_id) for owner in exchange.owners]
    rows = exchange.owner_rows
    known = await services.ledger.read(lambda tx: opened(tx, services.keyring, rows))
    return [(row.kind, client_id) for row, client_id in known]


async def _look_up(exchange: Exchange, services: GatewayServices) -> None:
    """What the given sources hand down, and how many of them the client cannot read.

    Absent, not yet written, erased, held and somebody else's count alike.
    """
    sources = exchange.sources
    refs = {ref for names in sources.given for ref in names}
    found = await services.ledger.read(lambda tx: memories.by_names(tx, exchange.tenant_id, refs))
    known = [memory for named in found.values() for memory in named]
    sources.categories, sources.expires_at = provenance.inherited(known)
    readable = {
        ref for ref, named in found.items() if any(each.state in READABLE for each in named)
    }
    sources.unknown = sum(readable.isdisjoint(names) for names in sources.given)


def _is_alone(exchange: Exchange) -> bool:
    """Whether the request writes one memory, or none that it names."""
    items = exchange.route.inward.items
    return items is None or len(list(places(exchange, items))) == 1


def _take(
    exchange: Exchange, metadata: dict[str, Any], owners: Sequence[Owner], *, alone: bool
) -> None:
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
        _read(exchange, declared or {}, metadata, owners)
    elif declared is not None:
        raise _malformed("A batch declares no provenance; update each memory by itself.")


def _read(
    exchange: Exchange, declared: Any, metadata: dict[str, Any], owners: Sequence[Owner]
) -> None:
    """Add names and edges to the exchange's sources."""
    if not isinstance(declared, dict) or not declared.keys() <= _MEMBERS:
        raise _malformed("ref, derived_from and contribution are the members of 'expunge'.")
    sources: Sources = exchange.sources
    for name in _names(declared, metadata):
        sources.names += _named(exchange, name, owners)
    how = declared.get("contribution", "primary")
    if how not in CONTRIBUTIONS:
        raise _malformed(f"contribution is one of {', '.join(CONTRIBUTIONS)}.")
    for source in dict.fromkeys(_listed(declared.get("derived_from"))):
        refs = (provenance.id_ref(exchange.names, source), *_named(exchange, source, owners))
        sources.given.append(refs)
        sources.edges += [(ref, how) for ref in refs]


def _names(declared: dict[str, Any], metadata: dict[str, Any]) -> Iterator[str]:
    yield from _listed(declared.get("ref"))
    for key in NAMING:
        value = metadata.get(key)
        if isinstance(value, str) and value:
            yield value


def _named(exchange: Exchange, name: str, owners: Sequence[Owner]) -> list[bytes]:
    return [provenance.named_ref(exchange.names, *owner, name) for owner in owners]


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
