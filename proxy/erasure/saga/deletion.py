"""Deleting and rewriting a store's memories, chunk by chunk; every chunk commits what it did."""

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from proxy import ids
from proxy.background import spawn
from proxy.erasure.plans.brief import Payload, digest_of
from proxy.erasure.plans.plan import REWRITES
from proxy.erasure.requests.deletion_types import type_of
from proxy.erasure.saga import mentioned, rests
from proxy.erasure.saga.durable import Postpone
from proxy.erasure.saga.run import GONE, Run
from proxy.ledger import erasures, held, memories, provenance, reach, tombstones
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.ledger.memories import Memory
from proxy.ledger.tombstones import Tombstone
from proxy.telemetry import get_logger
from proxy.upstreams.errors import StoreError, StoreUnavailable, StoreUnknown
from proxy.upstreams.store import Store

CHUNK = 64
AHEAD = 2  # chunks under way at once: no slot idles while the last of a chunk is deleted
CONCURRENCY = 8
TRIES = 3
PAUSE_S = 0.05
log = get_logger("erasure")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    item: PlanItem
    payload: Payload
    state: Literal["done", "gone", "changed", "failed"]
    new_id: str | None = None
    wait: float | None = None
    read: rests.Read | None = None  # what a rewritten memory says to its reader
    unknown: bool = False  # the store may have deleted it all the same


async def delete_memories(run: Run, store: Store) -> None:
    """Delete everything of the plan that one store holds.

    Raises:
        Postpone: some items could not be deleted now; all others are.
        LostLease: another worker has the job.
    """
    failed: list[Outcome] = []
    running: deque[list[asyncio.Task[Outcome]]] = deque()
    recording: asyncio.Task[None] | None = None
    gate, after = asyncio.Semaphore(CONCURRENCY), -1
    try:
        while (chunk := await _next(run, store, after)) or running:
            if chunk:
                after = chunk[-1].seq
                running.append(await _start(run, store, chunk, gate))
            if chunk and len(running) < AHEAD:
                continue
            deleted = await asyncio.gather(*running[0])
            running.popleft()
            if recording is not None:
                await recording
            recording = spawn(_record(run, store, deleted), name="erasure-record")
            failed += [outcome for outcome in deleted if outcome.state == "failed"]
    finally:
        await _stop(running)
        if recording is not None:
            await recording
    _check(run, store, failed)


async def _start(
    run: Run, store: Store, chunk: Sequence[PlanItem], gate: asyncio.Semaphore
) -> list[asyncio.Task[Outcome]]:
    """Begin with a chunk; it queues behind those before it."""
    await _announce(run, chunk)

    async def one(item: PlanItem) -> Outcome:
        async with gate:
            return await erase_item(run, store, item)

    return [spawn(one(item), name="erasure-delete") for item in chunk]


async def _stop(running: Iterable[Sequence[asyncio.Task[Outcome]]]) -> None:
    """End deletions that nobody waits for any more: after a failure, or a lost lease."""
    tasks = [task for chunk in running for task in chunk]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _check(run: Run, store: Store, failed: Sequence[Outcome]) -> None:
    if failed:
        run.refusing.add(store.name)
        log.warning("erasure.items_postponed", upstream=store.name, remaining=len(failed))
        waits = [outcome.wait for outcome in failed if outcome.wait is not None]
        raise Postpone("unavailable", max(waits, default=None))


async def _next(run: Run, store: Store, after: int) -> list[PlanItem]:
    return await run.items(
        states=("planned", "rewriting"),
        actions=GONE,
        upstream=store.name,
        after=after,
        limit=CHUNK,
    )


async def _record(run: Run, store: Store, outcomes: Sequence[Outcome]) -> None:
    """Commit what a chunk did; the next one is being deleted meanwhile."""
    done = [outcome for outcome in outcomes if outcome.state in {"done", "gone"}]
    changed = [outcome.item.seq for outcome in outcomes if outcome.state == "changed"]
    begun = [outcome.item.seq for outcome in outcomes if outcome.unknown]

    async def rows(tx: Tx) -> None:
        if done:
            await record(tx, run, store, done)
        await erasures.set_items(tx, run.erasure.id, changed, state=erasures.CHANGED)
        await erasures.set_items(tx, run.erasure.id, begun, state="rewriting")

    if done or changed or begun:
        await run.commit(rows)
    if changed:
        run.extents.clear()


async def _announce(run: Run, chunk: Sequence[PlanItem]) -> None:
    """Say beforehand what is about to be rewritten, so that nobody adds it twice."""
    fresh = [item.seq for item in chunk if item.action in REWRITES and item.state == "planned"]
    if fresh:
        await run.commit(
            lambda tx: erasures.set_items(tx, run.erasure.id, fresh, state="rewriting")
        )


async def erase_item(run: Run, store: Store, item: PlanItem) -> Outcome:
    """Delete (and replace) one memory, trying again a few times; nothing is recorded.

    What is gone before anybody tried is no deletion of ours. What says something else by now than
    when it was decided on is left alone.
    """
    payload = run.payload(item)
    tried = run.saga.taken_over or item.state != "planned"
    for attempt in range(TRIES):
        try:
            if not tried and (found := await _as_planned(run, store, item, payload)) is not None:
                return Outcome(item, payload, found)
            there = await _delete(store, payload.memory_id)
            if not there and not tried:
                return Outcome(item, payload, "gone")
            tried = True
            new_id = await _replace(run, store, item, payload)
        except StoreUnavailable as failure:
            if failure.retry_after is not None:
                return Outcome(item, payload, "failed", wait=failure.retry_after, unknown=tried)
        except StoreUnknown:
            tried = True
        else:
            return Outcome(
                item, payload, "done", new_id, read=await rests.read(run, store, payload, new_id)
            )
        await asyncio.sleep(PAUSE_S * 2**attempt)
    return Outcome(item, payload, "failed", unknown=tried)


async def _as_planned(
    run: Run, store: Store, item: PlanItem, payload: Payload
) -> Literal["gone", "changed"] | None:
    """Look whether a memory whose fate its text decides still says what it said; None if so."""
    if payload.said is None or not _hangs_on_text(run, item, payload):
        return None
    shown = await store.get(payload.memory_id)
    if shown is None:
        return "gone"
    return "changed" if digest_of(shown) != payload.said else None


def _hangs_on_text(run: Run, item: PlanItem, payload: Payload) -> bool:
    """Whether a memory might be dealt with otherwise if it said something else.

    What goes with its owner, by its id, its age or its category goes whatever it says.
    """
    target = run.aim.target
    if run.aim.keep is not None:
        return True
    if target.kind == "memory" or not (target.named or item.action in REWRITES):
        return False
    places = {(p.kind, p.upstream_id) for p in run.wholes_in(item.upstream)}
    return item.action in REWRITES or places.isdisjoint(payload.owners.items())


async def _delete(store: Store, memory_id: str) -> bool:
    """Delete, and where the answer says nothing, look; False if it was not there."""
    try:
        return await store.delete(memory_id)
    except StoreUnknown as unknown:
        try:
            left = await store.get(memory_id)
        except StoreError:
            raise unknown from None
        if left is not None:
            raise
    return True


async def _replace(run: Run, store: Store, item: PlanItem, payload: Payload) -> str | None:
    """Add what stays as a new memory, once: an earlier attempt is recognised by its stamp."""
    if item.action not in REWRITES or payload.draft is None or not payload.owners:
        return None  # of what the store shows no more nothing is kept
    stamp = f"{run.erasure.id}.{item.seq}"
    if item.state == "rewriting" and (known := await _stamped(store, payload, stamp)):
        return known
    try:
        known_by = {**payload.metadata, store.profile.stamp: stamp}
        made = await store.add(payload.owners, payload.draft, known_by)
    except StoreUnknown:
        if known := await _stamped(store, payload, stamp):
            return known
        raise
    return made[0] if made else await _stamped(store, payload, stamp)


async def _stamped(store: Store, payload: Payload, stamp: str) -> str | None:
    async for item in store.crawl(payload.owners):
        if item.metadata.get(store.profile.stamp) == stamp:
            return item.memory_id
    return None


async def record(tx: Tx, run: Run, store: Store, done: Sequence[Outcome], **fields: None) -> None:
    """Tombstones, buried rows and the log entry of what was deleted, or was gone before.

    Args:
        fields: columns of the items to empty with it.
    """
    now = run.means.clock.now()
    gone = await _gone(tx, run, store, done)
    for state in ("done", "gone"):
        seqs = [each.item.seq for each in done if (each.item.ref in gone) == (state == "gone")]
        await erasures.set_items(tx, run.erasure.id, seqs, state=state, **fields)
    for each in done:
        if each.new_id is not None:
            await _settle(tx, run, store, each, now)
    rows = await _bury(tx, run, store, done, now)
    await reach.clear_sources(tx, rows)
    deleted = [each for each in done if each.item.ref not in gone]
    relations = Counter(each.item.relation for each in deleted)
    told = {
        "upstream": store.name, "relations": dict(relations), "already_gone": len(gone),
        "types": dict(Counter(type_of(run.erasure, each.item.relation) for each in deleted)),
        "rewritten": sum(each.new_id is not None for each in deleted),
        "memories": [each.item.ref.hex() for each in deleted],
    }  # fmt: skip
    await run.audit(tx, "memories.deleted", told)
    await _tell_rests(tx, run, store, done)


async def _gone(tx: Tx, run: Run, store: Store, done: Sequence[Outcome]) -> set[bytes]:
    """Pseudonyms of what was gone before, or was deleted by another erasure at the same time.

    What an earlier one deleted and a backup brought back is deleted again.
    """
    refs = [each.item.ref for each in done if each.new_id is None]
    stones = await tombstones.matching(tx, run.tenant_id, store.name, refs, since=run.erasure.id)
    others = {ref for ref, by in stones.items() if by != run.erasure.id}
    return others | {each.item.ref for each in done if each.state == "gone"}


async def _tell_rests(tx: Tx, run: Run, store: Store, done: Sequence[Outcome]) -> None:
    """Log how many memories were written anew because something of them was to be kept."""
    rests = sum(each.new_id is not None for each in done)
    if run.aim.keep is not None and rests:
        told = {"upstream": store.name, "items": rests, "kept": run.aim.keep.facts()}
        await run.audit(tx, "memories.partially_redacted", told)


async def _bury(
    tx: Tx, run: Run, store: Store, done: Sequence[Outcome], now: datetime
) -> list[str]:
    """Give row ids of what is buried, what was recorded after the plan was made included."""
    names = run.aim.names
    stones = [
        Tombstone(
            store.name,
            each.item.ref,
            tombstones.content_ref(names, each.payload.owners, each.payload.stored or ""),
            run.erasure.id,
            now,
        )
        for each in done
    ]
    await tombstones.add(tx, run.tenant_id, stones)
    rows = await mentioned.rows_of(tx, run.tenant_id, store.name, [each.item for each in done])
    await reach.move(tx, rows, "erased", now)
    return rows


async def _settle(tx: Tx, run: Run, store: Store, each: Outcome, now: datetime) -> None:
    """Give the rewritten memory its row: what the old one was, without what was forgotten."""
    if each.item.memory_id is None or each.new_id is None:
        return
    old = next(iter(await memories.by_ids(tx, [each.item.memory_id])), None)
    names = run.aim.names
    ref = memories.ref(names, store.name, each.new_id)
    known = await reach.recorded(tx, run.tenant_id, store.name, [ref])
    if old is None or known:
        return
    living = await _living(tx, old, each)
    row_id = ids.new("mem")
    row = replace(
        old,
        **await rests.judged(tx, run, old, each.read),
        id=row_id,
        ref=ref,
        sealed_id=await run.means.keyring.seal(
            tx, old.dek_id, each.new_id.encode(), memories.aad(run.tenant_id, row_id)
        ),
        origin="regenerated",
        content_ref=memories.content_ref(names, each.payload.draft or ""),
        updated_at=now,
        erased_at=None,
    )
    if run.aim.keep is not None:
        living.append((each.item.ref, "primary"))  # the erased one, by the name of its tombstone
    await _insert(tx, run, store, old, row, each, living)


async def _living(tx: Tx, old: Memory, each: Outcome) -> list[tuple[bytes, str]]:
    """The surviving sources of a rewritten memory, by name, with how they contributed."""
    sources = await reach.names(tx, each.payload.sources)
    edges = {edge.source_ref: edge.contribution for edge in await reach.edges(tx, [old.id])}
    return [(ref, edges[ref]) for listed in sources.values() for ref in listed if ref in edges]


async def _insert(
    tx: Tx, run: Run, store: Store, old: Memory, row: Memory, each: Outcome,
    living: Sequence[tuple[bytes, str]],
) -> None:  # fmt: skip
    owners = (await reach.owners(tx, [old.id])).get(old.id, [])
    state = (await held.resting(tx, run.tenant_id, [row], {row.id: owners}))[row.id]
    linked = (await reach.entities(tx, [old.id])).get(old.id, [])
    named = (await reach.names(tx, [old.id])).get(old.id, [])
    partial = run.aim.keep is not None  # whoever is forgotten as a whole later finds the rest
    said = await rests.mentioned(tx, run, store, each.payload)
    kept = [one for one in (*linked, *said) if partial or one not in run.brief.entity_ids]
    refs = [*named, provenance.id_ref(run.aim.names, each.new_id or "")]
    await memories.insert(
        tx, replace(row, state=state), owner_ids=owners, entity_ids=kept, refs=refs
    )
    await provenance.insert(tx, run.tenant_id, row.id, living, row.updated_at or row.created_at)
