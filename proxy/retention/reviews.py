"""Reviews: a data subject is shown what is remembered, by counts, and decides what stays."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from policies.durations import Duration, parse
from policies.preferences import granted
from proxy import ids
from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.ledger import reach
from proxy.ledger import reviews as rows
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.reviews import Review
from proxy.problems import Problem

OLD = timedelta(days=90)
SOON = timedelta(days=7)
ANSWER_WITHIN = timedelta(days=30)
CHUNK = 200
ACTIONS = ("keep_all", "delete", "extend", "apply_defaults", "individual")


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer did."""

    review_id: str
    action: str
    kept: int = 0
    deleted: int = 0
    changed: int = 0

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {name: getattr(self, name) for name in Answered.__slots__}


class Reviews:
    """Opens reviews and carries out what was answered."""

    def __init__(self, means: Means, erasure: ErasureService) -> None:
        self._means, self._erasure = means, erasure

    async def open(self, tenant_id: str, kind: str, owner: str) -> Review:
        """Open a review of an owner's memories; raises ``not-found``."""
        owner_id = await self._owner(tenant_id, kind, owner)
        now = self._means.clock.now()
        kept = await self._means.ledger.read(lambda tx: reach.of_owner(tx, owner_id))
        made = Review(
            ids.new("rev"), tenant_id, owner_id, "open", _summary(kept, now), now,
            now + ANSWER_WITHIN,
        )  # fmt: skip

        async def unit(tx: Tx) -> None:
            await rows.insert(tx, made)
            await self._means.audit.append(tx, tenant_id, "review.opened", {"review": made.id})

        await self._means.ledger.write(unit)
        return made

    async def listed(self, tenant_id: str, *, state: str | None = None) -> Sequence[Review]:
        """Reviews, newest first."""
        return await self._means.ledger.read(lambda tx: rows.of_tenant(tx, tenant_id, state=state))

    async def answer(
        self,
        tenant_id: str,
        review_id: str,
        action: str,
        *,
        actor: Actor,
        categories: Sequence[str] = (),
        memory_ids: Sequence[str] = (),
        until: datetime | None = None,
    ) -> Answered:
        """Carry out an answer once.

        Args:
            action: ``keep_all`` ends the prompts; ``delete`` deletes the old ones, or those of
                ``categories``; ``individual`` deletes ``memory_ids``; ``extend`` moves the end to
                ``until``; ``apply_defaults`` deletes what is past its period.
            categories: limits ``delete`` and ``extend``.
            until: an instant within the policy's bound.

        Raises:
            Problem: ``not-found``, ``invalid-state`` if it was answered, ``invalid-request``, also
                where nothing of the owner's is meant; the review stays open then.
        """
        if action not in ACTIONS:
            raise Problem("invalid-request", f"One of {', '.join(ACTIONS)}.")
        review = await self._means.ledger.read(lambda tx: rows.get(tx, tenant_id, review_id))
        if review is None or review.owner_id is None:
            raise Problem("not-found", "There is no such review.")
        if review.state != "open":
            raise Problem("invalid-state", "It was answered already.")
        owner_id = review.owner_id
        kept = await self._means.ledger.read(lambda tx: reach.of_owner(tx, owner_id))
        wanted = [m for m in kept if not categories or not set(categories).isdisjoint(m.categories)]
        if categories and not wanted:
            raise Problem("invalid-request", "No memory of this owner is of such a category.")
        if action == "delete" and not categories:
            now = self._means.clock.now()
            wanted = [m for m in kept if now - m.created_at >= OLD]
        done = await self._act(review, action, kept, wanted, memory_ids, until, actor)
        await self._close(review, done)
        return done

    async def _act(
        self,
        review: Review,
        action: str,
        kept: Sequence[Memory],
        wanted: Sequence[Memory],
        memory_ids: Sequence[str],
        until: datetime | None,
        actor: Actor,
    ) -> Answered:
        now = self._means.clock.now()
        match action:
            case "keep_all":
                await self._settle(kept, {"prompt_at": None})
                return Answered(review.id, action, kept=len(kept))
            case "extend":
                await self._extend(review, wanted, until)
                return Answered(review.id, action, changed=len(wanted))
            case "individual":
                doomed = await self._chosen(review, kept, memory_ids)
            case "apply_defaults":
                doomed = [m for m in kept if m.expires_at is not None and m.expires_at <= now]
            case _:
                doomed = list(wanted)
        deleted = await self._delete(review, doomed, actor)
        return Answered(review.id, action, kept=len(kept) - deleted, deleted=deleted)

    async def _chosen(
        self, review: Review, kept: Sequence[Memory], memory_ids: Sequence[str]
    ) -> list[Memory]:
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, review.tenant_id, kept)
        )
        found = {one.memory_id: one.row for one in opened if one.row}
        if not memory_ids or not found.keys() >= {*memory_ids}:
            raise Problem("invalid-request", "Name memories of this owner by the store's ids.")
        return [found[each] for each in dict.fromkeys(memory_ids)]

    async def _extend(
        self, review: Review, wanted: Sequence[Memory], until: datetime | None
    ) -> None:
        if until is None:
            raise Problem("invalid-request", "Give 'until'.")
        policy = self._means.policies(review.tenant_id)
        for memory in wanted:
            for category in memory.categories or (None,):
                if not granted(policy, category, _span(memory.created_at, until)):
                    raise Problem("invalid-request", "It is beyond the policy's bound.")
        await self._settle(wanted, {"expires_at": until, "prompt_at": None})

    async def _settle(self, chosen: Sequence[Memory], fields: dict[str, Any]) -> None:
        await self._means.ledger.write(
            lambda tx: reach.set_fields(tx, [memory.id for memory in chosen], fields)
        )

    async def _delete(self, review: Review, doomed: Sequence[Memory], actor: Actor) -> int:
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, review.tenant_id, doomed)
        )
        deleted = 0
        for upstream in {one.upstream for one in opened}:
            values = [one.memory_id for one in opened if one.upstream == upstream]
            for start in range(0, len(values), CHUNK):
                part = tuple(values[start : start + CHUNK])
                view = await self._erasure.forget(
                    review.tenant_id, Target(kind="memory", values=part, upstream=upstream),
                    actor=actor, origin="client", reason="review",
                )  # fmt: skip
                deleted += view.deleted
        return deleted

    async def _close(self, review: Review, done: Answered) -> None:
        now = self._means.clock.now()
        told = {**review.summary, "answer": done.body()}

        async def unit(tx: Tx) -> None:
            if not await rows.close(tx, review.id, "answered", now, told):
                raise Problem("invalid-state", "It was answered meanwhile.")
            fields = {"review": review.id, "action": done.action, "deleted": done.deleted}
            await self._means.audit.append(tx, review.tenant_id, "review.answered", fields)

        await self._means.ledger.write(unit)

    async def _owner(self, tenant_id: str, kind: str, owner: str) -> str:
        names = await self._means.keyring.tenant(tenant_id)
        found = await holder(self._means, tenant_id, names, kind, owner)
        if found.row is None or found.row.state == "erased":
            raise Problem("not-found", "There is no such owner.")
        return found.row.id


def _summary(kept: Sequence[Memory], now: datetime) -> dict[str, Any]:
    ends = [memory.expires_at for memory in kept if memory.expires_at]
    old = [memory for memory in kept if now - memory.created_at >= OLD]
    oldest = min((memory.created_at for memory in kept), default=None)
    return {
        "total": len(kept),
        "categories": dict(Counter(name for memory in kept for name in memory.categories)),
        "older_than_90_days": len(old),
        "old_by_category": dict(Counter(name for memory in old for name in memory.categories)),
        "oldest_days": (now - oldest).days if oldest else None,
        "expiring_within_7_days": sum(now <= end <= now + SOON for end in ends),
        "over_their_period": sum(end < now for end in ends),
    }


def _span(start: datetime, end: datetime) -> Duration:
    return parse(f"PT{max(1, int((end - start).total_seconds()))}S")
