"""Every setting with its type, default and meaning: the reference is generated from here."""

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from proxy.config.identity import IdentitySection
from proxy.config.section import RESERVED, Name, Role, Section
from proxy.config.types import Address, Duration, FilePath, Listen, Secret, Size
from proxy.config.upstream import UpstreamConfig

_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  (compared, not listened on)
_LOOPBACK = "127.0.0.1"
_HERE = frozenset({_LOOPBACK, "localhost", "::1"})


class Tls(Section):
    """Certificates of both listeners."""

    certificate: FilePath = Field(description="PEM file with the certificate chain.")
    key: FilePath = Field(description="PEM file with the private key.")
    client_ca: FilePath | None = Field(
        default=None, description="PEM file; when set, callers must show a certificate it signed."
    )
    control_asks: bool = Field(
        default=True,
        description="Whether the control plane asks for such a certificate too; probes of "
        "Kubernetes cannot show one.",
    )


class ListenSection(Section):
    """Where both planes listen."""

    data: Listen = Field(
        default=Address(host=_LOOPBACK, port=8080),
        description="Data plane: what the agent talks to.",
    )
    control: Listen = Field(
        default=Address(host=_LOOPBACK, port=8081),
        description="Control plane: API, metrics, probes.",
    )
    base_path: str = Field(
        default="",
        pattern=r"^(/[A-Za-z0-9._~-]+)*$",
        description="Prefix of the control plane, for an ingress that merges both.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description="Host names the control plane answers to, beside loopback ones."
    )
    allowed_origins: tuple[str, ...] = Field(
        default=(), description="Origins whose browsers may call the control plane."
    )
    tls: Tls | None = Field(default=None, description="TLS for both planes; absent: plain HTTP.")
    server: Literal["httptools", "aiohttp"] = Field(
        default="httptools",
        description="HTTP server of the data plane. `httptools`: the faster one; `aiohttp`: the "
        "one before it.",
    )

    @model_validator(mode="after")
    def _apart(self) -> "ListenSection":
        hosts = {self.data.host, self.control.host}
        same = len(hosts) == 1 or not hosts.isdisjoint(_EVERYWHERE)
        if same and self.data.port == self.control.port != 0:
            raise ValueError(
                "both planes listen on one address: give each a port of its own; an ingress may "
                "merge them, with base_path as the prefix of the control plane"
            )
        return self


class LedgerSection(Section):
    """The ledger's database."""

    url: str | None = Field(
        default=None,
        pattern=r"^(sqlite\+aiosqlite|postgresql\+asyncpg):",
        description="SQLAlchemy URL; absent: SQLite in the state folder. "
        "A password in it can stand in `url_secret` instead.",
    )
    url_secret: Secret | None = Field(default=None, description="The whole URL as a secret.")

    @model_validator(mode="after")
    def _one(self) -> "LedgerSection":
        if self.url is not None and self.url_secret is not None:
            raise ValueError("takes either url or url_secret")
        return self


class KeysSection(Section):
    """Who wraps the data keys."""

    provider: Literal["file", "env", "vault-transit", "aws-kms"] = Field(
        default="file", description="Provider of the key-encryption key."
    )
    file: FilePath | None = Field(
        default=None, description="Provider `file`: the key file; absent: in the state folder."
    )
    secret: Secret | None = Field(
        default=None, description="Provider `env`: the key, 32 bytes in base64."
    )
    address: str | None = Field(
        default=None,
        description="Provider `vault-transit`: the server's URL; `aws-kms`: endpoint URL.",
    )
    token: Secret | None = Field(default=None, description="Provider `vault-transit`: the token.")
    mount: str = Field(default="transit", description="Provider `vault-transit`: the mount point.")
    key: str | None = Field(
        default=None, description="`vault-transit`: key name; `aws-kms`: key id."
    )
    namespace: str | None = Field(
        default=None, description="Provider `vault-transit`: the namespace."
    )
    region: str | None = Field(default=None, description="Provider `aws-kms`: the region.")

    @model_validator(mode="after")
    def _complete(self) -> "KeysSection":
        needed = {
            "env": ("secret",),
            "vault-transit": ("address", "token", "key"),
            "aws-kms": ("key",),
        }.get(self.provider, ())
        missing = [name for name in needed if getattr(self, name) is None]
        if missing:
            raise ValueError(f"provider {self.provider} needs {', '.join(missing)}")
        return self


class TenantConfig(Section):
    """A tenant that exists from the start."""

    name: Name = Field(description="Its name.")
    keys: tuple[Secret, ...] = Field(default=(), description="Client keys, by reference.")
    policy: str | None = Field(default=None, description="Its policy; absent: the installation's.")


class TokenConfig(Section):
    """A token of the control plane that exists from the start."""

    name: Name = Field(description="A label.")
    secret: Secret = Field(description="The token, by reference.")
    roles: tuple[Role, ...] = Field(
        min_length=1, description="What its holder may do; see roles.md."
    )
    tenant: Name | None = Field(default=None, description="Bound to it; absent: all tenants.")


class ClassifierSection(Section):
    """A classifier with an OpenAI-compatible API whose opinion completes the packaged one."""

    url: str = Field(
        pattern=r"^(https://|http://(127\.0\.0\.1|localhost|\[::1\])([:/]|$))",
        description="Base URL, before `/chat/completions`; plain HTTP on this machine only.",
    )
    model: str = Field(min_length=1, description="Name of the model.")
    key: Secret | None = Field(default=None, description="Bearer token.")
    deadline: Duration = Field(
        default=timedelta(seconds=5), description="After this, nothing is forwarded."
    )
    send: Literal["redacted", "text"] = Field(
        default="redacted",
        description="`redacted`: with every detection replaced by its type; `text`: as it is.",
    )


class DetectionSection(Section):
    """How text is analysed."""

    tier: Literal["structured", "fast", "full"] = Field(
        default="full",
        description="`structured`: patterns; `fast`: and names; `full`: and meaning.",
    )
    workers: int = Field(default=1, ge=1, le=64, description="Processes that analyse.")
    deadline: Duration = Field(
        default=timedelta(seconds=10),
        description="After this, nothing is forwarded; up to six times as long for long texts.",
    )
    queue: int = Field(default=256, ge=1, description="Texts that may wait; more are refused.")
    languages: tuple[str, ...] = Field(
        default=("en", "de", "fr", "es", "it", "pt", "nl"),
        description="Languages of the texts, ISO 639-1.",
    )
    countries: tuple[str, ...] = Field(
        default=("us", "gb", "de", "fr", "es", "it", "pt", "nl"),
        description="Countries whose identity numbers are looked for, ISO 3166-1 alpha-2.",
    )
    recognisers: FilePath | None = Field(
        default=None, description="YAML file of your own recognisers."
    )
    classifier: ClassifierSection | None = Field(
        default=None,
        description="A classifier that is asked besides; absent: no text leaves for one.",
    )


class LimitsSection(Section):
    """What one request may cost."""

    body: Size = Field(default=4 << 20, description="Largest request body, as it is sent.")
    unpacked: Size = Field(default=8 << 20, description="Largest body after unpacking.")
    ratio: int = Field(
        default=200,
        ge=1,
        description="A body unpacks to at most this many times its size, or to 64 KiB where that "
        "is more.",
    )
    values: int = Field(
        default=50_000, ge=100, description="Most values of a body: members, elements, containers."
    )
    text: int = Field(
        default=200_000, ge=1000,
        description="Most characters of a request that are scanned, all its texts together; "
        "then 413. A longer text in an answer is not shown.",
    )  # fmt: skip
    body_time: Duration = Field(
        default=timedelta(seconds=30), description="Time in which a body must arrive."
    )
    idle: Duration = Field(
        default=timedelta(seconds=75),
        description="A connection without a whole head of a request is closed after this time.",
    )
    headers: int = Field(default=100, ge=8, description="Most headers of a request.")
    line: Size = Field(
        default=16 << 10, description="Longest request line, and longest single header."
    )
    requests: int = Field(default=1000, ge=1, description="Most requests at once; then 503.")
    tenant_requests: int = Field(
        default=500, ge=1, description="Most requests of one tenant at once; then 503."
    )
    connections: int = Field(
        default=10_000, ge=1, description="Most clients connected at once; then they are cut off."
    )
    grace: Duration = Field(
        default=timedelta(seconds=5),
        description="Time after the stop signal in which new requests are still answered, while "
        "/readyz already says 503.",
    )
    drain: Duration = Field(
        default=timedelta(seconds=20), description="Time that running requests get at a stop."
    )


class RetentionSection(Section):
    """How often expiry is looked at."""

    sweep_every: Duration = Field(
        default=timedelta(minutes=1), description="Pause between two sweeps."
    )
    poll_every: Duration = Field(
        default=timedelta(seconds=2), description="Pause between two looks at pending writes."
    )


class SelfTestSection(Section):
    """A test of the whole way: an invented owner is written, erased and looked for."""

    every: Duration | None = Field(
        default=None,
        description="Pause between two self-tests, such as PT1H; absent: none. They have a tenant "
        "of their own, `expunge-self-test`, which no credential opens.",
    )


class AuditSection(Section):
    """The audit log."""

    origin: str = Field(
        default="expunge.local/audit",
        pattern=r"^[^\s+]+$",
        description="Name of the log in its checkpoints: a URL without scheme.",
    )
    signing_key: FilePath | None = Field(
        default=None, description="Ed25519 key in PEM; absent: made in the state folder."
    )
    witness: FilePath | None = Field(
        default=None,
        description="File with the last checkpoint, so that an older ledger is noticed; absent: "
        "in the state folder.",
    )
    sequence_every: Duration = Field(
        default=timedelta(seconds=1), description="Pause between two checkpoints."
    )


class TelemetrySection(Section):
    """Logs."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Log level."
    )
    format: Literal["json", "console"] = Field(default="json", description="Log format.")


class Config(Section):
    """The whole configuration."""

    state_dir: FilePath = Field(
        default=Path("state"), validate_default=True, description="Folder of our own files."
    )
    listen: ListenSection = Field(default=ListenSection(), description="Addresses.")
    identity: IdentitySection = Field(
        default=IdentitySection(), description="Ways in beside client keys and control tokens."
    )
    ledger: LedgerSection = Field(default=LedgerSection(), description="Database.")
    keys: KeysSection = Field(default=KeysSection(), description="Key provider.")
    upstreams: tuple[UpstreamConfig, ...] = Field(min_length=1, description="Memory stores.")
    tenants: tuple[TenantConfig, ...] = Field(default=(), description="Tenants from the start.")
    tokens: tuple[TokenConfig, ...] = Field(
        default=(), description="Control-plane tokens from the start."
    )
    policy: str = Field(
        default="builtin/gdpr-default", description="Policy: `builtin/NAME` or a path."
    )
    detection: DetectionSection = Field(default=DetectionSection(), description="Detection.")
    limits: LimitsSection = Field(default=LimitsSection(), description="Limits.")
    retention: RetentionSection = Field(default=RetentionSection(), description="Retention.")
    self_test: SelfTestSection = Field(default=SelfTestSection(), description="Self-test.")
    audit: AuditSection = Field(default=AuditSection(), description="Audit log.")
    telemetry: TelemetrySection = Field(default=TelemetrySection(), description="Telemetry.")

    @model_validator(mode="after")
    def _consistent(self) -> "Config":
        for kind in ("upstreams", "tenants", "tokens"):
            names = [item.name for item in getattr(self, kind)]
            if len(set(names)) != len(names):
                raise ValueError(f"{kind}: each name stands once")
        if any(tenant.name == RESERVED for tenant in self.tenants):
            raise ValueError(f"tenants: the name {RESERVED} is taken by the self-test")
        return self

    @property
    def passed(self) -> str | None:
        """The header in which clients send a credential for a store, if any store is given one."""
        return next((store.passthrough for store in self.upstreams if store.passthrough), None)

    @model_validator(mode="after")
    def _told_apart(self) -> "Config":
        if len({store.passthrough for store in self.upstreams if store.passthrough}) > 1:
            raise ValueError(
                "upstreams: passthrough names one header for all, so that Expunge's key has the "
                "other"
            )
        return self

    @model_validator(mode="after")
    def _identified(self) -> "Config":
        static, tls = self.identity.static, self.listen.tls
        here = self.listen.data.host in _HERE
        if static is not None and not here and not static.beyond_loopback:
            raise ValueError("identity.static needs listen.data on loopback, or beyond_loopback")
        if self.identity.certificates and (tls is None or tls.client_ca is None):
            raise ValueError("identity.certificates needs listen.tls.client_ca")
        whole = {one.all_tenants for one in self.identity.jwt}
        if any(tenant.name in whole for tenant in self.tenants):
            raise ValueError("identity.jwt: all_tenants is the name of one tenant")
        return self
