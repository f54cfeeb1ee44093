"""Gauges that are read from the ledger now and then: erasures by state, layers with residue."""

from proxy.ledger import erasures, tenants
from proxy.ledger.engine import Ledger, Tx
from proxy.telemetry.metrics import ERASURES, RESIDUAL_LAYERS

_LEFT = frozenset({"residual", "unreachable"})
_MOST = 1000


async def refresh(ledger: Ledger) -> None:
    """Set the gauges to what the ledger says now."""
    by_state, residual = await ledger.read(_count)
    ERASURES.clear()
    for state, count in by_state.items():
        ERASURES.labels(state).set(count)
    RESIDUAL_LAYERS.set(residual)


async def _count(tx: Tx) -> tuple[dict[str, int], int]:
    residual = 0
    for tenant in await tenants.every(tx):
        for row in await erasures.of_tenant(tx, tenant.id, states=("incomplete",), limit=_MOST):
            residual += sum(layer.get("status") in _LEFT for layer in row.layers)
    return await erasures.count_by_state(tx), residual
