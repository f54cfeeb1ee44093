"""Legal holds and restrictions of processing (GDPR Art. 17(3), 18)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from policies.access import exception_allowed
from proxy import ids
from proxy.erasure.proof.recipients import owed
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.erasure.search.target import Actor
from proxy.erasure.service import ErasureService
from proxy.ledger import held, holds, memories, notifications, reach
from proxy.ledger.engine import Tx
from proxy.ledger.holds import Hold
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.owners import ensure
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Store

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

        Args:
            keeping: its code must be one that the policy allows.
            memory_id: the store's id of one memory, or
            owner: (kind, client's id).

        Raises:
            Problem: ``invalid-request`` for an unknown code, ``not-found``.
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

    async def _put(
        self, tenant_id: str, kind: str, actor: Actor, keeping: Keeping,
        memory_id: str | None, owner: tuple[str, str] | None,
    ) -> str:  # fmt: skip
        names = await self._means.keyring.tenant(tenant_id)
        row_id = await self._memory_row(tenant_id, memory_id) if memory_id else None
        owner_id = await self.owner_row(tenant_id, owner) if owner else None
        if row_id is None and owner_id is None:
            raise Problem("not-found", "There is nothing of this id.")
        made = Hold(
            ids.new("hld"), tenant_id, row_id, owner_id, kind, keeping.code,
            names.of("actor", actor.role, actor.id), self._means.clock.now(), keeping.review_at,
        )  # fmt: skip

        async def unit(tx: Tx) -> None:
            await holds.insert(tx, made)
            if kind == "restriction":
                await self._rest(tx, tenant_id, made)
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

    async def _memory_row(self, tenant_id: str, memory_id: str) -> str | None:
        names = await self._means.keyring.tenant(tenant_id)

        async def load(tx: Tx) -> str | None:
            for upstream in self._means.stores:
                ref = memories.ref(names, upstream, memory_id)
                found = await reach.recorded(tx, tenant_id, upstream, [ref])
                if ref in found and found[ref].state != "erased":
                    return found[ref].id
            return None

        return await self._means.ledger.read(load)

    async def owner_row(self, tenant_id: str, owner: tuple[str, str]) -> str | None:
        """The owner's row; who is known to a store alone gets one, for the hold to stand under.

        Raises:
            Problem: ``upstream-unreachable`` if a store cannot be asked now.
        """
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, *owner)
        if found.row is not None:
            return found.row.id
        for store in self._means.stores.values():
            place = found.place(names, store)
            if await _has_any(store, place.scope):
                return await self._make_owner(tenant_id, names, owner, place.upstream_id)
        return None

    async def _make_owner(
        self, tenant_id: str, names: Pseudonyms, owner: tuple[str, str], upstream_id: str
    ) -> str:
        means = self._means

        async def unit(tx: Tx) -> str:
            made = await ensure(
                tx, means.keyring, means.clock, names, tenant_id, owner, upstream_id
            )
            return made.id

        return await means.ledger.write(unit)

    async def _audit(self, tx: Tx, tenant_id: str, event: str, code: str, actor: Actor) -> None:
        names = await self._means.keyring.tenant(tenant_id, tx)
        who = names.of("actor", actor.role, actor.id).hex()
        await self._means.audit.append(tx, tenant_id, event, {"code": code, "actor": who})


async def _has_any(store: Store, scope: Mapping[str, str]) -> bool:
    """Whether a store shows anything under an owner.

    Raises:
        Problem: ``upstream-unreachable`` if it cannot be asked now.
    """
    try:
        return await anext(store.crawl(scope), None) is not None
    except StoreError:
        raise Problem(
            "upstream-unreachable", "A store cannot be asked whether it knows them."
        ) from None
