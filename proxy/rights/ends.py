"""Until when memories may be kept: by the policy in force and by what their subjects decided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from policies import Context, Policy
from policies.prompts import furthest, kept
from policies.retention import OWN, Expiry, expiry, marks
from proxy.erasure.search.means import Means
from proxy.ledger import provenance
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.rights.judging import Origin, origin_of
from proxy.rights.wishes import Wishes

Ends = Mapping[str, datetime | None]  # by row id


@dataclass(frozen=True, slots=True)
class Grounds:
    """What decides how long a memory may be kept.

    Args:
        sources: what it was derived from.
        context: of its making.
    """

    memory: Memory
    sources: Sequence[Memory]
    context: Context

    def tiers(self, policy: Policy) -> Collection[str]:
        """The memory's tier, where a rule and not one of its categories gave it."""
        known, tier = policy.retention.categories, self.memory.tier
        own = {known[name].tier for name in self.memory.categories if name in known}
        return () if tier in own or tier not in policy.retention.tiers else {tier}

    def within(self, moved: Ends) -> Context:
        """The context, where some ends have been moved: nothing outlives its sources."""
        ends = [replace(each, expires_at=moved.get(each.id, each.expires_at))
                for each in self.sources]  # fmt: skip
        return replace(self.context, inherited_expiry=provenance.inherited(ends)[1])


async def grounds_of(means: Means, tenant_id: str, memories: Sequence[Memory]) -> list[Grounds]:
    """What decides about each of these memories, read at once."""

    async def load(tx: Tx) -> list[tuple[Memory, Origin, list[Memory]]]:
        return [
            (each, await origin_of(tx, means, each), await _sources(tx, tenant_id, each))
            for each in memories
        ]

    wishes = Wishes(means)
    found = []
    for memory, origin, sources in await means.ledger.read(load):
        consents, preferences = await wishes.of(tenant_id, origin.subjects)
        context = Context(
            operation="write", at=memory.created_at, consents=consents, preferences=preferences,
            entities=frozenset(origin.about),
        )  # fmt: skip
        found.append(Grounds(memory, sources, context))
    return found


def pinned(policy: Policy, found: Grounds, *, pin: bool) -> tuple[Expiry, tuple[str, ...]]:
    """End and tags of a memory with a pin, or without."""
    context = found.within({})
    wishes = replace(context.preferences, pinned=pin or context.preferences.pinned)
    context = replace(context, preferences=wishes)
    others = tuple(each for each in found.memory.tags if not each.startswith(OWN))
    end = expiry(policy.timetable, found.memory.categories, found.tiers(policy), context)
    return end, others + marks(policy.retention, wishes)


def kept_again(policy: Policy, found: Sequence[Grounds], now: datetime) -> dict[str, Expiry]:
    """New ends of memories whose subject says "keep", by row id; sources come first."""
    moved: dict[str, datetime | None] = {}
    ends = {}
    for each in found:
        labels, tiers = each.memory.categories, each.tiers(policy)
        ends[each.memory.id] = end = kept(policy, labels, tiers, each.within(moved), now)
        moved[each.memory.id] = end.at
    return ends


def beyond_bound(policy: Policy, found: Sequence[Grounds], until: datetime) -> bool:
    """Whether any of the memories may not be kept so long; their sources among them are, too."""
    moved: Ends = {each.memory.id: until for each in found}
    limits = (
        furthest(policy, each.memory.categories, each.tiers(policy), each.within(moved))
        for each in found
    )
    return any(limit is not None and until > limit for limit in limits)


async def _sources(tx: Tx, tenant_id: str, memory: Memory) -> list[Memory]:
    edges = await provenance.edges_of(tx, [memory.id])
    return await provenance.sources(tx, tenant_id, [edge.source_ref for edge in edges])
