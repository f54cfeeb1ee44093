"""Memories held for review: which they are, which rules hold them, and how one leaves."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import select, update

from proxy.ledger import holds
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory, by_ids
from proxy.ledger.schema import memories, memory_owners

STATE = "quarantined"
MARK = "held:"  # a tag: it stays while an erasure has the memory in another state


def marks(rules: Iterable[str]) -> set[str]:
    """The tags of a memory that these rules hold."""
    return {MARK + rule for rule in rules}


def holding(tags: Iterable[str]) -> tuple[str, ...]:
    """Ids of the rules that hold a memory."""
    return tuple(tag.removeprefix(MARK) for tag in tags if tag.startswith(MARK))


def unmarked(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags of a memory that is no longer held."""
    return tuple(tag for tag in tags if not tag.startswith(MARK))


async def page(
    tx: Tx, tenant_id: str, *, after: str = "", owner_id: str | None = None, limit: int
) -> list[Memory]:
    """Memories held for review, in order of their row ids, which is that of their making."""
    query = select(memories.c.id).where(
        memories.c.tenant_id == tenant_id, memories.c.state == STATE, memories.c.id > after
    )
    if owner_id is not None:
        mine = select(memory_owners.c.memory_id).where(memory_owners.c.owner_id == owner_id)
        query = query.where(memories.c.id.in_(mine))
    found = (await tx.execute(query.order_by(memories.c.id).limit(limit))).scalars()
    return sorted(await by_ids(tx, list(found)), key=lambda memory: memory.id)


async def release(tx: Tx, memory: Memory, state: str) -> bool:
    """Let a memory out of review; False, and nothing, if it was decided on meanwhile."""
    done = await tx.execute(
        update(memories)
        .where(
            memories.c.id == memory.id,
            memories.c.state == STATE,
            memories.c.content_ref.is_not_distinct_from(memory.content_ref),
        )
        .values(
            state=state,
            tags=list(unmarked(memory.tags)),
            categories=list(memory.categories),
            expires_at=memory.expires_at,
        )
    )
    return bool(done.rowcount)


async def resting(
    tx: Tx, tenant_id: str, rows: Sequence[Memory], owners: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """The state of each memory while nothing is done with it: held, restricted or live.

    Args:
        owners: row ids of the owners of each memory, by the memory's row id.
    """
    owned = {row.id: owners.get(row.id, ()) for row in rows}
    limited = await holds.restricted(tx, tenant_id, owned)
    return {
        row.id: STATE if _is_held(row) else "restricted" if row.id in limited else "live"
        for row in rows
    }


def _is_held(row: Memory) -> bool:
    return row.state == STATE or bool(holding(row.tags))
