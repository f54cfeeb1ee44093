"""The layers of a store in an erasure: what is asked of each, and what its answer means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from proxy.erasure.search.order import MEMORY, deletion_order
from proxy.erasure.view import LayerView
from proxy.ledger.erasures import OUT_OF_REACH
from proxy.upstreams.layers.base import Layer, LayerScope, LayerUnavailable, Legible
from proxy.upstreams.store import Store

CONNECTORS = {"embedding": "vectors"}  # where the connector is not called as the layer
ON_HOLD, LATER = "on_hold", "It goes by itself when the hold is lifted."
EVIDENCE = "files"  # looked at, never a place of its own
UNREACHED = "none"
NO_CONNECTOR = "no connector"
NO_WORDS = "the erased words are gone, so bytes cannot be searched for them"
BY_API = "history API, by id"  # of memories that are known
NOT_ASKED = "not_asked"  # there is nothing by which it could be asked
SHARED = "shared_by_tenants"  # nobody can tell whose a byte is
ORPHANED = "history_rows_of_memories_deleted_before_their_owner_was_known"
NO_ROUTE = "no_route_deletes_it"  # the store's API shows it and deletes none of it
HELD = "side:qdrant-local"  # only the store changes it while the store runs


@dataclass(frozen=True, slots=True)
class Count:
    """How much of the scope a layer holds; ``value`` is None where nobody could look."""

    value: int | None
    reason: str | None = None

    @property
    def code(self) -> str | None:
        """The reason of a layer that could not be counted."""
        return self.reason and f"layer_{self.reason}"

    @property
    def unreachable(self) -> bool:
        """Configured, but it did not answer."""
        return self.reason is not None


def at_least(count: Count | None, rows: int) -> Count | None:
    """The same where another route shows so many rows."""
    if count is None or count.value is None:
        return count
    return replace(count, value=max(count.value, rows))


def names(store: Store) -> list[str]:
    """The store's layers in the order in which they are cleared."""
    profile = store.profile
    declared = list(dict.fromkeys([*profile.erase_owner, *profile.erase_item]))
    return deletion_order(dict.fromkeys([*declared, *profile.layers]), declared)


def apart(store: Store) -> list[str]:
    """The store's layers that do not lie in a memory's own row."""
    return [name for name in store.profile.layers if not in_row(store, name)]


def in_row(store: Store, name: str) -> bool:
    """Whether a layer lies in the memory's own row and goes with it."""
    return bool(store.profile.layers.get(name, {}).get("parent") == MEMORY)


def beyond(store: Store) -> list[str]:
    """The store's layers that nobody can delete from as it is configured."""
    return [name for name in apart(store) if name != MEMORY and connector(store, name) is None]


def connector(store: Store, name: str) -> Layer | None:
    """The layer's connector if one is configured."""
    layer: Layer | None = store.layers.get(CONNECTORS.get(name, name))
    return None if layer is None or layer.reach == UNREACHED else layer


def beside(store: Store) -> dict[str, Layer]:
    """The connected layers beside the memories by name, in the order in which they are cleared."""
    found = {name: connector(store, name) for name in names(store) if name != MEMORY}
    return {name: layer for name, layer in found.items() if layer is not None}


def unlooked(store: Store, unread: Iterable[str]) -> dict[str, str]:
    """What a look at everything does not reach in a store, as ``upstream/layer``, and why."""
    why = {f"{store.name}/{name}": NO_CONNECTOR for name in unread}
    return {**why, f"{store.name}/{EVIDENCE}": NO_WORDS} if connector(store, EVIDENCE) else why


def connected(store: Store) -> bool:
    """Whether any layer of the store, the files among them, can be asked by itself."""
    return any(connector(store, name) for name in [*names(store), EVIDENCE])


def remedy(layer: Layer) -> tuple[str, str]:
    """Why rows of a layer are left though they were deleted, and what an operator can do."""
    if layer.reach == HELD:
        return "held_by_the_store", (
            "Stop the store, run 'expunge reconcile --offline --config FILE', start it again."
        )
    return "still_found", "Run it again; look at the layer if it stays."


async def count(layer: Layer, scope: LayerScope) -> Count:
    """Ask a connector how much is there."""
    try:
        return Count(await layer.count(scope))
    except LayerUnavailable as failure:
        return Count(None, failure.reason_code)


async def clear(store: Store, scope: LayerScope) -> dict[str, int]:
    """Delete a scope in every connected layer beside the memories; rows that went, by layer.

    Raises:
        LayerUnavailable: a layer cannot be changed now.
    """
    return {name: await layer.delete(scope) for name, layer in beside(store).items()}


async def count_all(store: Store, scope: LayerScope, *, files: bool) -> dict[str, Count]:
    """What every connected layer holds of the scope.

    Args:
        files: look at its files as well. Whose a byte is they do not say: where tenants share the
            store, a number tells one of them what another one keeps.
    """
    found = {}
    for name in [*names(store), *([EVIDENCE] if files else [])]:
        layer = connector(store, name)
        if layer is not None:
            found[name] = await count(layer, scope)
    return found


def tells_apart(store: Store) -> bool:
    """Whether a store's tables can be read for what others have said, which stays in its files."""
    return isinstance(connector(store, "history"), Legible)


def side_view(
    store: Store, name: str, before: Count | None, after: Count | None, memory: LayerView
) -> LayerView:
    """The outcome of one layer beside the memories, as a connector or its absence shows it."""
    if after is None:
        return _unconnected(store, name, memory)
    how = "counted only" if name == EVIDENCE else "deleted, then counted"
    method = f"{connector_reach(store, name)}: {how}"
    if after.unreachable or after.value is None:
        return LayerView(
            store.name, name, before.value if before else None, None, None, "unreachable",
            method, f"layer_{after.reason or 'unanswered'}", "Retry when the layer answers.",
        )  # fmt: skip
    found = max(before.value or 0, after.value) if before else after.value
    left = after.value
    layer = connector(store, name)
    if left and layer is not None:
        reason, action = remedy(layer)
        return LayerView(
            store.name, name, found, found - left, left, "residual", method, reason,
            f"{action} Then 'expunge erasure retry'.",
        )  # fmt: skip
    status = "erased" if found else "absent"
    return LayerView(store.name, name, found, found, 0, status, method)


def connector_reach(store: Store, name: str) -> str:
    """How the layer is reached."""
    layer = connector(store, name)
    return layer.reach if layer else UNREACHED


def _unconnected(store: Store, name: str, memory: LayerView) -> LayerView:
    if in_row(store, name):
        return LayerView(
            store.name, name, memory.found, memory.erased, memory.residual, memory.status,
            "in the memory's own row: goes and is verified with it",
        )  # fmt: skip
    return unconnected(store.name, name)


def unconnected(upstream: str, name: str) -> LayerView:
    """A layer that nobody can look into."""
    return LayerView(
        upstream, name, None, None, None, "residual", NO_CONNECTOR, OUT_OF_REACH,
        f"Configure layers.{CONNECTORS.get(name, name)} of this upstream, or clear it by hand.",
    )  # fmt: skip


def unfound(view: LayerView) -> LayerView:
    """What a layer of a plan that found nothing shows: absent only where somebody looked."""
    if view.reason == ORPHANED:
        return replace(view, erased=0, status="residual")
    if view.found:  # bytes of files: no memory and no row has them
        return replace(
            view, erased=0, residual=view.found, status="residual", reason="still_found",
            action="No memory and no row says it: these bytes may be of what is not meant.",
        )  # fmt: skip
    if view.found is not None:
        return replace(view, erased=0, residual=0, status="absent")
    if view.reason == NOT_ASKED:
        return replace(
            view, erased=None, status="residual",
            action="Of no memory and no owner nothing can be asked: forget the owner as well.",
        )  # fmt: skip
    if view.reason == SHARED:
        return replace(
            view, erased=None, status="residual",
            action="Tenants share the store: its bytes are looked at once something was deleted.",
        )  # fmt: skip
    if view.reason:
        return replace(
            view, erased=None, status="unreachable", action="Ask again when the layer answers."
        )
    return unconnected(view.upstream, view.layer)


def history_view(store: Store, found: int, left: int) -> LayerView:
    """The history as its API shows it, where no connector can delete from it."""
    if not left:
        status = "erased" if found else "absent"
        return LayerView(store.name, "history", found, found, 0, status, BY_API)
    return LayerView(
        store.name, "history", found, found - left, left, "residual", BY_API,
        NO_ROUTE,
        "Configure layers.history of this upstream, or run the store without a history file.",
    )  # fmt: skip


def with_held(view: LayerView, held: int) -> LayerView:
    """What a layer shows where memories of the plan are kept under a hold: it is not absent there.

    Args:
        held: how many. How many rows of other layers are theirs is not counted.
    """
    if not held or view.status not in {"erased", "absent"}:
        return view
    if view.layer != MEMORY:
        return replace(view, status="held", residual=None, reason=ON_HOLD, action=LATER)
    found = (view.found or 0) + held
    return replace(view, found=found, status="held", residual=held, reason=ON_HOLD, action=LATER)


def cumulative(
    views: Iterable[LayerView], before: Iterable[LayerView], deleted: Mapping[str, int]
) -> list[LayerView]:
    """Outcomes that count what earlier runs found and deleted as well; the residue is today's.

    Args:
        views: what the layers show now.
        before: the outcomes that were recorded last; what a plan only expected does not count.
        deleted: rows that all runs deleted, by ``upstream/layer``.
    """
    known = {(each.upstream, each.layer): each for each in before if each.status != "planned"}
    return [
        _with_past(
            each, known.get((each.upstream, each.layer)),
            deleted.get(f"{each.upstream}/{each.layer}", 0),
        )
        for each in views
    ]  # fmt: skip


def _with_past(view: LayerView, before: LayerView | None, deleted: int) -> LayerView:
    seen = max(view.found or 0, (before.found or 0) if before else 0)
    if view.residual is None:
        gone = max(view.erased or 0, (before.erased or 0) if before else 0, deleted)
        return replace(view, found=seen, erased=gone) if seen else view
    found = max(seen, deleted + view.residual)
    status = "erased" if found and view.status == "absent" else view.status
    return replace(view, found=found, erased=found - view.residual, status=status)


def worst(views: Iterable[LayerView]) -> int:
    """The headline: the largest residue of any layer; unknown counts as one."""
    return max(
        (
            (view.residual if view.residual is not None else 1)
            for view in views
            if view.status in {"residual", "unreachable"}
        ),
        default=0,
    )


def all_clean(views: Sequence[LayerView]) -> bool:
    """Whether no layer is residual or unreachable."""
    return all(view.status not in {"residual", "unreachable"} for view in views)


def out_of_reach(view: LayerView) -> bool:
    """Whether what may be left in a layer waits for a connector: no retry can change it before."""
    return view.status == "residual" and view.reason in {OUT_OF_REACH, NO_ROUTE}


def load(rows: Sequence[Mapping[str, object]]) -> tuple[LayerView, ...]:
    """Layer views from the ledger."""
    return tuple(LayerView(**row) for row in rows)  # type: ignore[arg-type]  # our own rows
