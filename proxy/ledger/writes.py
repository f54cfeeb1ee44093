"""Writes: an intent before anything is sent, and what became of it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.holds import RESTRICTION
from proxy.ledger.owners import Owner
from proxy.ledger.schema import holds, owners, write_entities, write_owners, writes

OPEN = ("intended", "pending", "unknown")


@dataclass(frozen=True, slots=True)
class Write:
    """One write; ``plan`` is what settling needs: tier, expiry, categories, refs. No content."""

    id: str
    tenant_id: str
    upstream: str
    state: str  # intended | pending | settled | failed | unknown | killed
    plan: Mapping[str, Any]
    policy_digest: str
    created_at: datetime
    event_ref: bytes | None = None
    sealed_event: bytes | None = None
    dek_id: str | None = None
    settled_at: datetime | None = None
    owner_ids: tuple[str, ...] = field(default=())
    entity_ids: tuple[str, ...] = field(default=())


_COLUMNS = tuple(column.name for column in writes.columns)


_INSERT, _INSERT_OWNERS = writes.insert(), write_owners.insert()
_INSERT_ENTITIES = write_entities.insert()
_CONCLUDE = (  # made once: building a statement costs more than running it
    update(writes)
    .where(writes.c.id == bindparam("write"))
    .values(state=bindparam("to"), settled_at=bindparam("at"))
)
_CONCLUDE_NAMED = _CONCLUDE.values(event_ref=bindparam("event"))
_OWNERS = (
    select(
        *(owners.c[name] for name in Owner.__slots__),
        write_owners.c.owner_epoch,
        exists().where(
            holds.c.owner_id == owners.c.id,
            holds.c.tenant_id == owners.c.tenant_id,
            holds.c.kind == RESTRICTION,
            holds.c.lifted_at.is_(None),
        ),
    )
    .select_from(writes)
    .outerjoin(write_owners, write_owners.c.write_id == writes.c.id)
    .outerjoin(owners, owners.c.id == write_owners.c.owner_id)
    .where(writes.c.id == bindparam("write"))
)


def aad(tenant_id: str, write_id: str) -> bytes:
    """Associated data of a write's ``sealed_event``."""
    return f"event|{tenant_id}|{write_id}".encode()


async def intend(tx: AsyncConnection, write: Write, *, epochs: Mapping[str, int]) -> None:
    """Record an intent. ``epochs`` maps each owner's row id to its epoch at this moment."""
    values = {name: getattr(write, name) for name in _COLUMNS} | {"plan": dict(write.plan)}
    await tx.execute(_INSERT, values)
    linked = [
        {"write_id": write.id, "owner_id": owner_id, "owner_epoch": epoch}
        for owner_id, epoch in epochs.items()
    ]
    if linked:
        await tx.execute(_INSERT_OWNERS, linked)
    mentioned = [{"write_id": write.id, "entity_id": entity} for entity in set(write.entity_ids)]
    if mentioned:
        await tx.execute(_INSERT_ENTITIES, mentioned)


async def conclude(
    tx: AsyncConnection,
    write_id: str,
    state: str,
    *,
    at: datetime | None = None,
    event_ref: bytes | None = None,
) -> None:
    """Move a write to another state.

    Args:
        at: when it was settled.
        event_ref: of the event by which the store can be asked about it; None leaves it.
    """
    said = {"write": write_id, "to": state, "at": at}
    if event_ref is None:
        await tx.execute(_CONCLUDE, said)
    else:
        await tx.execute(_CONCLUDE_NAMED, {**said, "event": event_ref})


async def await_event(
    tx: AsyncConnection, write_id: str, *, event_ref: bytes, sealed_event: bytes, dek_id: str
) -> None:
    """The store accepted the write and will finish it later, under this event."""
    await tx.execute(
        update(writes)
        .where(writes.c.id == write_id)
        .values(state="pending", event_ref=event_ref, sealed_event=sealed_event, dek_id=dek_id)
    )


async def by_id(tx: AsyncConnection, write_id: str) -> Write | None:
    """One write with its owners and entities."""
    found = await _load(tx, writes.c.id == write_id)
    return found[0] if found else None


async def by_event(tx: AsyncConnection, tenant_id: str, event_ref: bytes) -> Write | None:
    """The tenant's write behind an event of the store."""
    found = await _load(tx, writes.c.tenant_id == tenant_id, writes.c.event_ref == event_ref)
    return found[0] if found else None


async def open_writes(
    tx: AsyncConnection, *, before: datetime, states: Iterable[str] = OPEN, limit: int = 100
) -> list[Write]:
    """Writes that are not settled yet and began before an instant; oldest first."""
    return await _load(
        tx, writes.c.state.in_(list(states)), writes.c.created_at <= before, limit=limit
    )


async def open_among(tx: AsyncConnection, write_ids: Collection[str]) -> set[str]:
    """Those of the writes that are not settled yet."""
    query = select(writes.c.id).where(writes.c.id.in_(list(write_ids)), writes.c.state.in_(OPEN))
    return set((await tx.execute(query)).scalars())


async def begun_since(
    tx: AsyncConnection, tenant_id: str, write_ids: Collection[str], at: datetime
) -> set[str]:
    """Those of the tenant's writes that began after an instant, and that no erasure overtook."""
    overtaken = exists().where(
        write_owners.c.write_id == writes.c.id,
        owners.c.id == write_owners.c.owner_id,
        owners.c.epoch != write_owners.c.owner_epoch,
    )
    query = select(writes.c.id).where(
        writes.c.tenant_id == tenant_id, writes.c.id.in_(list(write_ids)),
        writes.c.created_at > at, ~overtaken,
    )  # fmt: skip
    return set((await tx.execute(query)).scalars())


async def open_of_owners(tx: AsyncConnection, owner_ids: Collection[str]) -> list[Write]:
    """Writes under way for any of the owners: an erasure waits for them or fences them."""
    ids = select(write_owners.c.write_id).where(write_owners.c.owner_id.in_(list(owner_ids)))
    return await _load(tx, writes.c.state.in_(OPEN), writes.c.id.in_(ids))


async def count_open(tx: AsyncConnection, tenant_id: str, until: datetime) -> int:
    """How many writes of the tenant that began until an instant are under way."""
    query = select(func.count()).where(
        writes.c.tenant_id == tenant_id, writes.c.state.in_(OPEN), writes.c.created_at <= until
    )
    return int((await tx.execute(query)).scalar_one())


async def open_mentions(tx: AsyncConnection, tenant_id: str) -> list[tuple[str, datetime]]:
    """Entities that writes under way mention, each with the instant at which the write began."""
    query = (
        select(write_entities.c.entity_id, writes.c.created_at)
        .join(writes, writes.c.id == write_entities.c.write_id)
        .where(writes.c.tenant_id == tenant_id, writes.c.state.in_(OPEN))
    )
    return [(str(row[0]), row[1]) for row in await tx.execute(query)]


async def owners_unless_fenced(
    tx: AsyncConnection, write_id: str
) -> tuple[list[Owner], bool] | None:
    """The write's owners, and whether one is restricted (GDPR Art. 18).

    None if an erasure of one began after the write did, or took it along.
    """
    found = (await tx.execute(_OWNERS, {"write": write_id})).all()
    if not found or any(row.epoch != row.owner_epoch for row in found):
        return None
    return [Owner(*row[:-2]) for row in found if row.id is not None], any(row[-1] for row in found)


async def _load(tx: AsyncConnection, *conditions: Any, limit: int = 1000) -> list[Write]:
    query = select(writes).where(*conditions).order_by(writes.c.created_at).limit(limit)
    found = [dict(row) for row in (await tx.execute(query)).mappings()]
    if not found:
        return []  # as it mostly is, and asked each second
    ids = [row["id"] for row in found]
    by_owner = await _links(tx, write_owners.c.write_id, write_owners.c.owner_id, ids)
    by_entity = await _links(tx, write_entities.c.write_id, write_entities.c.entity_id, ids)
    return [
        Write(
            **row,
            owner_ids=tuple(by_owner.get(row["id"], ())),
            entity_ids=tuple(by_entity.get(row["id"], ())),
        )
        for row in found
    ]


async def _links(
    tx: AsyncConnection, key: Any, column: Any, ids: Collection[str]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for write_id, value in await tx.execute(select(key, column).where(key.in_(list(ids)))):
        found.setdefault(write_id, []).append(value)
    return found
