"""Gauges read from the ledger now and then: erasures by state, residue, open reviews."""

from proxy.app.self_test import SelfTest
from proxy.ledger import erasures, reviews, tenants
from proxy.ledger.engine import Ledger, Tx
from proxy.telemetry.metrics import ERASURES, OPEN_REVIEWS, RESIDUAL_LAYERS, SELF_TEST_AGE

_LEFT = frozenset({"residual", "unreachable"})
_MOST = 1000


async def refresh(ledger: Ledger, self_test: SelfTest | None) -> None:
    """Set the gauges to what the ledger says now; without a self-test its age is no number."""
    SELF_TEST_AGE.set(float("nan") if self_test is None else await self_test.age())
    by_state, residual = await ledger.read(_count)
    ERASURES.clear()
    for (state, outcome), count in by_state.items():
        ERASURES.labels(state, outcome).set(count)
    RESIDUAL_LAYERS.set(residual)
    OPEN_REVIEWS.set(await ledger.read(reviews.count_open))


async def _count(tx: Tx) -> tuple[dict[tuple[str, str], int], int]:
    residual = 0
    for tenant in await tenants.every(tx):
        for row in await erasures.of_tenant(tx, tenant.id, states=("incomplete",), limit=_MOST):
            if row.outcome != "nothing_found":  # an earlier one left that, and is counted
                residual += sum(layer.get("status") in _LEFT for layer in row.layers)
    return await erasures.count_by_state(tx), residual
