"""The control plane over real services and a small store: for tests of its routes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from detectors.suspicion import suspicion
from proxy.clock import Clock
from proxy.control.credentials import Credentials
from proxy.control.openapi import document
from proxy.control.routes import ROUTES
from proxy.control.routing import Route
from proxy.control.server import build_control_app
from proxy.control.services import ControlServices, Front
from proxy.gateway.identity.identify import Authenticator
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.retention.reviews import Reviews
from proxy.retention.sweeper import Sweeper
from proxy.rights.access import Access
from proxy.rights.holds import Holds
from proxy.rights.pins import Pins
from proxy.rights.quarantine import Quarantine
from proxy.rights.rectify import Rectification
from proxy.rights.wishes import Wishes
from tests.support.erasing import Erasing, erasing, small_binding

Client = TestClient[Any, Any]


async def bench_of(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: Clock, folder: Path
) -> Erasing:
    """The erasure engine over a small store."""
    store, small = small_binding()
    return await erasing(ledger, keyring, tenant_id, clock, folder, [store], small=small)


def services_of(bench: Erasing) -> ControlServices:
    """Everything the control plane calls, over the same ledger."""
    means = bench.means

    async def ready() -> dict[str, Any]:
        return {"ready": True, "parts": {}, "policies": {}}

    async def diagnosis() -> list[dict[str, str]]:
        return [{"name": "ledger", "status": "ok", "detail": "", "hint": ""}]

    front = Front(
        base_path="",
        allowed_hosts=frozenset({"expunge.example.org"}),
        allowed_origins=frozenset({"https://console.example.org"}),
        readiness=ready,
        diagnosis=diagnosis,
        openapi=document(ROUTES),
    )
    return ControlServices(
        front=front,
        credentials=Credentials(means.ledger, means.keyring, means.clock),
        client_keys=Authenticator(means.ledger, means.keyring, means.clock),
        ledger=means.ledger,
        keyring=means.keyring,
        audit=means.audit,
        clock=means.clock,
        policies=means.policies,
        detectors=means.detectors,
        report_policies=lambda: {"tested": {"digest": means.policies(bench.tenant_id).digest}},
        vault=means.vault,
        blocklist=means.blocklist,
        means=means,
        erasure=bench.service,
        public_key=means.signer.verifier_key,
        sweeper=Sweeper(means, bench.service),
        holds=Holds(means, bench.service),
        access=Access(means),
        rectification=Rectification(means, bench.service),
        reviews=Reviews(means, bench.service),
        quarantine=Quarantine(means, bench.service, suspicion),
        pins=Pins(means),
        wishes=Wishes(means),
    )


def client_of(services: ControlServices, routes: Sequence[Route] = ROUTES) -> Client:
    """A client of the control plane; use it as a context."""
    return TestClient(TestServer(build_control_app(services, routes)))


async def bearer(
    services: ControlServices, *roles: str, tenant_id: str | None = None
) -> dict[str, str]:
    """The header that carries a new token with these roles."""
    token = await services.credentials.issue(tenant_id, roles, "test")
    return {"Authorization": f"Bearer {token}"}
