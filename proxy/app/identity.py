"""The ways in to the data plane, as configured."""

from proxy.clock import Clock
from proxy.config import Config
from proxy.config.identity import CertificateHolder, JwtIssuer, StaticTenant
from proxy.gateway.bearer import Bearer, Issuer
from proxy.gateway.callers import Callers, Grant, Sidecar
from proxy.gateway.identify import Authenticator
from proxy.gateway.jwks import Fetch, Jwks, from_file, from_url
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
