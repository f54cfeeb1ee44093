"""Everything the control plane serves, in one list."""

from proxy.control import (
    audit,
    blocklist,
    client_keys,
    erasures,
    holds,
    keys,
    memories,
    policies,
    probes,
    quarantine,
    retention,
    reviews,
    rights,
    stores,
    subjects,
    tenants,
)
from proxy.control.routing import Route

ROUTES: tuple[Route, ...] = (
    *erasures.ROUTES,
    *subjects.ROUTES,
    *memories.ROUTES,
    *holds.ROUTES,
    *rights.ROUTES,
    *retention.ROUTES,
    *reviews.ROUTES,
    *quarantine.ROUTES,
    *blocklist.ROUTES,
    *stores.ROUTES,
    *policies.ROUTES,
    *tenants.ROUTES,
    *client_keys.ROUTES,
    *audit.ROUTES,
    *keys.ROUTES,
    *probes.ROUTES,
)
