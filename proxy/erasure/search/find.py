"""Everything that an erasure concerns: the ledger's knowledge and the store read to the end."""

import asyncio
from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from functools import partial
from typing import Any

from proxy.erasure.search import crawl, twins
from proxy.erasure.search.bare import linked, settle
from proxy.erasure.search.bygone import in_range
from proxy.erasure.search.described import mark_described
from proxy.erasure.search.familiar import mark_familiar
from proxy.erasure.search.found import Found, Hunt, RowIds
from proxy.erasure.search.judge import judge, made, mark
from proxy.erasure.search.meaning import same_meaning
from proxy.erasure.search.means import Means
from proxy.erasure.search.near import near_duplicates
from proxy.erasure.search.places import all_places
from proxy.erasure.search.recorded import Spill, beside, recorded, under, unmet
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.versions import asks_api, changed_since, was_changed
from proxy.ledger import erasures, memories, provenance, reach, tenants, tombstones
from proxy.ledger.engine import Tx
from proxy.ledger.memories import PRESENT, Memory
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.forms.views import beside_each_other
from proxy.upstreams.store import STAMPS, Item, Store


async def hunt(means: Means, aim: Aim, *, erasure_id: str = "", spill: Spill | None = None) -> Hunt:
    """Find every memory that the target concerns, derived ones to any depth.

    Args:
        erasure_id: what derives from memories of its plan is concerned, though they be gone.
        spill: where findings go once there are many.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to the end.
    """
    result = Hunt(away=aim.away)
    if aim.crawls:
        result.recorded, result.named = await means.ledger.read(lambda tx: recorded(tx, aim))
        result.beside = await means.ledger.read(lambda tx: beside(tx, aim))
        for store in crawl.stores_of(means, aim):
            await _crawl(means, aim, store, result, spill)
        await _unseen(means, aim, result, spill)
        for one in await means.ledger.read(lambda tx: linked(tx, aim, result)):
            result.take(one)
        await means.ledger.read(lambda tx: _follow(tx, means, aim, result, erasure_id))
    else:
        await means.ledger.read(lambda tx: _by_record(tx, means, aim, result, erasure_id))
        if await _unrecorded(means, aim, result):
            await means.ledger.read(lambda tx: _follow(tx, means, aim, result, erasure_id))
    await _fetch_missing(means, aim, result)
    if twins.wanted(aim) and not erasure_id:
        await _add_twins(means, aim, result)
    return result


async def _add_twins(means: Means, aim: Aim, result: Hunt) -> None:
    """What says the same as memories that were named by their ids, and what derives from it."""
    before = len(result.found)
    for store in crawl.stores_of(means, aim):
        look = partial(with_rows, means, aim.tenant_id, aim.names, store.name)
        for one in await twins.twins(means, aim, store, result, look):
            result.add(one)
    if len(result.found) > before:
        await means.ledger.read(lambda tx: _follow(tx, means, aim, result, ""))
        await _fetch_missing(means, aim, result)


# -- by the ledger ---------------------------------------------------------------------------------


async def _by_record(tx: Tx, means: Means, aim: Aim, result: Hunt, erasure_id: str) -> None:
    """All that is recorded of memories named by id and of what derives from them."""
    await _add_rows(tx, means, aim, await _by_id(tx, means, aim), result)
    await _follow(tx, means, aim, result, erasure_id)


async def _unseen(means: Means, aim: Aim, result: Hunt, spill: Spill | None) -> None:
    """What the ledger takes for concerned and no list showed; the store may have it yet."""

    async def load(tx: Tx, part: Sequence[str]) -> Sequence[Found]:
        return await _add_rows(tx, means, aim, await reach.present(tx, part), result)

    async for part in unmet(means, aim, result, spill):
        fetched = await means.ledger.read(partial(load, part=part))
        fetched = [one for one in fetched if one.upstream not in aim.away]
        await _fetch(means, aim, fetched)
        for one in fetched:
            _leave(aim, one, result)
        await _hand_over(means, aim, result, spill)
    result.recorded = RowIds()


async def _add_rows(
    tx: Tx, means: Means, aim: Aim, rows: Sequence[Memory], result: Hunt
) -> Sequence[Found]:
    wanted = [row for row in rows if aim.target.upstream in (None, row.upstream)]
    found = await open_rows(tx, means, aim.tenant_id, wanted, direct=True)
    return [result.add(one) for one in found]


async def _unrecorded(means: Means, aim: Aim, result: Hunt) -> bool:
    """Memories asked for by id that the ledger does not know, or takes for erased already.

    Whether there are any.
    """
    before = len(result.found)
    known = {(one.upstream, one.memory_id) for one in result.found.values()}
    for store in crawl.stores_of(means, aim):
        wanted = [each for each in aim.target.values if (store.name, each) not in known]
        if not wanted:
            continue
        shown = [item for each in wanted if (item := await store.get(each)) is not None]
        for one in await with_rows(means, aim.tenant_id, aim.names, store.name, shown):
            if await _is_ours(means, aim, store, one):
                one.direct = True
                result.add(one)
    return len(result.found) > before


async def _is_ours(means: Means, aim: Aim, store: Store, one: Found) -> bool:
    """Whether an item belongs to the tenant: by its owners, never by having been asked for."""
    owned = set(one.item.owners.items()) if one.item else set()
    alone = await means.ledger.read(tenants.is_alone)
    places = await all_places(means, aim.tenant_id, aim.names, store, alone)
    return any((place.kind, place.upstream_id) in owned for place in places)


async def _by_id(tx: Tx, means: Means, aim: Aim) -> list[Memory]:
    found: list[Memory] = []
    for store in crawl.covered(means, aim):
        refs = [memories.ref(aim.names, store.name, each) for each in aim.target.values]
        known = await reach.recorded(tx, aim.tenant_id, store.name, refs)
        found += [row for row in known.values() if row.state in PRESENT]
    return found


async def open_rows(
    tx: Tx, means: Means, tenant_id: str, rows: Sequence[Memory], *, direct: bool = False
) -> list[Found]:
    """Rows with their store ids opened; rows whose key is gone are past reach and left out."""
    sealed = [(row.dek_id, row.sealed_id, memories.aad(tenant_id, row.id)) for row in rows]
    opened = await means.keyring.unseal_many(tx, sealed) if sealed else []
    return [
        Found(row.upstream, memory_id.decode(), row.ref, row, direct=direct)
        for row, memory_id in zip(rows, opened, strict=True)
        if memory_id is not None
    ]


# -- by reading the store --------------------------------------------------------------------------


async def _crawl(means: Means, aim: Aim, store: Store, result: Hunt, spill: Spill | None) -> None:
    async for batch, ends in crawl.batches(crawl.items(means, aim, store)):
        if batch:
            await _examine(means, aim, store, batch, result)
        if ends:
            await _compare(means, aim, store, result)
            result.let_go(crawl.LOT)
        if ends or not aim.target.named:
            await _hand_over(means, aim, result, spill)


async def _compare(means: Means, aim: Aim, store: Store, result: Hunt) -> None:
    """What is concerned for what others say: all memories of the same owners were looked at."""
    lot = result.lot()
    for one in await asyncio.to_thread(lambda: list(mark_familiar(aim, lot))):
        lot.add(result.take(one))
    await asyncio.to_thread(mark_described, aim, lot)
    for one in list(settle(aim, lot, result)):
        lot.add(result.take(one))
    for one in await changed_since(means, aim, store, result):
        one.former = True
        result.take(one)
    for one in near_duplicates(lot):
        result.add(one)
    for one in await same_meaning(means.encode, aim, lot):
        one.alike = True
        result.add(one)
    result.compared = set(result.found)


async def _hand_over(means: Means, aim: Aim, result: Hunt, spill: Spill | None) -> None:
    """Hand over what stands for itself alone, once there is much of it."""
    if spill is None:
        return
    if len(result.waiting) >= crawl.LOT:
        await spill.put(list(result.waiting.values()))
        result.waiting.clear()
    loose = [one for one in result.found.values() if one.key not in result.linked]
    if len(loose) < crawl.LOT:
        return
    result.linked |= await means.ledger.read(lambda tx: _linked(tx, aim, loose))
    alone = [one for one in loose if one.key not in result.linked]
    for one in alone:
        del result.found[one.key]
    await spill.put(alone)


async def _linked(tx: Tx, aim: Aim, found: Sequence[Found]) -> set[str]:
    """Keys of findings that were derived from something, or something from them."""
    rows = {one.row.id: one for one in found if one.row}
    linked = {rows[edge.memory_id].key for edge in await reach.edges(tx, rows)}
    names = {provenance.id_ref(aim.names, one.memory_id): one.key for one in found}
    for row_id, refs in (await reach.names(tx, rows)).items():
        names |= dict.fromkeys(refs, rows[row_id].key)
    return linked | {names[ref] for ref in await reach.sources_among(tx, aim.tenant_id, names)}


async def _examine(
    means: Means, aim: Aim, store: Store, batch: Sequence[tuple[Item, bool]], result: Hunt
) -> None:
    items = [item for item, _ in batch]
    found = await with_rows(means, aim.tenant_id, aim.names, store.name, items)
    for one, (item, whole) in zip(found, batch, strict=True):
        one.direct = whole
        one.direct |= aim.is_rest(item.metadata.get(store.profile.stamp))
    await judge(means, aim, found)
    left = await _left_before(means, aim, store, found) if aim.before else set()
    result.seen += len(found)
    rest = {one.row.id for one in found if one.row and not one.direct and one.row.state in PRESENT}
    owned = await means.ledger.read(lambda tx: under(tx, aim.wholes, rest)) if rest else set()
    for one in found:
        met = result.met(one) or (one.row is not None and one.row.id in owned)
        one.direct |= (met and not _leave(aim, one, result)) or one.ref in left
        result.doubt(one)
        if one.direct:
            result.add(one)
        elif aim.target.named:
            result.texts[one.key] = one
        elif asks_api(aim, store) and was_changed(one.item):
            result.changed[one.key] = one


async def _left_before(means: Means, aim: Aim, store: Store, found: Sequence[Found]) -> set[bytes]:
    """What an erasure of the same has erased by the ledger, and the store shows.

    The token in it may be nobody's any more: its key went with that erasure.
    """
    refs = [one.ref for one in found if one.row is None or one.row.state not in PRESENT]
    if not refs:
        return set()
    stones = await means.ledger.read(
        lambda tx: tombstones.matching(tx, aim.tenant_id, store.name, refs)
    )
    return {ref for ref, by in stones.items() if by in aim.before}


def _leave(aim: Aim, one: Found, result: Hunt) -> bool:
    """As ``Hunt.leave``; what was recorded by a name may be about the word that it is, too.

    And what was written within a range of time may be dated otherwise.
    """
    if aim.target.kind == "time_range" and not in_range(aim, made(one)):
        result.found.pop(one.key, None)
        return True
    one.word = not one.spans and aim.needles is not None and aim.needles.only_words(one.text)
    return result.leave(one)


async def with_rows(
    means: Means, tenant_id: str, names: Pseudonyms, upstream: str, items: Sequence[Item]
) -> list[Found]:
    """Items with their rows and their texts in clear."""
    texts = await restored(means, tenant_id, [searchable(item) for item in items])
    found = [
        Found(upstream, item.memory_id, memories.ref(names, upstream, item.memory_id), None, item,
              text)
        for item, text in zip(items, texts, strict=True)
    ]  # fmt: skip
    refs = [one.ref for one in found]
    rows = await means.ledger.read(lambda tx: reach.recorded(tx, tenant_id, upstream, refs))
    for one in found:
        one.row = rows.get(one.ref)
        one.strange = one.row is None
    return found


async def restored(means: Means, tenant_id: str, texts: Iterable[str]) -> list[str]:
    """Texts with their tokens put back into clear words."""
    return [each.text for each in await means.vault.restore_many(tenant_id, list(texts))]


def searchable(item: Item) -> str:
    """All that an item says: its text, and every key and string of its metadata on its own line."""
    own = {name: value for name, value in item.metadata.items() if not name.startswith(STAMPS)}
    return "\n".join([item.text, *strings(own)])


def strings(value: Any) -> list[str]:
    """Every string within a JSON value, keys too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        found = [text for pair in value.items() for part in pair for text in strings(part)]
        return [*found, *filter(None, [beside_each_other(value)])]
    if isinstance(value, list | tuple):
        return [text for part in value for text in strings(part)]
    return []


# -- along provenance ------------------------------------------------------------------------------


async def _follow(tx: Tx, means: Means, aim: Aim, result: Hunt, erasure_id: str) -> None:
    """Add everything derived from what was found or is gone already, whoever owns it."""
    rows = await reach.present(tx, await _derived(tx, aim, result, erasure_id))
    for one in await open_rows(tx, means, aim.tenant_id, rows):
        known = result.texts.pop(one.key, None)
        result.add(one)
        if known is not None:
            result.add(known)


async def _derived(tx: Tx, aim: Aim, result: Hunt, erasure_id: str) -> set[str]:
    """Row ids of what derives from the findings or from a plan's memories, without the former."""
    found, known = list(result.found.values()), result.rows()
    reached: set[str] = set()
    for part in reach.chunks(found):
        refs = {provenance.id_ref(aim.names, one.memory_id) for one in part}
        reached |= await reach.derived_from_names(tx, aim.tenant_id, refs)
    reached |= await reach.closure(tx, aim.tenant_id, [*known, *reached])
    if erasure_id:
        async for gone in erasures.memory_ids(tx, erasure_id):
            reached |= {*gone, *await reach.closure(tx, aim.tenant_id, gone)}
    return reached - known.keys()


async def _fetch_missing(means: Means, aim: Aim, result: Hunt) -> None:
    """Get by id what the listing did not show; what the store does not have stays without item."""
    for part in reach.chunks(
        [one for one in result.found.values() if one.item is None], crawl.BATCH
    ):
        await _fetch(means, aim, part)


async def _fetch(means: Means, aim: Aim, found: Sequence[Found]) -> None:
    for one in found:
        one.item = await means.stores[one.upstream].get(one.memory_id)
    shown = [one for one in found if one.item is not None]
    texts = [searchable(one.item) for one in shown if one.item is not None]
    for one, text in zip(shown, await restored(means, aim.tenant_id, texts), strict=True):
        one.text = text
    await mark(means, aim, shown)


def by_upstream(found: Collection[Found]) -> dict[str, list[Found]]:
    """Findings of each store."""
    grouped: dict[str, list[Found]] = {}
    for one in found:
        grouped.setdefault(one.upstream, []).append(one)
    return grouped
