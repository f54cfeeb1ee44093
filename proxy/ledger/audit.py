"""Rows of the audit log: outbox, leaves in order, tree nodes, checkpoints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    LargeBinary,
    Select,
    bindparam,
    cast,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from proxy.ledger.engine import Tx
from proxy.ledger.records import record
from proxy.ledger.schema import audit_entries, audit_nodes, checkpoints

_SEQUENCER_LOCK = 7_310_452_203_118
_INSERT = audit_entries.insert()
_ASSIGN = (
    update(audit_entries)
    .where(audit_entries.c.id == bindparam("entry"))
    .values(leaf_index=bindparam("index"))
)
# A leaf that somebody changed may be no bytes any more in SQLite; what it says is compared anyway.
_LEAF = cast(audit_entries.c.leaf, LargeBinary).label("leaf")
_ENTRIES = select(*(_LEAF if column.name == "leaf" else column for column in audit_entries.c))


@dataclass(frozen=True, slots=True)
class Entry:
    """One audit entry; ``leaf_index`` is None until it is sequenced.

    Args:
        event: what the leaf says happened, to look it up by; empty if an older release wrote it.
        actor: who acted, as the leaf says it: a pseudonym, or the id of a credential.
    """

    id: str
    tenant_id: str | None
    leaf_index: int | None
    leaf: bytes
    recorded_at: datetime
    event: str = ""
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are looked for: all that is given must hold; of several, any one.

    Args:
        since: recorded then or later.
        until: recorded before.
    """

    tenant_id: str | None = None
    events: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A checkpoint: tree size, root, and the signed note over both."""

    size: int
    root: bytes
    note: bytes
    signed_at: datetime


async def insert_entry(tx: Tx, entry: Entry) -> None:
    """Put an entry into the outbox, within the caller's transaction."""
    await tx.execute(
        _INSERT,
        {
            "id": entry.id,
            "tenant_id": entry.tenant_id,
            "leaf": entry.leaf,
            "recorded_at": entry.recorded_at,
            "event": entry.event,
            "actor": entry.actor,
        },
    )


async def lock_sequencer(tx: Tx) -> bool:
    """Be the only sequencer until the transaction ends (SQLite's writer is alone anyway)."""
    if tx.dialect.name != "postgresql":
        return True
    row = await tx.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _SEQUENCER_LOCK})
    return bool(row.scalar_one())


async def unsequenced(tx: Tx, limit: int) -> list[Entry]:
    """The oldest entries without an index."""
    waiting = select(audit_entries).where(audit_entries.c.leaf_index.is_(None))
    rows = await tx.execute(waiting.order_by(audit_entries.c.id).limit(limit))
    return [record(Entry, row) for row in rows]


async def assign(tx: Tx, entry_ids: Sequence[str], first: int) -> None:
    """Give entries consecutive leaf indexes starting at ``first``."""
    given = [{"entry": entry_id, "index": n} for n, entry_id in enumerate(entry_ids, first)]
    if given:
        await tx.execute(_ASSIGN, given)


async def size(tx: Tx) -> int:
    """How many entries have an index."""
    highest = (await tx.execute(select(func.max(audit_entries.c.leaf_index)))).scalar()
    return 0 if highest is None else int(highest) + 1


async def entry(tx: Tx, entry_id: str) -> Entry | None:
    """The entry with this id."""
    row = (await tx.execute(select(audit_entries).where(audit_entries.c.id == entry_id))).first()
    return record(Entry, row) if row else None


async def entries(tx: Tx, first: int, limit: int, *, tenant_id: str | None = None) -> list[Entry]:
    """Sequenced entries from index ``first`` on, in order; only a tenant's if one is given."""
    wanted = _ENTRIES.where(audit_entries.c.leaf_index >= first)
    if tenant_id is not None:
        wanted = wanted.where(audit_entries.c.tenant_id == tenant_id)
    rows = await tx.execute(wanted.order_by(audit_entries.c.leaf_index).limit(limit))
    return [record(Entry, row) for row in rows]


async def page(tx: Tx, tenant_id: str | None, after: int, limit: int) -> list[Entry]:
    """Sequenced entries after index ``after`` (-1 for the first page), for listings."""
    return await entries(tx, after + 1, limit, tenant_id=tenant_id)


async def search(tx: Tx, wanted: Wanted, first: int, limit: int) -> list[Entry]:
    """Sequenced entries from index ``first`` on that are wanted, in order.

    Those that an older release filed nowhere are among them, whatever they say.
    """
    found: dict[int | None, Entry] = {}
    for query in searches(wanted, first, limit):
        found |= {row.leaf_index: record(Entry, row) for row in await tx.execute(query)}
    return sorted(found.values(), key=lambda entry: entry.leaf_index or 0)[:limit]


def searches(wanted: Wanted, first: int, limit: int) -> list[Select[Any]]:
    """One query for each value to look up, so that an index has its entries in order."""
    table = audit_entries.c
    query = _ENTRIES.where(table.leaf_index >= first, *_within(wanted))
    query = query.order_by(table.leaf_index).limit(limit)
    events = [table.event == each for each in wanted.events]
    actors = [table.actor == each for each in wanted.actors]
    if not (events or actors):
        return [query]
    either = [or_(*events)] if events and actors else []
    parts = [query.where(each, *either) for each in actors or events]
    return [*parts, query.where(table.event == "")]


def _within(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    """The tenant, and the period with the part of the log in which it lies."""
    table = audit_entries.c
    if wanted.tenant_id is not None:
        yield table.tenant_id == wanted.tenant_id
    if wanted.since is not None:
        after = table.recorded_at >= wanted.since
        yield from (after, table.leaf_index >= _edge(func.min, after))
    if wanted.until is not None:
        before = table.recorded_at < wanted.until
        yield from (before, table.leaf_index <= _edge(func.max, before))


def _edge(which: Any, period: ColumnElement[bool]) -> Any:
    """The first or last place of a period, read in its index (+ 0: not along the whole log)."""
    edge = select(which(audit_entries.c.leaf_index + 0)).where(period)
    return edge.correlate(None).scalar_subquery()


async def put_nodes(tx: Tx, nodes: Mapping[tuple[int, int], bytes]) -> None:
    """Store complete subtree digests; an existing one is a fork and raises ``Conflict``."""
    if nodes:
        rows = [{"level": at[0], "position": at[1], "digest": d} for at, d in nodes.items()]
        await tx.execute(insert(audit_nodes), rows)


async def nodes(tx: Tx, wanted: Sequence[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Subtree digests by (level, position)."""
    found: dict[tuple[int, int], bytes] = {}
    for level in sorted({at[0] for at in wanted}):
        positions = [at[1] for at in wanted if at[0] == level]
        rows = await tx.execute(
            select(audit_nodes.c.position, audit_nodes.c.digest).where(
                audit_nodes.c.level == level, audit_nodes.c.position.in_(positions)
            )
        )
        found.update({(level, row.position): row.digest for row in rows})
    return found


async def put_checkpoint(tx: Tx, head: SignedHead) -> None:
    """Store a signed tree head."""
    await tx.execute(
        insert(checkpoints).values(
            size=head.size, root=head.root, note=head.note, signed_at=head.signed_at
        )
    )


async def latest_checkpoint(tx: Tx) -> SignedHead | None:
    """The newest signed tree head."""
    newest = select(checkpoints).order_by(checkpoints.c.size.desc()).limit(1)
    row = (await tx.execute(newest)).first()
    return record(SignedHead, row) if row else None


async def all_checkpoints(tx: Tx) -> list[SignedHead]:
    """Every signed tree head, smallest first."""
    rows = await tx.execute(select(checkpoints).order_by(checkpoints.c.size))
    return [record(SignedHead, row) for row in rows]
