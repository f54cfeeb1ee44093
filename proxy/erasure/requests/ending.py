"""Ending an erasure otherwise than by deleting: cancelled, refused, extended."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from proxy.erasure.requests.deadlines import due
from proxy.erasure.requests.facts import check_codes, check_extension, check_ground
from proxy.erasure.requests.records import Records, still_open
from proxy.erasure.search.target import Actor
from proxy.erasure.view import ErasureView
from proxy.ledger import erasures, held, reach
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem

CLOSED = frozenset({"complete", "cancelled", "refused"})


class Endings(Records):
    """Ends requests, or moves their deadline."""

    async def cancel(self, tenant_id: str, erasure_id: str, *, actor: Actor) -> ErasureView:
        """Withdraw a request, also within its grace window: what was hidden is readable again.

        Raises:
            Problem: ``invalid-state`` once deleting has begun.
        """
        erasure = await self._get(tenant_id, erasure_id)

        async def unit(tx: Tx) -> None:
            allowed = (*still_open(erasure), "confirmed")
            if not await erasures.move(tx, erasure.id, allowed=allowed, state="cancelled"):
                raise await self._too_late(tx, erasure)
            items = await erasures.items(tx, erasure.id, states=("planned", erasures.WAITING))
            await unhide(tx, tenant_id, [item.memory_id for item in items])
            await self._closed(tx, erasure, "erasure.cancelled", {"role": actor.role}, actor)

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def refuse(
        self, tenant_id: str, erasure_id: str, *, reason: str, actor: Actor
    ) -> ErasureView:
        """Refuse a request on a ground, e.g. ``gdpr.17.3.e_legal_claims``; nothing is deleted.

        Raises:
            Problem: ``invalid-request`` for a ground that the policy does not know,
                ``not-found``, ``invalid-state``.
        """
        check_codes(reason, None, None)
        check_ground(self._means.policies(tenant_id), reason)
        erasure = await self._get(tenant_id, erasure_id)

        async def unit(tx: Tx) -> None:
            if not await erasures.move(
                tx, erasure.id, allowed=still_open(erasure), state="refused", outcome="refused",
                reason=reason,
            ):  # fmt: skip
                raise await self._too_late(tx, erasure)
            await self._closed(tx, erasure, "erasure.refused", {"code": reason}, actor)

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def extend(
        self, tenant_id: str, erasure_id: str, *, reason: str, actor: Actor
    ) -> ErasureView:
        """Extend the deadline once, as far as the regime allows.

        Args:
            reason: ``complexity`` or ``number_of_requests``; a prefix may stand before it.

        Raises:
            Problem: ``invalid-request`` for another ground; ``not-found``; ``invalid-state`` if it
                is closed, or was extended before.
        """
        check_codes(reason, None, None)
        check_extension(reason)
        erasure = await self._get(tenant_id, erasure_id)
        if erasure.state in CLOSED:
            raise Problem("invalid-state", "It is closed already: nothing is due any more.")
        regime = str(erasure.details.get("regime"))
        new_due = due(regime, erasure.received_at, extended=True)
        if erasure.extended_at or new_due <= erasure.due_at:
            raise Problem("invalid-state", "The deadline cannot be extended (again).")
        fields = {"due_at": new_due, "extended_at": self._means.clock.now()}

        async def unit(tx: Tx) -> None:
            await erasures.change(tx, erasure.id, **fields)
            told = {"code": reason}
            await self._audit(tx, erasure, "erasure.deadline_extended", told, actor)

        await self._means.ledger.write(unit)
        return await self.get(tenant_id, erasure.id)

    async def _closed(
        self, tx: Tx, erasure: Erasure, event: str, fields: Mapping[str, Any], actor: Actor
    ) -> None:
        """Forget the request itself: its key dies with it."""
        await erasures.drop_items(tx, erasure.id)
        await erasures.change(tx, erasure.id, sealed_request=None, confirm_digest=None)
        if erasure.dek_id:
            await self._means.keyring.discard(tx, [erasure.dek_id])
        await self._audit(tx, erasure, event, fields, actor)


async def unhide(tx: Tx, tenant_id: str, row_ids: Iterable[str | None]) -> None:
    """Make what an erasure no longer concerns readable.

    Not what is held for review or restricted, nor what another erasure under way concerns.
    """
    listed = [each for each in row_ids if each]
    others = await erasures.awaited(tx, listed)
    rows = await reach.present(tx, [each for each in listed if each not in others])
    owners = await reach.owners(tx, [row.id for row in rows])
    rests: dict[str, list[str]] = defaultdict(list)
    for row_id, state in (await held.resting(tx, tenant_id, rows, owners)).items():
        rests[state].append(row_id)
    for state, row_ids in rests.items():
        await reach.move(tx, row_ids, state)
