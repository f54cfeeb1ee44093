"""Versions of memories that a store deleted before anybody knew whose they were.

A history names no owner. Of a memory that neither the ledger nor the store knows any more nobody
can tell whose its versions are, unless what they say, or the lack of anybody else, tells it.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from proxy.erasure.search import layers
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import all_places, places_of
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.versions import CONCURRENCY, concerns, pages, telling
from proxy.erasure.view import LayerView
from proxy.ledger import holds, memories, reach, tenants, tombstones
from proxy.ledger.engine import Tx
from proxy.upstreams.layers.base import Entry, LayerScope, LayerUnavailable, Legible
from proxy.upstreams.store import Store

HISTORY = "history"
CLEAR = "Run 'expunge reconcile --orphans', then 'expunge erasure retry'."


@dataclass(slots=True)
class Reading:
    """One reading of a store's history for memories of nobody.

    Args:
        tenant_ids: every tenant whose ledger may know a memory of the store.
    """

    means: Means
    store: Store
    tenant_ids: Sequence[str]
    known: dict[str, bool] = field(default_factory=dict, repr=False)

    @classmethod
    async def of(cls, means: Means, store: Store) -> "Reading":
        """Begin one."""
        every = await means.ledger.read(tenants.every)
        return cls(means, store, [each.id for each in every if each.wrapped_secret])

    async def pages(self) -> AsyncIterator[list[Entry]]:
        """Rows of nobody, some hundred at a time.

        Raises:
            LayerUnavailable: the history cannot be read now.
            StoreUnavailable, StoreUnknown: the store gave no usable answer.
        """
        layer = layers.connector(self.store, HISTORY)
        if not isinstance(layer, Legible):
            return
        async for page in pages(layer):
            lost = await self.orphans({each.memory_id for each in page if each.memory_id})
            if found := [each for each in page if each.memory_id in lost]:
                yield found

    async def on_hold(self) -> bool:
        """Whether a hold keeps all of some owner of any tenant."""

        async def load(tx: Tx) -> bool:
            placed = [await holds.of_tenant(tx, each) for each in self.tenant_ids]
            return any(hold.owner_id for listed in placed for hold in listed)

        return await self.means.ledger.read(load)

    async def orphans(self, memory_ids: Collection[str]) -> set[str]:
        """Of these memories those that neither the ledger, of any tenant, nor the store knows."""
        unseen = {*memory_ids} - self.known.keys()
        recorded = await self._recorded(unseen)
        asked = sorted(unseen - recorded)
        gate = asyncio.Semaphore(CONCURRENCY)

        async def shown(memory_id: str) -> bool:
            async with gate:
                return await self.store.get(memory_id) is not None

        answers = await asyncio.gather(*map(shown, asked))
        self.known |= dict.fromkeys(recorded, True) | dict(zip(asked, answers, strict=True))
        return {each for each in memory_ids if not self.known[each]}

    async def _recorded(self, memory_ids: Collection[str]) -> set[str]:
        """Those that the ledger has or had, under any tenant."""
        found: set[str] = set()
        for tenant_id in self.tenant_ids:
            names = await self.means.keyring.tenant(tenant_id)
            refs = {memories.ref(names, self.store.name, each): each for each in memory_ids}

            async def load(
                tx: Tx, tenant: str = tenant_id, mine: Collection[bytes] = tuple(refs)
            ) -> set[bytes]:
                rows = await reach.recorded(tx, tenant, self.store.name, mine)
                stones = await tombstones.matching(tx, tenant, self.store.name, mine)
                return rows.keys() | stones.keys()

            found |= {refs[each] for each in await self.means.ledger.read(load)}
        return found


async def joined(
    means: Means, aim: Aim, store: Store, scope: LayerScope, *, person: bool
) -> LayerScope:
    """The scope with the memories of nobody that an erasure takes all the same.

    Those that it names by their ids; and all, where the installation has nobody else. A hold keeps
    what may be of whom it protects.

    Args:
        person: somebody asked, or an agent for them; a client means what it sees.

    A history that cannot be read now adds none: counting it says so.

    Raises:
        StoreUnavailable, StoreUnknown: the store gave no usable answer.
    """
    found: set[str] = set()
    if person and isinstance(layers.connector(store, HISTORY), Legible):
        with suppress(LayerUnavailable):
            found = await _taken(means, aim, store)
    return replace(scope, memory_ids=tuple(dict.fromkeys([*scope.memory_ids, *sorted(found)])))


async def _taken(means: Means, aim: Aim, store: Store) -> set[str]:
    if not await means.ledger.read(tenants.is_alone):
        return set()
    reading = await Reading.of(means, store)
    if aim.target.kind == "memory":
        return set() if await reading.on_hold() else await reading.orphans(aim.target.values)
    if not await _has_nobody_else(reading, aim):
        return set()
    return {str(each.memory_id) async for page in reading.pages() for each in page}


async def _has_nobody_else(reading: Reading, aim: Aim) -> bool:
    """Whether whatever an installation holds is of whom an erasure ends."""
    means, store = reading.means, reading.store
    if aim.keep is not None or await reading.on_hold():
        return False
    if aim.target.kind == "tenant" and not aim.target.values:
        return True
    if not any(each.row for each in aim.ended):
        return False
    places = await all_places(means, aim.tenant_id, aim.names, store, alone=True)
    mine = {(each.kind, each.upstream_id) for each in places_of(aim.ended, aim.names, store)}
    return {(each.kind, each.upstream_id) for each in places} <= mine


async def count(means: Means, store: Store, *, alone: bool) -> int | None:
    """How many rows of a store's history are of nobody; None where nobody can look.

    Args:
        alone: no other tenant shares the store; else a number that is not 0 is not told either.

    Raises:
        LayerUnavailable, StoreUnavailable, StoreUnknown: as for a reading.
    """
    if not isinstance(layers.connector(store, HISTORY), Legible):
        return None
    rows = 0
    async for page in (await Reading.of(means, store)).pages():
        rows += len(page)
    return rows if alone or not rows else None


@dataclass(frozen=True, slots=True)
class Left:
    """Rows of nobody that an erasure leaves and that may be of whom it forgets.

    Args:
        some: there are any.
        rows: how many; None where nobody counted, or tenants share the store, as it tells one
            what another kept.
    """

    some: bool = False
    rows: int | None = 0


NONE_LEFT = Left()


async def left_by(means: Means, aim: Aim, store: Store, scope: LayerScope, *, person: bool) -> Left:
    """What an erasure leaves of it, beside its scope.

    Of an owner any of them may be. Of a name, a category or a time those are that tell it; where
    tenants share the store all may be, for what they say may be another one's. Of a store that
    calls owners otherwise than its clients do none is: what it held before is nobody's.

    Args:
        person: somebody asked to be forgotten. Of a client's delete it is told that there are any,
            so the history is read no further than to the first one.

    Raises:
        StoreUnavailable, StoreUnknown: the store gave no usable answer.
    """
    if aim.target.kind == "memory" and person:
        with suppress(LayerUnavailable):
            return await _left_of_ids(means, aim, store, scope)
        return NONE_LEFT
    whole = bool(aim.wholes) or aim.target.kind == "tenant"
    if store.owner_form != "keep" or not (whole or concerns(aim)):
        return NONE_LEFT
    with suppress(LayerUnavailable):
        counts = aim.alone and person
        return await _left_by(means, aim, store, scope, whole=whole, counts=counts)
    return NONE_LEFT  # nobody can look, as the layer's own outcome tells


async def _left_of_ids(means: Means, aim: Aim, store: Store, scope: LayerScope) -> Left:
    """Rows of memories that were named by their ids and that a hold keeps."""
    lost = {*aim.target.values} - {*scope.memory_ids}
    rows = 0
    reading = await Reading.of(means, store)
    alone = bool(lost) and await means.ledger.read(tenants.is_alone)
    if alone and await reading.on_hold():
        async for page in reading.pages():
            rows += sum(each.memory_id in lost for each in page)
    return Left(bool(rows), rows)


async def _left_by(
    means: Means, aim: Aim, store: Store, scope: LayerScope, *, whole: bool, counts: bool
) -> Left:
    gone = {*scope.memory_ids}
    rows = {row.id for row in scope.rows if row.layer == HISTORY and not (whole and row.only)}
    count, last = 0, dict[str, datetime | None]()
    reading = await Reading.of(means, store)
    async for page in reading.pages():
        stays = [each for each in page if each.memory_id not in gone and each.id not in rows]
        if stays and not counts:
            return Left(some=True, rows=None)
        count += len(stays if whole else await telling(means, aim, HISTORY, stays, last))
    return Left(bool(count), count)


def with_left(view: LayerView, left: Left, *, person: bool) -> LayerView:
    """What the history shows where rows are left that nobody can attribute.

    Args:
        person: somebody asked to be forgotten. A client that deletes means its own memories, so
            the outcome stands, and the certificate says what it does not cover.
    """
    if view.layer != HISTORY or not left.some or view.status == "unreachable":
        return view
    if not person:
        return view if view.status == "residual" else replace(view, reason=layers.ORPHANED)
    rows = None if left.rows is None or view.residual is None else left.rows + view.residual
    found = view.found if left.rows is None else (view.found or 0) + left.rows
    return replace(
        view, found=found, residual=rows, status="residual", reason=layers.ORPHANED, action=CLEAR
    )


def planned(view: LayerView, left: Left, *, person: bool) -> LayerView:
    """What a plan shows of the history: also what would be left of it."""
    if view.layer != HISTORY or not (left.some and person) or view.found is None:
        return view
    return replace(view, residual=left.rows, reason=layers.ORPHANED, action=CLEAR)
