"""Is it gone? Asked by other routes than the one that deleted: id, list, search, history, bytes."""

import asyncio
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proxy.erasure import layers
from proxy.erasure.brief import Payload
from proxy.erasure.find import hunt, restored, searchable
from proxy.erasure.found import Found, Hunt
from proxy.erasure.layers import Count
from proxy.erasure.near import states_the_same
from proxy.erasure.places import places_of
from proxy.erasure.run import GONE, Run, scope_of
from proxy.erasure.view import LayerView
from proxy.ledger import memories, reach
from proxy.ledger.erasures import PlanItem
from proxy.upstreams.errors import StoreError
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
    histories: int = 0
    listed: int = 0
    hits_by_id: tuple[bytes, ...] = ()
    hits_by_search: tuple[str, ...] = ()  # memory ids; they never leave the process
    history_rows: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """What verification of one store came to."""

    store: Store
    probes: Probes
    sides: Mapping[str, Count]
    missed: Hunt
    failed: bool = False
    items: Sequence[PlanItem] = field(default=())


async def check(run: Run, store: Store, missed: Hunt) -> Checked:
    """Look for everything of the plan in one store, by every route there is."""
    every = await run.items(upstream=store.name)
    items = [item for item in every if item.action in GONE]
    payloads = {item.ref: run.payload(item) for item in items}
    scope = await scope_of(run, store.name)
    try:
        probes = await probe(run, store, payloads, missed.seen)
    except StoreError:
        return Checked(store, Probes(), await layers.count_all(store, scope), missed, True, items)
    sides = await layers.count_all(store, scope)
    return Checked(store, probes, sides, missed, items=items)


async def again(run: Run) -> Hunt:
    """Find anew: what arrived late, was untagged, or lies behind the proxy's back."""
    rows = {item.memory_id for item in await run.items() if item.memory_id}
    return await hunt(run.means, run.aim, erased=rows)


async def probe(
    run: Run, store: Store, payloads: Mapping[bytes, Payload], listed: int = 0
) -> Probes:
    """Ask one store for what it was told to delete, by id, by search, by history."""
    gate = asyncio.Semaphore(CONCURRENCY)
    present = await _by_id(store, payloads, gate)
    searches, hits = await _by_search(run, store, list(payloads.values()), gate)
    asked, rows = await _histories(store, payloads, gate)
    return Probes(
        by_id=len(payloads),
        searches=searches,
        histories=asked,
        listed=listed,
        hits_by_id=tuple(present),
        hits_by_search=tuple(hits),
        history_rows=rows,
    )


async def _by_id(
    store: Store, payloads: Mapping[bytes, Payload], gate: asyncio.Semaphore
) -> list[bytes]:
    async def one(ref: bytes, memory_id: str) -> bytes | None:
        async with gate:
            return ref if await store.get(memory_id) is not None else None

    answers = await _all([one(ref, each.memory_id) for ref, each in payloads.items()])
    return [ref for ref in answers if ref is not None]


async def _histories(
    store: Store, payloads: Mapping[bytes, Payload], gate: asyncio.Semaphore
) -> tuple[int, int]:
    """Rows that the history API still shows; not asked where a connector looks itself."""
    if "history" not in layers.names(store) or layers.connector(store, "history"):
        return 0, 0

    async def one(memory_id: str) -> int:
        async with gate:
            return len(await store.history(memory_id))

    answers = await _all([one(each.memory_id) for each in payloads.values()])
    return len(answers), sum(answers)


async def _by_search(
    run: Run, store: Store, payloads: Sequence[Payload], gate: asyncio.Semaphore
) -> tuple[int, list[str]]:
    """Search by every name and by the erased texts themselves."""
    scopes = _search_scopes(run, store, payloads)
    surfaces = list(run.brief.surfaces[:MAX_SURFACES])
    texts = _sample([each.stored for each in payloads if each.stored])
    erased = {each.memory_id for each in payloads}

    async def one(scope: Mapping[str, str], query: str) -> list[Item]:
        async with gate:
            return await store.search(scope, query)

    queries = [(scope, query) for scope in scopes for query in [*surfaces, *texts]]
    answers = await _all([one(scope, query) for scope, query in queries])
    shown = {item.memory_id: item for answer in answers for item in answer}
    return len(queries), await _still_there(run, store, shown, erased, payloads)


async def _still_there(
    run: Run,
    store: Store,
    shown: Mapping[str, Item],
    erased: Collection[str],
    payloads: Sequence[Payload],
) -> list[str]:
    if run.aim.target.kind == "memory":
        return [memory_id for memory_id in shown if memory_id in erased]
    if not shown:
        return []
    texts = await restored(run.means, run.tenant_id, [searchable(each) for each in shown.values()])
    gone = [each.text for each in payloads if each.text]
    allowed = await _allowed(run, store, shown)
    places = places_of(run.aim.wholes, run.aim.names, store)
    wholes = {(place.kind, place.upstream_id) for place in places}
    return [
        memory_id
        for (memory_id, item), text in zip(shown.items(), texts, strict=True)
        if memory_id in erased
        or (memory_id not in allowed and _tells(run, item, text, gone, wholes))
    ]


def _tells(
    run: Run, item: Item, text: str, gone: Sequence[str], wholes: Collection[tuple[str, str]]
) -> bool:
    if any(pair in wholes for pair in item.owners.items()):
        return True
    needles = run.aim.needles
    if needles is not None:
        spans = needles.find(text)
        if run.aim.rivals is not None:
            spans = run.aim.rivals.outside(spans, text)
        return any(span.certain for span in spans)
    return run.aim.target.kind != "memory" and any(states_the_same(text, each) for each in gone)


async def _allowed(run: Run, store: Store, shown: Mapping[str, Item]) -> set[str]:
    """Memories that the plan keeps on purpose: held, kept, or not mainly about the target."""
    refs = {memories.ref(run.aim.names, store.name, each): each for each in shown}
    kept = {item.ref for item in await run.items(upstream=store.name) if item.action not in GONE}
    rows = await run.means.ledger.read(
        lambda tx: reach.recorded(tx, run.tenant_id, store.name, list(refs))
    )
    partly = {
        ref for ref, row in rows.items()
        if row.origin == "regenerated" or run.aim.target.kind in {"category", "time_range"}
    }  # fmt: skip
    return {refs[ref] for ref in (kept | partly) & refs.keys()}


def _search_scopes(run: Run, store: Store, payloads: Sequence[Payload]) -> list[dict[str, str]]:
    """Owners who lost something, and those who are erased as a whole."""
    owned = {pair for each in payloads for pair in each.owners.items()}
    wholes = places_of(run.aim.wholes, run.aim.names, store)
    pairs = owned | {(place.kind, place.upstream_id) for place in wholes}
    return [dict([pair]) for pair in sorted(pairs)[:MAX_PLACES]]


def _sample(texts: Sequence[str]) -> list[str]:
    """At most ``MAX_TEXTS``, spread over the whole."""
    step = max(1, -(-len(texts) // MAX_TEXTS))
    return list(dict.fromkeys(texts[::step]))


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    return list(await asyncio.gather(*work))


def memory_view(checked: Checked) -> LayerView:
    """The outcome of the memory layer itself."""
    store, items = checked.store, checked.items
    found = len(items)
    if checked.failed:
        left = sum(item.state != "done" for item in items)
        return LayerView(
            store.name, "memory", found, found - left, None, "unreachable", "by id, list, search",
            "store_unavailable", "The erasure goes on when the store answers.",
        )  # fmt: skip
    hits = {*checked.probes.hits_by_id}
    left = sum(item.state not in {"done", "verified"} or item.ref in hits for item in items)
    if left:
        return LayerView(
            store.name, "memory", found, found - left, left, "residual", "by id, list, search",
            "still_found", "Look at the store; run 'expunge erasure retry'.",
        )  # fmt: skip
    status = "erased" if found else "absent"
    return LayerView(store.name, "memory", found, found, 0, status, "by id, list, search")


def views(checked: Checked, before: Mapping[str, Count]) -> list[LayerView]:
    """The outcome of every layer of one store."""
    store, memory = checked.store, memory_view(checked)
    listed = [memory]
    for name in layers.names(store):
        if name == "memory":
            continue
        if name == "history" and layers.connector(store, name) is None and not checked.failed:
            rows = checked.probes.history_rows
            listed.append(layers.history_view(store, max(rows, len(checked.items)), rows))
            continue
        listed.append(
            layers.side_view(store, name, before.get(name), checked.sides.get(name), memory)
        )
    if layers.EVIDENCE in checked.sides:
        listed.append(_evidence(checked, before, memory))
    return listed


def _evidence(checked: Checked, before: Mapping[str, Count], memory: LayerView) -> LayerView:
    after = checked.sides[layers.EVIDENCE]
    return layers.side_view(
        checked.store, layers.EVIDENCE, before.get(layers.EVIDENCE), after, memory
    )


def missing(found: Found, known: Collection[bytes]) -> bool:
    """Whether a memory found by verification is not in the plan."""
    return found.ref not in known
