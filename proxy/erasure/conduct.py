"""The course of an erasure: delete, look, destroy keys, certify; or say truthfully what is left."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from proxy.audit import dsse
from proxy.erasure.proof import certificate
from proxy.erasure.proof.certificate import Evidence
from proxy.erasure.proof.evidence import gather
from proxy.erasure.proof.signing import outcome_of, owed_notices, record, sign
from proxy.erasure.saga import destruction, failures, held_since, late, mentioned, outcome, steps
from proxy.erasure.saga.durable import Postpone, Result, Rows
from proxy.erasure.saga.outcome import Checked
from proxy.erasure.saga.run import Run, blocks, scope_of
from proxy.erasure.search import away, layers
from proxy.erasure.search.layers import Count
from proxy.erasure.search.order import MEMORY
from proxy.erasure.view import LayerView
from proxy.ledger import blocklist, erasures, jobs, notifications
from proxy.ledger.engine import Tx
from proxy.telemetry import get_logger
from proxy.upstreams.errors import StoreError, StoreUnavailable

MAX_WAVES = 4
SETTLE_TRIES = 6

log = get_logger("erasure")


async def conduct(run: Run, *, last: bool) -> str:
    """Carry an erasure on as far as it goes now; gives the state it reached, or ``out_of_reach``.

    Args:
        last: no further attempt will be made by itself, so what is left is final.

    Raises:
        Postpone: it cannot be finished now; what was done is recorded.
        LostLease: another worker has the job.
    """
    await steps.begin(run)
    try:
        run = await late.widened(run)
        trouble = await _clear(run)
    except StoreError as failure:
        trouble = _postpone(failure)
    checked = await steps.examine(run)
    await mentioned.end_gone(run, checked)
    before = {store.name: await _measured(run, store.name) for store in run.stores}
    shown = [view for each in checked for view in outcome.views(each, before[each.store.name])]
    shown += away.unconfigured(run.unread - run.means.stores.keys())
    views = _in_all(run, shown)
    if not last and (waiting := trouble or _unsettled(run, checked, views)):
        if waiting.cause == "unavailable" and _rest_is_gone(checked, views):
            await _certify_meanwhile(run, checked, views)
        await _interim(run, views, waiting)
        raise waiting
    final = failures.given_up(run.erasure, views)
    return await _finish(run, checked, final, failed=trouble is not None)


async def _clear(run: Run) -> Postpone | None:
    """Waves of deleting and finding anew, until nothing new turns up.

    What turns up at the last look of an attempt goes with the next one, which looks again too.
    Where something may have been written since it began, one that is taken up again looks first:
    layers beside the memories are asked by names and owners, too.
    """
    first, end = 0, MAX_WAVES * run.saga.job.attempts
    if run.taken_up and not blocks(run) and await _pending(run) is None:
        look = await steps.look_again(run, f"first.{run.saga.job.fence}")
        first = end - MAX_WAVES if look.more else 0  # what is new was in no wave before
    for wave in range(first, end):
        if (trouble := await _clear_stores(run, wave)) is not None:
            await _look_meanwhile(run)
            return trouble
        if (waiting := await _pending(run)) is not None:
            return waiting  # looked for once: what is under way must have arrived before
        look = await steps.look_again(run, wave)
        if look.more:
            continue
        if not look.away:
            return None
        if not look.former or await late.still_away(run, look.away):
            return None if look.away <= run.asked else Postpone("unavailable")
    return Postpone("settling", steps.SETTLE_S)


async def _look_meanwhile(run: Run) -> None:
    """Read the stores that answer anew, once, so that a certificate may tell what they show."""
    with suppress(StoreError):
        await steps.look_again(run, "meanwhile")


async def _clear_stores(run: Run, wave: int) -> Postpone | None:
    """Delete in every store that answers and was read; what came of the last that failed."""
    trouble: Postpone | None = None
    await held_since.keep(run)
    for store in run.stores:
        if store.name in run.aim.away | run.unread:
            continue
        try:
            scope = await scope_of(run, store.name)
            await steps.measure(run, store, scope)
            await steps.clear(run, store, wave, scope)
        except Postpone as postponed:
            trouble = postponed
        except StoreError as failure:
            trouble = _postpone(failure)
    return trouble


def _postpone(failure: StoreError) -> Postpone:
    after = failure.retry_after if isinstance(failure, StoreUnavailable) else None
    return Postpone("unavailable", after)


async def _pending(run: Run) -> Postpone | None:
    try:
        await steps.await_writes(run)
    except Postpone as postponed:
        return postponed
    return None


async def _measured(run: Run, upstream: str) -> dict[str, Count]:
    recorded = run.saga.done.get(f"measure/{upstream}", {})
    return {name: Count(*pair) for name, pair in recorded.items()}


def _in_all(run: Run, views: Sequence[LayerView]) -> list[LayerView]:
    """The outcomes over all runs: a certificate after a retry counts what came before it."""
    done = run.saga.done
    deleted = Counter(jobs.deleted_before(done)) + Counter(jobs.deleted_now(done))
    return layers.cumulative(views, layers.load(run.erasure.layers), deleted)


def _unsettled(run: Run, checked: Sequence[Checked], views: Sequence[LayerView]) -> Postpone | None:
    """Stores that show what they said they had deleted, or layers that do not answer yet."""
    if any(view.status == "unreachable" for view in views):
        return Postpone("unavailable")
    settling = any(not steps.settled(each) for each in checked)
    if settling and run.saga.job.attempts < SETTLE_TRIES:
        return Postpone("settling", steps.SETTLE_S)
    return None


def _rest_is_gone(checked: Sequence[Checked], views: Sequence[LayerView]) -> bool:
    """Whether all stores that answer, one at least, show none of the memories by any route."""
    if not all(map(steps.settled, checked)):
        return False
    memories = [view for view in views if view.layer == MEMORY and view.status != "unreachable"]
    gone = [view.residual == 0 or view.status == "held" for view in memories]
    return bool(gone) and all(gone)


async def _certify_meanwhile(
    run: Run, checked: Sequence[Checked], views: Sequence[LayerView]
) -> None:
    """Say in a certificate which stores and layers do not answer, once for the same outcome.

    All that can be deleted is, and one of them may never answer. The keys live until the end.
    """
    shown = json.dumps([view.body() for view in views], sort_keys=True).encode()
    await _certify(
        run, await gather(run, checked, ()), views, state="incomplete", held=await _held(run),
        name=f"certify/interim/{dsse.digest(shown)}",
    )  # fmt: skip


async def _interim(run: Run, views: Sequence[LayerView], waiting: Postpone) -> None:
    """Record how far it got; a store that is away makes it incomplete, not pending."""
    state = "incomplete" if waiting.cause == "unavailable" else "verifying"
    tally = await run.means.ledger.read(lambda tx: erasures.tally(tx, run.erasure.id))
    counts = certificate.in_all(run.erasure.counts, tally)

    async def apply(tx: Tx) -> None:
        await erasures.change(
            tx, run.erasure.id, state=state, counts=counts,
            layers=[view.body() for view in views],
        )  # fmt: skip

    await run.commit(apply)


# -- the end ---------------------------------------------------------------------------------------


async def _finish(
    run: Run, checked: Sequence[Checked], views: Sequence[LayerView], *, failed: bool
) -> str:
    held = await _held(run)
    destroy = destruction.destroyed_keys if await _waits(run) else destruction.destroy_keys
    keys = await destroy(run)
    evidence = replace(await gather(run, checked, keys), halted=failed)
    state = _state(evidence, views, held=bool(held))
    name = "certify" if state == "complete" else f"certify/{state}/{run.saga.job.fence}"
    await _certify(run, evidence, views, state=state, held=held, name=name)
    if state == "complete":
        await steps.close(run)
    return outcome_of(run, evidence, views, state) if state == "incomplete" else state


async def _waits(run: Run) -> bool:
    """Whether something is not decided on yet: what its memories say must stay legible."""
    waiting = await run.means.ledger.read(lambda tx: erasures.waits(tx, run.erasure.id))
    return bool(run.unread or waiting)


async def _held(run: Run) -> Counter[str]:
    return Counter(erasures.hold_code(item.reason) for item in await run.items(actions=("hold",)))


def _state(evidence: Evidence, views: Sequence[LayerView], *, held: bool) -> str:
    if not certificate.passed(evidence, views):
        return "incomplete"
    return "held" if held else "complete"


async def _is_listed(run: Run) -> bool:
    """Whether anything of it is on the blocklist: a name that others bear too is not."""
    key = run.erasure.id
    return bool(await run.means.ledger.read(
        lambda tx: blocklist.of_erasure(tx, run.tenant_id, key)
    ))  # fmt: skip


async def _certify(
    run: Run, evidence: Evidence, views: Sequence[LayerView], *, state: str, held: Counter[str],
    name: str,
) -> None:  # fmt: skip
    """Sign, log and record the outcome in one transaction, once by this name."""

    async def work() -> tuple[Result, Rows]:
        owed = await run.means.ledger.read(lambda tx: owed_notices(tx, run))
        signed = sign(
            run, evidence, views, state=state, held=held, notices=len(owed),
            blocked=blocks(run) and await _is_listed(run),
        )  # fmt: skip
        digest = dsse.digest(signed)

        async def apply(tx: Tx) -> None:
            if state == "complete":
                await notifications.add(tx, owed)
            await record(tx, run, evidence, views, state=state, signed=signed)

        return {"certificate": digest, "state": state}, apply

    await run.saga.step(name, work)
    log.info(
        "erasure.certified", erasure_id=run.erasure.id, reference=run.erasure.reference,
        state=state, residual=layers.worst(views),
    )  # fmt: skip
