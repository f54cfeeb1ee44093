"""Rows of a store's side tables that should not be there: versions of what was erased, and texts
that name whom nothing may name any more."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from proxy.erasure.search import layers
from proxy.erasure.search.find import restored
from proxy.erasure.search.means import Means
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.places import Place, all_places, holders
from proxy.erasure.search.versions import SIDES, Told, pages, shown
from proxy.erasure.search.walk import kept
from proxy.erasure.texts.halves import Conversations, in_halves
from proxy.ledger import holds, memories, owners, reach, tenants, tombstones
from proxy.ledger.engine import Tx
from proxy.pseudonyms import Pseudonyms
from proxy.upstreams.layers.base import Entry, LayerScope, Legible, Owners, Row
from proxy.upstreams.layers.matching import EMBEDDING, ENTITIES
from proxy.upstreams.store import Store

Refs = frozenset[tuple[str, bytes]]  # (store, pseudonym of a memory's id)
NOBODY: tuple[str, ...] = ()
CONVERSED = "messages"
LAYERS = (*SIDES, ENTITIES, EMBEDDING)


@dataclass(frozen=True, slots=True)
class SideRows:
    """What one store's side tables show.

    Args:
        of_erased: versions of erased memories.
        naming: rows of other memories, messages and entities that name somebody who is blocked or
            are kept under an owner who is.
        read: layers that were read to their end.
        unread: layers the store has that nobody gave Expunge; not those that lie in the memory's
            own row, which every list shows.
        held: how many rows of each layer, of erased memories or owners, a legal hold keeps.
    """

    of_erased: tuple[Told, ...] = ()
    naming: tuple[Told, ...] = ()
    read: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    held: Counter[str] = field(default_factory=Counter)

    @property
    def all(self) -> tuple[Told, ...]:
        """Both kinds."""
        return (*self.of_erased, *self.naming)


@dataclass(frozen=True, slots=True)
class LeftRows:
    """Rows of a layer that could not be deleted, why, and what an operator can do."""

    upstream: str
    layer: str
    rows: int
    reason: str
    action: str


@dataclass(frozen=True, slots=True)
class _Look:
    """Whose tables are read, and for what."""

    means: Means
    tenant_id: str
    store: Store
    places: Sequence[Place]
    alone: bool
    erasure_id: str | None
    spared: Refs
    offline: bool
    rows: Mapping[tuple[str, str], str]  # row ids of the owners whom the ledger knows
    names: Pseudonyms
    on_hold: Mapping[tuple[str, bytes], str]  # of whom a hold keeps all, erased or not: row ids
    erased: frozenset[str]  # those of them who were erased before
    conversations: Conversations = field(default_factory=Conversations)

    def keeps(self, owner_ids: Collection[str]) -> bool:
        """Whether a hold keeps all of any of these owners."""
        return any(each in owner_ids for each in self.on_hold.values())


class _Whose(NamedTuple):
    """Under whom a row is kept: row ids of owners; where there are none the store's own ids.

    Neither is known of a version whose memory the ledger never had: it may be ``anybodys``.
    """

    ids: tuple[str, ...]
    places: Owners
    anybodys: bool = False


async def side_rows(
    means: Means, tenant_id: str, store: Store, *, erasure_id: str | None = None,
    spared: Refs = frozenset(), offline: bool = False,
) -> SideRows:  # fmt: skip
    """Read a store's side tables against the tombstones and the blocklist.

    Args:
        erasure_id: only what this erasure erased and blocks; None: every one.
        spared: memories whose versions count with them: kept on purpose, or found already.
        offline: the store is stopped, so it is asked nothing; an owner that the ledger has never
            seen is then nobody's.

    Raises:
        LayerUnavailable: a configured layer cannot be read now.
        StoreUnavailable, StoreUnknown: the store gave no usable answer.
    """
    names = await means.keyring.tenant(tenant_id)
    alone = await means.ledger.read(tenants.is_alone)
    if offline:
        places = [each.place(names, store) for each in await holders(means, tenant_id)]
    else:
        places = await all_places(means, tenant_id, names, store, alone)
    known = {(place.kind, place.upstream_id): place.row.id for place in places if place.row}
    held_rows = await means.ledger.read(lambda tx: _on_hold(tx, tenant_id))
    on_hold = {(row.kind, row.upstream_ref): row.id for row in held_rows}
    erased = frozenset(row.id for row in held_rows if row.state == "erased")
    look = _Look(
        means,
        tenant_id,
        store,
        places,
        alone,
        erasure_id,
        spared,
        offline,
        known,
        names,
        on_hold,
        erased,
    )
    of_erased: list[Told] = []
    naming: list[Told] = []
    read: list[str] = []
    held = Counter[str]()
    for name in LAYERS:
        layer = layers.connector(store, name)
        if isinstance(layer, Legible):
            read.append(name)
            async for page in pages(layer):
                gone, named, kept_back = await _judge(look, name, page)
                of_erased += gone
                naming += named
                held[name] += kept_back
    unread = [each for each in layers.apart(store) if each not in {*read, MEMORY}]
    return SideRows(tuple(of_erased), tuple(naming), tuple(read), tuple(unread), +held)


async def _on_hold(tx: Tx, tenant_id: str) -> Sequence[owners.Owner]:
    placed = await holds.of_tenant(tx, tenant_id)
    return await owners.by_ids(tx, {each.owner_id for each in placed if each.owner_id})


async def delete_rows(store: Store, found: Sequence[Told]) -> list[LeftRows]:
    """Delete rows, of a row that only tells the text before it that text; what is left.

    Raises:
        LayerUnavailable: a layer cannot be changed now.
    """
    return await clear_rows(store, [row for each in found for row in each.rows])


async def clear_rows(store: Store, rows: Sequence[Row]) -> list[LeftRows]:
    """Delete rows of side tables; what is left.

    Raises:
        LayerUnavailable: a layer cannot be changed now.
    """
    scope = LayerScope(rows=tuple(rows))
    left = []
    for name in sorted({each.layer for each in rows}):
        layer = layers.connector(store, name)
        if layer is None:
            continue
        await layer.delete(scope)
        if still := await layer.count(scope):
            left.append(LeftRows(store.name, name, still, *layers.remedy(layer)))
    return left


async def _judge(
    look: _Look, layer: str, page: Sequence[Entry]
) -> tuple[list[Told], list[Told], int]:
    """Versions of erased memories, rows that name somebody, and how many a hold keeps."""
    refs = {
        entry.memory_id: memories.ref(look.names, look.store.name, entry.memory_id)
        for entry in page if entry.memory_id
    }  # fmt: skip
    known, held = await kept(look.means, look.tenant_id, look.store.name, set(refs.values()))
    spared = {each for each, ref in refs.items() if (look.store.name, ref) in look.spared}
    page = [entry for entry in page if entry.memory_id not in spared]
    owned = await _owner_rows(look, page, refs)
    stays = [entry for entry in page if _is_held(look, entry, refs, held, owned)]
    taken = {entry.id for entry in stays}
    page = [entry for entry in page if entry.id not in taken]
    stones = await look.means.ledger.read(
        lambda tx: tombstones.matching(tx, look.tenant_id, look.store.name, set(refs.values()))
    )
    wanted = {ref for ref, by in stones.items() if look.erasure_id in (None, by)}
    gone = [entry for entry in page if entry.memory_id and refs[entry.memory_id] in wanted]
    others = [entry for entry in page if not entry.memory_id or refs[entry.memory_id] not in stones]
    back = {entry.id for entry in stays if entry.memory_id and refs[entry.memory_id] in wanted}
    if left := [each for each in _unknown(stays, refs, known) if _was_erased(look, each, owned)]:
        back |= {each.entry.id for each in await _of_erased_owners(look, layer, left)}
    return (
        [Told(layer, entry, frozenset(entry.texts)) for entry in gone],
        await _naming(look, layer, others, refs, known, owned),
        len(back),
    )


def _is_held(
    look: _Look, entry: Entry, refs: Mapping[str, bytes], held: frozenset[bytes],
    owned: Mapping[str, tuple[str, ...]],
) -> bool:  # fmt: skip
    """Whether a hold keeps a row, by its memory or by its owner."""
    if entry.memory_id and refs[entry.memory_id] in held:
        return True
    return look.keeps(owned.get(entry.id, NOBODY))


def _was_erased(look: _Look, entry: Entry, owned: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether whoever is on hold was erased before; else the row never went."""
    return not look.erased.isdisjoint(owned.get(entry.id, NOBODY))


def _unknown(
    page: Sequence[Entry], refs: Mapping[str, bytes], known: frozenset[bytes]
) -> list[Entry]:
    """Rows of no memory that is in the ledger."""
    return [each for each in page if not each.memory_id or refs[each.memory_id] not in known]


async def _naming(
    look: _Look, layer: str, page: Sequence[Entry], refs: Mapping[str, bytes],
    known: frozenset[bytes], owned: Mapping[str, tuple[str, ...]],
) -> list[Told]:  # fmt: skip
    by_owners: dict[_Whose, list[Entry]] = defaultdict(list)
    found = await _of_erased_owners(look, layer, _unknown(page, refs, known))
    taken = {each.entry.id for each in found}
    for entry in page:
        if entry.id not in taken:
            by_owners[_whose(look, entry, owned.get(entry.id, NOBODY))].append(entry)
    for whose, entries in by_owners.items():
        named = await _blocked(look, entries, whose)
        told = [
            Told(layer, entry, columns)
            for entry, columns in zip(entries, named, strict=True) if columns
        ]  # fmt: skip
        if layer == CONVERSED:
            told += await _in_halves(look, layer, entries, whose)
        found += told if whose.ids else [each for each in told if await _counts(look, each)]
    return found


def _whose(look: _Look, entry: Entry, ids: tuple[str, ...]) -> _Whose:
    """Under whom a row is kept; a stopped store cannot be asked whose a version is."""
    unknown = bool(entry.memory_id) and not (ids or entry.owners or look.offline)
    return _Whose(ids, () if ids else entry.owners, unknown)


async def _counts(look: _Look, told: Told) -> bool:
    """Whether a row of no known owner counts: it is the tenant's, and no spared owner's.

    A version does not say whose it is; its memory does, if the store still shows it.
    """
    entry = told.entry
    if not await _ours(look, entry):
        return False
    if entry.owners or not entry.memory_id or look.offline:
        return True
    item = await look.store.get(entry.memory_id)
    if item is None:
        return True
    pairs, texts = tuple(item.owners.items()), [entry.texts[column] for column in told.columns]
    ids = _row_ids(look, pairs)
    if look.keeps(ids):
        return False
    return any(await _name_anybody(look, _Whose(ids, pairs), texts))


def _row_ids(look: _Look, pairs: Owners) -> tuple[str, ...]:
    """Row ids of those of a store's owners that the ledger knows, or that are on hold."""
    ids = {look.rows[pair] for pair in pairs if pair in look.rows}
    if look.on_hold:
        refs = {(kind, owners.upstream_ref(look.names, name)) for kind, name in pairs}
        ids |= {row_id for ref, row_id in look.on_hold.items() if ref in refs}
    return tuple(sorted(ids))


async def _in_halves(look: _Look, layer: str, page: Sequence[Entry], whose: _Whose) -> list[Told]:
    """Messages that name somebody blocked only together with the one before or behind them."""
    judge = partial(_name_anybody, look, whose)
    split = {each.id: each for each in await in_halves(look.conversations, page, judge)}
    return [Told(layer, entry, frozenset({entry.main})) for entry in split.values()]


async def _of_erased_owners(look: _Look, layer: str, page: Sequence[Entry]) -> list[Told]:
    """Rows kept under an owner that was erased as a whole, whatever they say.

    What an erasure kept or wrote anew under its owner is in the ledger, so not looked at here.
    """
    erased = await look.means.blocklist.erased_places(
        look.tenant_id, {pair for entry in page for pair in entry.owners},
        erasure_id=look.erasure_id,
    )  # fmt: skip
    return [
        Told(layer, entry, frozenset(entry.texts))
        for entry in page if not erased.isdisjoint(entry.owners)
    ]  # fmt: skip


async def _owner_rows(
    look: _Look, page: Sequence[Entry], refs: Mapping[str, bytes]
) -> dict[str, tuple[str, ...]]:
    """Row ids of the tenant's owners by row, as far as the ledger or the row itself tells."""

    async def load(tx: Tx) -> tuple[dict[bytes, str], dict[str, list[str]]]:
        rows = await reach.recorded(tx, look.tenant_id, look.store.name, set(refs.values()))
        by_ref = {ref: row.id for ref, row in rows.items()}
        return by_ref, await reach.owners(tx, list(by_ref.values()))

    rows, whose = await look.means.ledger.read(load)
    found = {}
    for entry in page:
        row_id = rows.get(refs[entry.memory_id]) if entry.memory_id else None
        ids = whose.get(row_id, []) if row_id else _row_ids(look, entry.owners)
        if ids:
            found[entry.id] = tuple(sorted(ids))
    return found


async def _blocked(look: _Look, entries: Sequence[Entry], whose: _Whose) -> list[frozenset[str]]:
    """Which columns of each row name somebody who is blocked."""
    stored = [text for entry in entries for text in entry.texts.values()]
    hits = iter(await _name_anybody(look, whose, stored))
    return [frozenset(name for name in entry.texts if next(hits)) for entry in entries]


async def _name_anybody(look: _Look, whose: _Whose, stored: Sequence[str]) -> list[bool]:
    texts = await restored(look.means, look.tenant_id, stored)
    found = await look.means.blocklist.blocked_mentions(
        look.tenant_id,
        texts,
        whose.ids,
        erasure_id=look.erasure_id,
        places=whose.places,
        anybodys=whose.anybodys,
    )
    return [bool(each) for each in found]


async def _ours(look: _Look, entry: Entry) -> bool:
    """Whether a row of no known owner is the tenant's: by its owners, or as the store shows it.

    What belongs to whom nobody can tell counts only where the installation has no other tenant.
    """
    if look.alone:
        return True
    known = {(place.kind, place.upstream_id) for place in look.places}
    if not known.isdisjoint(entry.owners):
        return True
    if look.offline or entry.memory_id is None:
        return False
    item = await look.store.get(entry.memory_id)
    return bool(shown(item, look.places))
