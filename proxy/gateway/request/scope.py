"""Scope: the request's owner ids become the store's, and nothing else can name an owner."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from proxy.gateway.exchange import Exchange, ScopedOwner
from proxy.gateway.request import filters
from proxy.gateway.services import GatewayServices
from proxy.ledger import owners
from proxy.problems import Problem
from proxy.tokens.owners import checked
from proxy.upstreams.plain_json import Number
from proxy.upstreams.profile import OwnerPlace
from proxy.upstreams.selectors import Selector, Slot, slots

NEEDS_OWNER = frozenset({"write", "search", "list", "delete_owner"})


async def scope(exchange: Exchange, services: GatewayServices) -> None:
    """Map every owner id of the request.

    Raises:
        Problem: ``invalid-request`` if an id is not literal, or no owner is named where the
            store would then answer for everybody.
    """
    _clean(exchange)
    for place in exchange.route.inward.owner:
        for slot in places(exchange, place.selector):
            _owner(exchange, place, slot)
    _filters(exchange)
    exchange.targets = [
        exchange.variables[name] for name in ("id", "event") if name in exchange.variables
    ]
    if exchange.route.op in NEEDS_OWNER and not exchange.required:
        fields = ", ".join(exchange.profile.owner_fields.values())
        raise Problem(
            "invalid-request", "The request names no owner.", hint=f"Give one of {fields}."
        )
    for owner in exchange.owners:
        services.owners.remember(
            exchange.tenant_id,
            owner.kind,
            owner.upstream_id,
            owner.client_id,
            services.clock.monotonic(),
        )


def places(exchange: Exchange, selector: Selector) -> Iterator[Slot]:
    """Where a selector points to in the request; ``@`` starts at each item of a batch."""
    items = exchange.route.inward.items
    if selector.relative and items is not None:
        for item in slots(items, exchange.body, 0):
            yield from slots(selector, item.container, item.key)
    elif selector.source == "body":
        yield from slots(selector, exchange.body, 0)
    elif selector.source == "query":
        index = exchange.query.index(selector.name)
        if index is not None:
            yield Slot(exchange.query.values, index)
    elif selector.source == "path":
        yield Slot(exchange.variables, selector.name)


def _clean(exchange: Exchange) -> None:
    inward = exchange.route.inward
    _undeclared(exchange)
    for selector in inward.deny:
        if any(slot.value is not None for slot in places(exchange, selector)):
            raise Problem(
                "invalid-request",
                "The request holds a member that cannot be governed.",
                errors=[{"pointer": f"/{selector.name}", "detail": "Leave it out."}],
            )
    for selector in inward.drop:
        if selector.source == "query":
            exchange.query.remove(selector.name)
            continue
        for slot in list(places(exchange, selector)):
            del slot.container[slot.key]
            exchange.changed = True


def _undeclared(exchange: Exchange) -> None:
    """An owner field or a filter where the route takes none is no way to name an owner."""
    inward = exchange.route.inward
    declared = {(p.selector.source, p.selector.name) for p in inward.owner}
    if inward.filters is not None:
        declared.add(("body", inward.filters.name))
    body = exchange.body[0] if isinstance(exchange.body[0], dict) else {}
    for name in (*exchange.profile.fields_to_kinds, *exchange.profile.filter_fields):
        stray = name in exchange.query.names and ("query", name) not in declared
        if stray or (body.get(name) is not None and ("body", name) not in declared):
            error = {"pointer": f"/{name}", "detail": "This route takes none here."}
            raise Problem("invalid-request", "The owner is not certain.", errors=[error])


def _owner(exchange: Exchange, place: OwnerPlace, slot: Slot) -> None:
    value = slot.value
    if value is None:
        return
    pointer = f"/{place.selector.name}"
    if place.selector.source == "path":
        value = _decoded(value)
    if not isinstance(value, str | Number):
        error = {"pointer": pointer, "detail": "An owner id is a string."}
        raise Problem("invalid-request", "An owner id is not valid.", errors=[error])
    kind = place.kind or exchange.profile.kind_words[exchange.variables["kind"]]
    slot.value = _map(exchange, kind, value, pointer)
    exchange.skipped.add(slot.place)
    exchange.changed = True
    _demand(exchange, kind, frozenset({slot.value}), pointer)


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Problem("malformed-body", "The path is not valid UTF-8.") from None


def _map(exchange: Exchange, kind: str, value: Any, pointer: str) -> str:
    client_id = checked(value, pointer)
    if kind not in exchange.binding.store.profile.owner_fields:  # it is asked in another's dialect
        field = exchange.profile.owner_fields[kind]
        error = {"pointer": pointer, "detail": "Name another owner."}
        raise Problem("invalid-request", f"This store knows no {field}.", errors=[error])
    form = exchange.binding.store.owner_form
    upstream_id = owners.upstream_id(exchange.names, form, kind, client_id)
    if (kind, upstream_id) not in exchange.known:
        exchange.known[(kind, upstream_id)] = client_id
        exchange.owners.append(ScopedOwner(kind, client_id, upstream_id))
    return upstream_id


def _filters(exchange: Exchange) -> None:
    inward = exchange.route.inward
    how = filters.Rewriting(
        kinds=exchange.profile.fields_to_kinds,
        hidden=frozenset({exchange.profile.stamp}),
        to_upstream=lambda kind, value, pointer: _map(exchange, kind, value, pointer),
    )
    for selector in inward.narrow:
        for slot in places(exchange, selector):
            filters.check_narrowing(slot.value, how)
    for slot in places(exchange, inward.filters) if inward.filters else ():
        for kind, ids in filters.rewrite(slot.container, slot.key, how).items():
            _demand(exchange, kind, ids, "/filters")
        exchange.changed = True
    exchange.skipped |= how.places


def _demand(exchange: Exchange, kind: str, ids: frozenset[str], pointer: str) -> None:
    if exchange.required.setdefault(kind, ids) != ids:
        error = {"pointer": pointer, "detail": "An owner is named twice, with different ids."}
        raise Problem("invalid-request", "The owner is not certain.", errors=[error])
