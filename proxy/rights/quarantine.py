"""Quarantine: what a rule holds for review is looked at, let out once, or destroyed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from policies import Decision
from policies.access import quarantine_ends
from proxy.erasure.plans.planning import REWRITE
from proxy.erasure.requests.held import refuse_held
from proxy.erasure.search.find import open_rows
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView
from proxy.ledger import entities, held, holds, memories
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.rights.judging import Judged, Suspect, judge
from proxy.upstreams.errors import StoreError
from proxy.upstreams.store import Item

PAGE = 100
AT_WORK = "erasing"  # unreadable while its text is written anew


@dataclass(frozen=True, slots=True)
class Held:
    """A memory that waits for a review; no content.

    Args:
        subjects: row ids of its owners.
        rules: ids of the rules and checks that hold it.
        mentions: how many entities of each type it mentions.
        ends_at: when it is erased if nobody decides; None: never by itself.
    """

    memory: Memory
    subjects: tuple[str, ...]
    rules: tuple[str, ...]
    mentions: Mapping[str, int]
    ends_at: datetime | None

    def body(self) -> dict[str, Any]:
        """JSON form."""
        row = self.memory
        return {
            "id": row.id,
            "upstream": row.upstream,
            "subjects": list(self.subjects),
            "held_since": _iso(since(row)),
            "ends_at": _iso(self.ends_at),
            "rules": list(self.rules),
            "categories": list(row.categories),
            "entities": dict(self.mentions),
            "tier": row.tier,
            "expires_at": _iso(row.expires_at),
            "policy_digest": row.policy_digest,
        }


@dataclass(frozen=True, slots=True)
class Released:
    """What letting out came to.

    Args:
        state: of the memory now: live, or restricted.
        overridden: the active policy would have held it again.
        rewritten: reference of the erasure that replaced a text which the policy changes.
    """

    memory_id: str
    state: str
    overridden: bool
    rewritten: str | None = None

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {"id": self.memory_id} | {
            name: getattr(self, name) for name in ("state", "overridden", "rewritten")
        }


class Quarantine:
    """Reviews of what is held.

    Args:
        means: the erasure engine's collaborators.
        erasure: the door for what is discarded.
        suspect: how much a text looks like an order to the assistant.
    """

    def __init__(self, means: Means, erasure: ErasureService, suspect: Suspect) -> None:
        self._means, self._erasure, self._suspect = means, erasure, suspect

    async def listed(
        self, tenant_id: str, *, after: str = "", owner_id: str | None = None, limit: int = PAGE
    ) -> list[Held]:
        """What is held, oldest first.

        Args:
            after: row id of the last one seen.
            owner_id: row id of an owner: only theirs.
        """
        rows = await self._means.ledger.read(
            lambda tx: held.page(tx, tenant_id, after=after, owner_id=owner_id, limit=limit)
        )
        return await self._described(tenant_id, rows)

    async def show(self, tenant_id: str, memory: Memory) -> tuple[Held, Judged]:
        """One of them, and what the active policy makes of it now.

        Raises:
            Problem: ``invalid-state`` if it is not held, ``not-found`` if the store has lost it,
                ``upstream-unreachable``.
        """
        item = await self._item(tenant_id, memory)
        (one,) = await self._described(tenant_id, [memory])
        return one, await judge(self._means, tenant_id, memory, item, self._suspect)

    async def noted(self, tenant_id: str, memory: Memory, *, actor: Actor) -> None:
        """Put into the audit log that somebody was shown its text."""
        await self._note(tenant_id, "quarantine.read", memory, actor, {})

    async def release(
        self, tenant_id: str, memory: Memory, *, actor: Actor, confirmed: bool = False
    ) -> Released:
        """Let it out, decided anew by the active policy; what is restricted stays unreadable.

        It keeps its period, or gets the shorter one that the policy gives it now.

        Args:
            confirmed: somebody lets out what the policy would hold again.

        Raises:
            Problem: ``confirmation-required`` if the policy would hold it again and nobody
                confirmed, ``write-rejected`` if it would refuse it, ``held`` if its text would be
                replaced and a legal hold keeps it, and as ``show``.
        """
        item = await self._item(tenant_id, memory)
        judged = await judge(self._means, tenant_id, memory, item, self._suspect)
        _check(judged.decision, confirmed=confirmed)
        if judged.becomes is not None:
            await self._check_held(tenant_id, memory, item)
        renewed = replace(
            memory,
            categories=tuple(sorted({*memory.categories, *judged.decision.categories})),
            expires_at=_earlier(memory.expires_at, judged.decision.expires_at),
        )
        done = await self._let_out(tenant_id, renewed, judged, actor)
        if judged.becomes is None:
            return done
        return replace(
            done, rewritten=await self._rewrite(tenant_id, memory, item, judged.becomes, actor)
        )

    async def discard(self, tenant_id: str, memory: Memory, *, actor: Actor) -> ErasureView:
        """Erase it in every layer of its store, with a certificate.

        Raises:
            Problem: ``invalid-state`` if it is not held, ``held`` if a hold or a restriction
                keeps it.
        """
        memory_id = await self._store_id(tenant_id, memory)
        if await self._means.ledger.read(lambda tx: _is_kept(tx, tenant_id, memory)):
            raise Problem("held", "A hold or a restriction keeps it.")
        view = await self._forget(tenant_id, memory, memory_id, "quarantine", actor)
        fields = {"rules": list(held.holding(memory.tags)), "reference": view.reference}
        await self._note(tenant_id, "quarantine.discarded", memory, actor, fields)
        return view

    async def _described(self, tenant_id: str, rows: Sequence[Memory]) -> list[Held]:
        policy, row_ids = self._means.policies(tenant_id), [row.id for row in rows]

        async def load(tx: Tx) -> tuple[dict[str, list[str]], dict[str, Counter[str]]]:
            linked = await memories.entities_of(tx, row_ids)
            every = [each for ids in linked.values() for each in ids]
            known = await entities.by_id(tx, tenant_id, every)
            counts = {
                row_id: Counter(known[each].entity_type for each in ids if each in known)
                for row_id, ids in linked.items()
            }
            return await memories.owners_of(tx, row_ids), counts

        owned, mentions = await self._means.ledger.read(load)
        return [
            Held(
                row,
                tuple(sorted(owned.get(row.id, ()))),
                held.holding(row.tags),
                mentions.get(row.id, {}),
                quarantine_ends(policy, since(row)),
            )
            for row in rows
        ]

    async def _item(self, tenant_id: str, memory: Memory) -> Item:
        memory_id = await self._store_id(tenant_id, memory)
        store = self._means.stores.get(memory.upstream)
        try:
            item = await store.get(memory_id) if store else None
        except StoreError:
            raise Problem("upstream-unreachable", "The store does not show the memory.") from None
        if item is None:
            raise Problem(
                "not-found", "The store does not have it any more.",
                hint="'expunge quarantine discard' takes it out of the ledger.",
            )  # fmt: skip
        return item

    async def _store_id(self, tenant_id: str, memory: Memory) -> str:
        if memory.state != held.STATE:
            raise Problem("invalid-state", "It is not held for review.")
        opened = await self._means.ledger.read(
            lambda tx: open_rows(tx, self._means, tenant_id, [memory])
        )
        if not opened:
            raise Problem("not-found", "There is no such memory.")
        return opened[0].memory_id

    async def _check_held(self, tenant_id: str, memory: Memory, item: Item) -> None:
        means, store = self._means, self._means.stores[memory.upstream]
        names = await means.keyring.tenant(tenant_id)
        await refuse_held(means.ledger, tenant_id, names, store, {memory.id: item.memory_id})

    async def _let_out(
        self, tenant_id: str, memory: Memory, judged: Judged, actor: Actor
    ) -> Released:
        """Change its state once, with the entry in the audit log."""
        overridden = judged.decision.outcome != "allow"
        fields = {
            "rules": list(held.holding(memory.tags)),
            "overridden": overridden,
            "policy_digest": self._means.policies(tenant_id).digest,
        }

        async def unit(tx: Tx) -> str:
            owned = await memories.owners_of(tx, [memory.id])
            freed = replace(memory, state="", tags=held.unmarked(memory.tags))
            state = (await held.resting(tx, tenant_id, [freed], owned))[memory.id]
            first = state if judged.becomes is None else AT_WORK
            if not await held.release(tx, memory, first):
                raise Problem("invalid-state", "It was decided on meanwhile.")
            await self._append(tx, tenant_id, "quarantine.released", memory, actor, fields)
            return state

        return Released(memory.id, await self._means.ledger.write(unit), overridden)

    async def _rewrite(
        self, tenant_id: str, memory: Memory, item: Item, text: str, actor: Actor
    ) -> str | None:
        """Replace its text by what the policy lets be kept; if that fails, it is held again."""
        try:
            view = await self._forget(
                tenant_id, memory, item.memory_id, "rectification", actor,
                choices={"include": "direct", REWRITE: text},
            )  # fmt: skip
        except (Problem, StoreError):
            await self._means.ledger.write(
                lambda tx: memories.change(tx, memory.id, state=held.STATE, tags=memory.tags)
            )
            raise Problem("upstream-unreachable", "The text could not be replaced.") from None
        return view.reference

    async def _forget(
        self, tenant_id: str, memory: Memory, memory_id: str, reason: str, actor: Actor,
        **request: Any,
    ) -> ErasureView:  # fmt: skip
        target = Target(kind="memory", values=(memory_id,), upstream=memory.upstream)
        return await self._erasure.forget(
            tenant_id, target, actor=actor, origin="client", reason=reason, **request
        )

    async def _note(
        self, tenant_id: str, event: str, memory: Memory, actor: Actor, fields: Mapping[str, Any]
    ) -> None:
        await self._means.ledger.write(
            lambda tx: self._append(tx, tenant_id, event, memory, actor, fields)
        )

    async def _append(
        self, tx: Tx, tenant_id: str, event: str, memory: Memory, actor: Actor,
        fields: Mapping[str, Any],
    ) -> None:  # fmt: skip
        names = await self._means.keyring.tenant(tenant_id, tx)
        who = actor.ref(names).hex()
        entry = {"memory": memory.id, "actor": who, **fields}
        await self._means.audit.append(tx, tenant_id, event, entry)


def since(memory: Memory) -> datetime:
    """Since when a memory is held."""
    return memory.updated_at or memory.created_at


def _check(decision: Decision, *, confirmed: bool) -> None:
    if decision.outcome == "reject":
        raise Problem(
            "write-rejected", "The active policy refuses it.", rules=decision.refused_by,
            hint="Discard it, or change the policy and release it then.",
        )  # fmt: skip
    if decision.outcome != "allow" and not confirmed:
        raise Problem(
            "confirmation-required", "The active policy would hold it again.",
            rules=decision.held_by,
            hint="Read it, and repeat with confirm: confirmed (--confirm confirmed).",
        )  # fmt: skip


async def _is_kept(tx: Tx, tenant_id: str, memory: Memory) -> bool:
    owned = await memories.owners_of(tx, [memory.id])
    ids = owned.get(memory.id, [])
    found = [
        await holds.in_force(tx, tenant_id, memory_ids=[memory.id], owner_ids=ids, kind=kind)
        for kind in ("hold", "restriction")
    ]
    return any(found)


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((at for at in (one, other) if at is not None), default=None)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None
