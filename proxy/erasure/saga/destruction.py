"""Which keys an erasure destroys, and whose it must keep for something that stays."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from proxy.erasure.saga import category_keys, let_go, mentioned
from proxy.erasure.saga.durable import Result, Rows
from proxy.erasure.saga.run import Run, is_total
from proxy.keys.ring import DestroyedKey
from proxy.ledger import entities, owners, preferences, reach
from proxy.ledger.engine import Tx


async def destroy_keys(run: Run) -> list[Mapping[str, Any]]:
    """Destroy the keys of whom is erased; gives fingerprints and dates, never ids."""
    doomed = await doomed_keys(run)
    categories = [each for each in await category_keys.doomed(run) if each in doomed]

    async def work() -> tuple[Result, Rows]:
        found = await run.means.ledger.read(lambda tx: let_go.waiting(tx, run))
        found = found if doomed else let_go.Waiting()
        result = {"keys": len(doomed), "categories": categories, **found.counts}

        async def apply(tx: Tx) -> None:
            await _destroy(tx, run, doomed, categories)
            await let_go.end(tx, run, found)

        return result, apply

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
    counts = await entities.memory_counts(tx, run.brief.entity_ids, erased=False)
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
