"""A store that shows on one route only what it says it deleted: never complete."""

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.faults.test_store_faults import settle
from tests.support.erasing import Erasing
from tests.support.small_store import reply

TARGETS = {
    "owner": Target(kind="owner", values=("u-1",)),
    "entity": Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON"),
    "category": Target(kind="category", values=("health",), owner="u-1"),
    "memory": None,
}


@pytest.mark.parametrize("route", ["get", "list", "search"])
@pytest.mark.parametrize("kind", TARGETS)
async def test_it_is_residual_until_that_route_is_clean(
    bench: Erasing, clock: FrozenClock, kind: str, route: str
) -> None:
    """Whichever route it is and whatever is forgotten; once it is clean, so is the erasure."""
    alva = [Mention("PERSON", "Alva Brenn")]
    text = "Alva Brenn keeps basalt in a blue box"
    kept = await bench.remember("u-1", text, mentions=alva, categories=["health"])
    row, gone = dict(bench.small.rows[kept]), set[str]()
    shown = {"get": row, "list": {"count": 1, "next": None, "results": [row]},
             "search": {"results": [row]}}  # fmt: skip

    def fault(verb: str, subject: str):
        if verb == "delete":
            gone.add(subject)
        return reply(shown[verb]) if gone and verb == route else None

    bench.small.fault = fault
    view = await bench.forget(TARGETS[kind] or Target(kind="memory", values=(kept,)))
    memory = next(layer for layer in view.layers if layer.layer == "memory")
    assert (view.state, memory.status, memory.residual) == ("verifying", "residual", 1)
    bench.small.fault = lambda verb, subject: None
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert view.state == "complete"
