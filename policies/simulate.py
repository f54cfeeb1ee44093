"""A changed policy replayed on what is already remembered, by its tags alone."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from detectors.detection import CategoryScore, Detection
from policies.decide import decide
from policies.decision import NO_PREFERENCES, Context, Decision, Preferences
from policies.durations import as_utc
from policies.policy import Policy
from policies.retention import Fate, fate
from policies.rules import EDITS

SOON = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Tags:
    """What the ledger knows of one memory: no content, no names.

    ``entities`` maps an entity type to how often it was found. ``ref`` is opaque; it comes back
    in the result only when asked for.
    """

    ref: str
    created_at: datetime
    categories: tuple[str, ...] = ()
    entities: Mapping[str, int] = field(default_factory=dict)
    tier: str | None = None
    expires_at: datetime | None = None
    owners: frozenset[str] = frozenset()
    purpose: str | None = None
    source: str | None = None
    region: str | None = None
    upstream_region: str | None = None
    language: str = "en"
    length: int = 0
    consents: frozenset[str] = frozenset()
    preferences: Preferences = NO_PREFERENCES
    inherited_categories: frozenset[str] = frozenset()
    inherited_expiry: datetime | None = None


@dataclass(slots=True)
class Simulation:
    """Counts of what the policy would do; ``None`` never stands for zero here.

    ``erased_now`` and ``hidden_now`` would be gone or unreadable at once; ``erased_soon`` within
    seven days; ``prompted`` have a prompt due; ``shortened`` and ``lengthened`` compare with the
    expiry the ledger holds, or with what the active policy gives. ``different`` are memories that
    the active policy judges otherwise.
    """

    memories: int = 0
    different: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    tiers: Counter[str] = field(default_factory=Counter)
    erased_now: Counter[str] = field(default_factory=Counter)
    hidden_now: Counter[str] = field(default_factory=Counter)
    erased_soon: Counter[str] = field(default_factory=Counter)
    prompted: Counter[str] = field(default_factory=Counter)
    shortened: int = 0
    lengthened: int = 0

    def add(self, other: "Simulation") -> None:
        """Count what another one counted."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def beyond(self, other: "Simulation") -> "Simulation":
        """What is counted here and not there: what would come new."""
        names = [name for name in self.__slots__ if isinstance(getattr(self, name), Counter)]
        return Simulation(
            memories=self.memories,
            different=int(any(getattr(self, name) != getattr(other, name) for name in names)),
            **{name: getattr(self, name) - getattr(other, name) for name in names},
        )

    def plain(self) -> dict[str, Any]:
        """The counts as JSON, with a total beside each breakdown."""
        found: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, Counter):
                found[name] = {"total": value.total(), "by": dict(sorted(value.items()))}
            else:
                found[name] = value
        return found


def simulate(
    policy: Policy, memories: Iterable[Tags], at: datetime, *, active: Policy | None = None
) -> Simulation:
    """What would happen, were the policy active at ``at``: nothing is changed.

    Rejections are counted by reason, expiry and prompts by tier, changes by action. Each memory
    is judged as the write it was, at the time it was made.

    Args:
        active: count only what differs from this policy's judgement of the same tags; the tags
            say less than the text did, so a comparison with the past would find differences that
            no change of the policy made.
    """
    total = Simulation()
    for memory in memories:
        total.add(_one(policy, memory, as_utc(at), active))
    return total


def _one(policy: Policy, memory: Tags, at: datetime, active: Policy | None) -> Simulation:
    mine, decision = Simulation(), _judge(policy, memory)
    _count(mine, policy, decision, memory.created_at, at)
    if active is None:
        _compare(mine, decision, memory.expires_at)
        return mine
    theirs, before = Simulation(), _judge(active, memory)
    _count(theirs, active, before, memory.created_at, at)
    changes = mine.beyond(theirs)
    if "reject" not in (decision.outcome, before.outcome):
        _compare(changes, decision, before.expires_at)
    changes.different |= changes.shortened | changes.lengthened
    return changes


def _judge(policy: Policy, memory: Tags) -> Decision:
    return decide(policy, _detections(memory), _scores(memory), _context(memory))


def _context(memory: Tags) -> Context:
    return Context(
        operation="write",
        at=memory.created_at,
        purpose=memory.purpose,
        consents=memory.consents,
        region=memory.region,
        source=memory.source,
        owners=memory.owners,
        text_length=max(memory.length, 2 * sum(memory.entities.values()), 1),
        language=memory.language,
        preferences=memory.preferences,
        inherited_categories=memory.inherited_categories,
        inherited_expiry=memory.inherited_expiry,
        upstream_region=memory.upstream_region,
    )


def _detections(memory: Tags) -> list[Detection]:
    """Stand-ins that do not touch: the ledger does not keep where things stood."""
    types = [name for name, count in memory.entities.items() for _ in range(count)]
    return [Detection(name, 2 * i, 2 * i + 1, 1.0, "ledger") for i, name in enumerate(types)]


def _scores(memory: Tags) -> list[CategoryScore]:
    return [CategoryScore(name, 1.0) for name in memory.categories]


def _count(
    total: Simulation, policy: Policy, decision: Decision, since: datetime, at: datetime
) -> None:
    total.memories += 1
    total.rules.update(decision.rules)
    reason = decision.reason or "none"
    if decision.outcome == "reject":
        total.rejected[reason] += 1
        return
    if decision.outcome == "quarantine":
        total.quarantined[reason] += 1
    total.changed.update({edit.action for edit in decision.edits} & EDITS)
    total.tiers[decision.tier] += 1
    end = fate(policy, decision.tier, decision.expires_at, since, decision.tags)
    _count_ends(total, end, decision, at)


def _count_ends(total: Simulation, end: Fate, decision: Decision, at: datetime) -> None:
    if end.erased_at is not None and end.erased_at <= at:
        total.erased_now[decision.tier] += 1
    elif end.hidden_at is not None and end.hidden_at <= at:
        total.hidden_now[decision.tier] += 1
    elif end.erased_at is not None and end.erased_at <= at + SOON:
        total.erased_soon[decision.tier] += 1
    if decision.prompt_at is not None and decision.prompt_at <= at:
        total.prompted[decision.tier] += 1


def _compare(total: Simulation, decision: Decision, before: datetime | None) -> None:
    if decision.outcome == "reject":
        return
    never, after = float("inf"), decision.expires_at
    old = as_utc(before).timestamp() if before else never
    new = as_utc(after).timestamp() if after else never
    total.shortened += new < old
    total.lengthened += new > old
