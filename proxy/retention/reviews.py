"""Reviews: a data subject is shown what is remembered, by counts, and decides what stays.

One that somebody requested is about all of an owner's memories and is answered once. One that the
sweeper opened asks about what ends soon, and stays open until nothing is left to ask about.
"""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from policies import Policy
from policies.prompts import again, comes, silence_keeps_after
from proxy import ids
from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.ledger import owners, prompts, reach
from proxy.ledger import reviews as rows
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.ledger.reviews import EXPIRING, Review
from proxy.problems import Problem
from proxy.retention.asked import Asked, asked
from proxy.rights import ends

OLD = timedelta(days=90)
SOON = timedelta(days=7)
ANSWER_WITHIN = timedelta(days=30)
CHUNK = 200
ACTIONS = ("keep_all", "delete", "extend", "apply_defaults", "individual")


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer did.

    Args:
        kept: memories that were meant and are still there.
        changed: those of them that have a later end now.
        ending: those of them that the policy lets nobody keep longer; they end when they would.
    """

    review_id: str
    action: str
    kept: int = 0
    deleted: int = 0
    changed: int = 0
    ending: int = 0

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

    async def listed(
        self,
        tenant_id: str,
        *,
        state: str | None = None,
        owner_id: str | None = None,
        before: str | None = None,
    ) -> Sequence[Review]:
        """A page of reviews, newest first.

        Args:
            owner_id: only this owner's.
            before: go on after this one.
        """
        return await self._means.ledger.read(
            lambda tx: rows.of_tenant(
                tx, tenant_id, state=state, owner_id=owner_id, before=before, limit=CHUNK
            )
        )

    async def asked(self, tenant_id: str, review_id: str) -> Asked:
        """What a review asks about now; raises ``not-found``."""
        review = await self._get(tenant_id, review_id)
        found = await self._concerned(review) if review.reason == EXPIRING else []
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, tenant_id, found)
        )
        return asked(self._means.policies(tenant_id), review, opened)

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
        """Carry out an answer: once, or about what ends soon until nothing is left to ask about.

        Args:
            action: ``keep_all`` keeps what is asked about for its period once more, within the
                policy's bound; ``delete`` deletes it, or of a requested review the old ones, or
                those of ``categories``; ``individual`` deletes ``memory_ids``; ``extend`` moves
                the end to ``until``; ``apply_defaults`` deletes what is past its period.
            categories: limits ``keep_all``, ``delete`` and ``extend``.
            until: an instant within the policy's bound.

        Raises:
            Problem: ``not-found``, ``invalid-state`` if it was answered, ``invalid-request``, also
                where nothing of the owner's is meant; the review stays open then.
        """
        if action not in ACTIONS:
            raise Problem("invalid-request", f"One of {', '.join(ACTIONS)}.")
        review = await self._get(tenant_id, review_id)
        if review.state != "open":
            raise Problem("invalid-state", "It was answered already.")
        kept = await self._concerned(review)
        wanted = [m for m in kept if not categories or not set(categories).isdisjoint(m.categories)]
        if categories and not wanted:
            raise Problem("invalid-request", "It is about no memory of such a category.")
        if action == "delete" and not categories and review.reason != EXPIRING:
            now = self._means.clock.now()
            wanted = [m for m in kept if now - m.created_at >= OLD]
        done = await self._act(review, action, kept, wanted, memory_ids, until, actor)
        await self._close(review, done, actor)
        return done

    async def _get(self, tenant_id: str, review_id: str) -> Review:
        review = await self._means.ledger.read(lambda tx: rows.get(tx, tenant_id, review_id))
        if review is None or review.owner_id is None:
            raise Problem("not-found", "There is no such review.")
        return review

    async def _concerned(self, review: Review) -> Sequence[Memory]:
        """All of the owner's, or what is still asked about."""
        owner_id = review.owner_id or ""
        if review.reason != EXPIRING:
            return await self._means.ledger.read(lambda tx: reach.of_owner(tx, owner_id))
        return await self._means.ledger.read(self._left(review))

    def _left(self, review: Review) -> Callable[[Tx], Awaitable[list[Memory]]]:
        ended = silence_keeps_after(self._means.policies(review.tenant_id), self._means.clock.now())
        return partial(prompts.asked, review=review, ending_after=ended)

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
                return await self._keep(review, wanted)
            case "extend":
                await self._extend(review, wanted, until)
                return Answered(review.id, action, kept=len(wanted), changed=len(wanted))
            case "individual":
                doomed = await self._chosen(review, kept, memory_ids)
            case "apply_defaults":
                doomed = [m for m in kept if m.expires_at is not None and m.expires_at <= now]
            case _:
                doomed = list(wanted)
        deleted = await self._delete(review, doomed, actor)
        return Answered(review.id, action, kept=len(kept) - deleted, deleted=deleted)

    async def _keep(self, review: Review, wanted: Sequence[Memory]) -> Answered:
        """For what is asked about its period once more, or less where the bound comes before."""
        means, now = self._means, self._means.clock.now()
        policy = means.policies(review.tenant_id)
        due = [m for m in wanted if review.reason == EXPIRING or _is_asked(policy, m, now)]
        grounds = await ends.grounds_of(means, review.tenant_id, due)
        kept = ends.kept_again(policy, grounds, now)
        later = {m.id: kept[m.id] for m in due if _is_later(kept[m.id].at, m.expires_at)}
        await self._settle(
            {m.id: _end(m.expires_at, None, now) for m in due if m.id not in later}
            | {row_id: _end(end.at, end.prompt_at, now) for row_id, end in later.items()}
        )
        return Answered(review.id, "keep_all", len(wanted), 0, len(later), len(due) - len(later))

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
        now, policy = self._means.clock.now(), self._means.policies(review.tenant_id)
        if until is None or until <= now:
            raise Problem("invalid-request", "Give 'until', an instant to come.")
        grounds = await ends.grounds_of(self._means, review.tenant_id, wanted)
        if ends.beyond_bound(policy, grounds, until):
            raise Problem("invalid-request", "It is beyond the policy's bound.")
        await self._settle(
            {m.id: _end(until, again(policy, m.tier, now, until), now) for m in wanted}
        )

    async def _settle(self, fields: Mapping[str, Mapping[str, Any]]) -> None:
        """Set the same columns of many memories with few statements, in bounded transactions."""
        groups: dict[tuple[tuple[str, Any], ...], list[str]] = defaultdict(list)
        for row_id, values in fields.items():
            groups[tuple(values.items())].append(row_id)
        for same, row_ids in groups.items():
            for part in reach.chunks(row_ids):
                unit = partial(reach.set_fields, memory_ids=part, fields=dict(same))
                await self._means.ledger.write(unit)

    async def _delete(self, review: Review, doomed: Sequence[Memory], actor: Actor) -> int:
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, review.tenant_id, doomed)
        )
        deleted = 0
        for upstream in {one.upstream for one in opened}:
            values = [one.memory_id for one in opened if one.upstream == upstream]
            for part in reach.chunks(values, CHUNK):
                view = await self._erasure.forget(
                    review.tenant_id,
                    Target(kind="memory", values=tuple(part), upstream=upstream),
                    actor=actor, origin="client", reason="review",
                )  # fmt: skip
                deleted += view.deleted
        now = self._means.clock.now()  # nobody is asked again about what a hold keeps
        await self._settle({m.id: {"prompt_at": None, "asked_at": now} for m in doomed})
        return deleted

    async def _close(self, review: Review, done: Answered, actor: Actor) -> None:
        """Record the answer; what ends soon is asked about until nothing of it is left."""
        now, asks = self._means.clock.now(), review.reason == EXPIRING

        async def unit(tx: Tx) -> None:
            await owners.lock(tx, [review.owner_id or ""])
            if not (asks and await self._left(review)(tx)):
                current = await rows.get(tx, review.tenant_id, review.id) or review
                told = {**current.summary, "answer": done.body()}
                closed = await rows.close(tx, review.id, "answered", now, told)
                if not (closed or asks):
                    raise Problem("invalid-state", "It was answered meanwhile.")
            names = await self._means.keyring.tenant(review.tenant_id, tx)
            fields = {"review": review.id, "action": done.action, "deleted": done.deleted,
                      "changed": done.changed, "actor": actor.ref(names).hex()}  # fmt: skip
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


def _is_asked(policy: Policy, memory: Memory, now: datetime) -> bool:
    end, since = memory.expires_at, memory.created_at
    at = comes(policy, memory.tier, memory.prompt_at, end, since)
    return at is not None and at <= now and not memory.pinned


def _is_later(end: datetime | None, than: datetime | None) -> bool:
    return end is None or (than is not None and end > than)


def _end(at: datetime | None, prompt_at: datetime | None, now: datetime) -> dict[str, Any]:
    """An end that was decided on; before ``prompt_at`` nobody is asked about it again."""
    return {"expires_at": at, "prompt_at": prompt_at, "asked_at": now}
