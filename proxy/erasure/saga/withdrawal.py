"""Taking back what should never have been made: in the store, and in the layers beside it."""

from collections.abc import Sequence

from proxy.erasure.search import layers
from proxy.upstreams.errors import StoreUnknown
from proxy.upstreams.layers.base import LayerScope, LayerUnavailable, Owners
from proxy.upstreams.store import Store


async def withdraw(store: Store, memory_ids: Sequence[str], *, buffers: bool) -> int | None:
    """Delete memories just made, look that they are gone, and delete their rows in every layer.

    Args:
        buffers: whether the raw messages of their owners go too: a store's model may have taken
            from them what it wrote, and would again.

    Returns:
        Rows that are left in layers; None where a layer did not answer.

    Raises:
        StoreUnavailable, StoreUnknown: a memory may still be there.
    """
    within = await _opened(store, memory_ids) if layers.connected(store) else ()
    try:
        for memory_id in memory_ids:
            await store.delete(memory_id)
    finally:  # what was deleted until then leaves rows as well
        scope = LayerScope(memory_ids=tuple(memory_ids), within=within if buffers else ())
        left = await _clear(store, scope)
    for memory_id in memory_ids:
        if await store.get(memory_id) is not None:
            raise StoreUnknown
    return left


async def _opened(store: Store, memory_ids: Sequence[str]) -> Owners:
    """Owners of the memories, after the store opened its index of names for its deletes."""
    shown = [await store.get(each) for each in memory_ids]
    owners = [item.owners for item in shown if item is not None and item.owners]
    if owners:
        await store.prime(owners[0])
    return tuple(sorted({pair for each in owners for pair in each.items()}))


async def _clear(store: Store, scope: LayerScope) -> int | None:
    try:
        await layers.clear(store, scope)
    except LayerUnavailable:
        return None
    left = [await layers.count(layer, scope) for layer in layers.beside(store).values()]
    return None if any(each.unreachable for each in left) else sum(each.value or 0 for each in left)
