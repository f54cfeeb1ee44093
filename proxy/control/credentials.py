"""Tokens of the control plane: issued once, kept as keyed digests, checked on every call."""

import secrets
from collections.abc import Iterable

from proxy import ids
from proxy.clock import Clock
from proxy.control.routing import Caller
from proxy.identity.attempts import count_refused
from proxy.identity.bearer import Bearer
from proxy.keys.ring import KeyRing
from proxy.ledger import credentials, tenants
from proxy.ledger.credentials import ApiKey
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.throttle import Throttle

ROLES = ("app", "operator", "privacy", "auditor")
DEFAULT_TENANT = "default"
_PREFIX = "xpc_"
_KIND = "control"
SHORTEST_TOKEN = 24
_OPEN = ("active", "closed")  # a closed one has no callers, but data that can be forgotten


class Credentials:
    """Issues and checks the tokens of the control plane.

    Args:
        bearer: signed tokens (JWT) that are accepted as well.
        failed_attempts: refused tokens of one address per minute.
    """

    def __init__(
        self,
        ledger: Ledger,
        keyring: KeyRing,
        clock: Clock,
        *,
        bearer: Bearer | None = None,
        failed_attempts: int = 30,
    ) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock
        self._bearer, self._allowed, self._throttle = bearer, failed_attempts, Throttle()

    async def issue(self, tenant_id: str | None, roles: Iterable[str], label: str) -> str:
        """A new token; it cannot be shown again.

        Args:
            tenant_id: the tenant it is bound to; None: the installation.
            roles: what its holder may do.
            label: for people.
        """
        token = _PREFIX + secrets.token_urlsafe(32)
        await self._ledger.write(lambda tx: self.ensure(tx, tenant_id, roles, label, token))
        return token

    async def ensure(
        self, tx: Tx, tenant_id: str | None, roles: Iterable[str], label: str, token: str
    ) -> bytes:
        """Make a given token exist; returns its keyed digest.

        Raises:
            Problem: ``invalid-config`` if it is too short to be a secret.
        """
        if len(token) < SHORTEST_TOKEN:
            raise Problem("invalid-config", f"A token has at least {SHORTEST_TOKEN} characters.")
        digest = await self._digest(token)
        if await credentials.by_digest(tx, digest) is None:
            key = ApiKey(ids.new("key"), tenant_id, _KIND, tuple(roles), digest, label,
                         self._clock.now())  # fmt: skip
            await credentials.insert_key(tx, key)
        return digest

    async def authenticate(self, token: str, peer: str = "") -> Caller:
        """Who holds the token; an address that guesses is slowed down.

        Args:
            peer: the address it came from.

        Raises:
            Problem: ``unauthenticated``, the same for every token that is not good;
                ``rate-limited``; ``identity-unavailable``.
        """
        digest = await self._digest(token)
        key = await self._ledger.read(lambda tx: credentials.by_digest(tx, digest))
        if key is not None and self._is_good(key):
            return Caller(key.id, key.tenant_id, frozenset(key.roles))
        caller = await self._signed(self._bearer, token) if self._bearer is not None else None
        if caller is None:
            now = self._clock.monotonic()
            count_refused(self._throttle, peer, allowed=self._allowed, now=now)
            raise Problem("unauthenticated", "The bearer token is not known.",
                          hint="Send an Expunge control token, not a client key.")  # fmt: skip
        return caller

    def _is_good(self, key: ApiKey) -> bool:
        lapsed = key.expires_at is not None and key.expires_at <= self._clock.now()
        return key.kind == _KIND and key.revoked_at is None and not lapsed

    async def _signed(self, bearer: Bearer, token: str) -> Caller | None:
        """The holder of a signed token; of a tenant that is active, where it names one."""
        said = await bearer.read(token)
        if said is None:
            return None
        actor, name = said.actor(await self._keyring.installation()), said.tenant
        if name is None:
            return Caller(actor, None, said.roles)
        found = await self._ledger.read(lambda tx: tenants.by_name(tx, name))
        active = found is not None and found.state == "active"
        return Caller(actor, found.id, said.roles) if found is not None and active else None

    async def tenant(self, caller: Caller, name: str | None) -> str:
        """The tenant a call is about.

        Args:
            caller: a caller bound to a tenant gets that one, whatever it names.
            name: the tenant's name; None: the default one, or the only one.

        Raises:
            Problem: ``not-found``, or ``invalid-request`` when it must be named.
        """
        return await self._ledger.read(lambda tx: _choose(tx, caller, name))

    async def _digest(self, token: str) -> bytes:
        return (await self._keyring.installation()).of("control-key", token)


async def _choose(tx: Tx, caller: Caller, name: str | None) -> str:
    active = {t.name: t.id for t in await tenants.every(tx) if t.state in _OPEN}
    if caller.tenant_id is not None:
        if caller.tenant_id in active.values() and name in {None, *_names(active, caller)}:
            return caller.tenant_id
        raise Problem("not-found", "There is no such tenant.")
    if name is None and DEFAULT_TENANT not in active and len(active) != 1:
        raise Problem("invalid-request", "There are several tenants, or none: name one.",
                      hint="Send the header Expunge-Tenant (--tenant NAME).")  # fmt: skip
    chosen = active.get(name or DEFAULT_TENANT) or (None if name else next(iter(active.values())))
    if chosen is None:
        raise Problem("not-found", "There is no such tenant.")
    return chosen


def _names(active: dict[str, str], caller: Caller) -> set[str]:
    return {name for name, tenant_id in active.items() if tenant_id == caller.tenant_id}
