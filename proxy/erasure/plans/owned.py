"""Whose memories are: by the ledger, and as the store tells, which also has some of its own."""

from collections.abc import Collection, Mapping

from proxy.ledger import owners, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.pseudonyms import Pseudonyms

Told = Mapping[str, Mapping[str, str]]  # by memory: the store's own ids of its owners, by kind


def known_by(item: PlanItem) -> str:
    """What an item's memory is called here: by its row, or where it has none by its number."""
    return item.memory_id or f"item:{item.seq}"


async def with_told(
    tx: Tx, tenant_id: str, names: Pseudonyms, owned: Mapping[str, Collection[str]], told: Told
) -> dict[str, set[str]]:
    """Row ids of the owners of each memory, by the ledger or by the store.

    Args:
        owned: row ids of owners by memory, as the ledger has them.
        told: what the store says, by the same keys or by those of memories of its own.
    """
    known = await _known(tx, tenant_id, names, told)
    found = {key: {*rows} for key, rows in owned.items()}
    for key, pairs in told.items():
        found.setdefault(key, set()).update(known[pair] for pair in pairs.items() if pair in known)
    return found


async def _known(
    tx: Tx, tenant_id: str, names: Pseudonyms, told: Told
) -> dict[tuple[str, str], str]:
    """Row ids by kind and the store's own id."""
    ids = {each for pairs in told.values() for each in pairs.values()}
    refs = {owners.upstream_ref(names, each): each for each in ids}
    rows = [
        row
        for part in reach.chunks(refs)
        for row in await owners.find_upstream(tx, tenant_id, part)
    ]
    return {(row.kind, refs[row.upstream_ref]): row.id for row in rows}
