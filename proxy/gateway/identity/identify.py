"""Identity: a credential names exactly one tenant; nothing else in a request does."""

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from proxy import ids
from proxy.background import spawn
from proxy.clock import Clock
from proxy.gateway.exchange import Caller, RawCall
from proxy.gateway.services import GatewayServices
from proxy.identity.attempts import count_refused
from proxy.keys.ring import KeyRing
from proxy.ledger import credentials, tenants
from proxy.ledger.credentials import ApiKey
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.upstreams.profile import Route
from proxy.upstreams.transport import Headers

DOMAIN = "client-key"
PREFIX = "exk_"
CACHE_SECONDS = 5.0
CACHED = 4096
TOUCH_EVERY = timedelta(minutes=5)
_SCHEMES = ("token", "bearer")
_KINDS = {
    **dict.fromkeys(("write", "update", "batch_update", "annotate"), "write"),
    **dict.fromkeys(("delete", "batch_delete", "delete_owner", "reset"), "delete"),
}


def offered(headers: Headers, passed: str | None = None) -> str:
    """The one credential in the headers; empty if there is none or they disagree.

    Args:
        passed: a header whose credential is for the store, in lower case: it says nothing here.
    """
    found: set[str] = set()
    for name, value in headers:
        if (lower := name.lower()) == passed:
            continue
        if lower == "x-api-key":
            found.add(value.strip())
        elif lower == "authorization":
            scheme, _, rest = value.strip().partition(" ")
            found.add(rest.strip() if scheme.lower() in _SCHEMES else "")
    return found.pop() if len(found) == 1 else ""


class Authenticator:
    """Client keys, kept as keyed digests."""

    def __init__(self, ledger: Ledger, keyring: KeyRing, clock: Clock) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock
        self._cache: OrderedDict[bytes, tuple[float, ApiKey]] = OrderedDict()

    async def caller_of(self, raw: RawCall) -> Caller:
        """Who calls with a client key; raises as ``tenant_for``."""
        return await self.holder_of(offered(raw.headers))

    async def tenant_for(self, headers: Headers) -> Caller:
        """Who calls.

        Raises:
            Problem: ``unauthenticated``, the same for a missing, wrong, expired or revoked key.
        """
        return await self.holder_of(offered(headers))

    async def holder_of(self, key: str) -> Caller:
        """Who calls with a key; raises as ``tenant_for``."""
        row = await self._row(key) if key else None
        now = self._clock.now()
        if row is None or row.tenant_id is None or not _usable(row, now):
            raise Problem("unauthenticated", "The request carries no valid client key.")
        self._touch(row, now)
        return _caller(row.tenant_id, row.id, row.roles, row.operations, row.purposes)

    async def issue_key(
        self,
        tx: Tx,
        tenant_id: str,
        *,
        roles: Sequence[str] = ("app",),
        label: str = "",
        expires_at: datetime | None = None,
        key: str | None = None,
        operations: Sequence[str] | None = None,
        purposes: Sequence[str] | None = None,
    ) -> str:
        """Make a client key (or take a given one); it is shown this once.

        Raises:
            Problem: ``invalid-request`` if a given key is too short to be a secret.
        """
        if key is not None and len(key) < 16:
            raise Problem("invalid-request", "A client key has at least 16 characters.")
        value = key or PREFIX + secrets.token_urlsafe(32)
        row = ApiKey(
            id=ids.new("key"),
            tenant_id=tenant_id,
            kind="client",
            roles=tuple(roles),
            digest=await self._digest(value),
            label=label,
            created_at=self._clock.now(),
            expires_at=expires_at,
            operations=None if operations is None else tuple(operations),
            purposes=None if purposes is None else tuple(purposes),
        )
        if await credentials.by_digest(tx, row.digest) is None:
            await credentials.insert_key(tx, row)
        return value

    async def kept(self, tx: Tx, key: str) -> ApiKey:
        """What the ledger keeps of a key; raises ``not-found``."""
        row = await credentials.by_digest(tx, await self._digest(key))
        if row is None:
            raise Problem("not-found", "There is no such key.")
        return row

    async def _row(self, key: str) -> ApiKey | None:
        digest = await self._digest(key)
        until, known = self._cache.get(digest, (0.0, None))
        if known is not None and self._clock.monotonic() < until:
            return known
        row = await self._ledger.read(lambda tx: _active(tx, digest))
        if row is not None:
            self._cache[digest] = (self._clock.monotonic() + CACHE_SECONDS, row)
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return row

    async def _digest(self, key: str) -> bytes:
        return (await self._keyring.installation()).of(DOMAIN, key)

    def _touch(self, row: ApiKey, now: datetime) -> None:
        """Keep the time of last use roughly, off the request's path."""
        if row.last_used_at is not None and now - row.last_used_at < TOUCH_EVERY:
            return
        used = ApiKey(**{**{n: getattr(row, n) for n in ApiKey.__slots__}, "last_used_at": now})
        self._cache[row.digest] = (self._clock.monotonic() + CACHE_SECONDS, used)
        _ = spawn(
            self._ledger.write(lambda tx: credentials.touch(tx, row.id, now)), name="touch-key"
        )


async def _active(tx: Tx, digest: bytes) -> ApiKey | None:
    row = await credentials.by_digest(tx, digest)
    if row is None or row.tenant_id is None:
        return None
    tenant = await tenants.get(tx, row.tenant_id)
    return row if tenant is not None and tenant.state == "active" else None


def _usable(row: ApiKey, now: datetime) -> bool:
    in_time = row.expires_at is None or now < row.expires_at
    return row.kind == "client" and row.revoked_at is None and in_time


async def identify(raw: RawCall, services: GatewayServices) -> Caller:
    """The caller of a request; an address that guesses is slowed down.

    Raises:
        Problem: ``unauthenticated`` or ``rate-limited``.
    """
    try:
        caller: Caller = await services.auth.caller_of(raw)
    except Problem as problem:
        if problem.slug == "unauthenticated":
            allowed, now = services.limits.failed_attempts, services.clock.monotonic()
            count_refused(services.throttle, raw.peer, allowed=allowed, now=now)
        raise
    return caller


def permit(caller: Caller, raw: RawCall, route: Route) -> None:
    """Hold a caller to what its credential is for.

    A client asks whether the store is there before it does anything: for that any credential is
    good, unless what passes is bytes that nobody looks at.

    Raises:
        Problem: ``forbidden`` or ``purpose-denied``.
    """
    asks_only = route.op == "pass" and not route.streams
    kinds = None if asks_only else caller.operations
    if kinds is not None and _KINDS.get(route.op, "read") not in kinds:
        raise Problem("forbidden", "This credential is not for this operation.",
                      hint="Use a credential that may do it.")  # fmt: skip
    stated = raw.header("expunge-purpose")
    if stated and caller.purposes is not None and stated not in caller.purposes:
        raise Problem("purpose-denied", "This credential may not state this purpose.")


@lru_cache(maxsize=CACHED)
def _caller(
    tenant_id: str,
    key_id: str,
    roles: tuple[str, ...],
    operations: tuple[str, ...] | None,
    purposes: tuple[str, ...] | None,
) -> Caller:
    """The holder of a key: one object for as long as the key says the same."""
    return Caller(tenant_id, frozenset(roles), key_id, _set(operations), _set(purposes))


def _set(words: Sequence[str] | None) -> frozenset[str] | None:
    return None if words is None else frozenset(words)
