"""Everything the control plane serves, in one list."""

from proxy.control import audit, blocklist, erasures, policies, probes, tenants
from proxy.control.routing import Route

ROUTES: tuple[Route, ...] = (
    *erasures.ROUTES,
    *blocklist.ROUTES,
    *policies.ROUTES,
    *tenants.ROUTES,
    *audit.ROUTES,
    *probes.ROUTES,
)
