"""Requests: recorded at receipt, resolved, planned, and shown."""

import base64
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from proxy import ids
from proxy.erasure.plans import planning
from proxy.erasure.plans.brief import Brief, seal_first, unseal
from proxy.erasure.plans.planning import Plan
from proxy.erasure.plans.stage import Seal
from proxy.erasure.requests.apart import check_apart
from proxy.erasure.requests.deadlines import due
from proxy.erasure.requests.earlier import NO_EARLIER, NOTHING, empty
from proxy.erasure.requests.facts import check_choices, check_codes
from proxy.erasure.requests.records import Records, view_of
from proxy.erasure.requests.requester import (
    IDENTIFICATION,
    identified,
    requester,
    unidentified,
)
from proxy.erasure.search.alike import answered, with_owners
from proxy.erasure.search.away import despite
from proxy.erasure.search.bearers import told_apart
from proxy.erasure.search.kinds import kinds_told_apart
from proxy.erasure.search.relation import named_beside
from proxy.erasure.search.resolve import (
    Aim,
    forgets_everywhere,
    part_of,
    resolve,
    scope_path,
    target_ref,
)
from proxy.erasure.search.target import ALL, NONE, Actor, Asked, Origin, Target, check
from proxy.erasure.search.whom import chosen, of_longer_names
from proxy.erasure.texts.keeping import Keep, check_keep
from proxy.erasure.view import CandidateView, ErasureView
from proxy.keys import aead
from proxy.ledger import erasures, references
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.ledger.failures import Conflict
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError

TOKEN_LIFE = timedelta(hours=1)


class Requests(Records):
    """Takes requests and plans them; nothing is deleted here."""

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
            details: content-free facts for the record: regime, ground, channel, identity (see
                ``requester``).

        Raises:
            Problem: ``invalid-request``, ``upstream-unreachable`` (no plan without the store).
        """
        check(target)
        check_keep(keep)
        target = await chosen(self._means, tenant_id, target)
        asked = Asked(target, tuple(keep), dict(choices or {}))
        draft = await self._received(tenant_id, asked, reason, reference, actor, origin, details)
        aim = await resolve(self._means, tenant_id, asked, origin=origin)
        await self._check_owners(aim)
        if dry_run:
            return await self._preview(draft, aim)
        recorded = await self._record(draft, Brief.of(aim, aead.new_key()))
        return await self._plan_recorded(recorded, aim, actor)

    async def _plan_recorded(self, recorded: Erasure, aim: Aim, actor: Actor) -> ErasureView:
        try:
            return await self._plan(recorded, aim)
        except Problem as problem:
            raise await self._unplanned(recorded, problem, actor) from None

    async def _unplanned(self, recorded: Erasure, problem: Problem, actor: Actor) -> Problem:
        """What is told of a request that is on record and could not be planned."""
        return _without_plan(recorded, problem)

    async def clarify(
        self,
        tenant_id: str,
        erasure_id: str,
        *,
        entity_ids: Sequence[str] = (),
        owners: Sequence[str] = (),
        choices: Mapping[str, str] | None = None,
        actor: Actor,
    ) -> ErasureView:
        """Answer what was asked (which candidate, which action) and get a new plan and token.

        ``entity_ids`` may be ``["all"]``, ``owners`` also ``["none"]``.

        Raises:
            Problem: ``not-found``, ``invalid-state``, ``invalid-request`` for another's candidate.
        """
        erasure = await self._open(tenant_id, erasure_id)
        brief = await unseal(self._means, erasure)
        asked = answer(erasure, brief.asked, entity_ids, owners, choices)
        aim = await resolve(self._means, tenant_id, asked, origin=erasure.origin)
        if owners:
            await self._check_choice(aim)
        return await self._plan(erasure, aim)

    async def _check_choice(self, aim: Aim) -> None:
        """Refuse an answer that names owners who were not asked about."""
        found = await self._with_owners(aim)
        if found.unmet:
            offered = ", ".join([*(each.id for each in found.candidates), *ALL, *NONE])
            raise Problem(
                "invalid-request", "Not all of these owners hold the name as their id.",
                hint=f"Choose among: {offered}; or the owner ids shown with them.",
            )  # fmt: skip

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
        check_codes(reason, reference, details)
        check_apart(asked, reason, reference, details)
        check_choices(asked.choices)
        names = await self._means.keyring.tenant(tenant_id)
        policy = self._means.policies(tenant_id)
        now = self._means.clock.now()
        regime = str((details or {}).get("regime") or policy.erasure.regime)
        keep = Keep.of(asked.keep, policy)
        kept = {"keep": keep.facts()} if keep is not None else {}
        part = scope_path(names, asked.target)
        kept |= {"scope_path": part} if part else {}
        known = identified((details or {}).get("identity"), names, actor, now)
        told = {
            **(details or {}), "regime": regime, "role": actor.role, "identity": known, **kept,
        }  # fmt: skip
        if unidentified(policy, origin, told):
            told["awaiting"] = IDENTIFICATION
        return Erasure(
            ids.new("era"),
            tenant_id,
            reference or "",
            "received",
            origin,
            asked.target.kind,
            asked.target.scope,
            actor.ref(names),
            now,
            due(regime, now),
            target_ref=target_ref(names, asked.target),
            reason=reason,
            details=told,
            policy_digest=policy.digest,
        )

    async def _record(self, draft: Erasure, brief: Brief) -> Erasure:
        async def unit(tx: Tx) -> Erasure:
            dek_id, sealed = await seal_first(self._means, tx, draft.id, draft.tenant_id, brief)
            year = draft.received_at.year
            reference = draft.reference or await references.next_reference(
                tx, draft.tenant_id, year
            )
            row = replace(draft, reference=reference, dek_id=dek_id, sealed_request=sealed)
            await erasures.insert(tx, row)
            told = {"target_kind": row.target_kind, **requester(row), **part_of(row.details)}
            await self._audit(tx, row, "erasure.received", told)
            return row

        try:
            return await self._means.ledger.write(unit)
        except Conflict:
            raise Problem("invalid-request", "The reference is in use.") from None

    async def _preview(self, draft: Erasure, aim: Aim) -> ErasureView:
        aim = await self._with_owners(aim)
        if aim.candidates:
            return view_of(replace(draft, state="needs_clarification"), candidates=aim.candidates)
        async with self._made(aim, draft) as plan:
            shown = replace(draft, state="planned", plan_digest=plan.digest, counts=plan.counts)
            shown = replace(shown, layers=[view.body() for view in plan.views])
            if await self._nothing(aim, plan):
                found = await empty(self._means, aim, draft, plan)
                shown = replace(
                    shown, outcome=NOTHING, details={**draft.details, **found.details()},
                    layers=[view.body() for view in found.views],
                )  # fmt: skip
            view = view_of(
                shown, candidates=await self._others(aim, plan), items=planning.samples(plan)
            )
            return replace(view, questions=tuple(plan.questions))

    async def _plan(self, erasure: Erasure, aim: Aim) -> ErasureView:
        key = (await unseal(self._means, erasure)).key
        aim = await self._with_owners(aim)
        if aim.candidates:
            return await self._ask_which(erasure, aim, Brief.of(aim, key))
        async with self._made(aim, erasure, key) as plan:
            others = await self._others(aim, plan)
            if await self._nothing(aim, plan):
                return replace(await self._found_nothing(erasure, aim, plan), candidates=others)
            if plan.questions:
                return await self._ask_how(erasure, Brief.of(aim, key), plan)
            view = await self._planned(erasure, aim, Brief.of(aim, key), plan)
            return replace(view, candidates=others)

    @asynccontextmanager
    async def _made(
        self, aim: Aim, erasure: Erasure, key: bytes | None = None, *, look: bool = True
    ) -> AsyncIterator[Plan]:
        """A plan whose items stay in the ledger only if it is recorded meanwhile.

        Args:
            key: the erasure's own; without it the plan cannot be recorded.
        """
        policy, ref = self._means.policies(aim.tenant_id), erasure.target_ref or b""
        seal = Seal(erasure.id, key or aead.new_key())
        try:
            plan = await planning.make(self._means, aim, policy, ref, seal, look=look)
        except StoreError:
            raise _unreadable() from None
        try:
            yield plan
        finally:
            await plan.stage.drop()

    async def _nothing(self, aim: Aim, plan: Plan) -> bool:
        if plan.away or plan.under_way:
            return False
        known = [each.row for each in aim.ended if each.row and each.row.state != "erased"]
        doubtful = plan.counts.get("doubtful")  # they may be meant, which can be answered
        found = plan.affected or plan.side_rows or known or aim.entity_ids or _kept(plan)
        return not (found or doubtful)

    async def _others(self, aim: Aim, plan: Plan) -> tuple[CandidateView, ...]:
        """Who may be meant where nothing was found for certain; they are told, never asked for."""
        counts = plan.counts
        if counts.get("found") or not counts.get("doubtful") or not aim.target.named:
            return ()
        return await of_longer_names(self._means, aim.tenant_id, aim.names, aim.target)

    async def _check_owners(self, aim: Aim) -> None:
        """Refuse owners that nobody is called; while a store is away that cannot be told."""
        if aim.target.owners in (None, ALL, NONE) or aim.candidates:
            return
        with suppress(StoreError):
            found = await despite(self._means, aim, self._owners)
            if found.unmet and not found.candidates and not found.away:
                raise _no_such_owner()

    async def _with_owners(self, aim: Aim) -> Aim:
        """The aim with the owners that go; where a name is ambiguous, that is asked first."""
        try:
            return await despite(self._means, aim, self._owners)
        except StoreError:
            raise _unreadable() from None

    async def _owners(self, aim: Aim) -> Aim:
        aim = await kinds_told_apart(self._means, aim)
        aim = aim if aim.candidates else await named_beside(self._means, aim)
        aim = aim if aim.candidates else await told_apart(self._means, aim)
        return aim if aim.candidates else await with_owners(self._means, aim)

    async def _ask_which(self, erasure: Erasure, aim: Aim, brief: Brief) -> ErasureView:
        listed = [{**each.body(), "hint": ""} for each in aim.candidates]
        row = await self._change(
            erasure, brief=brief, state="needs_clarification", candidates=listed
        )
        return view_of(row, candidates=aim.candidates)

    async def _ask_how(self, erasure: Erasure, brief: Brief, plan: Plan) -> ErasureView:
        row = await self._change(
            erasure, brief=brief, state="needs_clarification", counts=plan.counts,
            questions=[dict(each) for each in plan.questions],
        )  # fmt: skip
        return view_of(row, items=planning.samples(plan))

    async def _found_nothing(
        self, erasure: Erasure, aim: Aim, plan: Plan, brief: Brief | None = None
    ) -> ErasureView:
        """Say so plainly: where was looked, which earlier erasure dealt with it, what that left.

        Args:
            brief: to replace an earlier plan, which had found something.
        """
        found = await empty(self._means, aim, erasure, plan)
        row = await self._change(
            erasure,
            brief=brief,
            plan=plan,
            confirm_digest=None,
            event="erasure.nothing_found",
            state="complete" if found.clean else "incomplete",
            outcome=NOTHING,
            details={**erasure.details, "looked_at": plan.looked_at, **found.details()},
            layers=[view.body() for view in found.views],
            counts=plan.counts,
            candidates=[],
            questions=[],
            completed_at=self._means.clock.now() if found.clean else None,
        )
        return view_of(row)

    async def _planned(self, erasure: Erasure, aim: Aim, brief: Brief, plan: Plan) -> ErasureView:
        token = base64.b32encode(os.urandom(20)).decode().lower()
        now = self._means.clock.now()
        names = aim.names
        row = await self._change(
            erasure,
            brief=brief,
            plan=plan,
            event="erasure.planned",
            state="planned",
            plan_digest=plan.digest,
            policy_digest=self._means.policies(aim.tenant_id).digest,
            confirm_digest=token_digest(names, erasure.id, plan.digest, token),
            confirm_expires_at=now + TOKEN_LIFE,
            planned_at=now,
            counts=plan.counts,
            outcome=None,
            details={
                **erasure.details,
                **NO_EARLIER,
                "roles": plan.roles,
                "away": plan.away,
                planning.ITEMS: plan.size,
                **_left(aim),
                **_part(erasure, aim),
            },
            layers=[view.body() for view in plan.views],
            candidates=[],
            questions=[],
        )
        return replace(view_of(row, items=planning.samples(plan)), token=token)


def answer(
    erasure: Erasure, asked: Asked, entity_ids: Sequence[str], owners: Sequence[str],
    choices: Mapping[str, str] | None,
) -> Asked:  # fmt: skip
    """What is asked for once a question is answered.

    Raises:
        Problem: ``invalid-request`` for what was not asked about, or no action.
    """
    offered = {str(each["id"]): str(each["entity_type"]) for each in erasure.candidates}
    check_choices(choices)
    target = answered(asked.target, offered, entity_ids, owners)
    check(target)
    return Asked(target, asked.keep, {**(asked.choices or {}), **(choices or {})})


def _unreadable() -> Problem:
    return Problem(
        "upstream-unreachable", "The store could not be read to the end, so there is no plan."
    )


def _no_such_owner() -> Problem:
    return Problem(
        "invalid-request", "None of the owners holds the name as their id and is called so.",
        hint="Leave the owners out: those that may be meant are then asked about.",
    )  # fmt: skip


def _without_plan(erasure: Erasure, problem: Problem) -> Problem:
    """The same problem, with what the request is called and how to go on."""
    if problem.slug != "upstream-unreachable":
        return problem
    return Problem(
        problem.slug,
        f"The store could not be read to the end, so {erasure.reference} has no plan yet.",
        hint="Nothing was erased, the request is recorded. When the store answers: "
        f"'expunge erasure retry {erasure.reference}'.",
    )


def _left(aim: Aim) -> dict[str, bool]:
    """Who was asked about and not meant: owners whose id holds the name, others of the name."""
    if aim.target.bearers:
        return {"others_left": True}
    if aim.needles is None or not forgets_everywhere(aim.target):
        return {}
    return {"owners_left": bool(aim.spared) or aim.target.owners == NONE}


def _part(erasure: Erasure, aim: Aim) -> dict[str, Any]:
    """The part of a tenant that goes, with how many owners it has."""
    part = erasure.details.get("scope_path")
    return {"scope_path": {**part, "owners": len(aim.wholes)}} if part else {}


def _kept(plan: Plan) -> int:
    return plan.counts.get("to_hold", 0)


def token_digest(names: Any, erasure_id: str, plan_digest: str, token: str) -> bytes:
    """What is kept of a confirmation token: bound to the erasure and to the exact plan."""
    digest: bytes = names.of("confirmation", erasure_id, plan_digest, token)
    return digest
