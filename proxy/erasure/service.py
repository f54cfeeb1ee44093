"""Erasure as callers see it: request, clarify, confirm, forget, look, certificate."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, cast

from proxy.audit import proof
from proxy.erasure import quick
from proxy.erasure.plans.brief import Brief, Payload, aim_of, seal, unseal
from proxy.erasure.plans.owned import known_by, with_told
from proxy.erasure.proof import closing
from proxy.erasure.recheck import Recheck, recheck
from proxy.erasure.requests.confirming import HUMANS
from proxy.erasure.requests.earlier import is_empty
from proxy.erasure.requests.ending import Endings
from proxy.erasure.requests.intake import answer
from proxy.erasure.requests.overtaken import Overtaken
from proxy.erasure.requests.records import view_of
from proxy.erasure.requests.requester import check_identified
from proxy.erasure.saga.run import LOOK, PAGE
from proxy.erasure.search.means import Means
from proxy.erasure.search.resolve import resolve
from proxy.erasure.search.target import Actor, Asked, Origin, Target, check
from proxy.erasure.search.walk import Progress, silent
from proxy.erasure.view import ErasureView
from proxy.erasure.worker import Worker
from proxy.keys import aead
from proxy.keys.errors import KeyDestroyed, SealBroken
from proxy.ledger import erasures, holds, jobs, memories, reach, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem
from proxy.ledger.jobs import Job, LostLease
from proxy.problems import Problem
from proxy.telemetry import get_logger

PLANNING = timedelta(minutes=5)  # as long as whoever received a request may still be planning it
STARTING = timedelta(seconds=10)
MOMENT = timedelta(microseconds=1)
TURNS = 10  # for so many others of the same target a request waits
AGAIN = ("clear/", LOOK, "prime/")  # steps that are done anew where an erasure is taken up again

log = get_logger("erasure")


@dataclass(frozen=True, slots=True)
class CertificateBundle:
    """A certificate and, once its entry is in a signed checkpoint, the proof that it is logged."""

    dsse: bytes
    tlog_proof: str | None


class ErasureService(Overtaken, Endings):
    """The one door through which anything is erased."""

    def __init__(self, means: Means) -> None:
        super().__init__(means)
        self._worker = Worker(means)
        self._begun = means.clock.now()

    async def forget(
        self, tenant_id: str, target: Target, *, actor: Actor, origin: Origin = "client",
        **request: Any,
    ) -> ErasureView:  # fmt: skip
        """Request, confirm and carry out in one call, as far as it goes now.

        An agent's request, an ambiguous one, and one above the policy's ``max_items`` is only
        planned: the view's state says so.
        """
        if target.kind == "memory" and origin in quick.ORIGINS:
            return await self._forget_by_id(tenant_id, target, actor, origin, request)
        view = await self.request(tenant_id, target, actor=actor, origin=origin, **request)
        return await self._carry_out(tenant_id, view, actor, origin)

    async def _forget_by_id(
        self, tenant_id: str, target: Target, actor: Actor, origin: Origin,
        request: Mapping[str, Any],
    ) -> ErasureView:  # fmt: skip
        """The short way where it suits, the saga where it does not."""
        check(target)
        asked = Asked(target, tuple(request.get("keep", ())), dict(request.get("choices") or {}))
        draft = await self._received(
            tenant_id, asked, request.get("reason"), request.get("reference"), actor, origin,
            request.get("details"),
        )  # fmt: skip
        aim = await resolve(self._means, tenant_id, asked, origin=origin)
        async with self._made(aim, draft, look=False) as plan:
            pass  # of memories named by id all items are at hand
        if not quick.suits(draft, plan) or plan.questions:
            recorded = await self._record(draft, Brief.of(aim, aead.new_key()))
            view = await self._plan_recorded(recorded, aim, actor)
            return await self._carry_out(tenant_id, view, actor, origin)
        run = await quick.begin(draft, aim, plan, quick.Opener(self._means, self._worker.id))
        try:
            async with run.saga.held():
                done = await quick.finish(run, list(plan.items(draft.id, run.brief.key)))
            if done is not None:
                return view_of(done)
            await self._worker.hand_over(run.saga.job)
        except LostLease:  # it stood still for longer than a lease; a worker has it by now
            log.info("erasure.lease_lost", job_id=run.saga.job.id)
        return await self.run(tenant_id, draft.id)

    async def _unplanned(self, recorded: Erasure, problem: Problem, actor: Actor) -> Problem:
        """A client is told to ask again, so what it asked for is dropped: nothing was deleted."""
        if recorded.origin != "client":
            return await super()._unplanned(recorded, problem, actor)
        with suppress(Problem):  # it stays received where the ledger is what fails
            await self.cancel(recorded.tenant_id, recorded.id, actor=actor)
        if problem.slug != "upstream-unreachable":
            return problem
        return Problem(
            problem.slug, "The store could not be read to the end, so nothing was deleted.",
            hint="Repeat the delete when the store answers.",
        )  # fmt: skip

    async def _carry_out(
        self, tenant_id: str, view: ErasureView, actor: Actor, origin: Origin
    ) -> ErasureView:
        if view.state != "planned" or origin == "agent":
            return view
        limit = self._means.policies(tenant_id).erasure.max_items
        if view.counts.get("found", 0) > limit and actor.role not in HUMANS:
            return view
        erasure = await self._planned_one(tenant_id, view.id)
        check_identified(self._means.policies(tenant_id), erasure)
        try:
            return await self._in_turn(erasure)
        except Problem:
            if origin == "client":  # it was told; nobody else would confirm or close it
                await self.cancel(tenant_id, erasure.id, actor=actor)
            raise

    async def _in_turn(self, erasure: Erasure) -> ErasureView:
        """Confirm a plan and carry it out, after what runs of the same target, if that ends.

        Raises:
            Problem: ``subject-locked``.
        """
        for turn in range(TURNS):
            try:
                await self._confirmed(erasure)
                break
            except Problem as problem:
                if problem.slug != "subject-locked" or turn == TURNS - 1:
                    raise
            for twin in await self._means.ledger.read(partial(self._twins, erasure=erasure)):
                await self.run(erasure.tenant_id, twin.id)
            if done := await self._check_plan(erasure, unseen=True):
                return done
        return await self.run(erasure.tenant_id, erasure.id)

    async def run(self, tenant_id: str, erasure_id: str) -> ErasureView:
        """Carry a confirmed erasure out now; gives where it stands afterwards.

        Another process may be faster to take it up: then its end is waited for.
        """
        erasure = await self._get(tenant_id, erasure_id)
        job = await self._means.ledger.read(lambda tx: jobs.of_erasure(tx, erasure.id))
        if job is not None and (erasure.execute_at or job.run_after) <= self._means.clock.now():
            await self._worker.see_through(erasure.id)
        return await self.get(tenant_id, erasure.id)

    async def clarify(
        self, tenant_id: str, erasure_id: str, *, entity_ids: Sequence[str] = (),
        owners: Sequence[str] = (), choices: Mapping[str, str] | None = None, actor: Actor,
    ) -> ErasureView:  # fmt: skip
        """Answer what was asked, also of an erasure that runs: it goes on with the answer then.

        Raises:
            Problem: ``not-found``, ``invalid-state``, ``invalid-request`` for another's candidate.
        """
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state != "incomplete" or not (erasure.candidates or erasure.questions):
            return await super().clarify(
                tenant_id, erasure_id, entity_ids=entity_ids, owners=owners, choices=choices,
                actor=actor,
            )  # fmt: skip
        brief = await unseal(self._means, erasure)
        brief = replace(brief, asked=answer(erasure, brief.asked, entity_ids, owners, choices))
        if owners:
            await self._check_choice(await aim_of(self._means, tenant_id, brief))

        async def unit(tx: Tx) -> None:
            _, sealed = await seal(self._means, tx, erasure.id, tenant_id, brief)
            await erasures.change(
                tx, erasure.id, sealed_request=sealed, candidates=[], questions=[]
            )
            await jobs.reopen(tx, erasure.id, self._means.clock.now(), forget=AGAIN)
            await self._audit(tx, erasure, "erasure.answered", {"role": actor.role})

        await self._means.ledger.write(unit)
        return await self.run(tenant_id, erasure.id)

    async def retry(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> ErasureView:
        """Take up an incomplete erasure again, from what is not done; without a plan, plan it.

        A plan that nobody holds the token of is made anew as well, and so is one that found nothing
        while an earlier erasure of the same had left something.
        """
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state in {"received", "planned"} or is_empty(erasure):
            return await self.clarify(tenant_id, erasure.id, actor=actor)
        if erasure.state != "incomplete":
            raise Problem(
                "invalid-state", "Only one that is incomplete or has no plan can be retried."
            )
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            await jobs.reopen(tx, erasure.id, now, forget=AGAIN)
            await erasures.change(tx, erasure.id, outcome=None)
            await self._audit(tx, erasure, "erasure.retried", {"role": actor.role})

        await self._means.ledger.write(unit)
        return await self.run(tenant_id, erasure.id)

    async def cancel(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> ErasureView:
        """Withdraw a request before deleting begins; or close an erasure that was given up.

        Closing ends it as it is: its certificate says what is left.

        Raises:
            Problem: ``not-found``; ``invalid-state`` once deleting has begun, unless it was given
                up, and while somebody takes that up again.
        """
        erasure = await self._get(tenant_id, erasure_id)
        job = await self._means.ledger.read(lambda tx: jobs.of_erasure(tx, erasure.id))
        if job is None or not closing.is_given_up(erasure):
            return await super().cancel(tenant_id, erasure_id, actor=actor)
        if job.state == "running" or not await self._closed_as_is(erasure, job, actor):
            raise Problem("invalid-state", "It is tried again just now: look at it again.")
        return await self.get(tenant_id, erasure.id)

    async def _closed_as_is(self, erasure: Erasure, job: Job, actor: Actor) -> bool:
        try:
            await closing.close(self._means, erasure, job, actor)
        except LostLease:
            return False
        return True

    async def plan_received(self) -> int:
        """Plan what could not be planned at its receipt, the store being away; gives how many.

        What people and agents asked for then waits for a confirmation. What a client or the
        sweeper asked for, and nobody answered, is carried out; unless something written since would
        go with it: then it is dropped, for whoever had no answer asks again.
        """
        now = self._means.clock.now()
        latest = now - PLANNING
        if now - self._begun >= STARTING:  # whoever planned before we began was ended meanwhile
            latest = max(latest, self._begun - MOMENT)
        waiting = [
            each
            for tenant in await self._means.ledger.read(tenants.every)
            for each in await self._received_of(tenant.id)
            if each.received_at <= latest
        ]
        return sum([await self._take_up_safely(each) for each in waiting])

    async def _take_up_safely(self, erasure: Erasure) -> bool:
        """As ``_take_up``; one that is broken stops no other."""
        try:
            return await self._take_up(erasure)
        except Exception:
            log.exception("erasure.not_taken_up", erasure_id=erasure.id)
            return False

    async def _take_up(self, erasure: Erasure) -> bool:
        """Plan one that was received before; False if the store is still away."""
        worker = Actor("system", "worker")
        try:
            view = await self.clarify(erasure.tenant_id, erasure.id, actor=worker)
        except Problem as problem:
            log.info("erasure.not_planned", erasure_id=erasure.id, slug=problem.slug)
            return False
        origin = cast("Origin", erasure.origin)
        if origin not in quick.ORIGINS or view.state != "planned":
            return True
        if await self._reaches_newer(erasure):
            await self.cancel(erasure.tenant_id, erasure.id, actor=worker)
        else:
            await self._carry_out(erasure.tenant_id, view, worker, origin)
        return True

    async def _reaches_newer(self, erasure: Erasure) -> bool:
        """Whether a plan holds what was written after its request, or is of unknown age."""
        if erasure.target_kind == "memory":
            return False

        async def unit(tx: Tx) -> bool:
            async for part in erasures.in_order(tx, erasure.id):
                rows = [each.memory_id for each in part]
                known = await memories.by_ids(tx, [row for row in rows if row])
                if None in rows or any(row.created_at > erasure.received_at for row in known):
                    return True
            return False

        return await self._means.ledger.read(unit)

    async def _received_of(self, tenant_id: str) -> Sequence[Erasure]:
        return await self._means.ledger.read(
            lambda tx: erasures.of_tenant(tx, tenant_id, states=("received",))
        )

    async def resume_held(self, tenant_id: str) -> int:
        """Erase what was deferred and is held no longer; gives how many memories that is."""
        waiting = await self._means.ledger.read(lambda tx: holds.deferring(tx, tenant_id))
        freed = 0
        for erasure in waiting:
            try:
                released = await self._released(erasure)
            except (KeyDestroyed, SealBroken):  # one that is broken stops no other
                log.exception("erasure.not_released", erasure_id=erasure.id)
                continue
            if released:
                freed += released
                await self.run(tenant_id, erasure.id)
        return freed

    async def _released(self, erasure: Erasure) -> int:
        now, names = self._means.clock.now(), await self._means.keyring.tenant(erasure.tenant_id)
        key = (await unseal(self._means, erasure)).key

        async def unit(tx: Tx) -> int:
            free: list[PlanItem] = []
            after = -1
            while page := await erasures.items(
                tx, erasure.id, actions=("hold",), after=after, limit=PAGE
            ):
                after = page[-1].seq
                owned = await reach.owners(tx, [each.memory_id for each in page if each.memory_id])
                told = {known_by(each): Payload.unseal(key, each).owners for each in page}
                all_owned = await with_told(tx, erasure.tenant_id, names, owned, told)
                kept = await holds.held(tx, erasure.tenant_id, all_owned)
                free += [each for each in page if known_by(each) not in kept]
            if free:
                await erasures.release_items(tx, erasure.id, [item.seq for item in free])
                await erasures.change(tx, erasure.id, state="confirmed", completed_at=None)
                await jobs.reopen(tx, erasure.id, now, forget=("",))
                await self._audit(tx, erasure, "erasure.released", {"items": len(free)})
            return len(free)

        return await self._means.ledger.write(unit)

    async def recheck(
        self, tenant_id: str, erasure_id: str, *, actor: Actor, progress: Progress = silent
    ) -> Recheck:
        """Look whether what an erasure deleted is still absent."""
        found = await self._get(tenant_id, erasure_id)
        return await recheck(
            self._means, tenant_id, found.id, found.reference, actor=actor, progress=progress
        )

    async def list(
        self, tenant_id: str, *, state: str | None = None, cursor: str | None = None,
        limit: int = 50,
    ) -> tuple[list[ErasureView], str | None]:  # fmt: skip
        """Erasures, newest first, and the cursor of the next page."""
        states = (state,) if state else ()
        rows = await self._means.ledger.read(
            lambda tx: erasures.of_tenant(
                tx, tenant_id, states=states, limit=limit + 1, before=cursor
            )
        )
        more = rows[limit - 1].id if len(rows) > limit else None
        return [view_of(row) for row in rows[:limit]], more

    async def certificate(self, tenant_id: str, erasure_id: str) -> CertificateBundle:
        """The signed certificate and its proof; raises ``not-found`` while there is none."""
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.certificate is None:
            raise Problem("not-found", "There is no certificate yet.")
        entry = erasure.audit_entry or ""
        try:
            logged: str | None = await self._means.ledger.read(
                lambda tx: proof.inclusion(tx, entry)
            )
        except Problem:
            logged = None
        return CertificateBundle(erasure.certificate, logged)

    async def work(self) -> None:
        """Carry out jobs until cancelled."""
        await self._worker.run()

    async def run_due(self) -> int:
        """Carry out what is due, once; gives how many jobs ran."""
        return await self._worker.run_due()
