"""Pins: one memory is kept as long as the policy lets a data subject keep it."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from policies import Context, Policy
from policies.retention import OWN, Expiry, expiry, marks
from proxy.erasure.search.means import Means
from proxy.erasure.search.target import Actor
from proxy.ledger import memories, provenance
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.problems import Problem
from proxy.rights.judging import origin_of
from proxy.rights.wishes import Wishes

PINNABLE = ("live", "quarantined", "restricted")


class Pins:
    """Pins memories, and lets them go again."""

    def __init__(self, means: Means) -> None:
        self._means, self._wishes = means, Wishes(means)

    async def pin(
        self, tenant_id: str, memory: Memory, *, actor: Actor, pinned: bool = True
    ) -> Memory:
        """Pin a memory, or end its pin; gives it with its new end.

        A pin reaches to the category's maximum and no further than the sources, the legal maximum,
        and the subject's own maximum unless the policy says that a pin goes before it. Without it
        the memory ends as the policy has it now. An erasure takes what is pinned like the rest.

        Raises:
            Problem: ``invalid-state`` while it is being erased.
        """
        end, tags = await self._end(tenant_id, memory, pinned=pinned)
        names = await self._means.keyring.tenant(tenant_id)
        entry = {"memory": memory.id, "actor": names.of("actor", actor.role, actor.id).hex()}
        event = "memory.pinned" if pinned else "memory.unpinned"
        fields: dict[str, Any] = {
            "pinned": pinned, "expires_at": end.at, "prompt_at": end.prompt_at, "tags": tags,
        }  # fmt: skip

        async def unit(tx: Tx) -> None:
            if not await memories.present(tx, [memory.id], PINNABLE):
                raise Problem("invalid-state", "It is being erased.")
            await memories.change(tx, memory.id, **fields)
            await provenance.spread(tx, tenant_id, [memory.id])
            await self._means.audit.append(tx, tenant_id, event, entry)

        await self._means.ledger.write(unit)
        return replace(memory, **fields)

    async def _end(
        self, tenant_id: str, memory: Memory, *, pinned: bool
    ) -> tuple[Expiry, tuple[str, ...]]:
        policy = self._means.policies(tenant_id)
        origin = await self._means.ledger.read(lambda tx: origin_of(tx, self._means, memory))
        sources = await self._means.ledger.read(lambda tx: _sources(tx, tenant_id, memory))
        consents, wishes = await self._wishes.of(tenant_id, origin.subjects)
        context = Context(
            operation="write", at=memory.created_at, consents=consents,
            preferences=replace(wishes, pinned=pinned or wishes.pinned),
            inherited_expiry=provenance.inherited(sources)[1], entities=frozenset(origin.about),
        )  # fmt: skip
        others = tuple(each for each in memory.tags if not each.startswith(OWN))
        return (
            expiry(policy.timetable, memory.categories, _tiers(policy, memory), context),
            others + marks(policy.retention, context.preferences),
        )


def _tiers(policy: Policy, memory: Memory) -> Collection[str]:
    """The memory's tier, where a rule and not one of its categories gave it."""
    known = policy.retention.categories
    own = {known[name].tier for name in memory.categories if name in known}
    return () if memory.tier in own or memory.tier not in policy.retention.tiers else {memory.tier}


async def _sources(tx: Tx, tenant_id: str, memory: Memory) -> list[Memory]:
    edges = await provenance.edges_of(tx, [memory.id])
    return await provenance.sources(tx, tenant_id, [edge.source_ref for edge in edges])
