"""The ways in to the data plane, as configured."""

from proxy.app.diagnosis import Finding
from proxy.clock import Clock
from proxy.config import Config
from proxy.config.identity import CertificateHolder, JwtIssuer, StaticTenant
from proxy.gateway.identity.bearer import Bearer, Issuer
from proxy.gateway.identity.callers import Callers, Grant, Sidecar
from proxy.gateway.identity.identify import Authenticator
from proxy.gateway.identity.jwks import Fetch, Jwks, JwksUnavailable, from_file, from_url, read
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.problems import Problem


def callers(
    config: Config, keys: Authenticator, ledger: Ledger, keyring: KeyRing, clock: Clock
) -> Callers:
    """Every configured way in.

    Raises:
        Problem: ``invalid-config`` when a file of certificate authorities cannot be read.
    """
    section = config.identity
    issuers = [issuer(one, clock) for one in section.jwt]
    static = section.static
    return Callers(
        keys, ledger, keyring, clock,
        bearer=Bearer(issuers, clock) if issuers else None,
        holders={one.name: _grant(one) for one in section.certificates},
        sidecar=None if static is None else Sidecar(_grant(static), static.beyond_loopback),
    )  # fmt: skip


def issuer(section: JwtIssuer, clock: Clock) -> Issuer:
    """One issuer of tokens; raises as ``callers``."""
    return Issuer(
        issuer=section.issuer,
        audience=section.audience,
        algorithms=section.algorithms,
        keys=Jwks(_fetch_of(section), clock, section.refresh.total_seconds()),
        skew=section.skew.total_seconds(),
        tenant_claim=section.tenant_claim,
        tenants=section.tenants,
        roles_claim=section.roles_claim,
        purposes_claim=section.purposes_claim,
    )


async def of_issuers(config: Config) -> list[Finding]:
    """Whether the keys of every issuer of tokens can be read, and are any use."""
    return [await _of_issuer(one) for one in config.identity.jwt]


async def _of_issuer(section: JwtIssuer) -> Finding:
    name = f"issuer {section.issuer}"
    try:
        keys = read(await _fetch_of(section)())
    except (JwksUnavailable, Problem):
        return Finding(name, "failed", "Its keys cannot be read, or none is usable.",
                       "Check identity.jwt[]: jwks_url or jwks_file, and ca.")  # fmt: skip
    return Finding(name, "ok", f"{len(keys)} usable key{'' if len(keys) == 1 else 's'}.")


def _fetch_of(section: JwtIssuer) -> Fetch:
    if section.jwks_file is not None:
        return from_file(section.jwks_file)
    try:
        return from_url(section.jwks_url or "", section.ca)
    except OSError:
        raise Problem("invalid-config", "A file of certificate authorities cannot be read.",
                      hint="See identity.jwt[].ca.") from None  # fmt: skip


def _grant(section: CertificateHolder | StaticTenant) -> Grant:
    purposes = section.purposes
    return Grant(
        section.tenant,
        frozenset(section.roles),
        None if purposes is None else frozenset(purposes),
    )
