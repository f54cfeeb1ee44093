"""The course of an erasure: delete, look, destroy keys, certify; or say truthfully what is left."""

import json
from collections import Counter
from collections.abc import Sequence

from proxy.audit import dsse
from proxy.erasure import certificate, layers, steps, verify
from proxy.erasure.certificate import Evidence
from proxy.erasure.evidence import gather
from proxy.erasure.layers import Count
from proxy.erasure.order import MEMORY
from proxy.erasure.run import Run, scope_of
from proxy.erasure.saga import Postpone, Result, Rows
from proxy.erasure.signing import owed_notices, record, sign
from proxy.erasure.verify import Checked
from proxy.erasure.view import LayerView
from proxy.ledger import erasures, jobs, notifications
from proxy.ledger.engine import Tx
from proxy.telemetry import get_logger
from proxy.upstreams.errors import StoreError, StoreUnavailable

MAX_WAVES = 4
SETTLE_TRIES = 6

log = get_logger("erasure")


async def conduct(run: Run, *, last: bool) -> str:
    """Carry an erasure on as far as it goes now; gives the state it reached.

    Args:
        last: no further attempt will be made by itself, so what is left is final.

    Raises:
        Postpone: it cannot be finished now; what was done is recorded.
        LostLease: another worker has the job.
    """
    await steps.begin(run)
    trouble = await _clear(run)
    checked = await steps.examine(run)
    before = {store.name: await _measured(run, store.name) for store in run.stores}
    views = _in_all(
        run, [view for each in checked for view in verify.views(each, before[each.store.name])]
    )
    if not last and (waiting := trouble or _unsettled(run, checked, views)):
        if waiting.cause == "unavailable" and _only_layers_wait(views):
            await _certify_meanwhile(run, checked, views)
        await _interim(run, views, waiting)
        raise waiting
    return await _finish(run, checked, views, failed=trouble is not None)


async def _clear(run: Run) -> Postpone | None:
    """Waves of deleting and finding anew, until nothing new turns up.

    What turns up at the last look of an attempt goes with the next one, which looks again too.
    """
    for wave in range(MAX_WAVES * run.saga.job.attempts):
        trouble: Postpone | None = None
        for store in run.stores:
            try:
                scope = await scope_of(run, store.name)
                await steps.measure(run, store, scope)
                await steps.clear(run, store, wave, scope)
            except Postpone as postponed:
                trouble = postponed
            except StoreError as failure:
                trouble = _postpone(failure)
        if trouble is not None:
            return trouble
        if (waiting := await _pending(run)) is not None:
            return waiting  # looked for once: what is under way must have arrived before
        try:
            if not await steps.look_again(run, wave):
                return None
        except StoreError as failure:
            return _postpone(failure)
    return Postpone("settling", steps.SETTLE_S)


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


def _only_layers_wait(views: Sequence[LayerView]) -> bool:
    """Whether every store's memories are gone, and only layers beside them do not answer."""
    memories = [view for view in views if view.layer == MEMORY]
    return all(view.residual == 0 or view.status == "held" for view in memories)


async def _certify_meanwhile(
    run: Run, checked: Sequence[Checked], views: Sequence[LayerView]
) -> None:
    """Say in a certificate which layers do not answer, once for the same outcome.

    All that can be deleted is, and a layer may never answer. Its keys live until the end.
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
    counts = {**run.erasure.counts, **certificate.counts(tally)}

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
    keys = await steps.destroy_keys(run)
    evidence = await gather(run, checked, keys)
    state = _state(evidence, views, held=bool(held), failed=failed)
    name = "certify" if state == "complete" else f"certify/{state}/{run.saga.job.fence}"
    await _certify(run, evidence, views, state=state, held=held, name=name)
    if state == "complete":
        await steps.close(run)
    return state


async def _held(run: Run) -> Counter[str]:
    return Counter(item.reason or "hold" for item in await run.items(actions=("hold",)))


def _state(evidence: Evidence, views: Sequence[LayerView], *, held: bool, failed: bool) -> str:
    verdicts = certificate.checks(evidence, views).values()
    passed = all(verdict["result"] != "fail" for verdict in verdicts)
    if failed or not passed or not layers.all_clean(views):
        return "incomplete"
    return "held" if held else "complete"


async def _certify(
    run: Run, evidence: Evidence, views: Sequence[LayerView], *, state: str, held: Counter[str],
    name: str,
) -> None:  # fmt: skip
    """Sign, log and record the outcome in one transaction, once by this name."""

    async def work() -> tuple[Result, Rows]:
        owed = await run.means.ledger.read(lambda tx: owed_notices(tx, run))
        signed = sign(run, evidence, views, state=state, held=held, notices=len(owed))
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
