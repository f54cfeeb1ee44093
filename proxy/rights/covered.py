"""What a hold or a restriction has hold of, in counts: by the stores, or else by the ledger."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, Place, holder
from proxy.ledger import memories, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import PRESENT, Memory
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Store

ERASED = "erased"
BATCH = 500


@dataclass(frozen=True, slots=True)
class Covered:
    """Counts of memories.

    Args:
        memories: that are there, also those the ledger has never seen.
        erased: that the ledger knew and that are erased already.
        unreachable: stores that could not be read to their end: of these the ledger tells.
    """

    memories: int = 0
    erased: int = 0
    unreachable: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {**asdict(self), "unreachable": list(self.unreachable)}


async def of_owner(means: Means, tenant_id: str, owner: tuple[str, str]) -> Covered:
    """What is kept under an owner: (kind, client's id)."""
    names = await means.keyring.tenant(tenant_id)
    found = await holder(means, tenant_id, names, *owner)
    known = await _known(means, found.row.id) if found.row else {}
    there, erased = 0, sum(n for (_, state), n in known.items() if state == ERASED)
    away: list[str] = []
    for name, store in means.stores.items():
        try:
            shown, again = await _count(means, tenant_id, names, store, found)
            there, erased = there + shown, erased - again
        except StoreError:
            away.append(name)
            there += sum(known.get((name, state), 0) for state in PRESENT)
    return Covered(there, erased, tuple(away))


async def of_memory(means: Means, tenant_id: str, memory_id: str) -> Covered:
    """Whether one memory is there."""
    row = await recorded(means, tenant_id, memory_id)
    if row is None:
        return Covered()
    try:
        there = await means.stores[row.upstream].get(memory_id) is not None
    except StoreError:
        return Covered(int(row.state in PRESENT), int(row.state == ERASED), (row.upstream,))
    return Covered(int(there), int(row.state == ERASED and not there))


async def erased_of(means: Means, owner_id: str) -> int:
    """How many memories of an owner are erased."""
    known = await _known(means, owner_id)
    return sum(n for (_, state), n in known.items() if state == ERASED)


async def recorded(means: Means, tenant_id: str, memory_id: str) -> Memory | None:
    """The ledger's row of a memory, erased or not, by the store's id."""
    names = await means.keyring.tenant(tenant_id)

    async def load(tx: Tx) -> Memory | None:
        for upstream in means.stores:
            ref = memories.ref(names, upstream, memory_id)
            found = await reach.recorded(tx, tenant_id, upstream, [ref])
            if ref in found:
                return found[ref]
        return None

    return await means.ledger.read(load)


async def shows(means: Means, upstream: str, memory_id: str) -> bool:
    """Whether a store shows a memory.

    Raises:
        Problem: ``upstream-unreachable`` if it cannot be asked now.
    """
    try:
        return await means.stores[upstream].get(memory_id) is not None
    except StoreError:
        raise _unasked() from None


async def shown_at(means: Means, names: Pseudonyms, found: Holder) -> Place | None:
    """Where a store shows anything under an owner.

    Raises:
        Problem: ``upstream-unreachable`` if none does and one cannot be asked now.
    """
    away = False
    for store in means.stores.values():
        place = found.place(names, store)
        try:
            if await anext(store.crawl(place.scope), None) is not None:
                return place
        except StoreError:
            away = True
    if away:
        raise _unasked()
    return None


async def _known(means: Means, owner_id: str) -> Mapping[tuple[str, str], int]:
    return await means.ledger.read(lambda tx: memories.count_of_owner(tx, owner_id))


async def _count(
    means: Means, tenant_id: str, names: Pseudonyms, store: Store, found: Holder
) -> tuple[int, int]:
    """How many memories a store shows under an owner, and how many of them had been erased."""
    shown = again = 0
    async for refs in _refs(names, store, found.place(names, store)):
        rows = await means.ledger.read(
            partial(reach.recorded, tenant_id=tenant_id, upstream=store.name, refs=refs)
        )
        shown += len(refs)
        again += sum(row.state == ERASED for row in rows.values())
    return shown, again


async def _refs(names: Pseudonyms, store: Store, place: Place) -> AsyncIterator[list[bytes]]:
    part: list[bytes] = []
    async for item in store.crawl(place.scope):
        part.append(memories.ref(names, store.name, item.memory_id))
        if len(part) == BATCH:
            yield part
            part = []
    if part:
        yield part


def _unasked() -> Problem:
    return Problem("upstream-unreachable", "A store cannot be asked whether it has any of it.")
