"""The running service that a configuration describes: addresses, a token, a client key."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from proxy.cli.connection import Connection
from proxy.cli.failures import Refused, Unreachable
from proxy.config import Config
from proxy.config.types import Address, Secret

_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (an address we call, not bind)
_WANTED = ("privacy", "operator", "app")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a service is asked, and where a canary is planted."""

    connection: Connection
    data_url: str | None
    client_key: str | None = field(repr=False)


def running_place(config: Config) -> Place | None:
    """The service of this configuration; None if none answers at its addresses."""
    listen = config.listen
    tenant = next((each for each in config.tenants if each.keys), None)
    connection = Connection(
        _url(config, listen.control) + listen.base_path,
        _token(config),
        tenant.name if tenant else None,
        Path.cwd() / "certificates",
    )
    try:
        connection.get("/healthz")
    except (Unreachable, Refused):
        return None
    return Place(connection, _url(config, listen.data), _first(tenant.keys if tenant else ()))


def _url(config: Config, address: Address) -> str:
    host = _ANYWHERE.get(address.host, address.host)
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if config.listen.tls else 'http'}://{shown}:{address.port}"


def _token(config: Config) -> str:
    """The token that may do most of what the canary needs."""
    ranked = sorted(config.tokens, key=lambda each: -sum(role in each.roles for role in _WANTED))
    return _first(each.secret for each in ranked) or ""


def _first(secrets: Iterable[Secret]) -> str | None:
    for secret in secrets:
        try:
            return secret.read()
        except LookupError:
            continue
    return None
