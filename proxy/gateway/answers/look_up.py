"""What the ledger knows of the memories and the owners that an answer names."""

from collections.abc import Collection, Iterable
from functools import partial

from proxy.gateway.exchange import Exchange
from proxy.gateway.services import GatewayServices
from proxy.ledger import memories, tombstones
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.pseudonyms import Pseudonyms

Known = tuple[Memory | None, bool]  # its row, and whether it was erased


async def look_up(
    exchange: Exchange, services: GatewayServices, ids: Collection[str]
) -> dict[str, Known]:
    """Of each of the store's ids: the ledger's row, and whether there is a tombstone instead."""
    scope = ("items", exchange.tenant_id, exchange.binding.name)
    return await services.ledger.recall.many(
        scope, ids, partial(_rows, services, exchange.names, *scope[1:])
    )


async def look_up_owners(
    exchange: Exchange, services: GatewayServices, pairs: Iterable[tuple[str, str]]
) -> None:
    """Add to ``exchange.known`` those (kind, store's id) pairs that are owners of the tenant."""
    found = await services.owners.client_ids(
        services.ledger,
        services.keyring,
        exchange.names,
        exchange.tenant_id,
        exchange.binding.store.owner_form,
        set(pairs) - exchange.known.keys(),
        services.clock.monotonic(),
    )
    exchange.known.update(found)


async def _rows(
    services: GatewayServices, names: Pseudonyms, tenant_id: str, store: str, ids: list[str]
) -> dict[str, Known]:
    refs = {each: memories.ref(names, store, each) for each in ids}

    async def unit(tx: Tx) -> tuple[dict[bytes, Memory], dict[bytes, str]]:
        known = await memories.by_refs(tx, tenant_id, store, list(refs.values()))
        unknown = [ref for ref in refs.values() if ref not in known]
        return known, await tombstones.matching(tx, tenant_id, store, unknown)

    known, erased = await services.ledger.read(unit)
    return {each: (known.get(ref), ref in erased) for each, ref in refs.items()}
