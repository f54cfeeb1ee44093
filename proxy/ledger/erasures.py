"""Erasure requests and the items of their plans, as rows."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from sys import intern
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from proxy.ledger.schema import erasures, memories, plan_items

ACTIVE = ("confirmed", "executing", "verifying")
PENDING = ("planned", "rewriting")
WAITING = "waiting"  # hidden, and not decided on: its store is not read yet, or it is asked about
CHANGED = "changed"  # its text is another one since it was decided on
UNSETTLED = (WAITING, CHANGED)
OUT_OF_REACH = "out_of_reach"  # outcome: all is done but in layers that nobody is let into
RELEASED, SINCE = "released:", "since:"  # how reasons begin: of a hold lifted, or put on later
CHUNK = 500
PART = 1_000
STAGE = "stg"  # how the ids of stages begin: of plans that no erasure has yet


_INSERT = erasures.insert()
_INSERT_ITEMS = plan_items.insert()
_ONE = update(erasures).where(erasures.c.id == bindparam("key"))
_ITEMS = update(plan_items).where(
    plan_items.c.erasure_id == bindparam("key"),
    plan_items.c.seq.in_(bindparam("seqs", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """One erasure; the request itself is sealed under the erasure's key."""

    id: str
    tenant_id: str
    reference: str
    state: str
    origin: str
    target_kind: str
    scope: str
    actor: bytes
    received_at: datetime
    due_at: datetime
    target_ref: bytes | None = None
    sealed_request: bytes | None = None
    dek_id: str | None = None
    reason: str | None = None
    outcome: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    policy_digest: str | None = None
    plan_digest: str | None = None
    confirm_digest: bytes | None = None
    confirm_expires_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    layers: Sequence[Mapping[str, Any]] = ()
    candidates: Sequence[Mapping[str, Any]] = ()
    questions: Sequence[Mapping[str, Any]] = ()
    planned_at: datetime | None = None
    confirmed_at: datetime | None = None
    completed_at: datetime | None = None
    execute_at: datetime | None = None
    extended_at: datetime | None = None
    certificate: bytes | None = None
    audit_entry: str | None = None


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One memory that an erasure deals with; its id and texts are sealed until it is closed."""

    erasure_id: str
    seq: int
    upstream: str
    ref: bytes
    sealed: bytes | None
    memory_id: str | None
    relation: str
    action: str
    state: str
    reason: str | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What a plan does with one memory."""

    upstream: str
    ref: bytes
    memory_id: str | None
    relation: str
    action: str
    reason: str | None


def aad(tenant_id: str, erasure_id: str) -> bytes:
    """Associated data of whatever is sealed for an erasure."""
    return f"erasure|{tenant_id}|{erasure_id}".encode()


async def insert(tx: AsyncConnection, erasure: Erasure) -> None:
    """Record a request."""
    values = {name: getattr(erasure, name) for name in Erasure.__slots__}
    for name in ("layers", "candidates", "questions"):
        values[name] = [dict(each) for each in values[name]]
    values |= {"details": dict(erasure.details), "counts": dict(erasure.counts)}
    await tx.execute(_INSERT, values)


async def change(tx: AsyncConnection, erasure_id: str, **fields: Any) -> None:
    """Set columns of one erasure."""
    await tx.execute(_ONE, {"key": erasure_id, **fields})


async def move(
    tx: AsyncConnection, erasure_id: str, *, allowed: Collection[str], **fields: Any
) -> bool:
    """Set columns only while the state is one of ``allowed``; whether it was."""
    done = await tx.execute(
        update(erasures)
        .where(erasures.c.id == erasure_id, erasures.c.state.in_(list(allowed)))
        .values(**fields)
    )
    return bool(done.rowcount)


async def get(tx: AsyncConnection, tenant_id: str, key: str) -> Erasure | None:
    """The tenant's erasure by id or by reference."""
    column = erasures.c.id if key.startswith("era_") else erasures.c.reference
    found = await matching(tx, erasures.c.tenant_id == tenant_id, column == key)
    return found[0] if found else None


async def by_id(tx: AsyncConnection, erasure_id: str) -> Erasure | None:
    """One erasure of any tenant: for the worker."""
    found = await matching(tx, erasures.c.id == erasure_id)
    return found[0] if found else None


async def by_ids(
    tx: AsyncConnection, tenant_id: str, erasure_ids: Collection[str]
) -> dict[str, Erasure]:
    """The tenant's erasures among these ids."""
    wanted = erasures.c.id.in_(list(erasure_ids))
    return {each.id: each for each in await matching(tx, erasures.c.tenant_id == tenant_id, wanted)}


async def of_tenant(
    tx: AsyncConnection,
    tenant_id: str,
    *,
    states: Collection[str] = (),
    limit: int = 100,
    before: str | None = None,
) -> list[Erasure]:
    """The tenant's erasures, newest first; ``before`` is the last id of the page before."""
    conditions = [erasures.c.tenant_id == tenant_id]
    if states:
        conditions.append(erasures.c.state.in_(list(states)))
    if before:
        conditions.append(erasures.c.id < before)
    return await matching(tx, *conditions, limit=limit)


async def of_target(
    tx: AsyncConnection, tenant_id: str, target_ref: bytes, states: Collection[str]
) -> list[Erasure]:
    """Erasures of exactly this target in one of the states, newest first."""
    return await matching(
        tx,
        erasures.c.tenant_id == tenant_id,
        erasures.c.target_ref == target_ref,
        erasures.c.state.in_(list(states)),
    )


async def count_by_state(tx: AsyncConnection) -> dict[tuple[str, str], int]:
    """How many erasures stand in each (state, outcome), for metrics; ``""``: no outcome yet."""
    keys = (erasures.c.state, func.coalesce(erasures.c.outcome, ""))
    query = select(*keys, func.count()).group_by(*keys)
    return {(str(row[0]), str(row[1])): int(row[2]) for row in await tx.execute(query)}


async def put_items(tx: AsyncConnection, items: Iterable[PlanItem]) -> None:
    """Add items to a plan."""
    rows = ({name: getattr(item, name) for name in PlanItem.__slots__} for item in items)
    while part := list(islice(rows, CHUNK)):
        await tx.execute(_INSERT_ITEMS, part)


async def drop_items(tx: AsyncConnection, erasure_id: str) -> None:
    """Forget a plan that was replaced or closed."""
    await tx.execute(delete(plan_items).where(plan_items.c.erasure_id == erasure_id))


async def drop_seqs(tx: AsyncConnection, erasure_id: str, seqs: Iterable[int]) -> None:
    """Take some items out of a plan."""
    listed = list(seqs)
    for start in range(0, len(listed), CHUNK):
        part = listed[start : start + CHUNK]
        await tx.execute(
            delete(plan_items).where(
                plan_items.c.erasure_id == erasure_id, plan_items.c.seq.in_(part)
            )
        )


async def waits(tx: AsyncConnection, erasure_id: str) -> dict[tuple[str, str, str], int]:
    """How many items of each (store, state, reason) are not decided on."""
    keys = (plan_items.c.upstream, plan_items.c.state, func.coalesce(plan_items.c.reason, ""))
    query = select(*keys, func.count()).where(
        plan_items.c.erasure_id == erasure_id, plan_items.c.state.in_(UNSETTLED)
    )
    rows = await tx.execute(query.group_by(*keys))
    return {(row[0], row[1], row[2]): int(row[3]) for row in rows}


async def items(
    tx: AsyncConnection,
    erasure_id: str,
    *,
    states: Collection[str] = (),
    actions: Collection[str] = (),
    refs: Collection[bytes] = (),
    upstream: str | None = None,
    after: int = -1,
    limit: int | None = None,
) -> list[PlanItem]:
    """Items of a plan in order, from behind ``after`` on; ``refs``: only these few memories."""
    columns = (plan_items.c[name] for name in PlanItem.__slots__)
    query = select(*columns).where(plan_items.c.erasure_id == erasure_id, plan_items.c.seq > after)
    for name, wanted in (("state", states), ("action", actions), ("ref", refs)):
        if wanted:
            query = query.where(plan_items.c[name].in_(list(wanted)))
    if upstream is not None:
        query = query.where(plan_items.c.upstream == upstream)
    query = query.order_by(plan_items.c.seq).limit(limit)
    return [PlanItem(*row) for row in await tx.execute(query)]


async def decisions(tx: AsyncConnection, erasure_id: str) -> AsyncIterator[Decision]:
    """What a plan does with each of its memories, in order, without what is sealed."""
    async for page in _pages(tx, erasure_id, Decision.__slots__):
        for _, upstream, ref, memory_id, relation, action, reason in page:
            yield Decision(
                intern(upstream), ref, memory_id, intern(relation), intern(action), reason
            )


async def in_order(
    tx: AsyncConnection, erasure_id: str, *, first: int | None = None
) -> AsyncIterator[list[Decision]]:
    """The same by store and pseudonym, some thousand at a time.

    Pseudonyms are spread evenly, so that a part of their range is a part of the plan.

    Args:
        first: only so many, by their numbers.
    """
    stores = select(plan_items.c.upstream).where(plan_items.c.erasure_id == erasure_id).distinct()
    wanted = [plan_items.c[name] for name in Decision.__slots__]
    step = max(1, 256 * PART // max(PART, await size(tx, erasure_id)))
    for upstream in sorted((await tx.execute(stores)).scalars()):
        for low in range(0, 256, step):
            query = select(*wanted).where(
                plan_items.c.erasure_id == erasure_id,
                plan_items.c.upstream == upstream,
                plan_items.c.ref >= bytes([low]),
            )
            if low + step < 256:
                query = query.where(plan_items.c.ref < bytes([low + step]))
            if first is not None:
                query = query.where(plan_items.c.seq < first)
            rows = await tx.execute(query.order_by(plan_items.c.ref))
            yield [Decision(*row) for row in rows]


async def adopt(tx: AsyncConnection, stage_id: str, erasure_id: str) -> None:
    """Make the items of a stage those of an erasure, in place of those of the same numbers."""
    staged = plan_items.c.erasure_id == stage_id
    await tx.execute(
        delete(plan_items).where(
            plan_items.c.erasure_id == erasure_id, plan_items.c.seq.in_(_numbers(stage_id))
        )
    )
    await tx.execute(update(plan_items).where(staged).values(erasure_id=erasure_id))


async def unjudged(
    tx: AsyncConnection, erasure_id: str, stage_id: str, upstreams: Collection[str], limit: int
) -> list[PlanItem]:
    """Items that wait, in stores that were read, and of which a stage says nothing new."""
    columns = (plan_items.c[name] for name in PlanItem.__slots__)
    query = select(*columns).where(
        plan_items.c.erasure_id == erasure_id,
        plan_items.c.state.in_(UNSETTLED),
        plan_items.c.upstream.in_(list(upstreams)),
        plan_items.c.seq.not_in(_numbers(stage_id)),
    )
    rows = await tx.execute(query.order_by(plan_items.c.seq).limit(limit))
    return [PlanItem(*row) for row in rows]


def _numbers(erasure_id: str) -> Any:
    return select(plan_items.c.seq).where(plan_items.c.erasure_id == erasure_id)


async def drop_stages(tx: AsyncConnection, before: str) -> None:
    """Forget items that were staged by processes that are no more.

    Args:
        before: an id; stages made before it go.
    """
    old = delete(plan_items).where(
        plan_items.c.erasure_id >= f"{STAGE}_", plan_items.c.erasure_id < before
    )
    await tx.execute(old)


async def planned(
    tx: AsyncConnection,
    erasure_id: str,
    upstream: str,
    refs: Collection[bytes],
    *,
    settled: bool = False,
) -> dict[bytes, str]:
    """Which of these memories a plan holds, and what it does with them.

    Args:
        settled: without those that wait to be judged (anew).
    """
    found: dict[bytes, str] = {}
    listed = list(refs)
    for start in range(0, len(listed), CHUNK):
        query = select(plan_items.c.ref, plan_items.c.action).where(
            plan_items.c.erasure_id == erasure_id,
            plan_items.c.upstream == upstream,
            plan_items.c.ref.in_(listed[start : start + CHUNK]),
        )
        if settled:
            query = query.where(plan_items.c.state.not_in(UNSETTLED))
        found |= {row[0]: row[1] for row in await tx.execute(query)}
    return found


async def states(
    tx: AsyncConnection, erasure_id: str, upstream: str, actions: Collection[str]
) -> dict[str, int]:
    """How many items of a store with one of the actions are in each state."""
    query = select(plan_items.c.state, func.count()).where(
        plan_items.c.erasure_id == erasure_id,
        plan_items.c.upstream == upstream,
        plan_items.c.action.in_(list(actions)),
    )
    rows = await tx.execute(query.group_by(plan_items.c.state))
    return {str(row[0]): int(row[1]) for row in rows}


async def memory_ids(
    tx: AsyncConnection,
    erasure_id: str,
    *,
    states: Collection[str] = (),
    actions: Collection[str] = (),
) -> AsyncIterator[list[str]]:
    """Row ids of a plan's memories, some hundred at a time; of all of them, or only of these."""
    async for page in _pages(tx, erasure_id, ("memory_id", "state", "action")):
        yield [
            row_id
            for _, row_id, state, action in page
            if row_id and state in (states or {state}) and action in (actions or {action})
        ]


async def _pages(
    tx: AsyncConnection, erasure_id: str, columns: Iterable[str]
) -> AsyncIterator[list[Any]]:
    """Some columns of a plan's items behind their numbers, some hundred items at a time."""
    wanted = [plan_items.c[name] for name in ("seq", *columns)]
    query = select(*wanted).where(
        plan_items.c.erasure_id == erasure_id, plan_items.c.seq > bindparam("after")
    )
    query, after = query.order_by(plan_items.c.seq).limit(CHUNK), -1
    while page := list(await tx.execute(query, {"after": after})):
        yield page
        after = page[-1][0]


async def size(tx: AsyncConnection, erasure_id: str) -> int:
    """The number behind the last item of a plan."""
    query = select(func.max(plan_items.c.seq)).where(plan_items.c.erasure_id == erasure_id)
    last = (await tx.execute(query)).scalar()
    return 0 if last is None else int(last) + 1


async def hide(tx: AsyncConnection, erasure_id: str) -> None:
    """Make everything that a plan is about to change unreadable on every route.

    What another erasure has erased meanwhile stays erased.
    """
    items = select(plan_items.c.memory_id).where(
        plan_items.c.erasure_id == erasure_id,
        plan_items.c.state.in_((*PENDING, WAITING)),
        plan_items.c.memory_id.is_not(None),
    )
    change = update(memories).where(memories.c.id.in_(items), memories.c.state != "erased")
    await tx.execute(change.values(state="erasing", erased_at=None))


async def set_items(
    tx: AsyncConnection, erasure_id: str, seqs: Iterable[int], **fields: Any
) -> None:
    """Set columns of items of a plan."""
    listed = list(seqs)
    for start in range(0, len(listed), CHUNK):
        part = listed[start : start + CHUNK]
        await tx.execute(_ITEMS, {"key": erasure_id, "seqs": part, **fields})


async def release_items(tx: AsyncConnection, erasure_id: str, seqs: Iterable[int]) -> None:
    """Let held items be erased; their reason still tells which hold deferred them."""
    freed = set(seqs)
    for item in await items(tx, erasure_id, actions=("hold",)):
        if item.seq in freed:
            planned = meant(item.action, item.reason)
            fields = {
                "action": "delete" if planned == "hold" else planned,
                "state": "planned", "reason": f"{RELEASED}{item.reason}"[:80],
            }  # fmt: skip
            await set_items(tx, erasure_id, [item.seq], **fields)


def deferred(action: str, code: str) -> str:
    """The reason of an item that was put on hold after the confirmation."""
    return f"{SINCE}{action}:{code}"


def meant(action: str, reason: str | None) -> str:
    """What the confirmed plan does with an item, whatever a hold has changed since."""
    told = reason or ""
    since = told.removeprefix(RELEASED)
    if since.startswith(SINCE):
        return since.split(":")[1]
    return "hold" if told.startswith(RELEASED) else action


def hold_code(reason: str | None) -> str:
    """The code of the hold that keeps an item."""
    return (reason or "hold").rsplit(":", 1)[-1]


async def awaited(tx: AsyncConnection, memory_ids: Collection[str]) -> set[str]:
    """Those of the memories (row ids) that an erasure under way is still to delete or decide on."""
    found: set[str] = set()
    listed = list(memory_ids)
    for start in range(0, len(listed), CHUNK):
        query = select(plan_items.c.memory_id).join(
            erasures, erasures.c.id == plan_items.c.erasure_id
        )
        query = query.where(
            erasures.c.state.in_(ACTIVE),
            plan_items.c.state.in_((*PENDING, WAITING)),
            plan_items.c.memory_id.in_(listed[start : start + CHUNK]),
        )
        found.update((await tx.execute(query)).scalars())
    return found


async def unseal_items(tx: AsyncConnection, erasure_id: str) -> None:
    """Drop all that was sealed with a plan's items; counts and pseudonyms stay."""
    await tx.execute(
        update(plan_items).where(plan_items.c.erasure_id == erasure_id).values(sealed=None)
    )


async def tally(tx: AsyncConnection, erasure_id: str) -> dict[tuple[str, str, str], int]:
    """How many items there are of each (relation, action, state)."""
    keys = (plan_items.c.relation, plan_items.c.action, plan_items.c.state)
    query = select(*keys, func.count()).where(plan_items.c.erasure_id == erasure_id)
    rows = await tx.execute(query.group_by(*keys))
    return {(row[0], row[1], row[2]): int(row[3]) for row in rows}


async def matching(
    tx: AsyncConnection, *conditions: Any, limit: int | None = None
) -> list[Erasure]:
    """Erasures that meet all conditions, newest first."""
    query = select(erasures).where(*conditions).order_by(erasures.c.id.desc()).limit(limit)
    return [Erasure(**row) for row in (await tx.execute(query)).mappings()]
