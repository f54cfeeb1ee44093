"""What the control plane calls; the application builds it once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from detectors.detection import Analysis
from policies import Policy
from proxy.audit.log import AuditLog
from proxy.audit.witness import Witness
from proxy.clock import Clock
from proxy.control.credentials import Credentials
from proxy.erasure.search.means import Means
from proxy.erasure.service import ErasureService
from proxy.keys.ring import KeyRing
from proxy.ledger.credentials import ApiKey
from proxy.ledger.engine import Ledger, Tx
from proxy.retention.reviews import Reviews
from proxy.retention.sweeper import Sweeper
from proxy.rights.access import Access
from proxy.rights.holds import Holds
from proxy.rights.pins import Pins
from proxy.rights.quarantine import Quarantine
from proxy.rights.rectify import Rectification
from proxy.rights.wishes import Wishes
from proxy.telemetry.exposition import exposition
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault


@dataclass(frozen=True, slots=True)
class Front:
    """What the control plane's HTTP needs to know of itself.

    Args:
        base_path: prefix of every route.
        allowed_hosts: host names it answers to, beside loopback.
        allowed_origins: origins whose browsers may call it.
        readiness: the report behind /readyz.
        diagnosis: every part tried, for ``expunge doctor``.
        openapi: the description of the API.
        metrics: every instrument in Prometheus' text format.
    """

    base_path: str
    allowed_hosts: frozenset[str]
    allowed_origins: frozenset[str]
    readiness: Callable[[], Awaitable[Mapping[str, Any]]]
    diagnosis: Callable[[], Awaitable[Sequence[Mapping[str, str]]]]
    openapi: Mapping[str, Any]
    metrics: Callable[[], Awaitable[bytes]] = exposition


class ClientKeys(Protocol):
    """Issues the keys of the data plane."""

    async def issue_key(
        self,
        tx: Tx,
        tenant_id: str,
        *,
        roles: Sequence[str] = ...,
        label: str,
        expires_at: datetime | None = None,
        operations: Sequence[str] | None = None,
        purposes: Sequence[str] | None = None,
    ) -> str: ...

    async def kept(self, tx: Tx, key: str) -> ApiKey: ...


class Detectors(Protocol):
    """Detection off the event loop."""

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None
    ) -> list[Analysis]: ...


@dataclass(frozen=True, slots=True)
class ControlServices:
    """Everything that handlers call."""

    front: Front
    credentials: Credentials
    client_keys: ClientKeys
    ledger: Ledger
    keyring: KeyRing
    audit: AuditLog
    clock: Clock
    policies: Callable[[str], Policy]
    detectors: Detectors
    report_policies: Callable[[], Mapping[str, Any]]
    vault: TokenVault
    blocklist: Blocklist
    means: Means
    erasure: ErasureService
    public_key: str
    sweeper: Sweeper
    holds: Holds
    access: Access
    rectification: Rectification
    reviews: Reviews
    quarantine: Quarantine
    pins: Pins
    wishes: Wishes
    witness: Witness | None = None
