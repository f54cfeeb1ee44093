"""The steps of an erasure's saga, from hiding what is planned to closing the books."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from proxy.background import outlasts
from proxy.erasure.saga import category_keys, late, mentioned, since, verify
from proxy.erasure.saga.deletion import delete_memories
from proxy.erasure.saga.durable import Postpone, Result, Rows
from proxy.erasure.saga.run import BLOCKING, GONE, LOOK, PAGE, Run, blocks, is_total
from proxy.erasure.saga.verify import Checked
from proxy.erasure.search import layers
from proxy.erasure.search.layers import Count
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.places import Holder, places_of
from proxy.erasure.search.versions import pages
from proxy.keys.ring import DestroyedKey
from proxy.ledger import entities, erasures, owners, preferences, reach, writes
from proxy.ledger.engine import Tx
from proxy.tokens.index.spelling import Name, is_bare, is_initialled
from proxy.tokens.owners import ensure
from proxy.upstreams.layers.base import Layer, LayerScope, LayerUnavailable, Legible
from proxy.upstreams.store import Store

SETTLE_S = 5.0
PATIENCE_S = 30.0  # for writes under way, while a client waits for its delete
MOST_OWNERS = 200
BY_TEXT = frozenset({"category", "tag", "attribute", "time_range"})  # not by owner or name


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
        await _block(tx, run)

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


async def _block(tx: Tx, run: Run) -> None:
    """Block whom this erases; once more when a store was read for the first time."""
    target = run.aim.target
    if (
        target.kind not in BLOCKING
        or not run.lasting
        or run.lifted
        or run.policy.blocklist.after_erasure == "off"
    ):
        return
    add = run.means.blocklist
    for holder in run.aim.ended:
        places = {place.upstream_id for store in run.stores
                  for place in places_of([holder], run.aim.names, store)}  # fmt: skip
        await add.add_owner(
            tx, run.tenant_id, holder.kind, holder.client_id, places=sorted(places),
            erasure_id=run.erasure.id,
        )  # fmt: skip
    for holder in run.aim.spared:
        places = {place.upstream_id for store in run.stores
                  for place in places_of([holder], run.aim.names, store)}  # fmt: skip
        await add.spare_owner(
            tx, run.tenant_id, holder.kind, holder.client_id, run.erasure.id,
            row_id=await _row_of_spared(tx, run, holder), places=sorted(places),
        )  # fmt: skip
    needles = run.aim.needles
    if needles is None or target.scope == "primary" or target.bearers:
        return
    within = run.aim.within[0].row if run.aim.within else None
    if run.aim.within and within is None:
        return
    rivals = run.aim.rivals
    own = [text for text in needles.surfaces if rivals is None or not rivals.bear(text)]
    named = [Name(text, needles.blocked_as(text)) for text in own]
    named += [Name(text, younger=True) for text in needles.surfaces
              if rivals is not None and rivals.bear(text) and rivals.are_elders(text)]  # fmt: skip
    borne = [name for name in named if needles.is_part(name.text) or is_bare(name)]
    wide = [name for name in named if name not in borne]
    knew = await _who_knew(tx, run)
    if within:
        knew = {within.id: knew.get(within.id, set())}
    await add.add(
        tx, run.tenant_id, wide, owner_id=within.id if within else None, erasure_id=run.erasure.id,
        shortened=not (within and (knew[within.id] or rivals)),
    )  # fmt: skip
    borne += [name for name in wide if is_initialled(name)]
    for owner_id, called in knew.items():
        # Where it was told what means whom is forgotten, no other word of the name does.
        short = [name for name in borne if not (called and needles.is_part(name.text))]
        names = [*short, *(Name(text) for text in sorted(called))]
        if names:
            await add.add(tx, run.tenant_id, names, owner_id=owner_id, erasure_id=run.erasure.id)


async def _row_of_spared(tx: Tx, run: Run, holder: Holder) -> str | None:
    """The row of an owner who may go on; who is known to a store alone gets one, to write under."""
    if holder.row is not None:
        return holder.row.id
    key = owners.ref(run.aim.names, holder.kind, holder.client_id)
    if await owners.find(tx, run.tenant_id, holder.kind, key) is not None:
        return None  # erased before
    means, pair = run.means, (holder.kind, holder.client_id)
    known = replace(holder, upstream=None).place(run.aim.names, run.stores[0])
    made = await ensure(
        tx, means.keyring, means.clock, run.aim.names, run.tenant_id, pair, known.upstream_id
    )
    return made.id


async def _who_knew(tx: Tx, run: Run) -> dict[str, set[str]]:
    """Owners in whose memories somebody was named, with the short names that mean them there."""
    known: dict[str, set[str]] = {}
    after = -1
    while items := await erasures.items(tx, run.erasure.id, actions=GONE, after=after, limit=PAGE):
        owned = await reach.owners(tx, [item.memory_id for item in items if item.memory_id])
        for item in items:
            for owner in owned.get(item.memory_id or "", ()):
                known.setdefault(owner, set()).update(run.payload(item).called)
        after = items[-1].seq
    return {owner: known[owner] for owner in sorted(known)[:MOST_OWNERS]}


async def measure(run: Run, store: Store, scope: LayerScope) -> dict[str, Count]:
    """What the side layers held beforehand."""

    async def work() -> tuple[Result, None]:
        found = await layers.count_all(store, scope)
        return {name: [each.value, each.reason] for name, each in found.items()}, None

    counted = await run.saga.step(f"measure/{store.name}", work)
    return {name: Count(*pair) for name, pair in counted.items()}


# -- deleting --------------------------------------------------------------------------------------


async def clear(run: Run, store: Store, wave: int, scope: LayerScope) -> None:
    """Delete in every layer of one store, in its order.

    Raises:
        Postpone: something did not answer; what did is done.
    """
    await run.saga.step(f"prime/{store.name}/{wave}", lambda: _prime(run, store))
    waits: list[Postpone] = []
    turn = str(wave)
    for name in layers.names(store):
        try:
            await _clear_layer(run, store, name, turn, scope)
        except Postpone as postponed:
            waits.append(postponed)
            turn = f"{wave}.{run.saga.job.fence}"  # deletes still to come leave rows of their own
        except LayerUnavailable:
            waits.append(Postpone("unavailable"))
    if waits:
        raise waits[0]


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
                await _block(tx, run)

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
    under_way = partial(run.means.ledger.read, lambda tx: _open_writes(tx, run))
    if await outlasts(under_way, PATIENCE_S if attended else 0.0):
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
    if run.aim.target.kind in BY_TEXT and await _open_texts(tx, run, began):
        return True
    named = {*run.brief.entity_ids}
    return any(
        entity in named and (began is None or at <= began)
        for entity, at in (await writes.open_mentions(tx, run.tenant_id) if named else ())
    )


async def _open_texts(tx: Tx, run: Run, began: datetime | None) -> bool:
    """Whether a write from before is open under the owners that the target is limited to."""
    at = began or run.means.clock.now()
    if run.aim.within is None:
        return await writes.any_open(tx, run.tenant_id, at)
    within = [holder.row.id for holder in run.aim.within if holder.row]
    found = await writes.open_of_owners(tx, within) if within else ()
    return any(each.created_at <= at for each in found)


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


# -- keys ------------------------------------------------------------------------------------------


async def destroy_keys(run: Run) -> list[Mapping[str, Any]]:
    """Destroy the keys of whom is erased; gives fingerprints and dates, never ids."""
    doomed = await doomed_keys(run)
    categories = [each for each in await category_keys.doomed(run) if each in doomed]

    async def work() -> tuple[Result, Rows]:
        result = {"keys": len(doomed), "categories": categories}
        return result, lambda tx: _destroy(tx, run, doomed, categories)

    await run.saga.step(category_keys.STEP, work)
    return await destroyed_keys(run)


async def destroyed_keys(run: Run) -> list[Mapping[str, Any]]:
    """Fingerprints and dates of those keys that are destroyed by now."""
    doomed = await doomed_keys(run)
    destroyed = await run.means.ledger.read(lambda tx: run.means.keyring.destroyed(tx, doomed))
    return [key.facts() for key in destroyed]


async def doomed_keys(run: Run) -> list[str]:
    """Ids of the data keys that this erasure destroys: none while anything under them is held.

    Of what only erased memories mentioned the keys ended with those, whatever else is held.
    """
    ended, _ = await run.means.ledger.read(lambda tx: mentioned.ended(tx, run.erasure))
    held = bool(await run.items(actions=("hold",), limit=1))
    dek_ids = [] if held else [row.dek_id for row in run.ended]
    if is_total(run, held):
        dek_ids += await run.means.ledger.read(lambda tx: _entity_keys(tx, run))
    dek_ids += ended
    return dek_ids if held else [*dek_ids, *await category_keys.doomed(run)]


async def _entity_keys(tx: Tx, run: Run) -> list[str]:
    return await reach.entity_keys(tx, await unmentioned(tx, run))


async def unmentioned(tx: Tx, run: Run) -> list[str]:
    """Entities that nothing which stays is linked with: others' words are not lost with a key.

    ``Jordan borders Israel`` stays, and may hold the token of somebody whom detection saw in it.
    """
    counts = await entities.memory_counts(tx, run.brief.entity_ids)
    return [each for each in run.brief.entity_ids if not counts[each]]


async def needed_keys(run: Run, doomed: Collection[str]) -> int:
    """How many keys of whom or what is forgotten are kept, for something that stays needs them."""
    if not run.lasting:
        return 0
    theirs = {each.row.dek_id for each in run.aim.wholes if each.row}
    theirs |= {*await category_keys.doomed(run)}

    async def living(tx: Tx) -> int:
        kept = (theirs | {*await reach.entity_keys(tx, run.brief.entity_ids)}) - {*doomed}
        gone = await run.means.keyring.destroyed(tx, sorted(kept))
        return len(kept) - len(gone)

    return await run.means.ledger.read(living)


async def _destroy(tx: Tx, run: Run, doomed: Sequence[str], categories: Sequence[str]) -> None:
    if not doomed:
        return
    keys = await run.means.keyring.destroy(tx, categories)
    if is_total(run, held=False) and run.brief.entity_ids:
        ended = await unmentioned(tx, run)
        keys += await run.means.vault.erase(tx, run.tenant_id, ended)
    if run.lasting:
        keys += await _destroy_owners(tx, run)
    prints = [key.fingerprint for key in keys]
    await run.audit(tx, "keys.destroyed", {"count": len(keys), "fingerprints": prints})


async def _destroy_owners(tx: Tx, run: Run) -> list[DestroyedKey]:
    now = run.means.clock.now()
    rows = run.ended
    for row in rows:
        await owners.set_state(tx, row.id, "erased", erased_at=now)
    if rows:
        await preferences.erase(tx, run.tenant_id, [row.ref for row in rows])
    return await run.means.keyring.destroy(tx, [row.dek_id for row in rows])


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
