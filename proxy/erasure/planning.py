"""From a resolved target to a plan that can be shown, confirmed and carried out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from policies import Policy
from proxy.erasure import layers, plan
from proxy.erasure.assess import assess
from proxy.erasure.brief import payload_of
from proxy.erasure.compose import Draft, compose, plain_metadata
from proxy.erasure.find import hunt
from proxy.erasure.means import Means
from proxy.erasure.places import places_of
from proxy.erasure.resolve import Aim
from proxy.erasure.rules import rules_of
from proxy.erasure.versions import leftover
from proxy.erasure.view import LayerView
from proxy.ledger.erasures import PlanItem
from proxy.upstreams.layers.base import LayerScope
from proxy.upstreams.store import Store

ASKABLE = ("derived", "mixed")
REWRITE = "rewrite"  # the choice that carries a corrected text


@dataclass(frozen=True, slots=True)
class Plan:
    """What would happen, item by item."""

    drafts: Sequence[Draft]
    digest: str
    counts: dict[str, int]
    roles: dict[str, int]
    views: tuple[LayerView, ...]
    questions: Sequence[dict[str, Any]]
    looked_at: int

    @property
    def affected(self) -> int:
        """Memories that would not stay as they are."""
        return sum(draft.decided.action != "keep" for draft in self.drafts)

    @property
    def side_rows(self) -> int:
        """Rows in other layers, also where no memory is left."""
        return sum(view.found or 0 for view in self.views if view.layer not in {"memory", "files"})

    def keys(self) -> set[tuple[str, bytes, str]]:
        """What the plan does, for comparison with a later one."""
        return {(each.found.upstream, each.found.ref, each.decided.action) for each in self.drafts}

    def items(self, erasure_id: str, key: bytes) -> Iterator[PlanItem]:
        """Rows of the plan, their payloads sealed one after the other."""
        return (
            PlanItem(
                erasure_id,
                seq,
                draft.found.upstream,
                draft.found.ref,
                payload_of(draft).seal(key, erasure_id, seq),
                draft.found.row.id if draft.found.row else None,
                draft.decided.relation,
                draft.decided.action,
                _state(draft),
                draft.decided.reason,
                draft.decided.depth,
            )
            for seq, draft in enumerate(self.drafts)
        )


def _state(draft: Draft) -> str:
    return {"hold": "held", "keep": "kept"}.get(draft.decided.action, "planned")


async def make(
    means: Means, aim: Aim, policy: Policy, target_ref: bytes, *, look: bool = True
) -> Plan:
    """Find everything and decide; nothing is changed anywhere.

    Args:
        look: also count what the side layers hold, for a preview.

    Raises:
        StoreUnavailable, StoreUnknown: a store could not be read to the end, so there is no plan.
    """
    found = await hunt(means, aim)
    rules = rules_of(policy, aim)
    decided = plan.decide(await assess(means, aim, found), rules)
    drafts = _rectified(aim, await compose(means, aim, found, decided))
    final = [draft.decided for draft in drafts]
    rows = [
        (each.found.upstream, each.found.ref, each.decided.relation, each.decided.action)
        for each in drafts
    ]
    choices = aim.asked.choices or {}
    settings = {name: getattr(policy.erasure, name) for name in ASKABLE if name not in choices}
    return Plan(
        drafts,
        plan.digest(
            rows, scope=aim.target.scope, target=target_ref.hex(), policy_digest=policy.digest
        ),
        plan.counts(final),
        dict(Counter(each.role for each in final if each.action != "keep" and each.depth == 0)),
        await _views(means, aim, drafts) if look else (),
        plan.questions(final, settings),
        found.seen,
    )


def _rectified(aim: Aim, drafts: Sequence[Draft]) -> Sequence[Draft]:
    """A rectification is an erasure whose memory is written anew with the corrected text."""
    text = (aim.asked.choices or {}).get(REWRITE)
    if text is None or aim.target.kind != "memory":
        return drafts
    return [
        replace(
            draft, decided=replace(draft.decided, action="regenerate", relation="mixed"),
            text=text, metadata=plain_metadata(aim, draft.found),
        )
        if draft.decided.action == "delete" and draft.found.item else draft
        for draft in drafts
    ]  # fmt: skip


async def _views(means: Means, aim: Aim, drafts: Sequence[Draft]) -> tuple[LayerView, ...]:
    """What each layer of each store holds of it, as far as anybody can look."""
    views: list[LayerView] = []
    wanted = aim.target.upstream
    for name, store in sorted(means.stores.items()):
        if wanted in (None, name):
            mine = [each for each in drafts if each.found.upstream == name]
            views += await _store_views(means, aim, store, mine)
    return tuple(views)


async def _store_views(
    means: Means, aim: Aim, store: Store, drafts: Sequence[Draft]
) -> list[LayerView]:
    gone = [each for each in drafts if each.decided.action not in {"keep", "hold"}]
    spared = {each.found.ref for each in drafts if each.decided.action in {"keep", "hold"}}
    left = await leftover(means, aim, store, spared)
    counted = await layers.count_all(store, left.joined(_scope(aim, store, gone)))
    views = [LayerView(store.name, "memory", len(gone), 0, None, "planned", "ledger and listing")]
    for name in [*layers.names(store), layers.EVIDENCE]:
        if name == "memory" or (name == layers.EVIDENCE and name not in counted):
            continue
        count = counted.get(name)
        value = count.value if count else None
        if count is None and store.profile.layers.get(name, {}).get("parent") == "memory":
            value = len(gone)
        views.append(
            LayerView(
                store.name, name, value, 0, None, "planned", layers.connector_reach(store, name)
            )
        )
    return views


def _scope(aim: Aim, store: Store, gone: Sequence[Draft]) -> LayerScope:
    whole = {(place.kind, place.upstream_id) for place in places_of(aim.wholes, aim.names, store)}
    touched = {pair for each in gone if each.found.item for pair in each.found.item.owners.items()}
    return LayerScope(
        memory_ids=tuple(each.found.memory_id for each in gone),
        owners=tuple(sorted(whole)),
        needles=aim.needles.whole if aim.needles and aim.within is None else (),
        within=tuple(sorted(touched - whole)),
    )


def samples(drafts: Sequence[Draft], limit: int) -> tuple[dict[str, Any], ...]:
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
        for each in drafts[:limit]
        if each.found.item is not None
    )
