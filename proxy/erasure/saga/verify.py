"""Is it gone? Asked by other routes than the one that deleted: id, list, search, history, bytes."""

from collections.abc import Collection
from dataclasses import replace

from proxy.erasure.saga.durable import Result, Rows
from proxy.erasure.saga.outcome import REFUSED, Checked
from proxy.erasure.saga.probes import Probes, probe_plan
from proxy.erasure.saga.run import ANEW, Run, scope_from, scope_of
from proxy.erasure.search import away, layers, orphans
from proxy.erasure.search.find import hunt
from proxy.erasure.search.found import Hunt
from proxy.erasure.search.recorded import Spill
from proxy.erasure.search.resolve import Aim
from proxy.ledger import erasures, reach
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Store


async def check(run: Run, store: Store, listed: int) -> Checked:
    """Look for everything of the plan in one store, by every route there is.

    Args:
        listed: how many memories were looked at when the store was read anew.
    """
    waits, read = await _waits(run, store), run.aim.crawls and store.name in run.read_again
    if store.name in run.unread:
        return Checked(store, Probes(), {}, 0, 0, failed=True, waits=waits, unread=True)
    found, open_ones = await _going_in(run, store)
    held = len(await run.items(upstream=store.name, actions=("hold",)))
    scope = scope_from(run, store.name, await run.extent(store.name))
    files = run.aim.alone or layers.tells_apart(store)
    try:
        scope = await scope_of(run, store.name)
        probes = await probe_plan(run, store, found)
        lost = await orphans.left_by(run.means, run.aim, store, scope, person=run.person)
    except StoreError:
        sides = await layers.count_all(store, scope, files=run.aim.alone)
        return Checked(store, Probes(), sides, found, open_ones, failed=True, held=held)
    sides = await layers.count_all(store, scope, files=files)
    probes = replace(probes, listed=listed)
    again = await _put_back(run, store, probes.back)
    found, open_ones = await _going_in(run, store)
    left = open_ones + len(probes.back) - again
    return Checked(
        store, probes, sides, found, left, held=held, waits=waits, listed=read, orphans=lost,
        person=run.person,
    )  # fmt: skip


async def _going_in(run: Run, store: Store) -> tuple[int, int]:
    """How many memories of a store go or went by the plan, and how many of these are left."""
    states = await run.states(store.name)
    found = sum(states.values()) - states["gone"] - states["kept"]
    return found, found - states["done"]


async def _put_back(run: Run, store: Store, shown: Collection[bytes]) -> int:
    """Have the next attempt delete anew what the store said it had deleted; gives how many."""
    items = [
        item.seq
        for part in reach.chunks(shown)
        for item in await run.items(upstream=store.name, refs=part, states=("done", "gone"))
    ]

    async def work() -> tuple[Result, Rows]:
        result = {"items": len(items)}
        return result, lambda tx: erasures.set_items(tx, run.erasure.id, items, state="rewriting")

    if items:
        await run.saga.step(f"{ANEW}{store.name}/{run.saga.job.fence}", work)
    return len(items)


async def _waits(run: Run, store: Store) -> str:
    """Why memories of a store are left: asked about, changed, or the store did not take it."""
    if store.name in run.asked:
        return away.ASKED
    found = await run.means.ledger.read(lambda tx: erasures.waits(tx, run.erasure.id))
    here = {(state, reason) for name, state, reason in found if name == store.name}
    if any(reason == away.ASKED for _, reason in here):
        return away.ASKED
    if any(state == erasures.CHANGED for state, _ in here):
        return erasures.CHANGED
    return REFUSED if store.name in run.refusing else ""


async def again(run: Run, aim: Aim, spill: Spill) -> Hunt:
    """Find anew: what arrived late, was untagged, or lies behind the proxy's back.

    Raises:
        StoreUnavailable, StoreUnknown: a store cannot be read to its end.
    """
    return await hunt(run.means, aim, erasure_id=run.erasure.id, spill=spill)
