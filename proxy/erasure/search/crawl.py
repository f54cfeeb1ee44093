"""Stores read to the end, owner by owner."""

from collections.abc import AsyncIterator, Sequence

from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Place, all_places, places_of
from proxy.erasure.search.resolve import Aim, forgets_everywhere
from proxy.upstreams.seen import Seen
from proxy.upstreams.store import Item, Store

BATCH = 200
LOT = 1_000  # memories looked at together; more only where one owner has more


def stores_of(means: Means, aim: Aim) -> list[Store]:
    """The stores that a target may concern and that answer, in a fixed order."""
    return [store for store in covered(means, aim) if store.name not in aim.away]


def covered(means: Means, aim: Aim) -> list[Store]:
    """The stores that a target may concern, those that do not answer included."""
    wanted = aim.target.upstream
    return [store for name, store in sorted(means.stores.items()) if wanted in (None, name)]


async def read_items(means: Means, aim: Aim) -> AsyncIterator[Item]:
    """Every item of the stores that a target may concern."""
    for store in stores_of(means, aim):
        async for pair in items(means, aim, store):
            if pair is not None:
                yield pair[0]


async def items(means: Means, aim: Aim, store: Store) -> AsyncIterator[tuple[Item, bool] | None]:
    """Every item in scope, and whether its whole owner goes; None at the end of each owner."""
    wholes = {(each.kind, each.upstream_id) for each in places_of(aim.wholes, aim.names, store)}
    seen = Seen()
    for place in await _places(means, aim, store):
        whole = (place.kind, place.upstream_id) in wholes or _all(aim) or _is_self(aim, place)
        async for item in store.crawl(place.scope):
            only_here = item.owners == {place.kind: place.upstream_id}
            if only_here or seen.add(item.memory_id):
                yield item, whole
        yield None


def _is_self(aim: Aim, place: Place) -> bool:
    """Whether a store keeps memories under the name itself of whom is forgotten."""
    if place.row is not None or aim.needles is None or not forgets_everywhere(aim.target):
        return False
    own = aim.needles.of_ids()
    return own is not None and own.is_id(place.upstream_id)


def _all(aim: Aim) -> bool:
    return aim.target.kind == "tenant" and not aim.target.values


async def _places(means: Means, aim: Aim, store: Store) -> Sequence[Place]:
    """Owners being erased come first: an item of theirs is met as theirs."""
    if aim.within is not None:
        return places_of(aim.within, aim.names, store)
    own = places_of(aim.wholes, aim.names, store)
    every = await all_places(means, aim.tenant_id, aim.names, store, aim.alone)
    known = {(place.kind, place.upstream_id) for place in own}
    return [*own, *(place for place in every if (place.kind, place.upstream_id) not in known)]


async def batches(
    found: AsyncIterator[tuple[Item, bool] | None],
) -> AsyncIterator[tuple[list[tuple[Item, bool]], bool]]:
    """Items some hundred at a time, and whether a lot ends: some owners' memories, whole."""
    batch: list[tuple[Item, bool]] = []
    size = 0
    async for pair in found:
        if pair is not None:
            batch.append(pair)
            size += 1
        if len(batch) == BATCH or (pair is None and size >= LOT):
            yield batch, pair is None
            batch, size = [], 0 if pair is None else size
    yield batch, True
