"""What every part of the service does with an erasure: load it, change it, log it, show it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proxy.erasure.plans.brief import Brief, seal
from proxy.erasure.plans.planning import Plan
from proxy.erasure.requests.earlier import is_empty
from proxy.erasure.requests.requester import awaited, requester
from proxy.erasure.search.layers import load as load_layers
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor
from proxy.erasure.view import CandidateView, ErasureView
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem

OPEN = ("received", "needs_clarification", "planned")

_BEGUN = "Deleting has begun; what is deleted cannot be brought back."
_STANDS = {
    "confirmed": "It is confirmed already; until deleting begins it can be cancelled.",
    "executing": _BEGUN,
    "verifying": _BEGUN,
    "incomplete": f"{_BEGUN} What is left can be erased with a retry.",
    "held": f"{_BEGUN} What a hold keeps goes when the hold is released.",
    "complete": "It is complete; what is deleted cannot be brought back.",
    "cancelled": "It was cancelled; nothing was deleted. Ask for a new one.",
    "refused": "It was refused; nothing was deleted. Ask for a new one.",
}


_CLOSED = "It was closed with something left. Ask for a new one, of the same target."


def still_open(erasure: Erasure) -> tuple[str, ...]:
    """States from which it can be planned, or ended without deleting."""
    return (*OPEN, erasure.state) if is_empty(erasure) else OPEN


def wrong_state(state: str, outcome: str | None = None) -> Problem:
    """Why what was asked for is not possible in this state of an erasure, and what is."""
    hint = f"Its state is '{state}'."
    if (state, outcome) == ("cancelled", "incomplete"):
        return Problem("invalid-state", _CLOSED, hint=hint)
    return Problem("invalid-state", _STANDS.get(state, "It is not there yet."), hint=hint)


class Records:
    """Rows of erasures, on one set of collaborators."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def get(self, tenant_id: str, erasure_id: str) -> ErasureView:
        """Where an erasure stands, by id or reference; raises ``not-found``."""
        return view_of(await self._get(tenant_id, erasure_id))

    async def _get(self, tenant_id: str, key: str) -> Erasure:
        found = await self._means.ledger.read(lambda tx: erasures.get(tx, tenant_id, key))
        if found is None:
            raise Problem("not-found", "There is no such erasure.")
        return found

    async def _too_late(self, tx: Tx, erasure: Erasure) -> Problem:
        """Why it could not be moved, by the state that it has by now."""
        now = await erasures.get(tx, erasure.tenant_id, erasure.id)
        stands = now or erasure
        return wrong_state(stands.state, stands.outcome)

    async def _open(self, tenant_id: str, erasure_id: str) -> Erasure:
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state not in still_open(erasure):
            raise wrong_state(erasure.state, erasure.outcome)
        return erasure

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
            if not await erasures.move(tx, erasure.id, allowed=still_open(erasure), **fields):
                raise await self._too_late(tx, erasure)
            if plan is not None and brief is not None:
                await plan.record(tx, erasure.id, brief.key)
            if event is not None:
                await self._audit(tx, erasure, event, {"items": plan.affected if plan else 0})
            return replace(erasure, **fields)

        return await self._means.ledger.write(unit)

    async def _audit(
        self, tx: Tx, erasure: Erasure, event: str, fields: Mapping[str, Any],
        actor: Actor | None = None,
    ) -> str:  # fmt: skip
        """Append to the log; ``actor``: who acts now, if not the requester."""
        who = erasure.actor
        if actor is not None:
            names = await self._means.keyring.tenant(erasure.tenant_id, tx)
            who = actor.ref(names)
        told = {
            "erasure": erasure.id, "reference": erasure.reference, "origin": erasure.origin,
            "actor": who.hex(), **fields,
        }  # fmt: skip
        return await self._means.audit.append(tx, erasure.tenant_id, event, told)


def view_of(
    row: Erasure,
    *,
    candidates: Sequence[CandidateView] | None = None,
    items: Sequence[Mapping[str, Any]] = (),
) -> ErasureView:
    """The view of a row.

    Args:
        candidates: with hints, which the row does not keep.
        items: samples in clear, which no row keeps.
    """
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
        **requester(row),
        awaiting=awaited(row),
        kept=row.details.get("keep"),
        scope_path=row.details.get("scope_path"),
        earlier=row.details.get("earlier"),
        earlier_state=row.details.get("earlier_state"),
        earlier_left=tuple(row.details.get("earlier_left") or ()),
        items=tuple(items),
        certificate_ready=row.certificate is not None,
    )
