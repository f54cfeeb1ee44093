"""One run of an erasure's job: its saga, its brief opened, and how items are read and committed."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from detectors.words.variants import spellings
from policies import Policy
from proxy.erasure.plans.brief import Brief, Payload, aim_of, unseal
from proxy.erasure.saga.durable import LEASE, Saga
from proxy.erasure.search import layers, orphans
from proxy.erasure.search.away import unread
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import Place, places_of
from proxy.erasure.search.resolve import EXACT, Aim
from proxy.erasure.search.versions import read_sides
from proxy.ledger import blocklist, erasures, jobs
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import Erasure, PlanItem
from proxy.ledger.owners import Owner
from proxy.upstreams.layers.base import LayerScope
from proxy.upstreams.store import Item, Store

BLOCKING = frozenset({"owner", "subject", "entity"})
GONE = frozenset({"delete", "redact", "regenerate"})
LATE = "found_by_verification"  # the reason of what joined after the confirmation
ANEW = "anew/"  # steps that put back what a store shows that it had said it deleted
LOOK = "again/"  # steps that look anew; they say which stores they have read
DECIDED = ("planned", "rewriting", "done", "gone")  # states of what goes, or is gone
PAGE = 500
MAX_NEEDLES = 5_000
SHORTEST_NEEDLE = 20


@dataclass(slots=True)
class Extent:
    """How far a plan reaches into one store: all that is kept in memory of its items."""

    asked: bool  # a layer of the store is asked with ids and texts
    memory_ids: list[str] = field(default_factory=list)
    owners: set[tuple[str, str]] = field(default_factory=set)
    texts: dict[str, None] = field(default_factory=dict)  # erased, in order, the long ones
    short: set[str] = field(default_factory=set)  # erased, and as short as a name
    kept: set[bytes] = field(default_factory=set)  # pseudonyms of what the plan keeps
    keepers: set[tuple[str, str]] = field(default_factory=set)  # their owners

    def keep(self, ref: bytes, payload: Payload) -> None:
        """Take in one memory that stays."""
        self.kept.add(ref)
        self.keepers |= payload.owners.items()

    def add(self, payload: Payload, named: Collection[str]) -> None:
        """Take in one memory that goes; ``named``: how whom is forgotten is called."""
        self.owners |= payload.owners.items()
        if not self.asked:
            return
        self.memory_ids.append(payload.memory_id)
        for text in filter(None, (payload.stored, payload.text)):
            if len(text) < SHORTEST_NEEDLE:
                self.short |= {text} & {*named}
            elif len(self.texts) < MAX_NEEDLES:
                self.texts[text] = None


@dataclass(frozen=True, slots=True)
class Run:
    """All that a step needs."""

    means: Means
    saga: Saga
    erasure: Erasure
    brief: Brief
    aim: Aim
    policy: Policy
    extents: dict[str, Extent] = field(default_factory=dict, repr=False)
    asked: frozenset[str] = frozenset()  # stores that are not read before a question is answered
    lifted: bool = False  # whom it blocked was let back by a consent given anew
    taken_up: bool = False  # it had begun before this attempt
    refusing: set[str] = field(default_factory=set)  # stores that did not take a delete just now

    @classmethod
    async def open(cls, means: Means, saga: Saga, erasure: Erasure) -> "Run":
        """Open an erasure for work; raises ``KeyDestroyed`` once it is closed."""
        brief = await unseal(means, erasure)
        aim = await aim_of(means, erasure.tenant_id, brief)
        others = {key: kept for key, kept in aim.before.items() if key != erasure.id}
        aim = replace(aim, client=erasure.origin == "client", before=others)
        lifted = await means.ledger.read(
            lambda tx: blocklist.was_lifted(tx, erasure.tenant_id, erasure.id)
        )
        policy = means.policies(erasure.tenant_id)
        begun = "begin" in saga.done or "begun" in erasure.details
        return cls(means, saga, erasure, brief, aim, policy, lifted=lifted, taken_up=begun)

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
    def unread(self) -> frozenset[str]:
        """Stores that did not answer when the plan was made, and were not read since."""
        return unread(self.erasure) - self.read_again

    @property
    def read_again(self) -> frozenset[str]:
        """Stores that were read to their end after something was deleted."""
        looks = (done for name, done in self.saga.done.items() if name.startswith(LOOK))
        return frozenset(name for look in looks for name in look.get("read", ()))

    @property
    def roles(self) -> Mapping[str, int]:
        """Items by the part that whom is forgotten plays in them, with what was found later."""
        found = Counter[str](self.erasure.details.get("roles") or {})
        for name, result in self.saga.done.items():
            if name.startswith(LOOK):
                found.update(result.get("roles") or {})
        return found

    def wholes_in(self, upstream: str) -> Sequence[Place]:
        """What a store calls the owners who go as a whole."""
        return places_of(self.aim.wholes, self.aim.names, self.means.stores[upstream])

    def wrote(self, upstream: str, item: Item) -> bool:
        """Whether this erasure itself wrote a memory anew."""
        stamp = item.metadata.get(self.means.stores[upstream].profile.stamp)
        return isinstance(stamp, str) and stamp.startswith(f"{self.erasure.id}.")

    @property
    def lasting(self) -> bool:
        """Whether owners and entities themselves go: not for a client that clears its memories."""
        return self.erasure.origin in {"control", "agent"}

    @property
    def person(self) -> bool:
        """Whether somebody asked for it, or an agent for them."""
        return self.erasure.origin not in EXACT

    @property
    def ended(self) -> list[Owner]:
        """Owners who end with it; not those who were let back since it began."""
        rows = [each.row for each in self.aim.ended if each.row] if self.lasting else []
        return [row for row in rows if not (self.taken_up and row.state == "active")]

    async def items(self, **wanted: Any) -> list[PlanItem]:
        """Items of the plan."""
        return await self.means.ledger.read(
            lambda tx: erasures.items(tx, self.erasure.id, **wanted)
        )

    async def pages(self, **wanted: Any) -> AsyncIterator[Sequence[PlanItem]]:
        """The same, some hundred at a time: a plan may be larger than memory."""
        after = -1
        while page := await self.items(**wanted, after=after, limit=PAGE):
            yield page
            after = page[-1].seq

    def payload(self, item: PlanItem) -> Payload:
        """What is sealed with an item."""
        return Payload.unseal(self.brief.key, item)

    @property
    def named(self) -> tuple[str, ...]:
        """The names of whom is forgotten, however their characters are written, and the tokens."""
        needles = self.aim.needles
        if needles is None:
            return ()
        return (*(each for name in needles.whole for each in spellings(name)), *needles.tokens)

    async def extent(self, upstream: str) -> Extent:
        """What of the plan lies in a store; read once, until items join the plan."""
        if upstream not in self.extents:
            found, named = Extent(layers.connected(self.means.stores[upstream])), self.named
            async for page in self.pages(upstream=upstream):
                for item in page:
                    if item.action in GONE and item.state in DECIDED:
                        found.add(self.payload(item), named)
                    else:
                        found.keep(item.ref, self.payload(item))
            self.extents[upstream] = found
        return self.extents[upstream]

    async def states(self, upstream: str) -> Counter[str]:
        """How many memories of a store go, by the state of their item."""
        return Counter(
            await self.means.ledger.read(
                lambda tx: erasures.states(tx, self.erasure.id, upstream, GONE)
            )
        )

    async def planned(
        self, upstream: str, refs: Collection[bytes], *, settled: bool = False
    ) -> dict[bytes, str]:
        """Which memories of a store the plan holds (``settled``: and has judged), and how."""
        return await self.means.ledger.read(
            lambda tx: erasures.planned(tx, self.erasure.id, upstream, refs, settled=settled)
        )

    async def commit(self, rows: Callable[[Tx], Awaitable[Any]]) -> None:
        """Commit rows only while the lease is ours; raises ``LostLease``."""

        async def unit(tx: Tx) -> None:
            await jobs.renew(tx, self.saga.job, self.means.clock.now() + LEASE)
            await rows(tx)

        await self.means.ledger.write(unit)

    async def audit(self, tx: Tx, event: str, fields: Mapping[str, Any]) -> str:
        """Append to the audit log, within a transaction."""
        told = {
            "erasure": self.erasure.id, "reference": self.erasure.reference,
            "origin": self.erasure.origin, "actor": self.erasure.actor.hex(), **fields,
        }  # fmt: skip
        return await self.means.audit.append(tx, self.tenant_id, event, told)


def blocks(run: Run) -> bool:
    """Whether whom this erases may not come back without being asked for."""
    wanted = run.policy.blocklist.after_erasure != "off" and run.lasting and not run.lifted
    target = run.aim.target
    if target.scope == "primary" or (target.kind == "owner" and run.aim.keep is not None):
        return False
    return wanted and target.kind in BLOCKING and not target.bearers


def is_total(run: Run, held: bool) -> bool:
    """Whether nothing of the named ones may stay anywhere in the tenant."""
    target = run.aim.target
    return (
        target.named
        and target.kind != "attribute"
        and not target.bearers
        and run.aim.within is None
        and target.scope == "any_mention"
        and not run.brief.asked.keep
        and not held
    )


async def scope_of(run: Run, upstream: str) -> LayerScope:
    """What the side layers of one store are asked about; their texts are read for it once."""
    extent, store = await run.extent(upstream), run.means.stores[upstream]
    scope = scope_from(run, upstream, extent)
    texts = {*extent.texts, *extent.short, *run.named}.intersection(scope.needles)
    sides = await read_sides(run.means, run.aim, store, scope, texts, extent.kept)
    others = sides.told_by_others | sides.words
    needles = tuple(each for each in scope.needles if each not in others)
    scope = replace(sides.left.joined(scope), needles=needles, told=sides.pieces)
    return await orphans.joined(run.means, run.aim, store, scope, person=run.person)


def scope_from(run: Run, upstream: str, extent: Extent) -> LayerScope:
    """The same without what the side layers say; an owner who keeps a memory loses only some.

    So does one who goes on (a client clears them, or they were let back): they may have written
    since.
    """
    store = run.means.stores[upstream]
    ended, meant = (
        {(place.kind, place.upstream_id) for place in places_of(each, run.aim.names, store)}
        for each in (run.aim.ended, run.aim.wholes)
    )
    whole = set() if run.aim.client or run.lifted else ended - extent.keepers
    named = run.named if is_total(run, bool(extent.kept or run.lifted)) else ()
    return LayerScope(
        memory_ids=tuple(extent.memory_ids),
        owners=tuple(sorted(whole)),
        needles=tuple(dict.fromkeys([*named, *extent.texts])),
        within=tuple(sorted((extent.owners | (meant - ended)) - whole)),
    )
