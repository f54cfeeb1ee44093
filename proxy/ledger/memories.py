"""Memories: one row for each item of a store, with its owners, entities and names of its write."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from sys import intern
from typing import Any

from sqlalchemy import Column, Select, Table, bindparam, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import memories, memory_entities, memory_owners, memory_refs
from proxy.pseudonyms import Pseudonyms

READABLE = ("live",)
PRESENT = ("live", "quarantined", "restricted", "superseded", "erasing")
STANDING = ("live", "quarantined", "restricted")  # nothing has replaced it, or is deleting it


@dataclass(frozen=True, slots=True)
class Memory:
    """What the ledger knows of one item: no content, no raw id."""

    id: str
    tenant_id: str
    upstream: str
    ref: bytes
    sealed_id: bytes
    dek_id: str
    origin: str
    state: str
    tier: str
    policy_digest: str
    created_at: datetime
    write_id: str | None = None
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    content_ref: bytes | None = None
    pinned: bool = False
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    prompt_at: datetime | None = None
    asked_at: datetime | None = None
    erased_at: datetime | None = None

    @property
    def extended(self) -> bool:
        """Whether its subject answered that it is to be kept, so that its end is theirs."""
        asked, prompt = self.asked_at, self.prompt_at
        return asked is not None and (prompt is None or asked < prompt)


_COLUMNS = tuple(memories.c[name] for name in Memory.__slots__)
_LISTS = tuple(Memory.__slots__.index(name) for name in ("categories", "tags"))
_CODES = tuple(
    Memory.__slots__.index(name)
    for name in ("tenant_id", "upstream", "dek_id", "origin", "state", "tier", "policy_digest")
)
_INSERTS = {
    table: table.insert() for table in (memories, memory_owners, memory_entities, memory_refs)
}
_ROWS = select(*_COLUMNS).order_by(memories.c.id)
_BY_REFS = _ROWS.where(  # made once: building a statement costs more than running it
    memories.c.tenant_id == bindparam("tenant_id"),
    memories.c.upstream == bindparam("upstream"),
    memories.c.ref.in_(bindparam("refs", expanding=True)),
)
_BY_IDS = _ROWS.where(memories.c.id.in_(bindparam("ids", expanding=True)))
_BY_NAMES = (
    select(memory_refs.c.ref, *_COLUMNS)
    .join(memories, memories.c.id == memory_refs.c.memory_id)
    .where(
        memory_refs.c.tenant_id == bindparam("tenant_id"),
        memory_refs.c.ref.in_(bindparam("refs", expanding=True)),
    )
)
_PRESENT = _BY_IDS.where(memories.c.state.in_(bindparam("states", expanding=True)))


def ref(names: Pseudonyms, upstream: str, memory_id: str) -> bytes:
    """Pseudonym under which a memory is looked up by the store's id."""
    return names.of("memory", upstream, memory_id)


def content_ref(names: Pseudonyms, text: str) -> bytes:
    """Pseudonym of a stored text: equal texts of one tenant are recognised, none can be read."""
    return names.of("content", text)


def says_anew(names: Pseudonyms, memory: Memory | None, text: str) -> bool:
    """Whether the ledger has never seen a memory say this; of some it does not know the text."""
    if memory is None:
        return True
    return memory.content_ref not in (None, content_ref(names, text))


def aad(tenant_id: str, memory_row_id: str) -> bytes:
    """Associated data of a memory's ``sealed_id``."""
    return f"memory|{tenant_id}|{memory_row_id}".encode()


async def insert(
    tx: AsyncConnection,
    memory: Memory,
    *,
    owner_ids: Iterable[str],
    entity_ids: Iterable[str] = (),
    refs: Iterable[bytes] = (),
) -> None:
    """Record a memory with its owners, its entities and the names it can be referred to by."""
    await insert_all(tx, [(memory, entity_ids, refs)], owner_ids=owner_ids)


async def insert_all(
    tx: AsyncConnection,
    made: Sequence[tuple[Memory, Iterable[str], Iterable[bytes]]],
    *,
    owner_ids: Iterable[str],
) -> None:
    """``insert`` for several memories of the same owners: (memory, entities, names) each."""
    owners = list(dict.fromkeys(owner_ids))
    entities = [(memory.id, each) for memory, ids, _ in made for each in dict.fromkeys(ids)]
    named = [_named(memory, ref) for memory, _, refs in made for ref in dict.fromkeys(refs)]
    await _fill(tx, memories, [_values(memory) for memory, _, _ in made])
    await _fill(tx, memory_owners, [_pair(m.id, owner_id=o) for m, _, _ in made for o in owners])
    await _fill(tx, memory_entities, [_pair(m, entity_id=each) for m, each in entities])
    await _fill(tx, memory_refs, named)


async def link_entities(tx: AsyncConnection, memory_id: str, entity_ids: Iterable[str]) -> None:
    """Add entities to a memory; those already linked are left alone."""
    column = memory_entities.c.entity_id
    rows = await tx.execute(select(column).where(memory_entities.c.memory_id == memory_id))
    known = set(rows.scalars())
    new = [entity for entity in entity_ids if entity not in known]
    await _fill(tx, memory_entities, [_pair(memory_id, entity_id=e) for e in dict.fromkeys(new)])


async def unlink_entities(tx: AsyncConnection, memory_id: str) -> None:
    """Forget which entities a memory mentions (its text is about to be replaced)."""
    await tx.execute(delete(memory_entities).where(memory_entities.c.memory_id == memory_id))


async def by_refs(
    tx: AsyncConnection, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> dict[bytes, Memory]:
    """The tenant's memories among these pseudonyms of store ids."""
    given = {"tenant_id": tenant_id, "upstream": upstream, "refs": list(refs)}
    rows = await tx.execute(_BY_REFS, given)
    return {memory.ref: memory for memory in map(_memory, rows)}


async def by_ids(tx: AsyncConnection, ids: Collection[str]) -> list[Memory]:
    """The memories with these row ids."""
    return [_memory(row) for row in await tx.execute(_BY_IDS, {"ids": list(ids)})]


async def present(
    tx: AsyncConnection, ids: Collection[str], states: Collection[str] = PRESENT
) -> list[Memory]:
    """Those of the memories with these row ids that are in one of the states."""
    given = {"ids": list(ids), "states": list(states)}
    return [_memory(row) for row in await tx.execute(_PRESENT, given)]


async def of_write(tx: AsyncConnection, write_id: str) -> list[Memory]:
    """The memories that one write brought forth."""
    return await _select(tx, memories.c.write_id == write_id)


async def of_owners(
    tx: AsyncConnection, owner_ids: Collection[str], *, states: Sequence[str] = PRESENT
) -> list[Memory]:
    """The memories kept under any of the owners."""
    column = memory_owners.c.owner_id
    return await _joined(tx, memory_owners, column, owner_ids, states)


async def of_entities(
    tx: AsyncConnection, entity_ids: Collection[str], *, states: Sequence[str] = PRESENT
) -> list[Memory]:
    """The memories that mention any of the entities."""
    column = memory_entities.c.entity_id
    return await _joined(tx, memory_entities, column, entity_ids, states)


async def ids_of(
    tx: AsyncConnection, *, owner_ids: Collection[str] = (), entity_ids: Collection[str] = ()
) -> list[str]:
    """Row ids, in order, of the memories kept under any of the owners or mentioning the entities.

    Erased ones included.
    """
    found: set[str] = set()
    for link, column, given in (
        (memory_owners, memory_owners.c.owner_id, owner_ids),
        (memory_entities, memory_entities.c.entity_id, entity_ids),
    ):
        if given:
            rows = await tx.execute(select(link.c.memory_id).where(column.in_(list(given))))
            found |= set(rows.scalars())
    return sorted(found)


async def ids_of_tenant(tx: AsyncConnection, tenant_id: str) -> list[str]:
    """Row ids, in order, of every memory of the tenant that is there."""
    wanted = memories.c.tenant_id == tenant_id, memories.c.state.in_(PRESENT)
    return sorted((await tx.execute(select(memories.c.id).where(*wanted))).scalars())


async def of_tenant(
    tx: AsyncConnection, tenant_id: str, *, states: Sequence[str] = PRESENT
) -> list[Memory]:
    """Every memory of the tenant."""
    return await _select(tx, memories.c.tenant_id == tenant_id, memories.c.state.in_(states))


async def expired(tx: AsyncConnection, at: datetime, *, limit: int = 500) -> list[Memory]:
    """Memories of any tenant whose period has ended and that still exist; oldest first."""
    query = (
        select(*_COLUMNS)
        .where(memories.c.state.in_(PRESENT), memories.c.expires_at <= at)
        .where(memories.c.pinned.is_(False))
        .order_by(memories.c.expires_at)
        .limit(limit)
    )
    return [_memory(row) for row in await tx.execute(query)]


async def aside(tx: AsyncConnection, tenant_id: str, upstream: str, at: datetime) -> list[Memory]:
    """The memories of a store that are there but not, or no longer, to be read as they are."""
    return await _select(
        tx,
        memories.c.tenant_id == tenant_id,
        memories.c.upstream == upstream,
        memories.c.state.in_(PRESENT),
        or_(memories.c.state != "live", memories.c.expires_at <= at),
    )


async def change(tx: AsyncConnection, memory_id: str, **fields: Any) -> None:
    """Set columns of one memory."""
    for name in ("categories", "tags"):
        if name in fields:
            fields[name] = list(fields[name])
    await tx.execute(update(memories).where(memories.c.id == memory_id).values(**fields))


async def set_state(
    tx: AsyncConnection, ids: Collection[str], state: str, *, erased_at: datetime | None = None
) -> None:
    """Move memories to another state."""
    await tx.execute(
        update(memories)
        .where(memories.c.id.in_(list(ids)))
        .values(state=state, erased_at=erased_at)
    )


async def owners_of(tx: AsyncConnection, ids: Collection[str]) -> dict[str, list[str]]:
    """Row ids of the owners of each memory."""
    return await _linked(tx, memory_owners.c.owner_id, memory_owners.c.memory_id, ids)


async def entities_of(tx: AsyncConnection, ids: Collection[str]) -> dict[str, list[str]]:
    """Row ids of the entities each memory mentions."""
    return await _linked(tx, memory_entities.c.entity_id, memory_entities.c.memory_id, ids)


async def refs_of(tx: AsyncConnection, ids: Collection[str]) -> dict[str, list[bytes]]:
    """The names by which provenance can refer to each memory."""
    return await _linked(tx, memory_refs.c.ref, memory_refs.c.memory_id, ids)


async def named(tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]) -> list[Memory]:
    """The memories that carry any of these names."""
    found = await by_names(tx, tenant_id, refs)
    return list({memory.id: memory for known in found.values() for memory in known}.values())


async def by_names(
    tx: AsyncConnection, tenant_id: str, refs: Collection[bytes]
) -> dict[bytes, list[Memory]]:
    """``named``, by the name that each carries; of one write several may carry the same."""
    found: dict[bytes, list[Memory]] = defaultdict(list)
    for name, *row in await tx.execute(_BY_NAMES, {"tenant_id": tenant_id, "refs": list(refs)}):
        found[name].append(_memory(row))
    return dict(found)


async def name(tx: AsyncConnection, memory: Memory, refs: Iterable[bytes]) -> None:
    """Give a memory further names; those it carries already are left alone."""
    given = dict.fromkeys(refs)
    if not given:
        return
    rows = await tx.execute(select(memory_refs.c.ref).where(memory_refs.c.memory_id == memory.id))
    new = given.keys() - set(rows.scalars())
    await _fill(tx, memory_refs, [_named(memory, ref) for ref in given if ref in new])


async def count(tx: AsyncConnection, tenant_id: str) -> dict[str, int]:
    """How many memories the tenant has in each state."""
    query = (
        select(memories.c.state, func.count())
        .where(memories.c.tenant_id == tenant_id)
        .group_by(memories.c.state)
    )
    return {str(row[0]): int(row[1]) for row in await tx.execute(query)}


async def count_standing(
    tx: AsyncConnection, tenant_id: str, upstream: str, until: datetime
) -> int:
    """How many memories of a store there should be, of those recorded up to a moment."""
    query = select(func.count()).where(
        memories.c.tenant_id == tenant_id,
        memories.c.upstream == upstream,
        memories.c.state.in_(STANDING),
        memories.c.created_at <= until,
    )
    return int((await tx.execute(query)).scalar_one())


async def count_of_owner(tx: AsyncConnection, owner_id: str) -> dict[tuple[str, str], int]:
    """How many memories were ever kept under an owner, by (store, state)."""
    query = (
        select(memories.c.upstream, memories.c.state, func.count())
        .join(memory_owners, memory_owners.c.memory_id == memories.c.id)
        .where(memory_owners.c.owner_id == owner_id)
        .group_by(memories.c.upstream, memories.c.state)
    )
    return {(str(row[0]), str(row[1])): int(row[2]) for row in await tx.execute(query)}


async def number_under(tx: AsyncConnection, owner_ids: Collection[str], most: int) -> int:
    """How many memories were ever kept under the owners; ``most`` for more."""
    kept = select(memory_owners.c.memory_id).where(memory_owners.c.owner_id.in_(list(owner_ids)))
    rows = kept.distinct().limit(most).subquery()
    return int((await tx.execute(select(func.count()).select_from(rows))).scalar_one())


def _memory(row: Any) -> Memory:
    values = list(row)
    for index in _LISTS:
        values[index] = tuple(values[index])
    for index in _CODES:  # the same in many rows: kept once
        values[index] = intern(values[index])
    return Memory(*values)


async def _select(tx: AsyncConnection, *conditions: Any) -> list[Memory]:
    return [_memory(row) for row in await tx.execute(_ROWS.where(*conditions))]


async def _joined(
    tx: AsyncConnection,
    link: Table,
    column: Column[Any],
    ids: Collection[str],
    states: Sequence[str],
) -> list[Memory]:
    linked = select(link.c.memory_id).where(column.in_(list(ids)))
    return await _select(tx, memories.c.state.in_(states), memories.c.id.in_(linked))


def _values(memory: Memory) -> dict[str, Any]:
    values = {name: getattr(memory, name) for name in Memory.__slots__}
    return values | {"categories": list(memory.categories), "tags": list(memory.tags)}


def _pair(memory_id: str, **linked: str) -> dict[str, Any]:
    return {"memory_id": memory_id, **linked}


def _named(memory: Memory, ref: bytes) -> dict[str, Any]:
    return {"tenant_id": memory.tenant_id, "memory_id": memory.id, "ref": ref}


async def _fill(tx: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        await tx.execute(_INSERTS[table], rows[0] if len(rows) == 1 else rows)


async def _linked(
    tx: AsyncConnection, column: Column[Any], key: Column[Any], ids: Collection[str]
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for memory_id, value in await tx.execute(_links(key, column), {"ids": list(ids)}):
        found[memory_id].append(value)
    return dict(found)


@cache
def _links(key: Column[Any], column: Column[Any]) -> Select[Any]:
    return select(key, column).where(key.in_(bindparam("ids", expanding=True)))
