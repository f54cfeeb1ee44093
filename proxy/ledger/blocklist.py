"""The blocklist's rows: keyed identifiers of the erased, so that they cannot come back."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ids import new
from proxy.ledger.schema import blocklist

CHUNK = 500
UNSTAMPED = 0  # version of what a process of an older release adds


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a blocked subject; all keys of a subject share ``group_id``."""

    kind: str  # owner | place | spared | full | tok | joined
    key: bytes
    group_id: str
    owner_id: str | None
    erasure_id: str | None
    created_at: datetime


async def add(
    tx: AsyncConnection,
    tenant_id: str,
    keys: Iterable[tuple[str, bytes]],
    *,
    group_id: str,
    at: datetime,
    version: int = UNSTAMPED,
    owner_id: str | None = None,
    erasure_id: str | None = None,
) -> int:
    """Block a subject by its keys; keys that the group has already are left. Returns the new ones.

    Args:
        keys: (kind, pseudonym) pairs.
        group_id: the subject's group, ``blk_…``.
        at: now.
        version: of the tenant's list from now on.
        owner_id: row id of the only owner for whom it is blocked; None blocks tenant-wide.
        erasure_id: the erasure that asked for it.
    """
    known = {(entry.kind, entry.key) for entry in await of_group(tx, tenant_id, group_id)}
    rows = [
        {
            "id": new("blk"), "tenant_id": tenant_id, "kind": kind, "key": key,
            "group_id": group_id, "owner_id": owner_id, "erasure_id": erasure_id, "created_at": at,
            "version": version,
        }
        for kind, key in dict.fromkeys(keys)
        if (kind, key) not in known
    ]  # fmt: skip
    if rows:
        await tx.execute(blocklist.insert(), rows)
    return len(rows)


async def lift(
    tx: AsyncConnection,
    tenant_id: str,
    at: datetime,
    *,
    group_id: str | None = None,
    erasure_id: str | None = None,
    key: tuple[str, bytes] | None = None,
) -> int:
    """Unblock by group, by erasure or by one key (its whole group). Returns the lifted keys."""
    groups = {group_id} if group_id else set()
    if erasure_id:
        query = select(blocklist.c.group_id).where(blocklist.c.erasure_id == erasure_id)
        groups |= set((await tx.execute(query)).scalars())
    if key:
        groups |= {entry.group_id for entry in await matching(tx, tenant_id, [key])}
    live = (blocklist.c.tenant_id == tenant_id, blocklist.c.lifted_at.is_(None))
    done = await tx.execute(
        update(blocklist).where(*live, blocklist.c.group_id.in_(list(groups))).values(lifted_at=at)
    )
    return int(done.rowcount)


async def matching(
    tx: AsyncConnection, tenant_id: str, keys: Collection[tuple[str, bytes]]
) -> list[Entry]:
    """The live entries with any of these keys."""
    wanted = set(keys)
    values = list({key for _, key in wanted})
    found: list[Entry] = []
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        found += await _select(tx, tenant_id, blocklist.c.key.in_(part))
    return [entry for entry in found if (entry.kind, entry.key) in wanted]


async def of_group(tx: AsyncConnection, tenant_id: str, group_id: str) -> list[Entry]:
    """The live keys of one blocked subject."""
    return await _select(tx, tenant_id, blocklist.c.group_id == group_id)


async def live(tx: AsyncConnection, tenant_id: str) -> list[Entry]:
    """Everything blocked in the tenant."""
    return await _select(tx, tenant_id)


async def since(tx: AsyncConnection, tenant_id: str, version: int) -> list[Entry]:
    """What was blocked in the tenant after a version of its list, and by older releases."""
    added = or_(blocklist.c.version > version, blocklist.c.version == UNSTAMPED)
    return await _select(tx, tenant_id, added)


async def _select(tx: AsyncConnection, tenant_id: str, *conditions: object) -> list[Entry]:
    columns = [blocklist.c[name] for name in Entry.__slots__]
    query = select(*columns).where(
        blocklist.c.tenant_id == tenant_id,
        blocklist.c.lifted_at.is_(None),
        *conditions,  # type: ignore[arg-type]  # column expressions
    )
    return [Entry(*row) for row in await tx.execute(query)]


async def was_lifted(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> bool:
    """Whether what an erasure blocked was let back, by a consent given anew."""
    query = select(blocklist.c.id).where(
        blocklist.c.tenant_id == tenant_id,
        blocklist.c.erasure_id == erasure_id,
        blocklist.c.lifted_at.is_not(None),
    )
    return (await tx.execute(query.limit(1))).first() is not None


async def of_erasure(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> list[Entry]:
    """The live keys that an erasure blocked."""
    return await _select(tx, tenant_id, blocklist.c.erasure_id == erasure_id)
