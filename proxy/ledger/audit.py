"""Rows of the audit log: outbox, leaves in order, tree nodes, checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import LargeBinary, bindparam, cast, func, insert, select, text, update

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
    """One audit entry; ``leaf_index`` is None until it is sequenced."""

    id: str
    tenant_id: str | None
    leaf_index: int | None
    leaf: bytes
    recorded_at: datetime


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
