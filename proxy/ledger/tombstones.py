"""Tombstones: that something was erased and when, never what it was."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ids import new
from proxy.ledger.inserts import insert_ignore
from proxy.ledger.schema import erasures, plan_items, tombstones
from proxy.pseudonyms import Pseudonyms

CHUNK = 500
ASKED = ("control", "agent")  # origins of requests; a client deletes one id, the sweeper an old one


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One erased memory: pseudonyms of its id, and of its owners with its stored text."""

    upstream: str
    ref: bytes
    content_ref: bytes | None
    erasure_id: str
    deleted_at: datetime


@dataclass(frozen=True, slots=True)
class Said:
    """That a text was erased: by its last tombstone; whether somebody's request erased it."""

    stone_id: str
    deleted_at: datetime
    asked_for: bool

    def is_before(self, row_id: str) -> bool:
        """Whether a row was made since; ids are in the order of time, whatever a row dates."""
        return self.stone_id.partition("_")[2] < row_id.partition("_")[2]


def content_ref(names: Pseudonyms, owners: Mapping[str, str], text: str) -> bytes | None:
    """Pseudonym of what was said under the store's owners, whatever its case and spacing.

    None of a text that says nothing.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(" .!;,")
    if not plain:
        return None
    whose = (part for pair in sorted(owners.items()) for part in pair)
    return names.of("erased-content", plain, *whose)


async def saying(
    tx: AsyncConnection,
    tenant_id: str,
    refs: Collection[bytes],
    *,
    erasure_id: str | None = None,
) -> dict[bytes, Said]:
    """What is known of erased texts, by their pseudonyms with their owners'.

    Args:
        erasure_id: only what this erasure erased; None: any.
    """
    found: dict[bytes, Said] = {}
    listed = list(refs)
    joined = tombstones.outerjoin(erasures, erasures.c.id == tombstones.c.erasure_id)
    stone = tombstones.c
    every = select(stone.content_ref, stone.id, stone.deleted_at, erasures.c.origin)
    for start in range(0, len(listed), CHUNK):
        query = every.select_from(joined).where(
            stone.tenant_id == tenant_id,
            stone.content_ref.in_(listed[start : start + CHUNK]),
        )
        if erasure_id is not None:
            query = query.where(stone.erasure_id == erasure_id)
        for ref, stone_id, at, origin in await tx.execute(query.order_by(stone.id)):
            found[ref] = Said(stone_id, at, asked_for=origin in ASKED)
    return found


async def add(tx: AsyncConnection, tenant_id: str, stones: Iterable[Tombstone]) -> None:
    """Record erased memories; those that have a tombstone keep it."""
    unique = {(stone.upstream, stone.ref): stone for stone in stones}
    rows = [
        {name: getattr(stone, name) for name in Tombstone.__slots__}
        | {"id": new("tmb"), "tenant_id": tenant_id}
        for stone in unique.values()
    ]
    for start in range(0, len(rows), CHUNK):
        await insert_ignore(tx, tombstones, rows[start : start + CHUNK])


async def matching(
    tx: AsyncConnection,
    tenant_id: str,
    upstream: str,
    refs: Collection[bytes],
    *,
    since: str | None = None,
) -> dict[bytes, str]:
    """Which of these memories were erased, and by which erasure.

    Args:
        since: an erasure; only what was erased after it was asked for.
    """
    found: dict[bytes, str] = {}
    listed = list(refs)
    least = f"tmb_{since.partition('_')[2]}" if since else ""  # ids are in the order of time
    for start in range(0, len(listed), CHUNK):
        query = select(tombstones.c.ref, tombstones.c.erasure_id).where(
            tombstones.c.tenant_id == tenant_id,
            tombstones.c.upstream == upstream,
            tombstones.c.ref.in_(listed[start : start + CHUNK]),
            tombstones.c.id >= least,
        )
        found |= {row[0]: row[1] for row in await tx.execute(query)}
    return found


async def of(tx: AsyncConnection, tenant_id: str, upstream: str, ref: bytes) -> Tombstone | None:
    """The tombstone of one memory."""
    wanted = [tombstones.c[name] for name in Tombstone.__slots__]
    query = select(*wanted).where(
        tombstones.c.tenant_id == tenant_id,
        tombstones.c.upstream == upstream,
        tombstones.c.ref == ref,
    )
    row = (await tx.execute(query)).first()
    return Tombstone(*row) if row else None


async def rewritten(
    tx: AsyncConnection, tenant_id: str, upstream: str, refs: Collection[bytes]
) -> dict[str, int]:
    """Of which erasures (by reference) these erased memories were rewritten, and how many."""
    joined = tombstones.join(erasures, erasures.c.id == tombstones.c.erasure_id).join(
        plan_items,
        (plan_items.c.erasure_id == tombstones.c.erasure_id)
        & (plan_items.c.upstream == tombstones.c.upstream)
        & (plan_items.c.ref == tombstones.c.ref),
    )
    found: Counter[str] = Counter()
    listed = list(refs)
    for start in range(0, len(listed), CHUNK):
        query = select(erasures.c.reference).select_from(joined).where(
            tombstones.c.tenant_id == tenant_id,
            tombstones.c.upstream == upstream,
            tombstones.c.ref.in_(listed[start : start + CHUNK]),
            plan_items.c.action.in_(("redact", "regenerate")),
        )  # fmt: skip
        found.update(row[0] for row in await tx.execute(query))
    return dict(found)


async def count_of(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> int:
    """How many memories one erasure erased."""
    query = select(func.count()).where(
        tombstones.c.tenant_id == tenant_id, tombstones.c.erasure_id == erasure_id
    )
    return int((await tx.execute(query)).scalar_one())


async def drop(tx: AsyncConnection, tenant_id: str, erasure_id: str) -> None:
    """Delete the tombstones of an erasure; only a self-test has nothing to remember."""
    await tx.execute(
        delete(tombstones).where(
            tombstones.c.tenant_id == tenant_id, tombstones.c.erasure_id == erasure_id
        )
    )


async def count(tx: AsyncConnection, tenant_id: str) -> int:
    """How many memories of the tenant were ever erased."""
    query = select(func.count()).where(tombstones.c.tenant_id == tenant_id)
    return int((await tx.execute(query)).scalar_one())
