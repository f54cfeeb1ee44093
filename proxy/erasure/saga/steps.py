"""The steps of an erasure's saga, from hiding what is planned to closing the books."""

from collections import Counter
from dataclasses import dataclass
from functools import partial

from proxy.background import outlasts
from proxy.erasure.saga import blocking, late, since, verify
from proxy.erasure.saga.deletion import delete_memories
from proxy.erasure.saga.durable import Postpone, Result, Rows
from proxy.erasure.saga.outcome import Checked
from proxy.erasure.saga.run import ANEW, GONE, LOOK, Run, blocks
from proxy.erasure.search import layers, under_way
from proxy.erasure.search.layers import Count
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.versions import pages
from proxy.ledger import erasures, owners, writes
from proxy.ledger.engine import Tx
from proxy.upstreams.layers.base import Layer, LayerScope, LayerUnavailable, Legible
from proxy.upstreams.store import Store

SETTLE_S = 5.0
PATIENCE_S = 30.0  # for writes under way, while a client waits for its delete


# -- before anything is deleted --------------------------------------------------------------------


async def begin(run: Run) -> None:
    """Hide what is planned, fence late writes, block re-creation, and say so in the log."""
    await run.saga.step("begin", lambda: _begin(run))


async def _begin(run: Run) -> tuple[Result, Rows]:
    tally = await run.means.ledger.read(lambda tx: erasures.tally(tx, run.erasure.id))
    counted: Counter[str] = Counter()
    for (relation, action, state), number in tally.items():
        if action in GONE and state in erasures.PENDING:
            counted[relation] += number

    at = run.erasure.details.get("begun") or run.means.clock.now().isoformat()

    async def apply(tx: Tx) -> None:
        entry = await run.audit(
            tx, "erasure.started",
            {"plan": run.erasure.plan_digest, "items": counted.total(),
             "relations": dict(counted)},
        )  # fmt: skip
        details = {**run.erasure.details, "begun": at}
        await erasures.change(
            tx, run.erasure.id, state="executing", audit_entry=entry, details=details
        )
        await erasures.hide(tx, run.erasure.id)
        await _fence(tx, run)
        await blocking.block(tx, run)

    return {"items": counted.total(), "at": at}, apply


async def _fence(tx: Tx, run: Run) -> None:
    if run.taken_up and not blocks(run):
        return  # it was done when it began, and what is written since is none of its concern
    for holder in run.aim.ended:
        if holder.row is None:
            continue
        await owners.raise_epoch(tx, holder.row.id)
        if run.lasting:
            await owners.set_state(tx, holder.row.id, "erasing")


async def measure(run: Run, store: Store, scope: LayerScope) -> dict[str, Count]:
    """What the side layers held beforehand."""

    async def work() -> tuple[Result, None]:
        found = await layers.count_all(store, scope, files=run.aim.alone)
        return {name: [each.value, each.reason] for name, each in found.items()}, None

    counted = await run.saga.step(f"measure/{store.name}", work)
    return {name: Count(*pair) for name, pair in counted.items()}


# -- deleting --------------------------------------------------------------------------------------


async def clear(run: Run, store: Store, wave: int, scope: LayerScope) -> None:
    """Delete in every layer of one store, in its order.

    Raises:
        Postpone: something did not answer; what did is done.
    """
    waits: list[Postpone] = []
    turn = _turn(run, store, wave)
    await run.saga.step(f"prime/{store.name}/{turn}", lambda: _prime(run, store))
    for name in layers.names(store):
        try:
            await _clear_layer(run, store, name, turn, scope)
        except Postpone as postponed:
            waits.append(postponed)
            turn = f"{turn}.{run.saga.job.fence}"  # deletes still to come leave rows of their own
        except LayerUnavailable:
            waits.append(Postpone("unavailable"))
    if waits:
        raise waits[0]


def _turn(run: Run, store: Store, wave: int) -> str:
    """What a wave is called: one that deletes anew clears the other layers anew as well."""
    anew = sum(name.startswith(f"{ANEW}{store.name}/") for name in run.saga.done)
    return f"{wave}+{anew}" if anew else str(wave)


async def _prime(run: Run, store: Store) -> tuple[Result, None]:
    """Have the store open its entity index first: without it, its deletes leave names behind."""
    wanted = {"upstream": store.name, "states": erasures.PENDING, "actions": GONE}
    async for page in run.pages(**wanted):
        owned = (each for item in page if (each := run.payload(item).owners))
        if (scope := next(owned, None)) is not None:  # what a store shows no more has none
            await store.prime(scope)
            return {"scopes": 1}, None
    return {"scopes": 0}, None


async def _clear_layer(run: Run, store: Store, name: str, turn: str, scope: LayerScope) -> None:
    if name == MEMORY:
        await delete_memories(run, store)
        return
    layer = layers.connector(store, name)
    if layer is None:
        return

    async def work() -> tuple[Result, Rows]:
        begun = await _shown_by(run, store, layer) if layers.in_row(store, name) else []
        result = {"deleted": await layer.delete(scope)}
        return result, lambda tx: erasures.set_items(tx, run.erasure.id, begun, state="rewriting")

    await run.saga.step(f"clear/{store.name}/{name}/{turn}", work)


async def _shown_by(run: Run, store: Store, layer: Layer) -> list[int]:
    """Items still to go whose memory a connector has: once it deletes it, it was not gone before.

    There are none but where the store itself did not delete them.
    """
    wanted = {"upstream": store.name, "states": erasures.PENDING, "actions": GONE}
    if not isinstance(layer, Legible) or not await run.items(**wanted, limit=1):
        return []
    shown = {entry.memory_id async for page in pages(layer) for entry in page}
    return [
        item.seq async for items in run.pages(**wanted)
        for item in items if run.payload(item).memory_id in shown
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """What looking again came to.

    Args:
        more: something is to be deleted now.
        away: stores that could not be read.
        former: an earlier attempt has looked, so they may be back.
    """

    more: bool = False
    away: frozenset[str] = frozenset()
    former: bool = False


async def look_again(run: Run, turn: int | str) -> Look:
    """Find anew after a wave of deletes; what is new joins the plan.

    Args:
        turn: after which wave, or why else; each looks once.

    Raises:
        StoreUnavailable, StoreUnknown: no store can be read to its end.
    """
    if run.aim.target.kind == "memory" and not run.unread:
        return Look()

    async def work() -> tuple[Result, Rows]:
        found = await late.look(run)
        first = not run.unread.isdisjoint(found.read)
        result = {
            "found": found.going, "seen": found.seen, "read": found.read, "first": first,
            "away": sorted(found.away), "roles": found.roles,
        }  # fmt: skip

        async def apply(tx: Tx) -> None:
            await found.join(tx)
            if first:
                await blocking.block(tx, run)

        return result, apply

    name = f"{LOOK}{turn}"
    former = name in run.saga.done
    done = await run.saga.step(name, work)
    if done["found"] or done.get("first"):
        run.extents.clear()
    more = bool(done["found"] or done.get("first"))
    return Look(more, frozenset(done.get("away", ())), former)


async def await_writes(run: Run) -> None:
    """Wait for writes that were under way; they are killed as they arrive.

    A client's delete is waited for by its client, so it waits here for as long as a store's model
    takes; a worker has other work, and comes back.

    Raises:
        Postpone: some are still open.
    """
    attended = run.aim.client and run.saga.job.attempts == 1
    some_open = partial(run.means.ledger.read, lambda tx: _open_writes(tx, run))
    if await outlasts(some_open, PATIENCE_S if attended else 0.0):
        raise Postpone("pending_writes", SETTLE_S)


async def _open_writes(tx: Tx, run: Run) -> bool:
    """Whether a write is open that may make something that goes.

    That is one of an owner that goes (of one who goes on only from before: what they write since is
    to stay), one from before that mentions a name, and any from before where it goes by what a text
    says: nobody knows that before the store shows it.
    """
    began = since.begun(run)
    owner_ids = [holder.row.id for holder in run.aim.wholes if holder.row]
    owned = await writes.open_of_owners(tx, owner_ids) if owner_ids else ()
    before = [began is None or each.created_at <= began for each in owned]
    if any(before if run.aim.client else owned):
        return True
    if await under_way.by_text(tx, run.aim, began or run.means.clock.now()):
        return True
    named = {*run.brief.entity_ids}
    return any(
        entity in named and (began is None or at <= began)
        for entity, at in (await writes.open_mentions(tx, run.tenant_id) if named else ())
    )


# -- looking ---------------------------------------------------------------------------------------


async def examine(run: Run) -> list[Checked]:
    """Verify every store of the plan."""
    looks = [step["seen"] for name, step in run.saga.done.items() if name.startswith(LOOK)]
    seen = max(looks, default=0)  # one look reads all that answer, so it counts with one of them
    there = next((each for each in run.stores if each.name not in run.aim.away | run.unread), None)
    return [await verify.check(run, each, seen if each is there else 0) for each in run.stores]


def settled(checked: Checked) -> bool:
    """Whether the store shows none of what it said it had deleted."""
    probes = checked.probes
    return not (probes.hits_by_id or probes.hits_by_search or probes.hits_by_list)


# -- closing ---------------------------------------------------------------------------------------


async def close(run: Run) -> None:
    """Destroy the erasure's own key: ids, texts and the request itself become unreadable."""

    async def work() -> tuple[Result, Rows]:
        async def apply(tx: Tx) -> None:
            await erasures.unseal_items(tx, run.erasure.id)
            await erasures.change(tx, run.erasure.id, sealed_request=None)
            if run.erasure.dek_id:
                await run.means.keyring.discard(tx, [run.erasure.dek_id])

        return {}, apply

    await run.saga.step("close", work)
    await run.means.ledger.checkpoint()
