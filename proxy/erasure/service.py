"""Erasure as callers see it: request, clarify, confirm, forget, look, certificate."""

import base64
import hmac
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from proxy import ids
from proxy.audit import proof
from proxy.erasure import planning, quick
from proxy.erasure.brief import Brief, seal, unseal
from proxy.erasure.deadlines import due
from proxy.erasure.layers import load as load_layers
from proxy.erasure.means import Means
from proxy.erasure.planning import Plan
from proxy.erasure.recheck import Recheck, recheck
from proxy.erasure.resolve import Aim, resolve
from proxy.erasure.target import Actor, Asked, Origin, Target, check
from proxy.erasure.view import CandidateView, ErasureView
from proxy.erasure.worker import Worker
from proxy.keys import aead
from proxy.ledger import erasures, holds, jobs, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import ACTIVE, Erasure
from proxy.ledger.jobs import Job
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError

WORD = "confirmed"
TOKEN_LIFE = timedelta(hours=1)
SAMPLES = 20
HUMANS = frozenset({"operator", "privacy"})
OPEN = ("received", "needs_clarification", "planned")


@dataclass(frozen=True, slots=True)
class CertificateBundle:
    """A certificate and, once its entry is in a signed checkpoint, the proof that it is logged."""

    dsse: bytes
    tlog_proof: str | None


class ErasureService:
    """The one door through which anything is erased."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._worker = Worker(means)

    # -- asking ------------------------------------------------------------------------------------

    async def request(
        self,
        tenant_id: str,
        target: Target,
        *,
        keep: Sequence[str] = (),
        reason: str | None = None,
        reference: str | None = None,
        actor: Actor,
        origin: Origin = "control",
        dry_run: bool = False,
        choices: Mapping[str, str] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> ErasureView:
        """Record a request and plan it; nothing is deleted.

        Args:
            keep: names or terms that must stay (partial forgetting).
            reason: a ground's code, e.g. ``gdpr.17.1.b``.
            reference: the caller's own reference, instead of ``DEL-YYYY-NNNN``.
            dry_run: plan only; nothing is recorded.
            choices: what the requester decided: ``derived``, ``mixed``, ``shared`` → action,
                ``include`` → ``all`` or ``direct``.
            details: content-free facts for the record: regime, ground, channel, identity.

        Raises:
            Problem: ``invalid-request``, ``upstream-unreachable`` (no plan without the store).
        """
        check(target)
        asked = Asked(target, tuple(keep), dict(choices or {}))
        draft = await self._received(tenant_id, asked, reason, reference, actor, origin, details)
        aim = await resolve(self._means, tenant_id, asked)
        if dry_run:
            return await self._preview(draft, aim)
        recorded = await self._record(draft, Brief.of(aim, aead.new_key()))
        return await self._plan(recorded, aim)

    async def clarify(
        self,
        tenant_id: str,
        erasure_id: str,
        *,
        entity_ids: Sequence[str] = (),
        choices: Mapping[str, str] | None = None,
        actor: Actor,
    ) -> ErasureView:
        """Answer what was asked (which candidate, which action) and get a new plan and token.

        ``entity_ids`` may be ``["all"]``.

        Raises:
            Problem: ``not-found``, ``invalid-state``, ``invalid-request`` for another's candidate.
        """
        erasure = await self._open(tenant_id, erasure_id)
        brief = await unseal(self._means, erasure)
        offered = [str(each["id"]) for each in erasure.candidates]
        chosen = tuple(offered if list(entity_ids) == ["all"] else entity_ids)
        if not set(chosen) <= set(offered):
            raise Problem("invalid-request", "Choose among the candidates.")
        target = brief.asked.target.choose(chosen) if chosen else brief.asked.target
        merged = {**(brief.asked.choices or {}), **(choices or {})}
        aim = await resolve(self._means, tenant_id, Asked(target, brief.asked.keep, merged))
        return await self._plan(erasure, aim)

    async def _received(
        self,
        tenant_id: str,
        asked: Asked,
        reason: str | None,
        reference: str | None,
        actor: Actor,
        origin: Origin,
        details: Mapping[str, Any] | None,
    ) -> Erasure:
        names = await self._means.keyring.tenant(tenant_id)
        policy = self._means.policies(tenant_id)
        now = self._means.clock.now()
        regime = str((details or {}).get("regime") or policy.erasure.regime)
        told = {**(details or {}), "regime": regime, "role": actor.role}
        return Erasure(
            ids.new("era"),
            tenant_id,
            reference or "",
            "received",
            origin,
            asked.target.kind,
            asked.target.scope,
            names.of("actor", actor.role, actor.id),
            now,
            due(regime, now),
            target_ref=names.of("erasure-target", json.dumps(asked.target.dump(), sort_keys=True)),
            reason=reason,
            details=told,
            policy_digest=policy.digest,
        )

    async def _record(self, draft: Erasure, brief: Brief) -> Erasure:
        async def unit(tx: Tx) -> Erasure:
            dek_id, sealed = await seal(self._means, tx, draft.id, draft.tenant_id, brief)
            year = draft.received_at.year
            reference = draft.reference or await erasures.next_reference(tx, draft.tenant_id, year)
            row = replace(draft, reference=reference, dek_id=dek_id, sealed_request=sealed)
            await erasures.insert(tx, row)
            await self._audit(tx, row, "erasure.received", {"target_kind": row.target_kind})
            return row

        return await self._means.ledger.write(unit)

    # -- planning ----------------------------------------------------------------------------------

    async def _preview(self, draft: Erasure, aim: Aim) -> ErasureView:
        if aim.candidates:
            return _view(replace(draft, state="needs_clarification"), candidates=aim.candidates)
        plan = await self._make(aim, draft)
        shown = replace(draft, state="planned", plan_digest=plan.digest, counts=plan.counts)
        shown = replace(shown, layers=[view.body() for view in plan.views])
        if await self._nothing(aim, plan):
            shown = replace(shown, outcome="nothing_found")
        return replace(
            _view(shown, items=planning.samples(plan.drafts, SAMPLES)),
            questions=tuple(plan.questions),
        )

    async def _plan(self, erasure: Erasure, aim: Aim) -> ErasureView:
        if aim.candidates:
            return await self._ask_which(erasure, aim)
        plan = await self._make(aim, erasure)
        if await self._nothing(aim, plan):
            return await self._found_nothing(erasure, plan)
        if plan.questions:
            return await self._ask_how(erasure, aim, plan)
        return await self._planned(erasure, aim, plan)

    async def _make(self, aim: Aim, erasure: Erasure, *, look: bool = True) -> Plan:
        policy, ref = self._means.policies(aim.tenant_id), erasure.target_ref or b""
        try:
            return await planning.make(self._means, aim, policy, ref, look=look)
        except StoreError:
            raise Problem(
                "upstream-unreachable",
                "The store could not be read to the end, so there is no plan.",
            ) from None

    async def _nothing(self, aim: Aim, plan: Plan) -> bool:
        known = [each.row for each in aim.wholes if each.row and each.row.state != "erased"]
        return not (plan.affected or plan.side_rows or known or aim.entity_ids or _kept(plan))

    async def _ask_which(self, erasure: Erasure, aim: Aim) -> ErasureView:
        listed = [
            {"id": each.id, "entity_type": each.entity_type, "memories": each.memories, "hint": ""}
            for each in aim.candidates
        ]
        row = await self._change(erasure, state="needs_clarification", candidates=listed)
        return _view(row, candidates=aim.candidates)

    async def _ask_how(self, erasure: Erasure, aim: Aim, plan: Plan) -> ErasureView:
        brief = Brief.of(aim, (await unseal(self._means, erasure)).key)
        row = await self._change(
            erasure, brief=brief, state="needs_clarification", counts=plan.counts,
            questions=[dict(each) for each in plan.questions],
        )  # fmt: skip
        return _view(row, items=planning.samples(plan.drafts, SAMPLES))

    async def _found_nothing(self, erasure: Erasure, plan: Plan) -> ErasureView:
        """Say so plainly: where was looked, and which earlier erasure dealt with it."""
        earlier = await self._means.ledger.read(
            lambda tx: erasures.of_target(
                tx, erasure.tenant_id, erasure.target_ref or b"", ["complete"]
            )
        )
        details = {**erasure.details, "looked_at": plan.looked_at}
        if earlier:
            details["earlier"] = earlier[0].reference
        row = await self._change(
            erasure,
            event="erasure.nothing_found",
            state="complete",
            outcome="nothing_found",
            details=details,
            layers=[replace(v, status="absent", erased=0).body() for v in plan.views],
            counts=plan.counts,
            completed_at=self._means.clock.now(),
        )
        return _view(row)

    async def _planned(self, erasure: Erasure, aim: Aim, plan: Plan) -> ErasureView:
        token = base64.b32encode(os.urandom(20)).decode().lower()
        now = self._means.clock.now()
        brief = Brief.of(aim, (await unseal(self._means, erasure)).key)
        names = aim.names
        row = await self._change(
            erasure,
            brief=brief,
            plan=plan,
            event="erasure.planned",
            state="planned",
            plan_digest=plan.digest,
            policy_digest=self._means.policies(aim.tenant_id).digest,
            confirm_digest=_token_digest(names, erasure.id, plan.digest, token),
            confirm_expires_at=now + TOKEN_LIFE,
            planned_at=now,
            counts=plan.counts,
            details={**erasure.details, "roles": plan.roles},
            layers=[view.body() for view in plan.views],
            candidates=[],
            questions=[],
        )
        return replace(_view(row, items=planning.samples(plan.drafts, SAMPLES)), token=token)

    async def _change(
        self,
        erasure: Erasure,
        *,
        brief: Brief | None = None,
        plan: Plan | None = None,
        event: str | None = None,
        **fields: Any,
    ) -> Erasure:
        """Move an erasure that is still open; its plan is replaced in the same transaction."""

        async def unit(tx: Tx) -> Erasure:
            if brief is not None:
                sealed = await seal(self._means, tx, erasure.id, erasure.tenant_id, brief)
                fields["sealed_request"] = sealed[1]
            if not await erasures.move(tx, erasure.id, allowed=OPEN, **fields):
                raise Problem("invalid-state", "It is confirmed or closed already.")
            if plan is not None and brief is not None:
                await erasures.drop_items(tx, erasure.id)
                await erasures.put_items(tx, plan.items(erasure.id, brief.key))
            if event is not None:
                await self._audit(tx, erasure, event, {"items": plan.affected if plan else 0})
            return replace(erasure, **fields)

        return await self._means.ledger.write(unit)

    # -- confirming --------------------------------------------------------------------------------

    async def confirm(
        self, tenant_id: str, erasure_id: str, *, word: str, token: str | None, actor: Actor
    ) -> ErasureView:
        """Confirm exactly the plan that was shown; it is then carried out by a worker.

        Raises:
            Problem: ``confirmation-invalid`` unless the word is ``confirmed`` and the token is the
                plan's; ``confirmation-expired``; ``plan-changed`` if it would now reach more;
                ``subject-locked`` while another erasure of the same target runs; ``forbidden``.
        """
        erasure = await self._planned_one(tenant_id, erasure_id)
        if word != WORD or not isinstance(word, str):
            raise Problem("confirmation-invalid", "The word is 'confirmed'.")
        await self._check_token(erasure, token)
        self._check_actor(erasure, actor)
        await self._check_plan(erasure)
        return await self._confirmed(erasure)

    async def _planned_one(self, tenant_id: str, erasure_id: str) -> Erasure:
        erasure = await self._open(tenant_id, erasure_id)
        if erasure.state != "planned":
            raise Problem("invalid-state", "It has no plan to confirm.")
        return erasure

    async def _check_token(self, erasure: Erasure, token: str | None) -> None:
        policy = self._means.policies(erasure.tenant_id)
        if policy.erasure.confirmation == "none" and token is None:
            return
        names = await self._means.keyring.tenant(erasure.tenant_id)
        digest = _token_digest(names, erasure.id, erasure.plan_digest or "", token or "")
        if not hmac.compare_digest(digest, erasure.confirm_digest or b""):
            raise Problem("confirmation-invalid", "The token is not this plan's.")
        if self._means.clock.now() >= (erasure.confirm_expires_at or erasure.received_at):
            raise Problem("confirmation-expired", "The token is older than an hour.")

    def _check_actor(self, erasure: Erasure, actor: Actor) -> None:
        if erasure.origin == "agent" and actor.role == "agent":
            raise Problem("forbidden", "An agent cannot confirm what an agent asked for.")
        policy = self._means.policies(erasure.tenant_id)
        if erasure.counts.get("found", 0) > policy.erasure.max_items and actor.role not in HUMANS:
            raise Problem("forbidden", "A plan of this size needs an operator.")

    async def _check_plan(self, erasure: Erasure) -> None:
        brief = await unseal(self._means, erasure)
        aim = await resolve(self._means, erasure.tenant_id, brief.asked)
        plan = await self._make(aim, erasure)
        known = await self._means.ledger.read(lambda tx: erasures.items(tx, erasure.id))
        confirmed = {(item.upstream, item.ref, item.action) for item in known}
        if not plan.keys() <= confirmed:
            await self._change(erasure, confirm_digest=None)
            raise Problem(
                "plan-changed", "It would now affect more than was shown.",
                hint="Ask for a new plan with 'clarify'.",
            )  # fmt: skip

    async def _confirmed(self, erasure: Erasure) -> ErasureView:
        now = self._means.clock.now()
        grace = self._means.policies(erasure.tenant_id).erasure.grace
        execute_at = grace.after(now) if erasure.origin != "sweeper" else now
        job = Job(
            ids.new("job"), erasure.tenant_id, erasure.id, 1, "ready", None, None, 0, 0,
            execute_at, now,
        )  # fmt: skip
        fields: dict[str, Any] = {
            "state": "confirmed", "confirmed_at": now, "execute_at": execute_at,
            "confirm_digest": None,
        }  # fmt: skip

        async def unit(tx: Tx) -> None:
            await self._refuse_twins(tx, erasure)
            if not await erasures.move(tx, erasure.id, allowed=("planned",), **fields):
                raise Problem("invalid-state", "It was confirmed or closed meanwhile.")
            await jobs.create(tx, job)
            await _hide(tx, erasure.id)
            await self._audit(tx, erasure, "erasure.confirmed", {"plan": erasure.plan_digest})

        await self._means.ledger.write(unit)
        return _view(replace(erasure, **fields))

    async def _refuse_twins(self, tx: Tx, erasure: Erasure) -> None:
        running = await erasures.of_target(tx, erasure.tenant_id, erasure.target_ref or b"", ACTIVE)
        if any(each.id != erasure.id for each in running):
            raise Problem("subject-locked", "An erasure of the same target is running.")

    # -- one call ----------------------------------------------------------------------------------

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
        aim = await resolve(self._means, tenant_id, asked)
        plan = await self._make(aim, draft, look=False)
        policy = self._means.policies(tenant_id)
        if not quick.suits(draft, plan) or policy.erasure.grace.rank or plan.questions:
            recorded = await self._record(draft, Brief.of(aim, aead.new_key()))
            return await self._carry_out(tenant_id, await self._plan(recorded, aim), actor, origin)
        run = await quick.begin(draft, aim, plan, quick.Opener(self._means, self._worker.id))
        if not await quick.finish(run, plan.items(draft.id, run.brief.key)):
            await self._worker.hand_over(run.saga.job)
            return await self.run(tenant_id, draft.id)
        return await self.get(tenant_id, draft.id)

    async def _carry_out(
        self, tenant_id: str, view: ErasureView, actor: Actor, origin: Origin
    ) -> ErasureView:
        if view.state != "planned" or origin == "agent":
            return view
        limit = self._means.policies(tenant_id).erasure.max_items
        if view.counts.get("found", 0) > limit and actor.role not in HUMANS:
            return view
        erasure = await self._planned_one(tenant_id, view.id)
        await self._confirmed(erasure)
        return await self.run(tenant_id, view.id)

    async def run(self, tenant_id: str, erasure_id: str) -> ErasureView:
        """Carry a confirmed erasure out now, in this process; gives where it stands afterwards."""
        erasure = await self._get(tenant_id, erasure_id)
        job = await self._means.ledger.read(lambda tx: jobs.of_erasure(tx, erasure.id))
        if job is not None and (erasure.execute_at or job.run_after) <= self._means.clock.now():
            await self._worker.run_one(job.id)
        return await self.get(tenant_id, erasure.id)

    async def retry(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> ErasureView:
        """Take up an incomplete erasure again, from what is not done."""
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state != "incomplete":
            raise Problem("invalid-state", "Only an incomplete erasure can be retried.")
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            for prefix in ("clear/", "again/", "prime/"):
                await jobs.reopen(tx, erasure.id, now, forget=prefix)
            await self._audit(tx, erasure, "erasure.retried", {"role": actor.role})

        await self._means.ledger.write(unit)
        return await self.run(tenant_id, erasure.id)

    async def resume_held(self, tenant_id: str) -> int:
        """Erase what was deferred and is held no longer; gives how many memories that is."""
        waiting = await self._means.ledger.read(
            lambda tx: erasures.of_tenant(tx, tenant_id, states=("held", "incomplete"))
        )
        freed = 0
        for erasure in waiting:
            released = await self._released(erasure)
            if released:
                freed += released
                await self.run(tenant_id, erasure.id)
        return freed

    async def _released(self, erasure: Erasure) -> int:
        now = self._means.clock.now()

        async def unit(tx: Tx) -> int:
            items = await erasures.items(tx, erasure.id, actions=("hold",))
            rows = [item.memory_id for item in items if item.memory_id]
            owned = await reach.owners(tx, rows)
            owner_ids = {owner for listed in owned.values() for owner in listed}
            kept = await holds.in_force(tx, erasure.tenant_id, memory_ids=rows, owner_ids=owner_ids)
            memory_ids = {hold.memory_id for hold in kept}
            owners_kept = {hold.owner_id for hold in kept}
            free = [
                item for item in items
                if item.memory_id not in memory_ids
                and owners_kept.isdisjoint(owned.get(item.memory_id or "", ()))
            ]  # fmt: skip
            if free:
                await erasures.release_items(tx, erasure.id, [item.seq for item in free])
                await erasures.change(tx, erasure.id, state="confirmed", completed_at=None)
                await jobs.reopen(tx, erasure.id, now, forget="")
                await self._audit(tx, erasure, "erasure.released", {"items": len(free)})
            return len(free)

        return await self._means.ledger.write(unit)

    # -- ending otherwise --------------------------------------------------------------------------

    async def cancel(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> ErasureView:
        """Withdraw a request, also within its grace window: what was hidden is readable again.

        Raises:
            Problem: ``invalid-state`` once deleting has begun.
        """
        erasure = await self._get(tenant_id, erasure_id)

        async def unit(tx: Tx) -> None:
            allowed = (*OPEN, "confirmed")
            if not await erasures.move(tx, erasure.id, allowed=allowed, state="cancelled"):
                raise Problem("invalid-state", "Deleting has begun; it cannot be undone.")
            await _unhide(tx, erasure.id)
            await self._closed(tx, erasure, "erasure.cancelled", {"role": actor.role})

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def refuse(
        self, tenant_id: str, erasure_id: str, *, reason: str, actor: Actor
    ) -> ErasureView:
        """Refuse a request on a ground, e.g. ``gdpr.17.3.e_legal_claims``; nothing is deleted."""
        if not reason:
            raise Problem("invalid-request", "A refusal needs a code.")
        erasure = await self._get(tenant_id, erasure_id)

        async def unit(tx: Tx) -> None:
            if not await erasures.move(
                tx, erasure.id, allowed=OPEN, state="refused", outcome="refused", reason=reason
            ):
                raise Problem("invalid-state", "It is confirmed or closed already.")
            await self._closed(tx, erasure, "erasure.refused", {"code": reason})

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def extend(
        self, tenant_id: str, erasure_id: str, *, reason: str, actor: Actor
    ) -> ErasureView:
        """Extend the deadline once, as far as the regime allows."""
        erasure = await self._get(tenant_id, erasure_id)
        regime = str(erasure.details.get("regime"))
        new_due = due(regime, erasure.received_at, extended=True)
        if erasure.extended_at or new_due <= erasure.due_at:
            raise Problem("invalid-state", "The deadline cannot be extended (again).")
        fields = {"due_at": new_due, "extended_at": self._means.clock.now()}

        async def unit(tx: Tx) -> None:
            await erasures.change(tx, erasure.id, **fields)
            await self._audit(tx, erasure, "erasure.deadline_extended", {"code": reason})

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def _closed(
        self, tx: Tx, erasure: Erasure, event: str, fields: Mapping[str, Any]
    ) -> None:
        """Forget the request itself: its key dies with it."""
        await erasures.drop_items(tx, erasure.id)
        await erasures.change(tx, erasure.id, sealed_request=None, confirm_digest=None)
        if erasure.dek_id:
            await self._means.keyring.destroy(tx, [erasure.dek_id])
        await self._audit(tx, erasure, event, fields)

    async def recheck(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> Recheck:
        """Look whether what an erasure deleted is still absent."""
        erasure = await self._get(tenant_id, erasure_id)
        return await recheck(self._means, tenant_id, erasure.id, erasure.reference, actor=actor)

    # -- looking -----------------------------------------------------------------------------------

    async def get(self, tenant_id: str, erasure_id: str) -> ErasureView:
        """Where an erasure stands, by id or reference; raises ``not-found``."""
        return _view(await self._get(tenant_id, erasure_id))

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
        return [_view(row) for row in rows[:limit]], more

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

    async def _get(self, tenant_id: str, key: str) -> Erasure:
        found = await self._means.ledger.read(lambda tx: erasures.get(tx, tenant_id, key))
        if found is None:
            raise Problem("not-found", "There is no such erasure.")
        return found

    async def _open(self, tenant_id: str, erasure_id: str) -> Erasure:
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state not in OPEN:
            raise Problem("invalid-state", "It is confirmed or closed already.")
        return erasure

    async def _audit(self, tx: Tx, erasure: Erasure, event: str, fields: Mapping[str, Any]) -> str:
        told = {
            "erasure": erasure.id, "reference": erasure.reference, "origin": erasure.origin,
            "actor": erasure.actor.hex(), **fields,
        }  # fmt: skip
        return await self._means.audit.append(tx, erasure.tenant_id, event, told)


def _kept(plan: Plan) -> int:
    return sum(draft.decided.action == "hold" for draft in plan.drafts)


def _token_digest(names: Any, erasure_id: str, plan_digest: str, token: str) -> bytes:
    digest: bytes = names.of("confirmation", erasure_id, plan_digest, token)
    return digest


async def _hide(tx: Tx, erasure_id: str) -> None:
    """Unreadable at once, on every route, whatever is still to be done."""
    items = await erasures.items(tx, erasure_id, states=("planned",))
    await reach.move(tx, [item.memory_id for item in items if item.memory_id], "erasing")


async def _unhide(tx: Tx, erasure_id: str) -> None:
    items = await erasures.items(tx, erasure_id, states=("planned",))
    await reach.move(tx, [item.memory_id for item in items if item.memory_id], "live")


def _view(
    row: Erasure,
    *,
    candidates: Sequence[CandidateView] | None = None,
    items: Sequence[Mapping[str, Any]] = (),
) -> ErasureView:
    listed = candidates
    if listed is None:
        listed = [CandidateView(**each) for each in row.candidates]
    return ErasureView(
        id=row.id,
        reference=row.reference,
        state=row.state,
        outcome=row.outcome,
        target_kind=row.target_kind,
        scope=row.scope,
        origin=row.origin,
        plan_digest=row.plan_digest,
        counts=dict(row.counts),
        layers=load_layers(row.layers),
        candidates=tuple(listed),
        questions=tuple(row.questions),
        received_at=row.received_at,
        due_at=row.due_at,
        confirmed_at=row.confirmed_at,
        completed_at=row.completed_at,
        execute_at=row.execute_at,
        reason=row.reason,
        items=tuple(items),
        certificate_ready=row.certificate is not None,
    )
