"""Asking a store for what was deleted: by id, by list, by search, by history."""

import asyncio
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from proxy.erasure.plans.brief import Payload
from proxy.erasure.saga.run import DECIDED, GONE, PAGE, Run
from proxy.erasure.saga.since import written_since
from proxy.erasure.search import layers
from proxy.erasure.search.bare import bare_names
from proxy.erasure.search.bygone import KINDS
from proxy.erasure.search.find import restored, searchable
from proxy.erasure.search.near import states_the_same
from proxy.erasure.search.places import places_of
from proxy.ledger import erasures, memories, reach
from proxy.upstreams.store import Item, Store

CONCURRENCY = 8
MAX_SURFACES = 30
MAX_TEXTS = 20
MAX_PLACES = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Probes:
    """How often each route was tried, and what it still showed (pseudonyms of memory ids)."""

    by_id: int = 0
    searches: int = 0
    lists: int = 0
    histories: int = 0
    listed: int = 0
    hits_by_id: tuple[bytes, ...] = ()
    hits_by_search: tuple[bytes, ...] = ()
    hits_by_list: tuple[bytes, ...] = ()
    history_rows: int = 0
    back: frozenset[bytes] = frozenset()  # hits that are not merely yet to be deleted


async def probe(run: Run, store: Store, payloads: Mapping[bytes, Payload]) -> Probes:
    """Ask one store for a few memories that it was told to delete by their ids."""
    gate = asyncio.Semaphore(CONCURRENCY)
    present = await _by_id(store, payloads, gate)
    listed = list(payloads.values())
    pairs = {pair for each in listed for pair in each.owners.items()}
    scopes = _search_scopes(run, store, pairs)
    texts = [each.stored for each in listed if each.stored]
    searches, shown = await _search(run, store, scopes, texts[:MAX_TEXTS], gate)
    asked, rows = await _histories(store, listed, listed[:MAX_TEXTS], gate)
    found = [ref for ref, each in payloads.items() if each.memory_id in shown]
    return Probes(
        by_id=len(payloads),
        searches=searches,
        histories=asked,
        hits_by_id=tuple(present),
        hits_by_search=tuple(found),
        history_rows=rows,
        back=frozenset([*present, *found]),
    )


async def probe_plan(run: Run, store: Store, count: int) -> Probes:
    """The same for a plan of any size, some hundred memories at a time."""
    gate = asyncio.Semaphore(CONCURRENCY)
    found, texts = Probes(), list[str]()
    step = max(1, -(-count // MAX_TEXTS))
    async for page in run.pages(upstream=store.name, actions=GONE, states=DECIDED):
        payloads = {item.ref: run.payload(item) for item in page}
        present = await _by_id(store, payloads, gate)
        listed = list(payloads.values())
        sample = listed[-found.by_id % step :: step]
        asked, rows = await _histories(store, listed, sample, gate)
        done = {item.ref for item in page if item.state in {"done", "gone"}}
        texts += [each.stored for each in sample if each.stored]
        found = replace(
            found,
            by_id=found.by_id + len(page),
            histories=found.histories + asked,
            hits_by_id=(*found.hits_by_id, *present),
            history_rows=found.history_rows + rows,
            back=found.back | done.intersection(present),
        )
    scopes = _search_scopes(run, store, (await run.extent(store.name)).owners)
    searches, shown = await _search(run, store, scopes, list(dict.fromkeys(texts)), gate)
    hits = await _still_there(run, store, shown)
    meanwhile = bool(run.aim.away)  # it ends later, with another look
    in_lists = set() if meanwhile else await _in_lists(run, store, scopes)
    waiting = {"upstream": store.name, "states": erasures.PENDING, "refs": hits | in_lists}
    pending = {item.ref for item in await run.items(**waiting)} if hits | in_lists else set()
    back = found.back | ((hits | in_lists) - pending)
    return replace(
        found, searches=searches, lists=0 if meanwhile else len(scopes),
        hits_by_search=tuple(sorted(hits)),
        hits_by_list=tuple(sorted(in_lists - pending)), back=back,
    )  # fmt: skip


async def _in_lists(run: Run, store: Store, scopes: Sequence[Mapping[str, str]]) -> set[bytes]:
    """What was to go and a list shows, whatever the other routes say."""
    shown: set[bytes] = set()
    for scope in scopes:
        refs: list[bytes] = []
        async for item in store.crawl(scope):
            refs.append(memories.ref(run.aim.names, store.name, item.memory_id))
            if len(refs) == PAGE:
                shown |= await _going(run, store, refs)
                refs = []
        shown |= await _going(run, store, refs)
    return shown


async def _going(run: Run, store: Store, refs: Sequence[bytes]) -> set[bytes]:
    """Those of a page that go by the plan and are not waiting for anybody."""
    planned = await run.planned(store.name, refs) if refs else {}
    open_ = (await run.extent(store.name)).kept
    return {ref for ref, action in planned.items() if action in GONE} - open_


async def _by_id(
    store: Store, payloads: Mapping[bytes, Payload], gate: asyncio.Semaphore
) -> list[bytes]:
    async def one(ref: bytes, memory_id: str) -> bytes | None:
        async with gate:
            return ref if await store.get(memory_id) is not None else None

    answers = await _all([one(ref, each.memory_id) for ref, each in payloads.items()])
    return [ref for ref in answers if ref is not None]


async def _histories(
    store: Store, payloads: Sequence[Payload], sample: Sequence[Payload], gate: asyncio.Semaphore
) -> tuple[int, int]:
    """How many histories were asked for by the API, and the rows that it still shows.

    Where a connector counts the table itself, a sample tells whether the store has another one.
    """
    if "history" not in layers.names(store) or "history" not in store.profile.use:
        return 0, 0
    asked_for = sample if layers.connector(store, "history") else payloads

    async def one(memory_id: str) -> int:
        async with gate:
            return len(await store.history(memory_id))

    answers = await _all([one(each.memory_id) for each in asked_for])
    return len(answers), sum(answers)


async def _search(
    run: Run, store: Store, scopes: Sequence[Mapping[str, str]], texts: Sequence[str],
    gate: asyncio.Semaphore,
) -> tuple[int, dict[str, Item]]:  # fmt: skip
    """Search by every name and by the erased texts themselves: how often, and what it showed.

    Of a blank text there is nothing to search for, and stores refuse to.
    """

    async def one(scope: Mapping[str, str], query: str) -> list[Item]:
        async with gate:
            return await store.search(scope, query)

    surfaces = run.brief.surfaces[:MAX_SURFACES]
    said = [query for query in (*surfaces, *texts) if query.strip()]
    queries = [(scope, query) for scope in scopes for query in said]
    answers = await _all([one(scope, query) for scope, query in queries])
    return len(queries), {item.memory_id: item for answer in answers for item in answer}


async def _still_there(run: Run, store: Store, shown: Mapping[str, Item]) -> set[bytes]:
    """Of what a search showed: what was erased, and what still tells it."""
    if not shown:
        return set()
    refs = {memories.ref(run.aim.names, store.name, each): each for each in shown}
    planned = await run.planned(store.name, list(refs))
    open_ = (await run.extent(store.name)).kept  # stays, or is not decided on yet
    gone = {ref for ref, action in planned.items() if action in GONE} - open_
    erased = {refs[ref] for ref in gone}
    others = {key: item for key, item in shown.items() if key not in erased}
    if run.aim.target.kind == "memory" or not others:
        return gone
    kept = {refs[ref] for ref in planned.keys() - gone}
    allowed = kept | await _allowed(run, store, refs, shown)
    allowed |= {key for key, item in others.items() if run.wrote(store.name, item)}
    told = await _telling(run, store, {k: i for k, i in others.items() if k not in allowed})
    return gone | {ref for ref, memory_id in refs.items() if memory_id in told}


async def _telling(run: Run, store: Store, shown: Mapping[str, Item]) -> set[str]:
    """Memories of whole owners, and those that mention or repeat what was erased."""
    restoring = [searchable(each) for each in shown.values()]
    texts = dict(zip(shown, await restored(run.means, run.tenant_id, restoring), strict=True))
    places = places_of(run.aim.ended, run.aim.names, store)
    wholes = {(place.kind, place.upstream_id) for place in places}
    told = {
        memory_id for memory_id, item in shown.items()
        if not wholes.isdisjoint(item.owners.items()) or _mentions(run, texts[memory_id])
    }  # fmt: skip
    if run.aim.needles is not None or told == texts.keys():
        return told
    others = [(shown[key], text) for key, text in texts.items() if key not in told]
    return told | await _repeating(run, store, others)


async def _repeating(run: Run, store: Store, others: Sequence[tuple[Item, str]]) -> set[str]:
    """Those whose text says under the same owners what an erased one said.

    Another user of the same agent or run may say so too.
    """
    told: set[str] = set()
    async for page in run.pages(upstream=store.name, actions=GONE):
        gone = [payload for item in page if (payload := run.payload(item)).text]
        told |= {
            item.memory_id
            for item, text in others
            if any(_repeats(item, text, each) for each in gone)
        }
    return told


def _repeats(item: Item, text: str, erased: Payload) -> bool:
    """Whether it is the erased memory again, as far as the store says whose it is."""
    if item.owners and item.owners != erased.owners:
        return False
    return states_the_same(text, erased.text or "")


def _mentions(run: Run, text: str) -> bool:
    needles = run.aim.needles
    if needles is None:
        return False
    spans = needles.find(text)
    if run.aim.rivals is not None:
        spans = run.aim.rivals.outside(spans, text)
    bare = bare_names(run.aim)
    return any(span.certain and span.part not in bare for span in spans)


async def _allowed(
    run: Run, store: Store, refs: Mapping[bytes, str], shown: Mapping[str, Item]
) -> set[str]:
    """Memories that were written anew or since, or that the target leaves where they are."""
    rows = await run.means.ledger.read(
        lambda tx: reach.recorded(tx, run.tenant_id, store.name, list(refs))
    )
    known = {ref: (rows.get(ref), shown[memory_id]) for ref, memory_id in refs.items()}
    late = await written_since(run, store.name, known)
    return {refs[ref] for ref in late} | {
        refs[ref] for ref, row in rows.items()
        if row.origin == "regenerated" or run.aim.target.kind in KINDS
    }  # fmt: skip


def _search_scopes(
    run: Run, store: Store, owned: Collection[tuple[str, str]]
) -> list[dict[str, str]]:
    """Owners who lost something, and those who are erased as a whole."""
    wholes = places_of(run.aim.wholes, run.aim.names, store)
    pairs = {*owned, *((place.kind, place.upstream_id) for place in wholes)}
    return [dict([pair]) for pair in sorted(pairs)[:MAX_PLACES]]


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    return list(await asyncio.gather(*work))
