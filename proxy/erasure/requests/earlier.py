"""Where nothing is found: which earlier erasure of the same dealt with it, and what that left."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.erasure.plans.planning import Plan
from proxy.erasure.requests import kindred
from proxy.erasure.search import layers
from proxy.erasure.search.means import Means
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.resolve import Aim
from proxy.erasure.view import LayerView
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.ledger.erasures import ACTIVE, Erasure

NOTHING = "nothing_found"
NO_EARLIER: Mapping[str, Any] = {"earlier": None, "earlier_state": None, "earlier_left": []}
_BEGUN = ("complete", "held", "incomplete", "cancelled", *ACTIVE)
_TOLD = ("upstream", "layer", "status", "residual", "reason")


@dataclass(frozen=True, slots=True)
class Empty:
    """What is said where nothing was found.

    Args:
        views: every layer as it shows itself now; absent only where somebody looked.
        earlier: the erasure that dealt with it, if there was one.
        left: layers in which that one left something, and where nobody has seen since that it
            is gone.
    """

    views: tuple[LayerView, ...]
    earlier: Erasure | None = None
    left: tuple[LayerView, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing may be left, by an earlier erasure of the same or as nobody's."""
        if any(view.reason == layers.ORPHANED for view in self.views):
            return False
        return not self.left and (self.earlier is None or self.earlier.state not in ACTIVE)

    def details(self) -> dict[str, Any]:
        """For the record: codes and counts."""
        if self.earlier is None:
            return dict(NO_EARLIER)
        return {
            "earlier": self.earlier.reference,
            "earlier_state": self.earlier.state,
            "earlier_left": [{name: getattr(each, name) for name in _TOLD} for each in self.left],
        }


def is_empty(erasure: Erasure) -> bool:
    """Whether it found nothing while an earlier one was not done: it can be planned anew."""
    return (erasure.state, erasure.outcome) == ("incomplete", NOTHING)


async def empty(means: Means, aim: Aim, erasure: Erasure, plan: Plan) -> Empty:
    """Judge a plan that found nothing by what earlier erasures of the same left.

    The same may have been asked for otherwise: an owner and a name are one person's.
    """
    views = tuple(map(layers.unfound, plan.views))
    seen = {(view.upstream, view.layer) for view in views if view.status == "absent"}

    def judged(before: Iterable[Erasure]) -> list[Empty]:
        return [Empty(views, each, _left(each, seen)) for each in before if _has_begun(each)]

    known = judged(await means.ledger.read(lambda tx: _before(tx, means, aim, erasure)))
    if aim.person and all(each.clean for each in known):
        known += judged(await kindred.open_of_the_same(means, aim, erasure))
    unclean = (each for each in known if not each.clean)
    return next(unclean, known[0] if known else Empty(views))


async def _before(tx: Tx, means: Means, aim: Aim, erasure: Erasure) -> list[Erasure]:
    """Erasures that dealt with the target, newest first; those that found nothing come last."""
    found = await erasures.of_target(tx, aim.tenant_id, erasure.target_ref or b"", _BEGUN)
    if aim.person:
        found += await kindred.of_the_same(tx, means, aim)
    others = {each.id: each for each in found if each.id != erasure.id}
    newest = sorted(others.values(), key=lambda each: each.id, reverse=True)
    return sorted(newest, key=lambda each: each.outcome == NOTHING)


def _has_begun(erasure: Erasure) -> bool:
    """Whether it deleted anything, or would have: not cancelled in time, nor a repetition."""
    return not is_empty(erasure) and (
        erasure.state != "cancelled" or erasure.outcome == "incomplete"
    )


def _left(erasure: Erasure, seen: Collection[tuple[str, str]]) -> tuple[LayerView, ...]:
    if erasure.outcome == NOTHING or erasure.state in {"complete", "held"}:
        return ()
    views: Sequence[LayerView] = layers.load(erasure.layers)
    return tuple(
        view for view in views
        if not layers.all_clean([view])
        and (_is_shown(view) or (view.upstream, view.layer) not in seen)
    )  # fmt: skip


def _is_shown(view: LayerView) -> bool:
    """Whether a store showed memories by any route: that no list has them is no proof."""
    return view.layer == MEMORY and bool(view.residual)
