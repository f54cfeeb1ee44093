"""Whose some memories are; what a legal hold keeps is evidence: nobody replaces its text."""

import asyncio
from collections.abc import Mapping

from proxy.erasure.plans.owned import Told, with_told
from proxy.ledger import holds, reach
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Store

AT_ONCE = 16


async def refuse_held(
    ledger: Ledger, tenant_id: str, names: Pseudonyms, store: Store, named: Mapping[str, str]
) -> None:
    """Refuse if a hold keeps any of some memories, by the ledger or as the store tells whose it is.

    Args:
        named: the store's ids, by the row ids.

    Raises:
        Problem: ``held``; ``upstream-unreachable`` if the store has to be asked and cannot be.
    """
    placed = await ledger.read(lambda tx: holds.of_tenant(tx, tenant_id))
    if not (placed and named):
        return
    told: Told = {}
    if any(each.owner_id for each in placed):
        told = await _told(store, named)

    async def load(tx: Tx) -> Mapping[str, str]:
        return await holds.held(tx, tenant_id, await _owned(tx, tenant_id, names, named, told))

    if await ledger.read(load):
        raise Problem("held", "A legal hold keeps it.")


async def whose(
    ledger: Ledger, tenant_id: str, names: Pseudonyms, store: Store, named: Mapping[str, str]
) -> Mapping[str, set[str]]:
    """Row ids of the owners of some memories, by the ledger or as the store tells.

    Args:
        named: the store's ids, by the row ids.

    Raises:
        Problem: ``upstream-unreachable`` if the store cannot be asked.
    """
    told = await _told(store, named)
    return await ledger.read(lambda tx: _owned(tx, tenant_id, names, named, told))


async def _owned(
    tx: Tx, tenant_id: str, names: Pseudonyms, named: Mapping[str, str], told: Told
) -> Mapping[str, set[str]]:
    owned = await reach.owners(tx, list(named))
    known = {each: owned.get(each, []) for each in named}
    return await with_told(tx, tenant_id, names, known, told)


async def _told(store: Store, named: Mapping[str, str]) -> Told:
    """Whose each memory is, as the store has it; nobody's where it is gone."""
    found: dict[str, Mapping[str, str]] = {}
    try:
        for part in reach.chunks(named.items(), AT_ONCE):
            items = await asyncio.gather(*(store.get(memory_id) for _, memory_id in part))
            pairs = zip(part, items, strict=True)
            found |= {row_id: item.owners for (row_id, _), item in pairs if item is not None}
    except StoreError:
        raise Problem("upstream-unreachable", "The store cannot be asked whose it is.") from None
    return found
