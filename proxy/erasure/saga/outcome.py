"""What the verification of a store came to, as the layers of a certificate tell it."""

from collections.abc import Mapping
from dataclasses import dataclass

from proxy.erasure.saga.probes import Probes
from proxy.erasure.search import away, layers
from proxy.erasure.search.layers import Count
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.orphans import NONE_LEFT, Left, with_left
from proxy.erasure.view import LayerView
from proxy.ledger import erasures
from proxy.upstreams.store import Store

WHEN_PLANNED = "by id, when it was planned"  # nothing of it was found there

REFUSED = "refused"
WAITS = {
    "": ("still_found", "Look at the store; run 'expunge erasure retry'."),
    REFUSED: (away.REASON, "The store takes no deletes now; the erasure goes on when it does."),
    away.ASKED: (away.ASKED, away.ANSWER),
    erasures.CHANGED: (
        "changed",
        "Its text was changed after the confirmation. Ask for a new erasure of the same, then "
        "'expunge erasure retry'.",
    ),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """What verification of one store came to.

    Args:
        found: memories of the plan that go.
        left: those of them that are not deleted, or are there again.
        held: memories of the plan that a hold keeps.
        waits: why some of those that are left could not be deleted, or wait for a person.
        unread: it was never read for this erasure, so nobody knows what it holds.
        listed: its lists were read to the end since the last deletion.
        orphans: rows of its history that may be of whom it forgets, and nobody can tell.
        person: somebody asked for it, or an agent for them.
    """

    store: Store
    probes: Probes
    sides: Mapping[str, Count]
    found: int
    left: int
    failed: bool = False
    held: int = 0
    waits: str = ""
    unread: bool = False
    listed: bool = False
    orphans: Left = NONE_LEFT
    person: bool = True


def memory_view(checked: Checked) -> LayerView:
    """The outcome of the memory layer itself."""
    store, found, left, how = checked.store, checked.found, checked.left, _methods(checked)
    if checked.failed:
        return LayerView(
            store.name, MEMORY, found, found - left, None, "unreachable", how,
            "store_unavailable", "The erasure goes on when the store answers.",
        )  # fmt: skip
    if left:
        return LayerView(
            store.name, MEMORY, found, max(0, found - left), left, "residual", how,
            *WAITS[checked.waits],
        )  # fmt: skip
    return LayerView(store.name, MEMORY, found, found, 0, "erased" if found else "absent", how)


def _methods(checked: Checked) -> str:
    """By which routes the memories were looked for; those that were not taken are not named."""
    files = checked.sides.get(layers.EVIDENCE)
    routes = {
        "by id": checked.probes.by_id,
        "list": checked.listed or checked.probes.lists,
        "search": checked.probes.searches,
        "bytes of files": files is not None and files.value is not None,
    }
    taken = ", ".join(name for name, taken in routes.items() if taken)
    return taken or (away.NOT_READ if checked.failed else WHEN_PLANNED)


def views(checked: Checked, before: Mapping[str, Count]) -> list[LayerView]:
    """The outcome of every layer of one store."""
    if checked.unread:
        return away.views(checked.store, asked=checked.waits == away.ASKED)
    store, memory = checked.store, memory_view(checked)
    listed = [memory]
    for name in layers.names(store):
        if name == "memory":
            continue
        if name == "history" and layers.connector(store, name) is None and not checked.failed:
            listed.append(_history(checked))
            continue
        after = checked.sides.get(name)
        if name == "history" and checked.probes.history_rows:
            after = layers.at_least(after, checked.probes.history_rows)
        listed.append(layers.side_view(store, name, before.get(name), after, memory))
    if layers.EVIDENCE in checked.sides:
        listed.append(_evidence(checked, before, memory))
    held = (layers.with_held(view, checked.held) for view in listed)
    return [with_left(each, checked.orphans, person=checked.person) for each in held]


def _history(checked: Checked) -> LayerView:
    """The history as its API shows it, which has to be asked for a memory."""
    rows = checked.probes.history_rows
    if not checked.probes.histories:
        return layers.unconnected(checked.store.name, "history")
    return layers.history_view(checked.store, max(rows, checked.found), rows)


def _evidence(checked: Checked, before: Mapping[str, Count], memory: LayerView) -> LayerView:
    after = checked.sides[layers.EVIDENCE]
    return layers.side_view(
        checked.store, layers.EVIDENCE, before.get(layers.EVIDENCE), after, memory
    )
