"""Every way in to the data plane: client key, signed token, client certificate, or one tenant."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from proxy.clock import Clock
from proxy.gateway.exchange import Caller, RawCall
from proxy.gateway.identity.identify import CACHE_SECONDS, Authenticator, offered
from proxy.identity.bearer import Bearer, Vouched, is_token
from proxy.keys.ring import KeyRing
from proxy.ledger import tenants
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

_CACHED = 4096
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_STATED = ("authorization", "x-api-key")
_ALTERNATIVE = {"DNS": "dns", "URI": "uri", "email": "email"}


@dataclass(frozen=True, slots=True)
class Grant:
    """What one certificate, or every request of a sidecar, is allowed."""

    tenant: str
    roles: frozenset[str] = frozenset({"app"})
    purposes: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Sidecar:
    """One tenant for every request.

    Args:
        anywhere: whether requests may name this listener by another name than loopback.
    """

    grant: Grant
    anywhere: bool = False


def names_of(certificate: Mapping[str, Any] | None) -> frozenset[str]:
    """The names in a verified certificate as ``ssl.getpeercert`` gives it: ``dns:…``, ``cn:…``."""
    if not certificate:
        return frozenset()
    subject = [pair for part in certificate.get("subject", ()) for pair in part]
    names = {f"cn:{value}" for key, value in subject if key == "commonName"}
    for kind, value in certificate.get("subjectAltName", ()):
        if kind in _ALTERNATIVE:
            names.add(f"{_ALTERNATIVE[kind]}:{value}")
    return frozenset(names)


class Callers:
    """Who calls, by whichever way in is configured.

    Args:
        keys: client keys; always a way in, except for a sidecar.
        bearer: signed tokens.
        holders: grants by a name in the client's certificate.
        sidecar: one tenant for every request; then nothing else is looked at.
        passed: header with the client's credential for the store, in lower case.
    """

    def __init__(
        self,
        keys: Authenticator,
        ledger: Ledger,
        keyring: KeyRing,
        clock: Clock,
        *,
        bearer: Bearer | None = None,
        holders: Mapping[str, Grant] | None = None,
        sidecar: Sidecar | None = None,
        passed: str | None = None,
    ) -> None:
        self._keys, self._ledger, self._keyring, self._clock = keys, ledger, keyring, clock
        self._bearer, self._holders, self._sidecar = bearer, dict(holders or {}), sidecar
        self._passed = passed
        self._tenants: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._tokens: OrderedDict[bytes, tuple[float, float, Caller]] = OrderedDict()

    async def caller_of(self, raw: RawCall) -> Caller:
        """Who calls.

        Raises:
            Problem: ``unauthenticated``, the same for every credential that is missing or bad;
                ``forbidden`` where a sidecar is called as it may not be.
        """
        if self._sidecar is not None:
            _check_local(raw, self._sidecar)
            return await self._of_sidecar(self._sidecar.grant)
        by_certificate = await self._by_certificate(raw)
        credential = offered(raw.headers, self._passed)
        if not credential and by_certificate is not None and not self._states_any(raw):
            return by_certificate
        if self._bearer is not None and is_token(credential):
            caller = await self._by_token(self._bearer, credential)
        else:
            caller = await self._keys.holder_of(credential)
        if by_certificate is not None and by_certificate.tenant_id != caller.tenant_id:
            raise _refused()
        return caller

    def _states_any(self, raw: RawCall) -> bool:
        """Whether a credential was sent at all: a bad one is refused, not overlooked."""
        return any(raw.header(name) for name in _STATED if name != self._passed)

    async def _of_sidecar(self, grant: Grant) -> Caller:
        """Its tenant; no credential is looked at, so none is to blame."""
        try:
            return await self._granted(grant, "sidecar")
        except Problem as problem:
            if problem.slug != "unauthenticated":
                raise
            raise Problem(
                "unauthenticated", "The tenant that this sidecar serves is not active.",
                hint="See identity.static.tenant and 'expunge tenant list'.",
            ) from None  # fmt: skip

    async def _by_certificate(self, raw: RawCall) -> Caller | None:
        """The holder of the certificate; names of two tenants in one are nobody's."""
        if not raw.certificate:
            return None
        names = sorted(names_of(raw.certificate) & self._holders.keys())
        if not names:
            return None
        grants = [self._holders[name] for name in names]
        if len({grant.tenant for grant in grants}) > 1:
            raise _refused()
        actor = (await self._keyring.installation()).text("actor", "certificate", names[0])
        return await self._granted(grants[0], f"crt_{actor}")

    async def _by_token(self, bearer: Bearer, token: str) -> Caller:
        names = await self._keyring.installation()
        digest = names.of("bearer", token)
        until, expires, known = self._tokens.get(digest, (0.0, 0.0, None))
        fresh = self._clock.monotonic() < until and self._clock.now().timestamp() < expires
        if known is not None and fresh:
            return known
        said = await bearer.read(token)
        if said is None or said.tenant is None or not said.roles:
            raise _refused()
        grant = Grant(said.tenant, said.roles, said.purposes)
        caller = await self._granted(grant, said.actor(names))
        self._remember(digest, said, caller)
        return caller

    def _remember(self, digest: bytes, said: Vouched, caller: Caller) -> None:
        until = self._clock.monotonic() + CACHE_SECONDS
        self._tokens[digest] = (until, said.expires, caller)
        if len(self._tokens) > _CACHED:
            self._tokens.popitem(last=False)

    async def _granted(self, grant: Grant, actor: str) -> Caller:
        tenant_id = await self._tenant(grant.tenant)
        return Caller(tenant_id, grant.roles, actor, purposes=grant.purposes)

    async def _tenant(self, name: str) -> str:
        """The id of an active tenant, remembered for a few seconds."""
        until, known = self._tenants.get(name, (0.0, ""))
        if known and self._clock.monotonic() < until:
            return known
        found = await self._ledger.read(lambda tx: _active(tx, name))
        if found is None:
            raise _refused()
        self._tenants[name] = (self._clock.monotonic() + CACHE_SECONDS, found)
        if len(self._tenants) > _CACHED:
            self._tenants.popitem(last=False)
        return found


async def _active(tx: Tx, name: str) -> str | None:
    tenant = await tenants.by_name(tx, name)
    return tenant.id if tenant is not None and tenant.state == "active" else None


def _check_local(raw: RawCall, sidecar: Sidecar) -> None:
    """Pages in a browser on this machine reach loopback too: they are not our agent."""
    if raw.header("origin"):
        raise Problem(
            "forbidden", "With identity.static no request with an Origin is answered.",
            hint="Send none: it tells a page in a browser, and a sidecar serves its agent only.",
        )  # fmt: skip
    host = (urlsplit(raw.origin).hostname or "").lower()
    if not (sidecar.anywhere or host in _LOOPBACK):
        raise Problem(
            "forbidden", "The Host header names another machine than this one.",
            hint="Call 127.0.0.1 or localhost; identity.static.beyond_loopback allows other names.",
        )  # fmt: skip


def _refused() -> Problem:
    return Problem("unauthenticated", "The request carries no valid client key.")
