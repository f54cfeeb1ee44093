"""What the data plane needs from the rest of the proxy."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from detectors.detection import Analysis, Detection
from detectors.settings import Tier
from policies import Policy, Preferences
from proxy.clock import Clock
from proxy.erasure.search.target import Actor, Origin, Target
from proxy.erasure.view import ErasureView
from proxy.gateway.owners import OwnerMap
from proxy.gateway.repeats import Repeats
from proxy.gateway.seen import Seen
from proxy.gateway.unsettled import Unsettled
from proxy.gateway.wire.clean_headers import CleanHeaders
from proxy.gateway.wire.limits import Limits
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.failures import Conflict
from proxy.rights.in_force import Decisions
from proxy.throttle import Throttle
from proxy.upstreams.binding import UpstreamBinding

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Concerned:
    """Those whose a request or a memory is: who they are, what they agreed to and asked for.

    Args:
        owners: as ``kind:id``, where the policy asks for it.
    """

    owners: frozenset[str] = frozenset()
    consents: frozenset[str] = frozenset()
    preferences: Preferences = field(default_factory=Preferences)


NOBODY = Concerned()


async def committed(ledger: Ledger, unit: Callable[[Tx], Awaitable[T]]) -> T:
    """Write, and once more if another replica inserted the same row in between."""
    try:
        return await ledger.write(unit)
    except Conflict:
        return await ledger.write(unit)


class Detectors(Protocol):
    """Detection off the event loop."""

    @property
    def ready(self) -> bool: ...
    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]: ...


class Vault(Protocol):
    """Entities of a tenant and their surrogates."""

    async def tokenise(self, tx: Tx, tenant_id: str, mentions: Sequence[Any]) -> list[Any]: ...
    async def index(self, tx: Tx, tenant_id: str, mentions: Sequence[Any]) -> list[str]: ...
    async def restore_many(
        self, tenant_id: str, texts: Sequence[str], *, owners: Collection[str] | None = None
    ) -> list[Any]: ...
    async def erased_in(
        self, tenant_id: str, texts: Sequence[str], *, deks: Collection[str] | None = None
    ) -> list[bool]: ...
    async def known_mentions(
        self, tenant_id: str, texts: Sequence[str]
    ) -> list[list[Detection]]: ...
    async def named(
        self, tenant_id: str, mentions: Sequence[tuple[str, str]]
    ) -> list[frozenset[str]]: ...
    async def mentioned(
        self, tenant_id: str, named: Sequence[tuple[str, str]], owner_ids: Collection[str]
    ) -> list[dict[str, bool]]: ...


class Blocklist(Protocol):
    """Who must not come back."""

    async def blocked_mentions(
        self,
        tenant_id: str,
        texts: Sequence[str],
        owner_ids: Iterable[str] = (),
        *,
        initials: bool = False,
    ) -> list[list[Detection]]: ...
    async def blocks_names(self, tenant_id: str) -> bool: ...
    async def owner_blocked(self, tenant_id: str, kind: str, owner_id: str) -> bool: ...


class Erasures(Protocol):
    """The door through which a client's own deletes go."""

    async def forget(
        self, tenant_id: str, target: Target, *, actor: Actor, origin: Origin, **request: Any
    ) -> ErasureView: ...


class Audit(Protocol):
    """Content-free entries, in the caller's transaction."""

    async def append(
        self, tx: Tx, tenant_id: str | None, event: str, fields: Mapping[str, Any]
    ) -> str: ...


class Identifier(Protocol):
    """Credential to caller."""

    async def caller_of(self, raw: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class GatewayServices:
    """Everything one request may use."""

    ledger: Ledger
    keyring: KeyRing
    vault: Vault
    blocklist: Blocklist
    detectors: Detectors
    policies: Callable[[str], Policy]
    stores: Mapping[str, UpstreamBinding]
    erasure: Erasures
    audit: Audit
    clock: Clock
    auth: Identifier
    limits: Limits = field(default_factory=Limits)
    throttle: Throttle = field(default_factory=Throttle)
    owners: OwnerMap = field(default_factory=OwnerMap)
    seen: Seen = field(default_factory=Seen)
    unsettled: Unsettled = field(default_factory=Unsettled)
    clean_headers: CleanHeaders = field(default_factory=CleanHeaders)
    repeats: Repeats = field(default_factory=Repeats)
    wishes: Decisions | None = None
    deadline: float = 60.0  # seconds that looking up names may take, as detection
    packaged: Detectors | None = None  # detectors that ask nobody else, where ``detectors`` do
