"""How far an erasure reaches through provenance, for plans of any size."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import BindParameter, and_, bindparam, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger import memories as rows
from proxy.ledger import provenance as lineage
from proxy.ledger.memories import PRESENT, Memory
from proxy.ledger.provenance import Edge
from proxy.ledger.schema import entities as entities_table
from proxy.ledger.schema import (
    erasures,
    memories,
    memory_entities,
    memory_owners,
    memory_refs,
    provenance,
    tombstones,
    write_entities,
    writes,
)

CHUNK = 500
T = TypeVar("T")


class Named(NamedTuple):
    """A memory by its names: of its row, of its store, and there."""

    id: str
    upstream: str
    ref: bytes


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_NAMED = select(memories.c.id, memories.c.upstream, memories.c.ref).where(
    memories.c.id.in_(_IDS), memories.c.state.in_(bindparam("states", expanding=True))
)
_THESE = update(memories).where(memories.c.id.in_(_IDS))
_LEFT = _THESE.where(memories.c.state != "erased")
_MENTIONS = delete(memory_entities).where(memory_entities.c.memory_id.in_(_IDS))
_SOURCES = delete(provenance).where(provenance.c.memory_id.in_(_IDS))
_FROM_NAMES = select(provenance.c.memory_id).where(
    provenance.c.tenant_id == bindparam("tenant_id"),
    provenance.c.source_ref.in_(bindparam("refs", expanding=True)),
)

_NAMES_USED = select(provenance.c.source_ref).where(
    provenance.c.tenant_id == bindparam("tenant_id"),
    provenance.c.source_ref.in_(bindparam("refs", expanding=True)),
)


def chunks(values: Collection[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Slices that fit into one statement on either database."""
    listed = list(values)
    for start in range(0, len(listed), size):
        yield listed[start : start + size]


def parts(values: Iterable[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """The same of what is read as it comes."""
    left = iter(values)
    while part := list(islice(left, size)):
        yield part


async def owned(
    tx: AsyncConnection, owner_ids: Collection[str], after: str = "", size: int = 2 * CHUNK
) -> Sequence[str]:
    """The next row ids, in order, of memories kept under any of the owners; erased ones too."""
    column = memory_owners.c.memory_id
    wanted = select(column).where(memory_owners.c.owner_id.in_(list(owner_ids)), column > after)
    return (await tx.execute(wanted.distinct().order_by(column).limit(size))).scalars().all()


async def named(tx: AsyncConnection, memory_ids: Collection[str]) -> list[Named]:
    """Those of the memories that are still there, by their names only."""
    found: list[Named] = []
    for part in chunks(memory_ids):
        given = {"ids": part, "states": PRESENT}
        found += [Named(*row) for row in await tx.execute(_NAMED, given)]
    return found


async def closure(tx: AsyncConnection, tenant_id: str, memory_ids: Collection[str]) -> set[str]:
    """Row ids of everything derived from these, to any depth, without these themselves."""
    reached: set[str] = set()
    start = frontier = set(memory_ids)
    while frontier:
        found: set[str] = set()
        for part in chunks(frontier):
            found |= {child for _, child, _ in await lineage.derived(tx, tenant_id, part)}
        frontier = found - reached - start
        reached |= frontier
    return reached


async def derived_from_names(
    tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]
) -> set[str]:
    """Row ids of what was declared to derive from these names, recorded memories or not."""
    found: set[str] = set()
    for part in chunks(refs):
        given = {"tenant_id": tenant_id, "refs": part}
        found |= set((await tx.execute(_FROM_NAMES, given)).scalars())
    return found


async def sources_among(tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]) -> set[bytes]:
    """Those of the names that something was derived from."""
    found: set[bytes] = set()
    for part in chunks(refs):
        given = {"tenant_id": tenant_id, "refs": part}
        found |= set((await tx.execute(_NAMES_USED, given)).scalars())
    return found


async def present(
    tx: AsyncConnection, memory_ids: Collection[str], states: Collection[str] = PRESENT
) -> list[Memory]:
    """Those of the memories that are still there."""
    found: list[Memory] = []
    for part in chunks(memory_ids):
        found += await rows.present(tx, part, states)
    return found


async def recorded(
    tx: AsyncConnection, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> dict[bytes, Memory]:
    """The ledger's rows of memories that a store showed."""
    found: dict[bytes, Memory] = {}
    for part in chunks(refs):
        found |= await rows.by_refs(tx, tenant_id, upstream, part)
    return found


async def edges(tx: AsyncConnection, memory_ids: Collection[str]) -> list[Edge]:
    """What the memories were derived from."""
    found: list[Edge] = []
    for part in chunks(memory_ids):
        found += await lineage.edges_of(tx, part)
    return found


async def names(tx: AsyncConnection, memory_ids: Collection[str]) -> dict[str, list[bytes]]:
    """The names by which provenance refers to each memory."""
    found: dict[str, list[bytes]] = {}
    for part in chunks(memory_ids):
        found |= await rows.refs_of(tx, part)
    return found


async def owners(tx: AsyncConnection, memory_ids: Collection[str]) -> dict[str, list[str]]:
    """Row ids of the owners of each memory."""
    found: dict[str, list[str]] = {}
    for part in chunks(memory_ids):
        found |= await rows.owners_of(tx, part)
    return found


async def entities(tx: AsyncConnection, memory_ids: Collection[str]) -> dict[str, list[str]]:
    """Row ids of the entities that each memory mentions."""
    found: dict[str, list[str]] = {}
    for part in chunks(memory_ids):
        found |= await rows.entities_of(tx, part)
    return found


async def living_sources(
    tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]
) -> dict[bytes, str]:
    """Declared names behind which a memory still lives, with that memory's row id."""
    found: dict[bytes, str] = {}
    for part in chunks(refs):
        query = (
            select(memory_refs.c.ref, memories.c.id)
            .join(memories, memories.c.id == memory_refs.c.memory_id)
            .where(
                memory_refs.c.tenant_id == tenant_id,
                memory_refs.c.ref.in_(part),
                memories.c.state.in_(PRESENT),
            )
        )
        found |= {row[0]: row[1] for row in await tx.execute(query)}
    return found


async def move(
    tx: AsyncConnection, memory_ids: Collection[str], state: str, at: datetime | None = None
) -> None:
    """Move memories of a plan to a state; erased ones lose their id, categories and pseudonym.

    Nothing comes back from ``erased``: another erasure may have got there first.
    """
    values: dict[str, Any] = {"state": state, "erased_at": at}
    if state == "erased":
        values |= {"sealed_id": b"", "content_ref": None, "categories": [], "tags": []}
    change = _THESE if state == "erased" else _LEFT
    for part in chunks(memory_ids):
        await tx.execute(change, {"ids": part, **values})


async def clear_sources(tx: AsyncConnection, memory_ids: Collection[str]) -> None:
    """Forget what erased memories were derived from."""
    for part in chunks(memory_ids):
        await tx.execute(_SOURCES, {"ids": part})


async def clear_mentions(tx: AsyncConnection, memory_ids: Collection[str]) -> None:
    """Forget what erased memories mentioned."""
    for part in chunks(memory_ids):
        await tx.execute(_MENTIONS, {"ids": part})


async def entity_keys(tx: AsyncConnection, entity_ids: Collection[str]) -> list[str]:
    """Ids of the data keys of entities."""
    found: list[str] = []
    for part in chunks(entity_ids):
        query = select(entities_table.c.dek_id).where(entities_table.c.id.in_(part))
        found += [str(dek) for dek in (await tx.execute(query)).scalars()]
    return found


async def ended(
    tx: AsyncConnection, at: datetime, *, after: str = "", limit: int = CHUNK
) -> list[Memory]:
    """Memories of any tenant whose period has ended, in order of their row ids."""
    query = (
        select(memories)
        .where(
            memories.c.state.in_(("live", "quarantined", "restricted", "superseded")),
            memories.c.expires_at <= at,
            memories.c.id > after,
        )
        .order_by(memories.c.id)
        .limit(limit)
    )
    return [_memory(row) for row in (await tx.execute(query)).mappings()]


async def end_session(
    tx: AsyncConnection, tenant_id: str, owner_id: str, tier: str, at: datetime
) -> int:
    """Let an owner's memories of a tier end now; gives how many."""
    mine = select(memory_owners.c.memory_id).where(memory_owners.c.owner_id == owner_id)
    done = await tx.execute(
        update(memories)
        .where(
            memories.c.tenant_id == tenant_id,
            memories.c.tier == tier,
            memories.c.state.in_(PRESENT),
            memories.c.id.in_(mine),
        )
        .values(expires_at=at)
    )
    return int(done.rowcount)


def _memory(row: Any) -> Memory:
    values = dict(row)
    values |= {"categories": tuple(values["categories"]), "tags": tuple(values["tags"])}
    return Memory(**values)


async def of_owner(tx: AsyncConnection, owner_id: str) -> list[Memory]:
    """Everything that is still kept under an owner."""
    return await rows.of_owners(tx, [owner_id])


async def deletions(tx: AsyncConnection, tenant_id: str, owner_id: str) -> list[dict[str, Any]]:
    """What was deleted of an owner: date, reference and number, per erasure, newest first."""
    query = (
        select(erasures.c.reference, func.max(tombstones.c.deleted_at), func.count())
        .join(tombstones, tombstones.c.erasure_id == erasures.c.id)
        .join(
            memories,
            and_(
                memories.c.ref == tombstones.c.ref,
                memories.c.upstream == tombstones.c.upstream,
                memories.c.tenant_id == tombstones.c.tenant_id,
            ),
        )
        .join(memory_owners, memory_owners.c.memory_id == memories.c.id)
        .where(tombstones.c.tenant_id == tenant_id, memory_owners.c.owner_id == owner_id)
        .group_by(erasures.c.reference)
        .order_by(erasures.c.reference.desc())
    )
    return [
        {"reference": row[0], "date": row[1].date().isoformat(), "count": int(row[2])}
        for row in await tx.execute(query)
    ]


async def by_content(tx: AsyncConnection, tenant_id: str, content_ref: bytes) -> Memory | None:
    """The newest living memory with exactly this stored text."""
    query = select(memories).where(
        memories.c.tenant_id == tenant_id,
        memories.c.content_ref == content_ref,
        memories.c.state == "live",
    )
    row = (await tx.execute(query.order_by(memories.c.id.desc()).limit(1))).mappings().first()
    return _memory(row) if row else None


async def set_fields(
    tx: AsyncConnection, memory_ids: Collection[str], fields: dict[str, Any]
) -> None:
    """Set the same columns of many memories."""
    for part in chunks(memory_ids):
        await tx.execute(_THESE, {"ids": part, **fields})


async def drawn_beside(tx: AsyncConnection, entity_ids: Collection[str]) -> set[str]:
    """Row ids of memories that a store's model drew from writes which mention the entities.

    Without those that are known to mention one of them, and those that are messages to the letter.
    """
    known = select(memory_entities.c.memory_id).where(memory_entities.c.entity_id.in_(_IDS))
    query = (
        select(memories.c.id, memories.c.content_ref, writes.c.plan)
        .select_from(write_entities)
        .join(writes, writes.c.id == write_entities.c.write_id)
        .join(memories, memories.c.write_id == writes.c.id)
        .where(write_entities.c.entity_id.in_(_IDS), memories.c.state.in_(PRESENT))
        .where(memories.c.id.not_in(known))
    )
    found: set[str] = set()
    for chunk in chunks(entity_ids):
        for row_id, content, plan in await tx.execute(query, {"ids": chunk}):
            messages = {part["content"] for part in plan["parts"]}
            if len(messages) > 1 and (content is None or content.hex() not in messages):
                found.add(row_id)
    return found
