"""From a resolved target to a plan that can be shown, confirmed and carried out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from policies import Policy
from proxy.erasure.plans import plan
from proxy.erasure.plans.assess import assess
from proxy.erasure.plans.compose import Draft, compose, plain_metadata
from proxy.erasure.plans.rules import rules_of
from proxy.erasure.plans.stage import SPARED, UNREAD, Breadth, Seal, Stage, items_of
from proxy.erasure.search import away, layers, orphans, under_way
from proxy.erasure.search.crawl import covered
from proxy.erasure.search.find import hunt
from proxy.erasure.search.found import Found, Hunt
from proxy.erasure.search.means import Means
from proxy.erasure.search.places import places_of
from proxy.erasure.search.recorded import Spill
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.versions import concerns, leftover
from proxy.erasure.view import LayerView
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import PlanItem
from proxy.upstreams.layers.base import LayerScope
from proxy.upstreams.store import Store

ASKABLE = ("derived", "mixed")
TOLD = frozenset({"category", "attribute"})  # targets that are told by what a text is about
REWRITE = "rewrite"  # the choice that carries a corrected text
ITEMS = "items"  # how many a plan was confirmed with; what joins it later has higher numbers

Act = tuple[str, bytes, str]  # store, pseudonym, action


@dataclass(frozen=True, slots=True)
class Plan:
    """What would happen, item by item; a large one's items are in its stage."""

    stage: Stage
    drafts: Sequence[Draft]
    digest: str
    views: tuple[LayerView, ...]
    questions: Sequence[dict[str, Any]]
    looked_at: int
    away: tuple[str, ...] = ()  # stores that could not be read

    @property
    def counts(self) -> dict[str, int]:
        """How many memories there are of each group, and what would happen to them."""
        return self.stage.tally.counts

    @property
    def roles(self) -> dict[str, int]:
        """In which part whom is forgotten appears."""
        return dict(self.stage.tally.roles)

    @property
    def size(self) -> int:
        """How many items there are, those that stay included."""
        return self.stage.size + len(self.drafts)

    @property
    def affected(self) -> int:
        """Memories that would not stay as they are."""
        return self.counts["found"]

    @property
    def under_way(self) -> int:
        """Writes that may bring what it names, and have not come to an end."""
        return self.counts.get(plan.UNDER_WAY, 0)

    @property
    def side_rows(self) -> int:
        """Rows in other layers, also where no memory is left."""
        return sum(view.found or 0 for view in self.views if view.layer not in {"memory", "files"})

    async def within(self, means: Means, erasure_id: str) -> bool:
        """Whether everything that this plan does is what an erasure's plan does."""

        async def unit(tx: Tx) -> bool:
            if not await _same(tx, erasure_id, self._done()):
                return False
            async for part in erasures.in_order(tx, self.stage.id):
                rows = [
                    (each.upstream, each.ref, each.action) for each in part if each.reason != UNREAD
                ]
                if not await _same(tx, erasure_id, rows):
                    return False
            return True

        return await means.ledger.read(unit)

    def _done(self) -> list[Act]:
        return [
            (each.found.upstream, each.found.ref, each.decided.action)
            for each in self.drafts if each.decided.reason != UNREAD
        ]  # fmt: skip

    async def record(self, tx: Tx, erasure_id: str, key: bytes) -> None:
        """Make its items those of an erasure, instead of what that had planned before."""
        await erasures.drop_items(tx, erasure_id)
        await erasures.adopt(tx, self.stage.id, erasure_id)
        await erasures.put_items(tx, self.items(erasure_id, key))

    def items(self, erasure_id: str, key: bytes) -> Iterator[PlanItem]:
        """Rows of those items that are not in the ledger yet."""
        return items_of(self.drafts, Seal(erasure_id, key), erasure_id)


async def _same(tx: Tx, erasure_id: str, acts: Sequence[Act]) -> bool:
    for upstream in {each[0] for each in acts}:
        mine = {ref: action for name, ref, action in acts if name == upstream}
        theirs = await erasures.planned(tx, erasure_id, upstream, mine)
        if mine != theirs:
            return False
    return True


async def make(
    means: Means, aim: Aim, policy: Policy, target_ref: bytes, seal: Seal, *, look: bool = True
) -> Plan:
    """Find everything and decide, in all stores that answer; nothing is changed anywhere.

    Args:
        seal: for which erasure, and under which key, items are sealed that wait in the ledger.
        look: also count what the side layers hold, for a preview.

    Raises:
        StoreUnavailable, StoreUnknown: no store could be read to the end, so there is no plan.
    """

    async def attempt(reached: Aim) -> Plan:
        stage = Stage(means, seal)
        try:
            return await _make(means, reached, policy, target_ref, stage, look=look)
        except BaseException:
            await stage.drop()
            raise

    return await away.despite(means, aim, attempt)


async def _make(
    means: Means, aim: Aim, policy: Policy, target_ref: bytes, stage: Stage, *, look: bool
) -> Plan:
    rules = rules_of(policy, aim)

    async def put(found: Sequence[Found]) -> None:
        unread = {one.key: one for one in found if one.upstream in aim.away}
        read = {one.key: one for one in found if one.key not in unread}
        drafts = await _decide(means, aim, rules, Hunt(read, waiting=unread))
        drafts = await _new(stage, drafts)
        stage.note(drafts)
        await stage.put(drafts)

    now = means.clock.now()
    if open_writes := await means.ledger.read(lambda tx: under_way.by_text(tx, aim, now)):
        stage.tally.counted[plan.UNDER_WAY] = open_writes
    found = await hunt(means, aim, spill=Spill(put, stage.known))
    bare = found.bare.keys() - found.found.keys()
    if doubtful := (found.doubtful | bare) - found.found.keys():
        unread = len(doubtful) if aim.target.kind in TOLD else 0
        counted = {
            plan.DOUBTFUL: len(doubtful), plan.BARE_NAMES: len(bare), plan.UNREAD_LANGUAGES: unread,
            plan.DRAWN_BESIDE: len(doubtful & found.drawn),
            plan.DESCRIBED: len((doubtful & found.described) - found.drawn - bare),
        }  # fmt: skip
        stage.tally.counted.update({name: n for name, n in counted.items() if n})
    drafts = await _decide(means, aim, rules, found)
    if stage.size:
        drafts = await _new(stage, drafts)
        await stage.put(drafts)
    stage.note(drafts)
    left = () if stage.size else drafts
    choices = aim.asked.choices or {}
    settings = {name: getattr(policy.erasure, name) for name in ASKABLE if name not in choices}
    return Plan(
        stage,
        left,
        (await _digesting(means, stage, left)).end(
            scope=aim.target.scope, target=target_ref.hex(), policy_digest=policy.digest,
            away=sorted(aim.away),
        ),
        await _views(means, aim, stage, left) if look else (),
        stage.tally.questions(settings),
        found.seen,
        tuple(sorted(aim.away)),
    )  # fmt: skip


async def _decide(means: Means, aim: Aim, rules: plan.Rules, found: Hunt) -> Sequence[Draft]:
    decided = plan.decide(await assess(means, aim, found), rules)
    drafts = _rectified(aim, await compose(means, aim, found, decided))
    unread = [
        Draft(plan.Decided(key, "direct", "delete", reason=UNREAD), one)
        for key, one in found.waiting.items()
    ]
    return [*drafts, *unread]


async def _new(stage: Stage, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Those that did not get into the stage before: shown twice, or derived from."""
    known = {
        (name, ref)
        for name in {each.found.upstream for each in drafts}
        for ref in await stage.known(
            name, [each.found.ref for each in drafts if each.found.upstream == name]
        )
    }
    return [each for each in drafts if (each.found.upstream, each.found.ref) not in known]


async def _digesting(means: Means, stage: Stage, drafts: Sequence[Draft]) -> plan.Digesting:
    digesting = plan.Digesting()
    digesting.add(
        (each.found.upstream, each.found.ref, each.decided.relation, each.decided.action)
        for each in drafts if each.decided.reason != UNREAD
    )  # fmt: skip

    async def staged(tx: Tx) -> None:
        async for part in erasures.in_order(tx, stage.id):
            digesting.add(
                (each.upstream, each.ref, each.relation, each.action)
                for each in part if each.reason != UNREAD
            )  # fmt: skip

    if stage.size:
        await means.ledger.read(staged)
    return digesting


def _rectified(aim: Aim, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """A rectification is an erasure whose memory is written anew with the corrected text."""
    text = (aim.asked.choices or {}).get(REWRITE)
    if text is None or aim.target.kind != "memory":
        return drafts
    return [
        replace(
            draft, decided=replace(draft.decided, action="regenerate", relation="mixed"),
            text=text, metadata=plain_metadata(aim, draft.found.item.metadata),
        )
        if draft.decided.action == "delete" and draft.found.item else draft
        for draft in drafts
    ]  # fmt: skip


async def _views(
    means: Means, aim: Aim, stage: Stage, drafts: Sequence[Draft]
) -> tuple[LayerView, ...]:
    """What each layer of each store holds of it, as far as anybody can look."""
    views: list[LayerView] = []
    for store in covered(means, aim):
        if store.name in aim.away:
            views += away.views(store)
            continue
        gone = await _going(stage, store, drafts)
        views += await _store_views(means, aim, store, stage.breadths[store.name], gone)
    return tuple(views)


async def _going(stage: Stage, store: Store, drafts: Sequence[Draft]) -> tuple[str, ...]:
    """The store's ids of what goes, where it has a layer that is asked with them."""
    if not layers.connected(store):
        return ()
    mine = [each for each in drafts if each.found.upstream == store.name]
    going = [each.found.memory_id for each in mine if each.decided.action not in SPARED]
    return (*await stage.memory_ids(store.name), *going)


async def _store_views(
    means: Means, aim: Aim, store: Store, breadth: Breadth, memory_ids: tuple[str, ...]
) -> list[LayerView]:
    gone = breadth.going
    left = await leftover(means, aim, store, breadth.spared, breadth.touched)
    scope = _scope(aim, store, breadth, memory_ids)
    before = left.joined(scope)
    scope = await orphans.joined(means, aim, store, before, person=aim.person)
    lost = await orphans.left_by(means, aim, store, scope, person=aim.person)
    shared = bool(scope.needles) and not aim.alone
    counted = await layers.count_all(store, scope, files=not shared)
    by_name = concerns(aim) or before != LayerScope()
    by_id = {orphans.HISTORY} if scope.memory_ids or lost.some else set[str]()
    views = [LayerView(store.name, "memory", gone, 0, None, "planned", "ledger and listing")]
    for name in [*layers.names(store), layers.EVIDENCE]:
        if name == "memory" or (name == layers.EVIDENCE and not layers.connector(store, name)):
            continue
        count, asked = counted.get(name), by_name or name in by_id
        value = count.value if count else None
        if count is None and store.profile.layers.get(name, {}).get("parent") == "memory":
            value = gone
        code = count.code if asked and count else layers.NOT_ASKED if count else None
        code = layers.SHARED if name == layers.EVIDENCE and shared else code
        views.append(
            LayerView(
                store.name, name, value if asked or not count else None, 0, None, "planned",
                layers.connector_reach(store, name), code,
            )
        )  # fmt: skip
    return [orphans.planned(view, lost, person=aim.person) for view in views]


def _scope(aim: Aim, store: Store, breadth: Breadth, memory_ids: tuple[str, ...]) -> LayerScope:
    places = places_of(aim.ended, aim.names, store)
    whole = {(place.kind, place.upstream_id) for place in places} - breadth.keepers
    wide = aim.within is None and not aim.target.bearers
    return LayerScope(
        memory_ids=memory_ids,
        owners=tuple(sorted(whole)),
        needles=aim.needles.whole if aim.needles and wide else (),
        within=tuple(sorted(breadth.touched - whole)),
    )


def samples(made: Plan) -> tuple[dict[str, Any], ...]:
    """Some items in clear, for the person who asked; never stored."""
    return tuple(
        {
            "upstream": each.found.upstream,
            "relation": each.decided.relation,
            "action": each.decided.action,
            "reason": each.decided.reason,
            "created_at": each.found.item.created_at,
            "text": each.found.text.split("\n", 1)[0],
            "becomes": each.text,
        }
        for each in made.stage.first
        if each.found.item is not None
    )
