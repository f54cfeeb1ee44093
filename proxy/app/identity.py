"""The ways in to both planes, as configured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from policies import Policy
from policies.access import unlisted
from policies.suggest import nearest
from proxy.app.diagnosis import Finding
from proxy.clock import Clock
from proxy.config import Config
from proxy.config.identity import CertificateHolder, IdentitySection, JwtIssuer, StaticTenant
from proxy.gateway.identity.callers import Callers, Grant, Sidecar
from proxy.gateway.identity.identify import Authenticator
from proxy.identity.bearer import Bearer, Issuer
from proxy.identity.jwks import Fetch, Jwks, JwksUnavailable, from_file, from_url, read
from proxy.keys.ring import KeyRing
from proxy.ledger import tenants
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from proxy.telemetry import get_logger

_log = get_logger("identity")


def callers(
    config: Config, keys: Authenticator, ledger: Ledger, keyring: KeyRing, clock: Clock
) -> Callers:
    """Every configured way in.

    Raises:
        Problem: ``invalid-config`` when a file of certificate authorities cannot be read.
    """
    section = config.identity
    static = section.static
    return Callers(
        keys, ledger, keyring, clock,
        bearer=bearer(section.issuers("data"), clock),
        holders={one.name: _grant(one) for one in section.certificates},
        sidecar=None if static is None else Sidecar(_grant(static), static.beyond_loopback),
        passed=config.passed,
    )  # fmt: skip


def bearer(sections: Sequence[JwtIssuer], clock: Clock) -> Bearer | None:
    """Tokens of these issuers; None where there are none; raises as ``callers``."""
    return Bearer([issuer(one, clock) for one in sections], clock) if sections else None


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
        all_tenants=section.all_tenants,
        roles_claim=section.roles_claim,
        purposes_claim=section.purposes_claim,
    )


class Let(NamedTuple):
    """Whom a place of the configuration lets in."""

    path: str
    tenant: str
    purposes: tuple[str, ...] = ()


def lets(section: IdentitySection) -> Iterator[Let]:
    """Every place that names a tenant, with the purposes that may be stated there."""
    if section.static is not None:
        yield Let("identity.static", section.static.tenant, section.static.purposes or ())
    for index, one in enumerate(section.certificates):
        yield Let(f"identity.certificates.{index}", one.tenant, one.purposes or ())
    for index, issuer in enumerate(section.jwt):
        for tenant in dict.fromkeys(issuer.tenants.values()):
            yield Let(f"identity.jwt.{index}.tenants", tenant)


async def of_identity(
    config: Config, ledger: Ledger, policies: Callable[[str], Policy]
) -> list[Finding]:
    """Whether those who are let in by the configuration can do anything here."""
    return [*await of_issuers(config), *await _of_lets_now(config, ledger, policies)]


async def tell_doubts(config: Config, ledger: Ledger, policies: Callable[[str], Policy]) -> None:
    """Log the places that let nobody in, or for nothing; ``expunge doctor`` says why."""
    for finding in await _of_lets_now(config, ledger, policies):
        if finding.status != "ok":
            _log.warning("identity.in_doubt", kind=finding.name)


async def _of_lets_now(
    config: Config, ledger: Ledger, policies: Callable[[str], Policy]
) -> list[Finding]:
    try:
        there = await ledger.read(tenants.every)
    except Problem:
        return []  # what ails the ledger is said already
    governed = {each.name: policies(each.id) for each in there if each.state == "active"}
    return of_lets(config.identity, governed)


def of_lets(section: IdentitySection, governed: Mapping[str, Policy | None]) -> list[Finding]:
    """Whether each place names a tenant that is there, and purposes that its policy lists.

    Args:
        governed: by the name of each tenant its policy; None where that does not load.
    """
    return [_of_let(let, governed) for let in lets(section)]


def _of_let(let: Let, governed: Mapping[str, Policy | None]) -> Finding:
    if let.tenant not in governed:
        hint = f"Name it under tenants. {nearest(let.tenant, governed).capitalize()}".strip()
        status = "failed" if let.path == "identity.static" else "warning"  # others may still come
        return Finding(let.path, status, f"There is no tenant {let.tenant}.", hint)
    policy = governed[let.tenant]
    if policy is not None and (wrong := unlisted(policy, let.purposes)):
        return Finding(let.path, "warning", f"No request can have this purpose: {wrong}.",
                       "Take one that the tenant's policy lists.")  # fmt: skip
    return Finding(let.path, "ok", f"It opens the tenant {let.tenant}.")


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
