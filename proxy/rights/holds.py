"""Legal holds and restrictions of processing (GDPR Art. 17(3), 18)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from policies.access import exception_allowed
from proxy import ids
from proxy.erasure.proof.recipients import owed
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Holder, Place, holder
from proxy.erasure.search.target import Actor
from proxy.erasure.service import ErasureService
from proxy.ledger import held, holds, memories, notifications, reach
from proxy.ledger.engine import Tx
from proxy.ledger.holds import Hold
from proxy.problems import Problem
from proxy.rights.covered import (
    Covered,
    erased_of,
    of_memory,
    of_owner,
    recorded,
    shown_at,
    shows,
)
from proxy.tokens.owners import checked, ensure

RESTRICTIONS = frozenset(
    {"accuracy_contested", "unlawful", "legal_claims", "objection_pending", "archived"}
)


_READABLE = ("live", "restricted")  # but for restrictions


@dataclass(frozen=True, slots=True)
class Keeping:
    """What keeps something.

    Args:
        code: of the exception or restriction, e.g. ``legal_claims``.
        review_at: when somebody looks again.
    """

    code: str
    review_at: datetime | None = None


class Holds:
    """Puts holds and restrictions on memories or owners, and lifts them."""

    def __init__(self, means: Means, erasure: ErasureService) -> None:
        self._means, self._erasure = means, erasure

    async def hold(
        self, tenant_id: str, *, actor: Actor, keeping: Keeping,
        memory_id: str | None = None, owner: tuple[str, str] | None = None,
    ) -> str:  # fmt: skip
        """Keep something despite erasure; gives the hold's id.

        Whom or what the ledger does not know, or knows to be erased, the stores are asked about:
        a restored backup may show it again.

        Args:
            keeping: its code must be one that the policy allows.
            memory_id: the store's id of one memory.
            owner: (kind, client's id); beside a memory, one whose memory it is.

        Raises:
            Problem: ``invalid-request`` for an unknown code or what is no owner id, ``not-found``,
                ``upstream-unreachable`` if a store has to be asked and cannot be.
        """
        policy = self._means.policies(tenant_id)
        if not exception_allowed(policy, keeping.code):
            raise Problem("invalid-request", "The policy knows no such exception.")
        return await self._put(tenant_id, "hold", actor, keeping, memory_id, owner)

    async def restrict(
        self, tenant_id: str, *, actor: Actor, keeping: Keeping,
        memory_id: str | None = None, owner: tuple[str, str] | None = None,
    ) -> str:  # fmt: skip
        """Keep something unreadable on every route (Art. 18); gives the restriction's id."""
        if keeping.code not in RESTRICTIONS:
            raise Problem("invalid-request", "There is no such ground of restriction.")
        return await self._put(tenant_id, "restriction", actor, keeping, memory_id, owner)

    async def lift(self, tenant_id: str, hold_id: str, *, actor: Actor) -> int:
        """Release a hold or restriction; gives how many deferred memories are now being erased.

        Raises:
            Problem: ``not-found``.
        """
        hold = await self._means.ledger.read(lambda tx: holds.get(tx, tenant_id, hold_id))
        if hold is None or hold.lifted_at is not None:
            raise Problem("not-found", "There is no such hold.")
        now = self._means.clock.now()

        async def unit(tx: Tx) -> None:
            await holds.lift(tx, tenant_id, hold_id, now)
            if hold.kind == "restriction":
                await self._rest(tx, tenant_id, hold)
            await self._audit(tx, tenant_id, f"{hold.kind}.lifted", hold.code, actor)

        await self._means.ledger.write(unit)
        return await self._erasure.resume_held(tenant_id) if hold.kind == "hold" else 0

    async def in_force(self, tenant_id: str) -> Sequence[Hold]:
        """All holds and restrictions."""

        async def load(tx: Tx) -> list[Hold]:
            listed = await holds.of_tenant(tx, tenant_id)
            return listed + await holds.of_tenant(tx, tenant_id, kind="restriction")

        return await self._means.ledger.read(load)

    async def covered(
        self, tenant_id: str, *, memory_id: str | None = None, owner: tuple[str, str] | None = None
    ) -> Covered:
        """What a hold or restriction of a memory, or of an owner, has hold of now, in counts."""
        if owner is None or memory_id is not None:
            return await of_memory(self._means, tenant_id, memory_id or "")
        return await of_owner(self._means, tenant_id, owner)

    async def _put(
        self, tenant_id: str, kind: str, actor: Actor, keeping: Keeping,
        memory_id: str | None, owner: tuple[str, str] | None,
    ) -> str:  # fmt: skip
        names = await self._means.keyring.tenant(tenant_id)
        row_id = place = None
        if memory_id is not None:
            row_id = await self._memory_row(tenant_id, memory_id, owner)
        elif owner is not None:
            place = await self._place(tenant_id, owner)
        made = Hold(
            ids.new("hld"), tenant_id, row_id, None, kind, keeping.code,
            actor.ref(names), self._means.clock.now(), keeping.review_at,
        )  # fmt: skip

        async def unit(tx: Tx) -> None:
            owner_id = (
                await self._owner_row(tx, tenant_id, place, owner) if place and owner else None
            )
            placed = replace(made, owner_id=owner_id)
            await holds.insert(tx, placed)
            if kind == "restriction":
                await self._rest(tx, tenant_id, placed)
                policy = self._means.policies(tenant_id)
                told = owed(policy, tenant_id, "restriction", None, made.created_at)
                await notifications.add(tx, told)
            await self._audit(tx, tenant_id, f"{kind}.placed", keeping.code, actor)

        await self._means.ledger.write(unit)
        return made.id

    async def _rest(self, tx: Tx, tenant_id: str, hold: Hold) -> None:
        """Hide or show what a restriction covers; what is held for review stays so."""
        if hold.memory_id:
            rows = await memories.present(tx, [hold.memory_id], _READABLE)
        else:
            rows = await memories.of_owners(tx, [hold.owner_id or ""], states=_READABLE)
        owned = await reach.owners(tx, [row.id for row in rows])
        states = await held.resting(tx, tenant_id, rows, owned)
        for state in _READABLE:
            await reach.move(tx, [row_id for row_id in states if states[row_id] == state], state)

    async def _memory_row(
        self, tenant_id: str, memory_id: str, owner: tuple[str, str] | None
    ) -> str:
        """The row of a memory that is there, also of one that was erased and came back."""
        found = await recorded(self._means, tenant_id, memory_id)
        if found is None or not await self._is_of(tenant_id, found.id, owner):
            raise Problem("not-found", "There is no such memory.")
        if found.state == "erased" and not await shows(self._means, found.upstream, memory_id):
            raise Problem("not-found", "There is no such memory: it is erased already.")
        return found.id

    async def _is_of(self, tenant_id: str, row_id: str, owner: tuple[str, str] | None) -> bool:
        if owner is None:
            return True
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, *owner)
        owned = await self._means.ledger.read(lambda tx: reach.owners(tx, [row_id]))
        return found.row is not None and found.row.id in owned.get(row_id, ())

    async def _place(self, tenant_id: str, owner: tuple[str, str]) -> Place:
        """Where an owner is kept whom the ledger knows, or else a store that shows something."""
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, *owner)
        if found.row is not None and found.row.state != "erased":
            return found.place(names, next(iter(self._means.stores.values())))
        checked(found.client_id, "/owner")  # a wildcard would show everybody's
        place = await shown_at(self._means, names, found)
        if place is None:
            raise await self._nothing(found)
        return place

    async def _nothing(self, found: Holder) -> Problem:
        row = found.row
        erased = 0 if row is None else await erased_of(self._means, row.id)
        more = f" any more; memories that are erased already: {erased}" if erased else ""
        return Problem("not-found", f"Nothing is kept under this owner{more}.")

    async def _owner_row(self, tx: Tx, tenant_id: str, place: Place, owner: tuple[str, str]) -> str:
        """The row of an owner; whom only a store knows gets one. An erased owner stays erased."""
        if place.row is not None:
            return place.row.id
        means = self._means
        names = await means.keyring.tenant(tenant_id, tx)
        made = await ensure(
            tx, means.keyring, means.clock, names, tenant_id, owner, place.upstream_id
        )
        return made.id

    async def _audit(self, tx: Tx, tenant_id: str, event: str, code: str, actor: Actor) -> None:
        names = await self._means.keyring.tenant(tenant_id, tx)
        who = actor.ref(names).hex()
        await self._means.audit.append(tx, tenant_id, event, {"code": code, "actor": who})
