"""Whom an erasure blocks from being written again: owners by their ids, people by their names."""

from dataclasses import replace

from proxy.erasure.plans.barred import barred
from proxy.erasure.saga.run import BLOCKING, GONE, PAGE, Run
from proxy.erasure.search.places import Holder, places_of
from proxy.erasure.texts.mentions import Needles
from proxy.ledger import erasures, owners, reach
from proxy.ledger.engine import Tx
from proxy.tokens.owners import ensure

MOST_OWNERS = 200


async def block(tx: Tx, run: Run) -> None:
    """Block whom this erases; once more when a store was read for the first time."""
    target = run.aim.target
    if (
        target.kind not in BLOCKING
        or not run.lasting
        or run.lifted
        or run.policy.blocklist.after_erasure == "off"
    ):
        return
    await _block_owners(tx, run)
    if run.aim.needles is not None and target.scope != "primary" and not target.bearers:
        await _block_names(tx, run, run.aim.needles)


async def _block_owners(tx: Tx, run: Run) -> None:
    for holder in run.aim.ended:
        await run.means.blocklist.add_owner(
            tx, run.tenant_id, holder.kind, holder.client_id, places=_places(run, holder),
            erasure_id=run.erasure.id,
        )  # fmt: skip
    for holder in run.aim.spared:
        await run.means.blocklist.spare_owner(
            tx, run.tenant_id, holder.kind, holder.client_id, run.erasure.id,
            row_id=await _row_of_spared(tx, run, holder), places=_places(run, holder),
        )  # fmt: skip


def _places(run: Run, holder: Holder) -> list[str]:
    """As whom the stores know an owner."""
    return sorted({place.upstream_id for store in run.stores
                   for place in places_of([holder], run.aim.names, store)})  # fmt: skip


async def _block_names(tx: Tx, run: Run, needles: Needles) -> None:
    within = run.aim.within[0].row if run.aim.within else None
    if run.aim.within and within is None:
        return
    names = barred(run.aim, needles)
    knew = await _who_knew(tx, run)
    if within:
        knew = {within.id: knew.get(within.id, set())}
    await run.means.blocklist.add(
        tx, run.tenant_id, names.wide, owner_id=within.id if within else None,
        erasure_id=run.erasure.id, shortened=not (within and (knew[within.id] or run.aim.rivals)),
    )  # fmt: skip
    for owner_id, called in knew.items():
        if short := names.under(called):
            await run.means.blocklist.add(
                tx, run.tenant_id, short, owner_id=owner_id, erasure_id=run.erasure.id
            )


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
