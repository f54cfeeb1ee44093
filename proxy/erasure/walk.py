"""Reading through everything a tenant has in its stores, in batches, with what the ledger knows."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from proxy.erasure.find import with_rows
from proxy.erasure.found import Found
from proxy.erasure.means import Means
from proxy.erasure.places import Place, all_places
from proxy.ledger import tenants
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.store import Item, Store

BATCH = 200


@dataclass(frozen=True, slots=True)
class Batch:
    """Some memories of one owner in one store."""

    store: Store
    place: Place
    found: Sequence[Found]


async def walk(
    means: Means, tenant_id: str, *, upstream: str | None = None
) -> AsyncIterator[Batch]:
    """Every memory of the tenant, store by store, owner by owner.

    Raises:
        StoreUnavailable, StoreUnknown: a list cannot be read to its end.
    """
    names = await means.keyring.tenant(tenant_id)
    alone = await means.ledger.read(tenants.is_alone)
    for name, store in sorted(means.stores.items()):
        if upstream not in (None, name):
            continue
        for place in await all_places(means, tenant_id, names, store, alone):
            async for found in _batches(means, tenant_id, names, store, place):
                yield Batch(store, place, found)


async def _batches(
    means: Means, tenant_id: str, names: Pseudonyms, store: Store, place: Place
) -> AsyncIterator[Sequence[Found]]:
    batch: list[Item] = []
    async for item in store.crawl(place.scope):
        batch.append(item)
        if len(batch) == BATCH:
            yield await with_rows(means, tenant_id, names, store.name, batch)
            batch = []
    if batch:
        yield await with_rows(means, tenant_id, names, store.name, batch)


async def under_erased_owner(
    means: Means, tenant_id: str, batch: Batch, *, erasure_id: str | None = None
) -> set[tuple[str, bytes]]:
    """Memories unknown to the ledger whose owner was erased as a whole; (store, pseudonym of id).

    Args:
        erasure_id: only by this erasure; None: by any. What an erasure kept or wrote anew under
            its owner is in the ledger.
    """
    place = (batch.place.kind, batch.place.upstream_id)
    if not await means.blocklist.erased_places(tenant_id, [place], erasure_id=erasure_id):
        return set()
    return {(one.upstream, one.ref) for one in batch.found if one.strange}
