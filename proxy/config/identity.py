"""Settings of the ways in beside client keys and control tokens: JWT, certificates, a sidecar."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from proxy.config.section import Name, Role, Section, Word
from proxy.config.types import Duration, FilePath

# Only signatures: with a MAC whoever checks tokens could also make them (RFC 8725 §3.1, §3.5).
Algorithm = Literal[
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
]
_LONGEST_SKEW = timedelta(minutes=5)
_SHORTEST_REFRESH = timedelta(seconds=30)  # an issuer is not asked more often, whatever happens
CertificateName = Annotated[str, StringConstraints(pattern=r"^(cn|dns|uri|email):\S.{0,250}$")]


class JwtIssuer(Section):
    """An issuer of JSON Web Tokens (RFC 7519) whose tokens name a tenant."""

    planes: tuple[Literal["data", "control"], ...] = Field(
        default=("data",),
        min_length=1,
        description="Where its tokens are accepted; `control` needs roles_claim.",
    )

    issuer: str = Field(min_length=1, description="Exactly what the claim `iss` must be.")
    audience: tuple[str, ...] = Field(
        min_length=1, description="The claim `aud` must hold one of these."
    )
    algorithms: tuple[Algorithm, ...] = Field(
        min_length=1, description="Signature algorithms that are accepted; no others, never `none`."
    )
    jwks_url: str | None = Field(
        default=None,
        pattern=r"^(https://|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?/)[^\s#]+$",
        description="Where the issuer publishes its keys; plain HTTP only on this machine.",
    )
    jwks_file: FilePath | None = Field(default=None, description="Or a file with its key set.")
    ca: FilePath | None = Field(
        default=None, description="PEM file with the CAs for `jwks_url`; absent: the system's."
    )
    refresh: Duration = Field(
        default=timedelta(minutes=10),
        description="Age at which the keys are read again, at least PT30S; an unknown key id does "
        "so at once, at most every 30 seconds.",
    )
    skew: Duration = Field(
        default=timedelta(seconds=30), description="Difference of clocks that is tolerated."
    )
    tenant_claim: str = Field(default="tenant", description="Claim that names the tenant.")
    tenants: dict[str, Name] = Field(
        default={}, description="The claim's value to tenant; absent: the value is the name."
    )
    all_tenants: str | None = Field(
        default=None,
        min_length=1,
        description="The claim's value that stands for all tenants, on the control plane alone; "
        "absent: none does.",
    )
    roles_claim: str | None = Field(
        default=None, description="Claim with roles; absent: the role `app`."
    )
    purposes_claim: str | None = Field(
        default=None, description="Claim with the purposes that may be stated; absent: any."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "JwtIssuer":
        if (self.jwks_url is None) == (self.jwks_file is None):
            raise ValueError("takes either jwks_url or jwks_file")
        if self.skew > _LONGEST_SKEW:
            raise ValueError("skew is at most PT5M")
        if self.refresh < _SHORTEST_REFRESH:
            raise ValueError("refresh is at least PT30S")
        return self

    @model_validator(mode="after")
    def _on_the_control_plane(self) -> "JwtIssuer":
        controls = "control" in self.planes
        if controls and self.roles_claim is None:
            raise ValueError("planes: control needs roles_claim")
        if self.all_tenants is not None and not controls:
            raise ValueError("all_tenants needs planes: [control]")
        if self.all_tenants is not None and self.all_tenants in self.tenants:
            raise ValueError("all_tenants: this value stands under tenants as well")
        return self


class StaticTenant(Section):
    """One tenant for every request: a sidecar beside one agent."""

    tenant: Name = Field(description="The tenant of every request; credentials are not looked at.")
    roles: tuple[Role, ...] = Field(default=("app",), description="Roles of every request.")
    purposes: tuple[Word, ...] | None = Field(
        default=None, description="Purposes that may be stated; absent: any."
    )
    beyond_loopback: bool = Field(
        default=False,
        description="Allow it although the data plane listens on more than this machine.",
    )


class CertificateHolder(Section):
    """The holder of a client certificate."""

    name: CertificateName = Field(
        description="Name in the certificate, exactly: `dns:`, `uri:` or `email:` of its "
        "alternative names, or `cn:` of its subject."
    )
    tenant: Name = Field(description="Its tenant.")
    roles: tuple[Role, ...] = Field(default=("app",), description="Its roles.")
    purposes: tuple[Word, ...] | None = Field(
        default=None, description="Purposes it may state; absent: any."
    )


class IdentitySection(Section):
    """How callers are known, beside client keys and the tokens of the control plane."""

    jwt: tuple[JwtIssuer, ...] = Field(default=(), description="Issuers of tokens.")
    certificates: tuple[CertificateHolder, ...] = Field(
        default=(), description="Client certificates; needs `listen.tls.client_ca`."
    )
    static: StaticTenant | None = Field(
        default=None, description="One tenant for every request, without credential."
    )
    failed_attempts: int = Field(
        default=30,
        ge=1,
        description="Refused credentials of one address per minute, on each plane.",
    )

    @model_validator(mode="after")
    def _apart(self) -> "IdentitySection":
        if self.static is not None and (self.issuers("data") or self.certificates):
            raise ValueError("static excludes certificates, and jwt on the data plane")
        issuers = [(plane, one.issuer) for one in self.jwt for plane in one.planes]
        if len(set(issuers)) != len(issuers):
            raise ValueError("jwt: each issuer stands once for a plane")
        return self

    def issuers(self, plane: Literal["data", "control"]) -> tuple[JwtIssuer, ...]:
        """Those whose tokens are accepted on a plane."""
        return tuple(one for one in self.jwt if plane in one.planes)
