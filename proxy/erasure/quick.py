"""The short way for a few memories named by id: two commits around the store's own calls.

It does what the saga does, in the same order, with the same evidence. Whatever is not plain sailing
is left to the saga: the job exists from the first commit on, so a worker can take it up anywhere.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from proxy import ids
from proxy.erasure.plans.brief import Brief, seal_first
from proxy.erasure.plans.planning import Plan
from proxy.erasure.proof import certificate, evidence
from proxy.erasure.proof.certificate import Evidence
from proxy.erasure.proof.signing import record as record_certificate
from proxy.erasure.proof.signing import sign
from proxy.erasure.saga import mentioned, outcome, probes
from proxy.erasure.saga.deletion import Outcome, erase_item, record
from proxy.erasure.saga.durable import LEASE, VERSION, Saga
from proxy.erasure.saga.outcome import Checked
from proxy.erasure.saga.run import Extent, Run, scope_from
from proxy.erasure.search import layers
from proxy.erasure.search.layers import Count
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import Aim
from proxy.erasure.view import LayerView
from proxy.keys import aead
from proxy.ledger import erasures, jobs, reach, references, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem
from proxy.ledger.jobs import Job
from proxy.upstreams.errors import StoreError, StoreUnavailable
from proxy.upstreams.layers.base import LayerUnavailable
from proxy.upstreams.store import Store

MOST = 64


@dataclass(frozen=True, slots=True)
class Opener:
    """Who opens the run: the engine's collaborators and this worker's id."""

    means: Means
    worker: str


ORIGINS = frozenset({"client", "sweeper"})


def suits(erasure: Erasure, plan: Plan) -> bool:
    """Whether a plan can go the short way: few memories by id, all of them simply deleted."""
    plain = all(draft.decided.action == "delete" for draft in plan.drafts) and not plan.away
    few = 0 < len(plan.drafts) <= MOST
    return erasure.target_kind == "memory" and erasure.origin in ORIGINS and plain and few


async def begin(draft: Erasure, aim: Aim, plan: Plan, run_of: Opener) -> Run:
    """Record request, plan, confirmation and job at once, hide the memories; gives the run."""
    means, now = run_of.means, run_of.means.clock.now()
    brief = Brief.of(aim, aead.new_key())
    job = Job(
        ids.new("job"), draft.tenant_id, draft.id, VERSION, "running", run_of.worker, now + LEASE,
        1, 1, now, now,
    )  # fmt: skip
    items = list(plan.items(draft.id, brief.key))

    async def unit(tx: Tx) -> Erasure:
        dek_id, sealed = await seal_first(means, tx, draft.id, draft.tenant_id, brief)
        row = replace(
            _confirmed(draft, plan, now), dek_id=dek_id, sealed_request=sealed,
            reference=draft.reference
            or await references.next_reference(tx, draft.tenant_id, now.year),
        )  # fmt: skip
        await erasures.insert(tx, row)
        await erasures.put_items(tx, items)
        await jobs.create(tx, job)
        await reach.move(tx, [item.memory_id for item in items if item.memory_id], "erasing")
        told = {
            "erasure": row.id, "reference": row.reference, "origin": row.origin,
            "plan": row.plan_digest, "actor": row.actor.hex(), "items": len(items),
        }  # fmt: skip
        entry = await means.audit.append(tx, row.tenant_id, "erasure.started", told)
        return replace(row, audit_entry=entry)

    row = await means.ledger.write(unit)
    saga = Saga(means.ledger, means.clock, job, {"begin": {"items": len(items)}})
    return Run(means, saga, row, brief, aim, means.policies(row.tenant_id))


def _confirmed(draft: Erasure, plan: Plan, now: datetime) -> Erasure:
    return replace(
        draft, state="executing", plan_digest=plan.digest, planned_at=now, confirmed_at=now,
        execute_at=now, counts=plan.counts, details={**draft.details, "roles": plan.roles},
    )  # fmt: skip


async def finish(run: Run, items: Sequence[PlanItem]) -> Erasure | None:
    """Delete, look, certify; None leaves the job to the saga, with nothing claimed."""
    done: list[tuple[Store, list[Outcome]]] = []
    checked: list[Checked] = []
    views: list[LayerView] = []
    for store in run.stores:
        mine = [item for item in items if item.upstream == store.name]
        if not mine:
            continue
        try:
            done.append((store, await _delete(run, store, mine)))
            looked, seen = await _look(run, *done[-1])
        except (StoreError, LayerUnavailable):
            await _note(run, done)
            return None
        checked.append(looked)
        views += seen
    found = _evidence(done, checked)
    if certificate.passed(found, views):
        found = await _with_mentions(run, done, found)
    if not certificate.passed(found, views):
        await _note(run, done)
        return None
    return await _close(run, done, found, views)


async def _delete(run: Run, store: Store, mine: Sequence[PlanItem]) -> list[Outcome]:
    if owners := run.payload(mine[0]).owners:
        await store.prime(owners)
    return list(await asyncio.gather(*(erase_item(run, store, item) for item in mine)))


async def _note(run: Run, done: Sequence[tuple[Store, Sequence[Outcome]]]) -> None:
    """Record what is deleted by now: who goes on could not tell it from what was gone before."""

    async def rows(tx: Tx) -> None:
        for store, outcomes in done:
            if ended := [each for each in outcomes if each.state in {"done", "gone"}]:
                await record(tx, run, store, ended)

    await run.commit(rows)


async def _look(
    run: Run, store: Store, outcomes: Sequence[Outcome]
) -> tuple[Checked, list[LayerView]]:
    """Delete in the layers beside the memories, and look whether anything is left."""
    if any(each.state not in {"done", "gone"} for each in outcomes):
        raise StoreUnavailable
    payloads = [each.payload for each in outcomes]
    extent = Extent(layers.connected(store))
    for payload in payloads:
        extent.add(payload, run.named)
    scope = scope_from(run, store.name, extent)
    deleted = await layers.clear(store, scope)
    sides = await layers.count_all(store, scope, files=await _reads_files(run, store))
    seen = await probes.probe(run, store, {each.item.ref: each.payload for each in outcomes})
    found = sum(each.state != "gone" for each in outcomes)
    looked = Checked(store, seen, sides, found, len(seen.back))
    before = {name: Count(number) for name, number in deleted.items()}
    return looked, outcome.views(looked, before)


async def _reads_files(run: Run, store: Store) -> bool:
    """Whether bytes of the store's files are looked at: nobody else's may be among them."""
    connected = layers.connector(store, layers.EVIDENCE) is not None
    return connected and await run.means.ledger.read(tenants.is_alone)


def _evidence(
    done: Sequence[tuple[Store, Sequence[Outcome]]], checked: Sequence[Checked]
) -> Evidence:
    tally = Counter[tuple[str, str, str]](
        (each.item.relation, each.item.action, each.state)
        for _, outcomes in done for each in outcomes
    )  # fmt: skip
    return Evidence(
        tally,
        digest_matches=True,
        started=True,
        probes=evidence.tries(checked),
        hits=evidence.hits(checked),
    )


async def _with_mentions(
    run: Run, done: Sequence[tuple[Store, Sequence[Outcome]]], found: Evidence
) -> Evidence:
    """End what only the deleted memories mentioned, before anything is signed of it."""
    rows = [each.item.memory_id for _, some in done for each in some if each.item.memory_id]
    if not await mentioned.any_in(run, rows):
        return found
    await run.commit(lambda tx: mentioned.end(tx, run, rows))

    async def theirs(tx: Tx) -> Evidence:
        deks, number = await mentioned.ended(tx, run.erasure)
        keys = [key.facts() for key in await run.means.keyring.destroyed(tx, deks)]
        return replace(found, keys=keys, keys_expected=len(deks), mentions_ended=number)

    return await run.means.ledger.read(theirs)


async def _close(
    run: Run,
    done: Sequence[tuple[Store, Sequence[Outcome]]],
    found: Evidence,
    views: Sequence[LayerView],
) -> Erasure:
    """One transaction from deleted to certified; the lease must still be ours."""
    signed = sign(run, found, views, state="complete", held={}, notices=0, blocked=False)

    async def unit(tx: Tx) -> Erasure:
        await jobs.release(tx, run.saga.job, state="done", run_after=run.means.clock.now())
        for store, outcomes in done:
            await record(tx, run, store, outcomes, sealed=None)
            items = [each.item for each in outcomes]
            rows = await mentioned.rows_of(tx, run.tenant_id, store.name, items)
            await mentioned.end(tx, run, rows)
        fields = await record_certificate(
            tx, run, found, views, state="complete", signed=signed, sealed_request=None
        )
        await run.means.keyring.discard(tx, [run.erasure.dek_id or ""])
        return replace(run.erasure, **fields)

    return await run.means.ledger.write(unit)
