"""Legal holds and restrictions: what is kept despite an erasure, and what is kept unreadable."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.erasures import Erasure, matching
from proxy.ledger.schema import erasures, holds, plan_items

CHUNK = 500
_DEFERS = erasures.c.state.in_(("held", "incomplete")), plan_items.c.action == "hold"
RESTRICTION = "restriction"


@dataclass(frozen=True, slots=True)
class Hold:
    """One hold or restriction, of a memory or of a whole owner."""

    id: str
    tenant_id: str
    memory_id: str | None
    owner_id: str | None
    kind: str  # hold | restriction
    code: str
    actor: bytes
    created_at: datetime
    review_at: datetime | None = None
    lifted_at: datetime | None = None


_ON = select(holds).where(
    holds.c.tenant_id == bindparam("tenant"),
    holds.c.kind.in_(bindparam("kinds", expanding=True)),
    holds.c.lifted_at.is_(None),
    or_(
        holds.c.memory_id.in_(bindparam("memories", expanding=True)),
        holds.c.owner_id.in_(bindparam("owners", expanding=True)),
    ),
)


async def insert(tx: AsyncConnection, hold: Hold) -> None:
    """Record a hold."""
    await tx.execute(holds.insert().values({name: getattr(hold, name) for name in Hold.__slots__}))


async def get(tx: AsyncConnection, tenant_id: str, hold_id: str) -> Hold | None:
    """One hold of the tenant."""
    query = select(holds).where(holds.c.tenant_id == tenant_id, holds.c.id == hold_id)
    row = (await tx.execute(query)).mappings().first()
    return Hold(**row) if row else None


async def lift(tx: AsyncConnection, tenant_id: str, hold_id: str, at: datetime) -> bool:
    """Release a hold; False if it was not in force."""
    done = await tx.execute(
        update(holds)
        .where(holds.c.tenant_id == tenant_id, holds.c.id == hold_id, holds.c.lifted_at.is_(None))
        .values(lifted_at=at)
    )
    return bool(done.rowcount)


async def in_force(
    tx: AsyncConnection,
    tenant_id: str,
    *,
    memory_ids: Collection[str] = (),
    owner_ids: Collection[str] = (),
    kind: str | None = "hold",
) -> list[Hold]:
    """Holds of a kind, or of any, on any of the memories or owners."""
    found: dict[str, Hold] = {}
    memories, owners = list(memory_ids), list(owner_ids)
    for start in range(0, max(len(memories), len(owners), 1), CHUNK):
        part = slice(start, start + CHUNK)
        given = {
            "tenant": tenant_id,
            "kinds": [kind] if kind else ["hold", RESTRICTION],
            "memories": memories[part],
            "owners": owners[part],
        }
        found |= {row["id"]: Hold(**row) for row in (await tx.execute(_ON, given)).mappings()}
    return list(found.values())


async def held(
    tx: AsyncConnection, tenant_id: str, owners: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Codes of the holds of memories held themselves or with one of their owners, by row id.

    Args:
        owners: row ids of the owners of each memory, by the memory's row id.
    """
    return _codes(await _on_these(tx, tenant_id, owners, "hold"), owners)


async def restricted(
    tx: AsyncConnection, tenant_id: str, owners: Mapping[str, Collection[str]]
) -> set[str]:
    """Memories under a restriction of their own or of one of their owners (GDPR Art. 18).

    Args:
        owners: row ids of the owners of each memory, by the memory's row id.
    """
    return _limited(await _on_these(tx, tenant_id, owners, RESTRICTION), owners)


async def held_and_restricted(
    tx: AsyncConnection, tenant_id: str, owners: Mapping[str, Collection[str]]
) -> tuple[dict[str, str], set[str]]:
    """What ``held`` and ``restricted`` give, with one look."""
    found = await _on_these(tx, tenant_id, owners, None)
    restrictions = [each for each in found if each.kind == RESTRICTION]
    return _codes([each for each in found if each.kind == "hold"], owners), _limited(
        restrictions, owners
    )


async def _on_these(
    tx: AsyncConnection, tenant_id: str, owners: Mapping[str, Collection[str]], kind: str | None
) -> list[Hold]:
    if not owners:
        return []
    owner_ids = {owner for listed in owners.values() for owner in listed}
    return await in_force(tx, tenant_id, memory_ids=owners, owner_ids=owner_ids, kind=kind)


def _codes(found: Sequence[Hold], owners: Mapping[str, Collection[str]]) -> dict[str, str]:
    by_owner = {hold.owner_id: hold.code for hold in found if hold.owner_id}
    codes = {
        row_id: by_owner[owner]
        for row_id, listed in owners.items()
        for owner in listed
        if owner in by_owner
    }
    return codes | {hold.memory_id: hold.code for hold in found if hold.memory_id}


def _limited(found: Sequence[Hold], owners: Mapping[str, Collection[str]]) -> set[str]:
    memories = {hold.memory_id for hold in found}
    limited = {hold.owner_id for hold in found}
    return {
        memory_id
        for memory_id, listed in owners.items()
        if memory_id in memories or not limited.isdisjoint(listed)
    }


async def waiting(
    tx: AsyncConnection, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> dict[bytes, str]:
    """Those of a store's memories that an erasure deletes once their hold is lifted.

    By pseudonym the reference of the erasure; of several the first.
    """
    found: dict[bytes, str] = {}
    joined = plan_items.join(erasures, erasures.c.id == plan_items.c.erasure_id)
    item, listed = plan_items.c, list(refs)
    for start in range(0, len(listed), CHUNK):
        query = select(item.ref, erasures.c.reference).select_from(joined).where(
            erasures.c.tenant_id == tenant_id,
            *_DEFERS,
            item.upstream == upstream,
            item.ref.in_(listed[start : start + CHUNK]),
        )  # fmt: skip
        rows = await tx.execute(query.order_by(erasures.c.id.desc()))
        found |= {row[0]: row[1] for row in rows}
    return found


async def deferring(tx: AsyncConnection, tenant_id: str) -> list[Erasure]:
    """The tenant's erasures that leave something for a hold, newest first."""
    theirs = select(plan_items.c.seq).where(plan_items.c.erasure_id == erasures.c.id, *_DEFERS)
    return await matching(tx, erasures.c.tenant_id == tenant_id, theirs.exists())


async def of_tenant(tx: AsyncConnection, tenant_id: str, *, kind: str = "hold") -> list[Hold]:
    """Everything in force in the tenant."""
    query = select(holds).where(
        holds.c.tenant_id == tenant_id, holds.c.kind == kind, holds.c.lifted_at.is_(None)
    )
    return [Hold(**row) for row in (await tx.execute(query.order_by(holds.c.id))).mappings()]
