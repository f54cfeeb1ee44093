"""Signed tokens (JWT): one of the configured issuers vouches for a tenant, roles and purposes."""

import base64
import binascii
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from joserfc import jws, jwt
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import Key

from proxy.clock import Clock
from proxy.identity.jwks import Jwks
from proxy.pseudonyms import Pseudonyms

LONGEST = 8 * 1024
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_WORD = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_MOST_WORDS = 32
_LAST = 1e11  # seconds since 1970, in the year 5138


@dataclass(frozen=True, slots=True)
class Issuer:
    """Whose tokens are accepted, and what their claims mean; as configured."""

    issuer: str
    audience: tuple[str, ...]
    algorithms: tuple[str, ...]
    keys: Jwks
    skew: float = 30.0
    tenant_claim: str = "tenant"
    tenants: Mapping[str, str] | None = None
    all_tenants: str | None = None
    roles_claim: str | None = None
    purposes_claim: str | None = None


@dataclass(frozen=True, slots=True)
class Vouched:
    """What a token says; ``subject`` is its issuer and holder, for a pseudonym only.

    Args:
        tenant: name of its tenant; None: all of them.
        roles: as claimed; there may be none, and they may be no roles of ours.
    """

    tenant: str | None
    roles: frozenset[str]
    purposes: frozenset[str] | None
    subject: tuple[str, str]
    expires: float

    def actor(self, names: Pseudonyms) -> str:
        """The pseudonym of who holds the token, the same on both planes."""
        return f"jwt_{names.text('actor', *self.subject)}"


def is_token(credential: str) -> bool:
    """Whether a credential has the form of a signed token."""
    return _COMPACT.fullmatch(credential) is not None


class Bearer:
    """Checks tokens as RFC 8725 asks: the algorithm is ours to choose, never the token's."""

    def __init__(self, issuers: Sequence[Issuer], clock: Clock) -> None:
        self._issuers = {one.issuer: one for one in issuers}
        self._clock = clock

    async def read(self, token: str) -> Vouched | None:
        """What a valid token says; None for every other one.

        Raises:
            Problem: ``identity-unavailable`` when the issuer's keys cannot be read.
        """
        header, claims = _peek(token)
        name = claims.get("iss")
        issuer = self._issuers.get(name) if isinstance(name, str) else None
        kid = header.get("kid")
        if issuer is None or header.get("alg") not in issuer.algorithms or "crit" in header:
            return None
        if kid is not None and not isinstance(kid, str):
            return None
        key = await issuer.keys.find(kid, header["alg"])
        verified = None if key is None else _verified(token, key, issuer)
        return None if verified is None else self._vouched(issuer, verified)

    def _vouched(self, issuer: Issuer, claims: dict[str, Any]) -> Vouched | None:
        now = self._clock.now().timestamp()
        times = [claims.get(name, now) for name in ("exp", "nbf", "iat")]
        if "exp" not in claims or not all(map(_is_time, times)):
            return None
        expires, earliest = times[0] + issuer.skew, max(times[1], times[2]) - issuer.skew
        held = claims.get("aud")
        audiences = {held} if isinstance(held, str) else set(_words(held))
        if not earliest <= now < expires or not audiences & set(issuer.audience):
            return None
        said = claims.get(issuer.tenant_claim)
        whole = issuer.all_tenants is not None and said == issuer.all_tenants
        tenant = None if whole else _tenant(issuer, said)
        if tenant is None and not whole:
            return None
        purposes = None
        if issuer.purposes_claim is not None:
            purposes = _plain(claims.get(issuer.purposes_claim))
        subject = issuer.issuer, str(claims.get("sub", ""))
        return Vouched(tenant, _roles(issuer, claims), purposes, subject, expires)


def _peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims before anything is verified: only to find the issuer and its key."""
    if len(token) > LONGEST or not is_token(token):
        return {}, {}
    try:
        parts = [orjson.loads(_decoded(part)) for part in token.split(".")[:2]]
    except (orjson.JSONDecodeError, binascii.Error, ValueError):
        return {}, {}
    header, claims = parts
    return (header, claims) if isinstance(header, dict) and isinstance(claims, dict) else ({}, {})


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _verified(token: str, key: Key, issuer: Issuer) -> dict[str, Any] | None:
    registry = jws.JWSRegistry(algorithms=list(issuer.algorithms))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)  # many issuers still say EdDSA
            claims = jwt.decode(token, key, registry=registry).claims
    except (JoseError, ValueError, TypeError):
        return None
    return claims if claims.get("iss") == issuer.issuer else None


def _is_time(at: Any) -> bool:
    return type(at) in (int, float) and abs(at) < _LAST  # so neither a truth value nor infinite


def _tenant(issuer: Issuer, value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return issuer.tenants.get(value) if issuer.tenants else value


def _roles(issuer: Issuer, claims: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({"app"}) if issuer.roles_claim is None else _plain(
        claims.get(issuer.roles_claim)
    )  # fmt: skip


def _plain(value: Any) -> frozenset[str]:
    """The plain words of a claim: a list, or a text with spaces (as the claim ``scope``)."""
    words = value.split() if isinstance(value, str) else _words(value)
    return frozenset(word for word in words[:_MOST_WORDS] if _WORD.fullmatch(word))


def _words(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
