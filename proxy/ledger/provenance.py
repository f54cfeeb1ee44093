"""Provenance edges: what each memory was derived from, and what that makes it inherit."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger import memories as rows
from proxy.ledger.memories import Memory
from proxy.ledger.schema import memories, memory_refs, provenance, tombstones
from proxy.pseudonyms import Pseudonyms


@dataclass(frozen=True, slots=True)
class Edge:
    """``memory_id`` was derived from whatever carries the name ``source_ref``."""

    memory_id: str
    source_ref: bytes
    contribution: str  # primary | context | inference


_EDGES = select(provenance.c.memory_id, provenance.c.source_ref, provenance.c.contribution).where(
    provenance.c.memory_id.in_(bindparam("ids", expanding=True))
)
_DERIVED = (
    select(memory_refs.c.memory_id, provenance.c.memory_id, provenance.c.contribution)
    .join(provenance, provenance.c.source_ref == memory_refs.c.ref)
    .where(
        memory_refs.c.tenant_id == bindparam("tenant_id"),
        provenance.c.tenant_id == bindparam("tenant_id"),
        memory_refs.c.memory_id.in_(bindparam("ids", expanding=True)),
    )
)


def id_ref(names: Pseudonyms, memory_id: str) -> bytes:
    """The name that every memory carries: its id in the store."""
    return names.of("ref", "id", memory_id)


def named_ref(names: Pseudonyms, kind: str, client_id: str, name: str) -> bytes:
    """The name a client gave to one of its writes, within one owner."""
    return names.of("ref", kind, client_id, name)


async def insert(
    tx: AsyncConnection,
    tenant_id: str,
    memory_id: str,
    sources: Iterable[tuple[bytes, str]],
    at: datetime,
) -> None:
    """Record edges; a source may be unknown yet, edges wait for it."""
    given = dict(sources)
    if not given:
        return
    known = await tx.execute(
        select(provenance.c.source_ref).where(provenance.c.memory_id == memory_id)
    )
    old = set(known.scalars())
    values = [
        {
            "tenant_id": tenant_id,
            "memory_id": memory_id,
            "source_ref": source,
            "contribution": contribution,
            "recorded_at": at,
        }
        for source, contribution in given.items()
        if source not in old
    ]
    if values:
        await tx.execute(provenance.insert(), values)


async def edges_of(tx: AsyncConnection, memory_ids: Collection[str]) -> list[Edge]:
    """What these memories were derived from."""
    return [Edge(*row) for row in await tx.execute(_EDGES, {"ids": list(memory_ids)})]


async def sources(tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]) -> list[Memory]:
    """The recorded memories behind declared names, erased ones included."""
    return await rows.named(tx, tenant_id, refs)


async def count_dangling(tx: AsyncConnection, tenant_id: str) -> int:
    """How many edges name a source that was never recorded, nor erased."""
    named = exists().where(
        memory_refs.c.tenant_id == provenance.c.tenant_id,
        memory_refs.c.ref == provenance.c.source_ref,
    )
    erased = exists().where(  # what was written anew names the erased one by its tombstone
        tombstones.c.tenant_id == provenance.c.tenant_id,
        tombstones.c.upstream == memories.c.upstream,
        tombstones.c.ref == provenance.c.source_ref,
    )
    query = (
        select(func.count())
        .select_from(provenance.join(memories, memories.c.id == provenance.c.memory_id))
        .where(provenance.c.tenant_id == tenant_id, ~named, ~erased)
    )
    return int((await tx.execute(query)).scalar_one())


async def derived(
    tx: AsyncConnection, tenant_id: str, memory_ids: Collection[str]
) -> list[tuple[str, str, str]]:
    """Direct descendants as (source memory, derived memory, contribution)."""
    given = {"tenant_id": tenant_id, "ids": list(memory_ids)}
    found = {tuple(row) for row in await tx.execute(_DERIVED, given) if row[0] != row[1]}
    return sorted(found)


async def closure(
    tx: AsyncConnection, tenant_id: str, memory_ids: Collection[str]
) -> dict[str, tuple[str, str]]:
    """Every transitive descendant, mapped to (the source it was reached from, contribution)."""
    reached: dict[str, tuple[str, str]] = {}
    frontier = set(memory_ids)
    start = set(memory_ids)
    while frontier:
        steps = await derived(tx, tenant_id, frontier)
        new = {child: (source, how) for source, child, how in steps if child not in start}
        frontier = {child for child in new if child not in reached}
        reached |= {child: new[child] for child in frontier}
    return reached


def inherited(
    sources: Iterable[Memory],
) -> tuple[frozenset[str], datetime | None]:
    """What derives from these: the union of their categories, the strictest of their expiries."""
    known = list(sources)
    categories = frozenset(name for source in known for name in source.categories)
    expiries = [source.expires_at for source in known if source.expires_at is not None]
    return categories, min(expiries, default=None)


async def spread(tx: AsyncConnection, tenant_id: str, memory_ids: Collection[str]) -> int:
    """Hand categories and expiry down to everything derived, transitively; returns the changed."""
    changed = 0
    frontier = set(memory_ids)
    while frontier:
        steps = await derived(tx, tenant_id, frontier)
        if not steps:
            break
        ids = {source for source, _, _ in steps} | {child for _, child, _ in steps}
        known = {memory.id: memory for memory in await rows.by_ids(tx, ids)}
        frontier = set()
        for source, child, _ in steps:
            merged = _merge(known[child], known[source])
            if merged is not None:
                known[child] = merged
                frontier.add(child)
        for child in frontier:
            await _store(tx, known[child])
        changed += len(frontier)
    return changed


def _merge(child: Memory, source: Memory) -> Memory | None:
    categories, expiry = inherited((child, source))
    wider = tuple(sorted(categories))
    if set(wider) == set(child.categories) and expiry == child.expires_at:
        return None
    return _replace(child, wider, expiry)


def _replace(child: Memory, categories: tuple[str, ...], expiry: datetime | None) -> Memory:
    values = {name: getattr(child, name) for name in Memory.__slots__}
    return Memory(**{**values, "categories": categories, "expires_at": expiry})


async def _store(tx: AsyncConnection, memory: Memory) -> None:
    await rows.change(tx, memory.id, categories=memory.categories, expires_at=memory.expires_at)
