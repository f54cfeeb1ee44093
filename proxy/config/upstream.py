"""Settings of one memory store: where it is, how it is spoken to, what is reached beside it."""

from datetime import timedelta
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from proxy.config.section import Name, Section, Word
from proxy.config.types import Duration, FilePath, Secret, path_from


class Timeouts(Section):
    """How long a store may take."""

    connect: Duration = Field(default=timedelta(seconds=5), description="To connect.")
    read: Duration = Field(default=timedelta(seconds=60), description="Between two bytes.")
    total: Duration = Field(default=timedelta(minutes=5), description="For one request.")


class UpstreamTls(Section):
    """TLS towards a store."""

    ca: FilePath | None = Field(
        default=None, description="PEM file with the CAs to trust, alone; absent: the system's."
    )
    certificate: FilePath | None = Field(
        default=None, description="PEM file with our certificate, where the store wants one."
    )
    key: FilePath | None = Field(default=None, description="PEM file with its private key.")

    @model_validator(mode="after")
    def _pair(self) -> "UpstreamTls":
        if (self.certificate is None) != (self.key is None):
            raise ValueError("takes certificate and key together")
        return self


class UpstreamConfig(Section):
    """One memory store."""

    name: Name = Field(description="Name in reports, certificates and metrics.")
    url: str = Field(pattern=r"^https?://[^\s/?#]+(/[^\s?#]*)?$", description="Its base URL.")
    profiles: tuple[str, ...] = Field(
        default=("mem0-platform",),
        min_length=1,
        description="Profiles: shipped names or paths. The first one drives erasure; the routes "
        "of all are accepted.",
    )
    credential: Secret | None = Field(
        default=None, description="The store's own credential; agents never see it."
    )
    passthrough: Literal["authorization", "x-api-key"] | None = Field(
        default=None,
        description="Header of a client's request that goes on to the store as the client's own "
        "credential for it, instead of ours; Expunge's key then stands in the other of the two. "
        "Needs credential: erasures have no client.",
    )
    owner_ids: Literal["opaque", "keep"] = Field(
        default="opaque",
        description="`opaque`: the store sees pseudonyms of owner ids; `keep`: "
        "the tenant's name and the id.",
    )
    region: Word | None = Field(
        default=None,
        description="Where the store is, as policies name it under `residency`; `local` on your "
        "own machines, which lets it take data of every region and of every `local_only` category.",
    )
    tls: UpstreamTls = Field(default=UpstreamTls(), description="TLS, where the URL is https.")
    http_proxy: str | None = Field(
        default=None,
        pattern=r"^http://[^\s/?#@]+$",
        description="HTTP proxy on the way to the store; variables of the environment are not "
        "looked at.",
    )
    transport: Literal["aiohttp", "httptools"] | None = Field(
        default=None,
        description="HTTP client towards the store. `httptools`: the faster one, not through an "
        "http_proxy; absent: `httptools` where it can be used.",
    )
    timeouts: Timeouts = Field(default=Timeouts(), description="Time limits.")
    layers: dict[str, dict[str, Any]] = Field(
        default={},
        description="Direct access to layers that the store's API does not reach; an example of "
        "each is in config-example.yaml.",
    )

    @model_validator(mode="after")
    def _erases_by_itself(self) -> "UpstreamConfig":
        if self.passthrough is not None and self.credential is None:
            raise ValueError(
                "passthrough needs credential: erasures, expiry and what is looked up for them "
                "have no client whose credential could be passed on"
            )
        return self

    @field_validator("layers")
    @classmethod
    def _beside_the_file(
        cls, layers: dict[str, dict[str, Any]], info: ValidationInfo
    ) -> dict[str, dict[str, Any]]:
        return {
            name: how | {"path": str(path_from(how["path"], info))} if "path" in how else how
            for name, how in layers.items()
        }
