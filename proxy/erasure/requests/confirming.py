"""Confirming exactly the plan that was shown."""

import hmac
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proxy import ids
from proxy.erasure.plans.brief import Brief, unseal
from proxy.erasure.requests.facts import check_codes
from proxy.erasure.requests.intake import Requests, token_digest
from proxy.erasure.requests.records import view_of
from proxy.erasure.requests.requester import (
    ASKED_FOR,
    check_identified,
    identified,
    requester,
)
from proxy.erasure.search.away import unread
from proxy.erasure.search.resolve import resolve
from proxy.erasure.search.target import Actor
from proxy.erasure.view import ErasureView
from proxy.ledger import erasures, jobs
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import ACTIVE, Erasure
from proxy.ledger.jobs import Job
from proxy.problems import Problem

WORD = "confirmed"
HUMANS = frozenset({"operator", "privacy"})


class Confirmations(Requests):
    """Checks a confirmation and queues the job."""

    async def confirm(
        self,
        tenant_id: str,
        erasure_id: str,
        *,
        word: str,
        token: str | None,
        actor: Actor,
        unseen: bool = False,
        identity: Mapping[str, Any] | None = None,
    ) -> ErasureView:
        """Confirm exactly the plan that was shown; it is then carried out by a worker.

        Args:
            unseen: nobody was shown the plan, so what has come since is meant as well: else a
                store into which somebody writes without end could never be confirmed.
            identity: how the requester was identified since; see ``requester``.

        Raises:
            Problem: ``confirmation-invalid`` unless the word is ``confirmed`` and the token is the
                plan's; ``confirmation-expired``; ``plan-changed`` if it would now do else;
                ``subject-locked`` while another erasure of the same target runs; ``forbidden``;
                ``identification-required``;
                ``invalid-request`` for an identity that says nothing.
        """
        check_codes(None, None, {"identity": identity})
        erasure = await self._planned_one(tenant_id, erasure_id)
        if word != WORD or not isinstance(word, str):
            raise Problem("confirmation-invalid", "The word is 'confirmed'.")
        await self._check_token(erasure, token)
        self._check_actor(erasure, actor)
        erasure = await self._identified(erasure, identity, actor)
        check_identified(self._means.policies(tenant_id), erasure)
        done = await self._check_plan(erasure, unseen=unseen)
        told = {"details": dict(erasure.details)} if identity else {}
        return done or await self._confirmed(erasure, actor, **told)

    async def _identified(
        self, erasure: Erasure, said: Mapping[str, Any] | None, actor: Actor
    ) -> Erasure:
        """The erasure with how its requester was identified; recorded when it is confirmed."""
        if said is None:
            return erasure
        names = await self._means.keyring.tenant(erasure.tenant_id)
        known = identified(said, names, actor, self._means.clock.now())
        details = {name: fact for name, fact in erasure.details.items() if name != "awaiting"}
        return replace(erasure, details={**details, "identity": known})

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
        digest = token_digest(names, erasure.id, erasure.plan_digest or "", token or "")
        if not hmac.compare_digest(digest, erasure.confirm_digest or b""):
            raise Problem("confirmation-invalid", "The token is not this plan's.")
        if self._means.clock.now() >= (erasure.confirm_expires_at or erasure.received_at):
            raise Problem("confirmation-expired", "The token is older than an hour.")

    def _check_actor(self, erasure: Erasure, actor: Actor) -> None:
        if erasure.origin == "agent" and actor.role not in HUMANS:
            raise Problem("forbidden", "What an agent asked for is confirmed by an operator.")
        policy = self._means.policies(erasure.tenant_id)
        if erasure.counts.get("found", 0) > policy.erasure.max_items and actor.role not in HUMANS:
            raise Problem("forbidden", "A plan of this size needs an operator.")

    async def _check_plan(self, erasure: Erasure, *, unseen: bool) -> ErasureView | None:
        """Compare with what is there now; where another erasure took all of it, end with that."""
        brief = await unseal(self._means, erasure)
        aim = await resolve(self._means, erasure.tenant_id, brief.asked, origin=erasure.origin)
        aim = replace(aim, away=unread(erasure))  # it is read once the rest is confirmed
        aim = await self._with_owners(aim)
        async with self._made(aim, erasure) as plan:
            if await self._nothing(aim, plan):
                return await self._found_nothing(erasure, aim, plan, Brief.of(aim, brief.key))
            confirmed = unseen or await plan.within(self._means, erasure.id)
        if not confirmed:
            await self._change(erasure, confirm_digest=None)
            raise Problem(
                "plan-changed", "It would now do something else than was shown.",
                hint="Ask for a new plan and its token: "
                f"'expunge erasure retry {erasure.reference}'.",
            )  # fmt: skip
        return None

    async def _confirmed(
        self, erasure: Erasure, actor: Actor | None = None, **more: Any
    ) -> ErasureView:
        now = self._means.clock.now()
        grace = self._means.policies(erasure.tenant_id).erasure.grace
        execute_at = grace.after(now) if erasure.origin in ASKED_FOR else now
        job = Job(
            ids.new("job"), erasure.tenant_id, erasure.id, 1, "ready", None, None, 0, 0,
            execute_at, now,
        )  # fmt: skip
        fields: dict[str, Any] = {
            "state": "confirmed", "confirmed_at": now, "execute_at": execute_at,
            "confirm_digest": None, **more,
        }  # fmt: skip

        async def unit(tx: Tx) -> None:
            if await self._twins(tx, erasure):
                raise Problem("subject-locked", "An erasure of the same target is running.")
            if not await erasures.move(tx, erasure.id, allowed=("planned",), **fields):
                raise Problem("invalid-state", "It was confirmed or closed meanwhile.")
            await jobs.create(tx, job)
            await erasures.hide(tx, erasure.id)
            told = {"plan": erasure.plan_digest, **requester(erasure)}
            await self._audit(tx, erasure, "erasure.confirmed", told, actor)

        await self._means.ledger.write(unit)
        return view_of(replace(erasure, **fields))

    async def _twins(self, tx: Tx, erasure: Erasure) -> list[Erasure]:
        """Others of the same target that are being carried out."""
        running = await erasures.of_target(tx, erasure.tenant_id, erasure.target_ref or b"", ACTIVE)
        return [each for each in running if each.id != erasure.id]
