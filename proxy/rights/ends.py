"""Until when memories may be kept: by the policy in force and by what their subjects decided."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from policies import Context, Policy, Preferences
from policies.prompts import furthest, kept, ruled
from policies.retention import OWN, Expiry, expiry, marks
from proxy.erasure.search.means import Means
from proxy.ledger import memories as rows
from proxy.ledger import owners, provenance, reach
from proxy.ledger.engine import Tx
from proxy.ledger.memories import Memory
from proxy.rights.wishes import Wishes
from proxy.tokens.owners import opened

Owners = tuple[tuple[str, str], ...]
Decided = tuple[frozenset[str], Preferences]
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
        return ruled(policy, self.memory.tier, self.memory.categories)

    def within(self, moved: Ends) -> Context:
        """The context, where some ends have been moved: nothing outlives its sources."""
        ends = [replace(each, expires_at=moved.get(each.id, each.expires_at))
                for each in self.sources]  # fmt: skip
        return replace(self.context, inherited_expiry=provenance.inherited(ends)[1])


async def grounds_of(means: Means, tenant_id: str, memories: Sequence[Memory]) -> list[Grounds]:
    """What decides about each of these memories, read some hundred at a time."""
    decided: dict[Owners, Decided] = {}
    found = []
    for part in reach.chunks(memories):
        read = partial(_read, means=means, tenant_id=tenant_id, memories=part)
        for memory, owned, about, sources in await means.ledger.read(read):
            if owned not in decided:
                decided[owned] = await Wishes(means).of(tenant_id, owned)
            consents, preferences = decided[owned]
            context = Context(
                operation="write", at=memory.created_at, consents=consents,
                preferences=preferences, entities=frozenset(about),
            )  # fmt: skip
            found.append(Grounds(memory, sources, context))
    return found


async def _read(
    tx: Tx, means: Means, tenant_id: str, memories: Sequence[Memory]
) -> list[tuple[Memory, Owners, list[str], list[Memory]]]:
    """Whose each memory is, whom it is about, and what it was derived from."""
    row_ids = [memory.id for memory in memories]
    owned, about = await reach.owners(tx, row_ids), await reach.entities(tx, row_ids)
    names = await _named(tx, means, {each for listed in owned.values() for each in listed})
    edges: dict[str, list[bytes]] = defaultdict(list)
    for edge in await reach.edges(tx, row_ids):
        edges[edge.memory_id].append(edge.source_ref)
    refs = {ref for listed in edges.values() for ref in listed}
    known = await rows.by_names(tx, tenant_id, refs) if refs else {}
    return [
        (
            memory,
            tuple(names[each] for each in owned.get(memory.id, ()) if each in names),
            about.get(memory.id, []),
            [source for ref in edges[memory.id] for source in known.get(ref, ())],
        )
        for memory in memories
    ]


async def _named(tx: Tx, means: Means, owner_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """(kind, client's id) of owners by row id, as far as their keys are there."""
    living = [row for row in await owners.by_ids(tx, owner_ids) if row.state != "erased"]
    return {row.id: (row.kind, name) for row, name in await opened(tx, means.keyring, living)}


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
