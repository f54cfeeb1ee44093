"""Reading through everything a tenant has in its stores, in batches, with what the ledger knows."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from proxy.erasure.search import layers
from proxy.erasure.search.find import searchable, with_rows
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.places import Place, all_places
from proxy.ledger import holds, memories, reach, tenants, tombstones
from proxy.ledger.engine import Tx
from proxy.ledger.memories import PRESENT, Memory
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.errors import StoreError
from proxy.upstreams.layers.base import LayerUnavailable
from proxy.upstreams.store import Item, Store

BATCH = 200


Ref = tuple[str, bytes]  # store, pseudonym of a memory's id
MEMORIES, ROWS = "memories", "rows"
Progress = Callable[[str, str, int], None]  # store, stage, how many more were dealt with


def silent(_upstream: str, _stage: str, _items: int) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some memories of one owner in one store.

    Args:
        fresh: pseudonyms of those that no batch before it had, under another owner.
    """

    store: Store
    place: Place
    found: Sequence[Found]
    fresh: frozenset[bytes]

    @property
    def counted(self) -> Sequence[Found]:
        """Those that no batch before it had: each memory counts once, whoever shares it."""
        return [one for one in self.found if one.ref in self.fresh]


@dataclass(frozen=True, slots=True)
class Back:
    """Memories of a batch that should not be there, by each reason.

    Args:
        erased: they have a tombstone.
        owned: unknown to the ledger, under an owner that was erased as a whole.
        naming: they name somebody blocked for everybody or for their owner, or say since the
            erasure what a token stands for, and no hold keeps them.
    """

    erased: frozenset[Ref]
    owned: frozenset[Ref]
    naming: frozenset[Ref]

    @property
    def all(self) -> frozenset[Ref]:
        """For any reason."""
        return self.erased | self.owned | self.naming


async def each_store(
    means: Means, upstream: str | None, work: Callable[[Store], Awaitable[None]]
) -> list[str]:
    """Do what reads a store with each of them; gives the names of those not read to their end.

    Args:
        upstream: one store only.

    Raises:
        Problem: ``upstream-unreachable`` if that is all of them.
    """
    stores = [each for name, each in sorted(means.stores.items()) if upstream in (None, name)]
    unreachable: list[str] = []
    for store in stores:
        try:
            await work(store)
        except (StoreError, LayerUnavailable):
            unreachable.append(store.name)
        except Problem as problem:
            if problem.slug != "upstream-unreachable":
                raise
            unreachable.append(store.name)
    if unreachable and len(unreachable) == len(stores):
        said = f"A store could not be read to the end: {', '.join(unreachable)}."
        raise Problem("upstream-unreachable", said)
    return unreachable


AWAY = "the store could not be read to its end"


def all_layers(means: Means, upstreams: Collection[str]) -> set[str]:
    """The layers of some stores, as ``upstream/layer``."""
    stores = [means.stores[name] for name in upstreams]
    return {f"{each.name}/{layer}" for each in stores for layer in (MEMORY, *layers.apart(each))}


async def walk(
    means: Means, tenant_id: str, *, upstream: str | None = None, progress: Progress = silent
) -> AsyncIterator[Batch]:
    """Every memory of the tenant, store by store, owner by owner.

    Args:
        upstream: one store only.
        progress: told of each batch once it is dealt with.

    Raises:
        StoreUnavailable, StoreUnknown: a list cannot be read to its end.
    """
    names = await means.keyring.tenant(tenant_id)
    alone = await means.ledger.read(tenants.is_alone)
    for name, store in sorted(means.stores.items()):
        if upstream not in (None, name):
            continue
        shared: set[bytes] = set()  # those of several owners that were shown already
        for place in await all_places(means, tenant_id, names, store, alone):
            async for found in _batches(means, tenant_id, names, store, place):
                fresh = frozenset(one.ref for one in found) - shared
                shared |= {one.ref for one in found if one.item and len(one.item.owners) != 1}
                yield Batch(store, place, found, fresh)
                progress(name, MEMORIES, len(fresh))


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


async def back(
    means: Means, tenant_id: str, batch: Batch, *, erasure_id: str | None = None,
    deks: Collection[str] | None = None,
) -> Back:  # fmt: skip
    """What of a batch was erased or may not be written.

    Args:
        erasure_id: only by this erasure; None: by any.
        deks: data keys that it destroyed.
    """
    refs = [one.ref for one in batch.found]
    stones = await means.ledger.read(
        lambda tx: tombstones.matching(tx, tenant_id, batch.store.name, refs)
    )
    named = await blocked(
        means, tenant_id, batch, [one.text for one in batch.found], erasure_id=erasure_id
    )
    late = await _told_late(means, tenant_id, batch, deks)
    hits = [one.ref for one, hit in zip(batch.found, named, strict=True) if hit or one.ref in late]
    on_hold = await _on_hold(means, tenant_id, batch.place)
    hits = [] if on_hold else hits
    _, held = await kept(means, tenant_id, batch.store.name, hits)
    return Back(
        frozenset(
            (batch.store.name, ref) for ref, by in stones.items() if erasure_id in (None, by)
        ),
        frozenset() if on_hold else await _under_erased_owner(means, tenant_id, batch, erasure_id),
        frozenset((batch.store.name, ref) for ref in hits if ref not in held),
    )


async def _told_late(
    means: Means, tenant_id: str, batch: Batch, deks: Collection[str] | None
) -> set[bytes]:
    """What holds an erased one's token, and did not when the ledger saw it last.

    A lost request of before the erasure may reach a store long after it.
    """
    names = await means.keyring.tenant(tenant_id)
    anew = [
        one for one in batch.found
        if one.item and memories.says_anew(names, one.row, one.item.text)
    ]  # fmt: skip
    stored = [searchable(one.item) for one in anew if one.item]
    erased = await means.vault.erased_in(tenant_id, stored, deks=deks)
    return {one.ref for one, gone in zip(anew, erased, strict=True) if gone}


async def _on_hold(means: Means, tenant_id: str, place: Place) -> bool:
    """Whether a legal hold keeps all that is under an owner, also what the ledger never saw."""
    if place.row is None:
        return False
    wanted = [place.row.id]
    return bool(await means.ledger.read(lambda tx: holds.in_force(tx, tenant_id, owner_ids=wanted)))


async def kept(
    means: Means, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Of memories those that the ledger has, and those that a legal hold keeps, erased ones too."""

    async def load(tx: Tx) -> tuple[dict[bytes, Memory], Mapping[str, str]]:
        rows = await reach.recorded(tx, tenant_id, upstream, refs)
        owned = await reach.owners(tx, [row.id for row in rows.values()])
        whose = {row.id: owned.get(row.id, []) for row in rows.values()}
        return rows, await holds.held(tx, tenant_id, whose)

    rows, held = await means.ledger.read(load)
    return (
        frozenset(ref for ref, row in rows.items() if row.state in PRESENT),
        frozenset(ref for ref, row in rows.items() if row.id in held),
    )


async def blocked(
    means: Means, tenant_id: str, batch: Batch, texts: Sequence[str],
    *, erasure_id: str | None = None,
) -> list[bool]:  # fmt: skip
    """Which texts name somebody who is blocked, for everybody or for the batch's owner."""
    owner_ids = [batch.place.row.id] if batch.place.row else []
    found = await means.blocklist.blocked_mentions(
        tenant_id, texts, owner_ids, erasure_id=erasure_id,
        places=[(batch.place.kind, batch.place.upstream_id)],
    )  # fmt: skip
    return [bool(each) for each in found]


async def _under_erased_owner(
    means: Means, tenant_id: str, batch: Batch, erasure_id: str | None
) -> frozenset[Ref]:
    """What an erasure kept or wrote anew under its owner is in the ledger, so not meant."""
    place = (batch.place.kind, batch.place.upstream_id)
    if not await means.blocklist.erased_places(tenant_id, [place], erasure_id=erasure_id):
        return frozenset()
    return frozenset((one.upstream, one.ref) for one in batch.found if one.strange)
