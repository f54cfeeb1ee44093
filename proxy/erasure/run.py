"""One run of an erasure's job: its saga, its brief opened, and how items are read and committed."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from policies import Policy
from proxy.erasure.brief import Brief, Payload, aim_of, unseal
from proxy.erasure.means import Means
from proxy.erasure.places import places_of
from proxy.erasure.resolve import Aim
from proxy.erasure.saga import LEASE, Saga
from proxy.erasure.versions import leftover, told_by_others
from proxy.ledger import erasures, jobs
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem
from proxy.upstreams.layers.base import LayerScope
from proxy.upstreams.store import Store

GONE = frozenset({"delete", "redact", "regenerate"})
MAX_NEEDLES = 5_000
MAX_OPENED = 20_000
SHORTEST_NEEDLE = 20


@dataclass(frozen=True, slots=True)
class Run:
    """All that a step needs."""

    means: Means
    saga: Saga
    erasure: Erasure
    brief: Brief
    aim: Aim
    policy: Policy
    opened: dict[int, Payload] = field(default_factory=dict, repr=False)

    @classmethod
    async def open(cls, means: Means, saga: Saga, erasure: Erasure) -> "Run":
        """Open an erasure for work; raises ``KeyDestroyed`` once it is closed."""
        brief = await unseal(means, erasure)
        aim = await aim_of(means, erasure.tenant_id, brief)
        return cls(means, saga, erasure, brief, aim, means.policies(erasure.tenant_id))

    @property
    def tenant_id(self) -> str:
        """The tenant."""
        return self.erasure.tenant_id

    @property
    def stores(self) -> list[Store]:
        """The stores that the target covers, in a fixed order."""
        wanted = self.aim.target.upstream
        return [each for name, each in sorted(self.means.stores.items()) if wanted in (None, name)]

    @property
    def lasting(self) -> bool:
        """Whether owners and entities themselves go: not for a client that clears its memories."""
        return self.erasure.origin in {"control", "agent"}

    async def items(self, **wanted: Any) -> list[PlanItem]:
        """Items of the plan."""
        return await self.means.ledger.read(
            lambda tx: erasures.items(tx, self.erasure.id, **wanted)
        )

    def payload(self, item: PlanItem) -> Payload:
        """What is sealed with an item; the first ``MAX_OPENED`` are opened only once."""
        known = self.opened.get(item.seq)
        if known is None:
            known = Payload.unseal(self.brief.key, item)
            if len(self.opened) < MAX_OPENED:
                self.opened[item.seq] = known
        return known

    async def commit(self, rows: Callable[[Tx], Awaitable[Any]]) -> None:
        """Commit rows only while the lease is ours; raises ``LostLease``."""

        async def unit(tx: Tx) -> None:
            await jobs.renew(tx, self.saga.job, self.means.clock.now() + LEASE)
            await rows(tx)

        await self.means.ledger.write(unit)

    async def audit(self, tx: Tx, event: str, fields: Mapping[str, Any]) -> str:
        """Append to the audit log, within a transaction."""
        told = {"erasure": self.erasure.id, "reference": self.erasure.reference, **fields}
        return await self.means.audit.append(tx, self.tenant_id, event, told)


def is_total(run: Run, held: bool) -> bool:
    """Whether nothing of the named ones may stay anywhere in the tenant."""
    target = run.aim.target
    return (
        target.named
        and target.kind != "attribute"
        and run.aim.within is None
        and target.scope == "any_mention"
        and not run.brief.asked.keep
        and not held
    )


async def scope_of(run: Run, upstream: str) -> LayerScope:
    """What the side layers of one store are asked about."""
    items = await run.items(upstream=upstream)
    gone = [run.payload(item) for item in items if item.action in GONE]
    kept = {item.ref for item in items if item.action not in GONE}
    store = run.means.stores[upstream]
    left = await leftover(run.means, run.aim, store, kept)
    scope = left.joined(scope_from(run, upstream, gone, kept=bool(kept)))
    texts = {text for payload in gone for text in (payload.stored, payload.text) if text}
    shared = await told_by_others(store, scope, texts & {*scope.needles})
    return replace(scope, needles=tuple(each for each in scope.needles if each not in shared))


def scope_from(
    run: Run, upstream: str, gone: Collection[Payload], *, kept: bool = False
) -> LayerScope:
    """The same from payloads at hand; ``kept``: the plan keeps something of the target."""
    places = places_of(run.aim.wholes, run.aim.names, run.means.stores[upstream])
    whole = {(place.kind, place.upstream_id) for place in places}
    touched = {pair for payload in gone for pair in payload.owners.items()}
    return LayerScope(
        memory_ids=tuple(payload.memory_id for payload in gone),
        owners=tuple(sorted(whole)),
        needles=_needles(run, gone, total=is_total(run, kept)),
        within=tuple(sorted(touched - whole)),
    )


def _needles(run: Run, gone: Collection[Payload], *, total: bool) -> tuple[str, ...]:
    """Names where none may stay, and erased texts long enough to be nobody else's."""
    needles = run.aim.needles
    named = [*needles.whole, *needles.tokens] if total and needles else []
    texts = [
        text
        for payload in gone
        for text in (payload.stored, payload.text)
        if text and len(text) >= SHORTEST_NEEDLE
    ]
    return tuple(dict.fromkeys([*named, *texts[:MAX_NEEDLES]]))
