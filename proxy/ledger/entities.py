"""Rows of entities: their index keys, surface forms, owners and memories. Names are ciphertext."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, func, select, true, update

from proxy.ledger.engine import Tx
from proxy.ledger.inserts import insert_ignore, offer
from proxy.ledger.records import record
from proxy.ledger.schema import (
    entities,
    entity_keys,
    entity_owners,
    memories,
    memory_entities,
    memory_owners,
    vault,
)

CHUNK = 500


@dataclass(frozen=True, slots=True)
class Entity:
    """Someone or something mentioned; without key and name once erased."""

    id: str
    tenant_id: str
    entity_type: str
    code: str
    canonical_key: bytes | None
    sealed_name: bytes | None
    dek_id: str
    state: str
    epoch: int
    version: int
    created_at: datetime
    erased_at: datetime | None = None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """One surface form of an entity, sealed."""

    id: str
    tenant_id: str
    entity_id: str
    form: int
    surface_ref: bytes
    sealed: bytes
    dek_id: str


@dataclass(frozen=True, slots=True)
class Match:
    """An entity found under a key."""

    kind: str
    key: bytes
    entity_id: str


_OF_TENANT = select(entities).where(  # made once: building a statement costs more than running it
    entities.c.tenant_id == bindparam("tenant")
)
_BY_CANONICAL = _OF_TENANT.where(
    entities.c.canonical_key.in_(bindparam("keys", expanding=True))
).order_by(entities.c.id)
_KEPT = _BY_CANONICAL.with_for_update(read=True)
_BY_CODE = _OF_TENANT.where(entities.c.code.in_(bindparam("codes", expanding=True)))
_BY_ID = _OF_TENANT.where(entities.c.id.in_(bindparam("ids", expanding=True)))
_FORMS = select(vault).where(vault.c.tenant_id == bindparam("tenant"))
_FORMS_BY_ENTITY = _FORMS.where(
    vault.c.entity_id.in_(bindparam("entities", expanding=True))
).order_by(vault.c.entity_id, vault.c.form)
_FORMS_BY_SURFACE = _FORMS.where(vault.c.surface_ref.in_(bindparam("refs", expanding=True)))
_NEXT_FORM = select(func.max(vault.c.form)).where(vault.c.entity_id == bindparam("entity"))
_OWNERS_OF = select(entity_owners).where(
    entity_owners.c.entity_id.in_(bindparam("entities", expanding=True))
)


def version_name(tenant_id: str) -> str:
    """The counter that grows with each change of a tenant's entity index."""
    return f"entities:{tenant_id}"


# -- find ------------------------------------------------------------------------------------------


async def by_canonical(
    tx: Tx, tenant_id: str, keys: Sequence[bytes], *, kept: bool = False
) -> dict[tuple[str, bytes], Entity]:
    """Living entities by (type, canonical key).

    Args:
        kept: nobody ends them before the transaction does; only where something is written.
    """
    found: dict[tuple[str, bytes], Entity] = {}
    for chunk in _chunks(keys):
        wanted = _KEPT if kept else _BY_CANONICAL
        for row in await tx.execute(wanted, {"tenant": tenant_id, "keys": chunk}):
            found[row.entity_type, row.canonical_key] = record(Entity, row)
    return found


async def by_code(tx: Tx, tenant_id: str, codes: Sequence[str]) -> dict[str, Entity]:
    """Entities, also erased ones, by the stem of their tokens."""
    found: dict[str, Entity] = {}
    for chunk in _chunks(codes):
        rows = await tx.execute(_BY_CODE, {"tenant": tenant_id, "codes": chunk})
        found.update({row.code: record(Entity, row) for row in rows})
    return found


async def by_id(tx: Tx, tenant_id: str, entity_ids: Sequence[str]) -> dict[str, Entity]:
    """Entities of the tenant by id."""
    found: dict[str, Entity] = {}
    for chunk in _chunks(entity_ids):
        rows = await tx.execute(_BY_ID, {"tenant": tenant_id, "ids": chunk})
        found.update({row.id: record(Entity, row) for row in rows})
    return found


async def of_owner(tx: Tx, tenant_id: str, owner_id: str, limit: int) -> list[Entity]:
    """Living entities mentioned under an owner, newest first."""
    mine = select(entities).join(entity_owners, entity_owners.c.entity_id == entities.c.id)
    mine = mine.where(
        entity_owners.c.owner_id == owner_id,
        entities.c.tenant_id == tenant_id,
        entities.c.state != "erased",
    )
    rows = await tx.execute(mine.order_by(entities.c.id.desc()).limit(limit))
    return [record(Entity, row) for row in rows]


async def matches(
    tx: Tx,
    tenant_id: str,
    keys: Sequence[tuple[str, bytes]],
    owner_ids: Collection[str] | None = None,
) -> list[Match]:
    """Entities indexed under any of these (kind, key) pairs.

    Args:
        owner_ids: only those that are mentioned under one of these owners; None: all.
    """
    wanted = set(keys)
    theirs = true() if owner_ids is None else entity_keys.c.entity_id.in_(_under(owner_ids))
    found: list[Match] = []
    for chunk in _chunks(sorted({key for _, key in wanted})):
        rows = await tx.execute(
            select(entity_keys.c.kind, entity_keys.c.key, entity_keys.c.entity_id).where(
                entity_keys.c.tenant_id == tenant_id,
                entity_keys.c.kind.in_(sorted({kind for kind, _ in wanted})),
                entity_keys.c.key.in_(chunk),
                theirs,
            )
        )
        found += [record(Match, row) for row in rows if (row.kind, row.key) in wanted]
    return found


def _under(owner_ids: Collection[str]) -> Select[Any]:
    wanted = entity_owners.c.owner_id.in_(list(owner_ids))
    return select(entity_owners.c.entity_id).where(wanted)


async def keys_since(tx: Tx, tenant_id: str, kind: str, version: int, limit: int) -> list[bytes]:
    """Keys of one kind of the entities that changed after ``version``."""
    changed = select(entity_keys.c.key).join(entities, entities.c.id == entity_keys.c.entity_id)
    changed = changed.where(
        entities.c.tenant_id == tenant_id,
        entities.c.version > version,
        entity_keys.c.kind == kind,
    )
    return list((await tx.execute(changed.limit(limit))).scalars())


async def owners_of(tx: Tx, entity_ids: Sequence[str]) -> dict[str, set[str]]:
    """Under which owners each entity is mentioned."""
    found: dict[str, set[str]] = {entity_id: set() for entity_id in entity_ids}
    for chunk in _chunks(entity_ids):
        for row in await tx.execute(_OWNERS_OF, {"entities": chunk}):
            found[row.entity_id].add(row.owner_id)
    return found


async def memory_counts(
    tx: Tx, entity_ids: Sequence[str], owner_id: str | None = None, *, erased: bool = True
) -> dict[str, int]:
    """In how many memories each entity is mentioned; only an owner's if one is given.

    Args:
        erased: those too that were deleted and that no verification has found gone yet.
    """
    counts: dict[str, int] = dict.fromkeys(entity_ids, 0)
    for chunk in _chunks(entity_ids):
        wanted = _count(chunk, owner_id)
        if not erased:
            there = (memories.c.id == memory_entities.c.memory_id, memories.c.state != "erased")
            wanted = wanted.where(exists().where(*there))
        counts.update({row[0]: row[1] for row in await tx.execute(wanted)})
    return counts


def _count(entity_ids: list[str], owner_id: str | None) -> Select[Any]:
    wanted = select(memory_entities.c.entity_id, func.count()).where(
        memory_entities.c.entity_id.in_(entity_ids)
    )
    if owner_id is not None:
        wanted = wanted.join(
            memory_owners, memory_owners.c.memory_id == memory_entities.c.memory_id
        ).where(memory_owners.c.owner_id == owner_id)
    return wanted.group_by(memory_entities.c.entity_id)


async def forms(tx: Tx, tenant_id: str, entity_ids: Sequence[str]) -> list[Form]:
    """All surface forms of entities, in order."""
    found: list[Form] = []
    for chunk in _chunks(entity_ids):
        rows = await tx.execute(_FORMS_BY_ENTITY, {"tenant": tenant_id, "entities": chunk})
        found += [record(Form, row) for row in rows]
    return found


async def forms_under(tx: Tx, tenant_id: str, dek_ids: Sequence[str], limit: int) -> list[Form]:
    """Surface forms sealed under these data keys."""
    wanted = select(vault).where(vault.c.tenant_id == tenant_id, vault.c.dek_id.in_(list(dek_ids)))
    return [record(Form, row) for row in await tx.execute(wanted.order_by(vault.c.id).limit(limit))]


async def forms_by_surface(
    tx: Tx, tenant_id: str, surface_refs: Sequence[bytes]
) -> dict[tuple[str, bytes], Form]:
    """Surface forms by (entity, pseudonym of the exact text)."""
    found: dict[tuple[str, bytes], Form] = {}
    for chunk in _chunks(surface_refs):
        for row in await tx.execute(_FORMS_BY_SURFACE, {"tenant": tenant_id, "refs": chunk}):
            found[row.entity_id, row.surface_ref] = record(Form, row)
    return found


async def next_form(tx: Tx, entity_id: str) -> int:
    """The number of the entity's next surface form."""
    found = (await tx.execute(_NEXT_FORM, {"entity": entity_id})).scalar()
    return 0 if found is None else int(found) + 1


# -- change ----------------------------------------------------------------------------------------


async def offer_entity(tx: Tx, entity: Entity) -> bool:
    """Add an entity; False if its canonical key or its code is taken."""
    return await offer(tx, entities, {name: getattr(entity, name) for name in Entity.__slots__})


async def offer_form(tx: Tx, form: Form) -> bool:
    """Add a surface form; False if its text or its number is taken."""
    return await offer(tx, vault, {name: getattr(form, name) for name in Form.__slots__})


async def add_keys(
    tx: Tx, tenant_id: str, entity_id: str, keys: Sequence[tuple[str, bytes]]
) -> None:
    """Index an entity under more (kind, key) pairs."""
    rows = [
        {"tenant_id": tenant_id, "kind": kind, "key": key, "entity_id": entity_id}
        for kind, key in dict.fromkeys(keys)
    ]
    await insert_ignore(tx, entity_keys, rows)


async def add_owners(tx: Tx, pairs: Sequence[tuple[str, str]]) -> None:
    """Record (entity, owner) pairs."""
    rows = [
        {"entity_id": entity, "owner_id": owner} for entity, owner in sorted(dict.fromkeys(pairs))
    ]
    await insert_ignore(tx, entity_owners, rows)


async def touch(tx: Tx, entity_id: str, version: int) -> None:
    """Record at which version of the index an entity changed last."""
    await tx.execute(update(entities).where(entities.c.id == entity_id).values(version=version))


async def erase(
    tx: Tx, tenant_id: str, entity_ids: Sequence[str], at: datetime, version: int,
    *, ended_by: str | None = None,
) -> None:  # fmt: skip
    """Drop names, keys, forms and owners of entities; the codes stay, to read as erased."""
    for chunk in _chunks(entity_ids):
        await tx.execute(delete(entity_keys).where(entity_keys.c.entity_id.in_(chunk)))
        await tx.execute(delete(entity_owners).where(entity_owners.c.entity_id.in_(chunk)))
        await tx.execute(delete(vault).where(vault.c.entity_id.in_(chunk)))
        change = update(entities).where(entities.c.tenant_id == tenant_id, entities.c.id.in_(chunk))
        await tx.execute(
            change.values(
                canonical_key=None,
                sealed_name=None,
                state="erased",
                erased_at=at,
                ended_by=ended_by,
                version=version,
                epoch=entities.c.epoch + 1,
            )
        )


async def lock(tx: Tx, entity_ids: Sequence[str]) -> None:
    """Let nobody mention these entities anew before the transaction ends."""
    for chunk in _chunks(sorted(entity_ids)):
        wanted = select(entities.c.id).where(entities.c.id.in_(chunk)).order_by(entities.c.id)
        await tx.execute(wanted.with_for_update())


async def unmentioned(
    tx: Tx, tenant_id: str, before: datetime, *, after: str = "", limit: int = CHUNK
) -> list[str]:
    """Living entities from before an instant that no memory is linked with, in order."""
    linked = select(memory_entities.c.entity_id).where(memory_entities.c.entity_id == entities.c.id)
    wanted = select(entities.c.id).where(
        entities.c.tenant_id == tenant_id, entities.c.state == "active",
        entities.c.created_at < before, entities.c.id > after, ~linked.exists(),
    )  # fmt: skip
    found = await tx.execute(wanted.order_by(entities.c.id).limit(limit))
    return [str(each) for each in found.scalars()]


async def ended_by(tx: Tx, tenant_id: str, erasure_id: str, limit: int) -> tuple[list[str], int]:
    """Data keys of entities that ended with an erasure, the first of them, and how many."""
    theirs = (entities.c.tenant_id == tenant_id, entities.c.ended_by == erasure_id)
    first = select(entities.c.dek_id).where(*theirs).order_by(entities.c.id).limit(limit)
    total = await tx.execute(select(func.count()).select_from(entities).where(*theirs))
    return [str(each) for each in (await tx.execute(first)).scalars()], int(total.scalar_one())


def _chunks(items: Sequence[Any]) -> Iterator[list[Any]]:
    unique = list(dict.fromkeys(items))
    for start in range(0, len(unique), CHUNK):
        yield unique[start : start + CHUNK]
