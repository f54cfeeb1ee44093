"""Tenants, client keys and control tokens that the configuration names."""

from collections.abc import Mapping
from dataclasses import dataclass

from proxy.app.secrets import read
from proxy.clock import Clock
from proxy.config import Config
from proxy.control.credentials import Credentials
from proxy.gateway.identity.identify import DOMAIN, Authenticator
from proxy.keys.ring import KeyRing
from proxy.ledger import credentials, tenants
from proxy.ledger.credentials import CONFIGURED, TAKEN_OUT, ApiKey
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem
from proxy.telemetry import get_logger

_log = get_logger("credentials")


@dataclass(frozen=True, slots=True)
class _Named:
    """What the configuration says of a credential."""

    tenant_id: str | None
    roles: tuple[str, ...]


class Configured:
    """Brings the ledger's credentials to what the configuration names.

    It is the whole list: what no longer stands in it is revoked, of every tenant, and what stands
    in it otherwise than before (another tenant, other roles) is from now on as it stands there.
    What an operator revoked by command stays revoked, and is told of in the log.
    """

    def __init__(self, ledger: Ledger, keyring: KeyRing, clock: Clock) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock

    async def tenants(self, config: Config, keys: Authenticator) -> dict[str, str]:
        """Make tenants and their client keys exist; returns policy source by tenant id.

        Raises:
            Problem: ``invalid-config`` when a key is missing, too short, or that of two tenants, or
                the one tenant of a sidecar does not exist.
        """
        names = await self._keyring.installation()
        ids = {each.name: await self._tenant(each.name) for each in config.tenants}
        given = [(ids[each.name], read(secret)) for each in config.tenants for secret in each.keys]

        async def unit(tx: Tx) -> int:
            named: dict[bytes, _Named] = {}
            for tenant_id, value in given:
                await keys.issue_key(tx, tenant_id, label=CONFIGURED, key=value)
                _name(named, names.of(DOMAIN, value), _Named(tenant_id, ("app",)))
            return await self._bring(tx, "client", named)

        _tell("client", await self._ledger.write(unit))
        if config.identity.static is not None:
            await self._check_there(config.identity.static.tenant)
        return {ids[each.name]: each.policy for each in config.tenants if each.policy is not None}

    async def _check_there(self, name: str) -> None:
        """Every request would be refused, whatever it says."""
        found = await self._ledger.read(lambda tx: tenants.by_name(tx, name))
        if found is None or found.state != "active":
            raise Problem("invalid-config", f"There is no tenant {name} for identity.static.",
                          hint="Name it under tenants.")  # fmt: skip

    async def _tenant(self, name: str) -> str:
        async def unit(tx: Tx) -> str:
            found = await tenants.by_name(tx, name)
            tenant_id = found.id if found else await self._keyring.create_tenant(tx, name)
            await tenants.set_state(tx, tenant_id, "active")
            return tenant_id

        return await self._ledger.write(unit)

    async def tokens(self, config: Config, control: Credentials) -> None:
        """Make control tokens exist.

        Raises:
            Problem: ``invalid-config``.
        """
        given = [(token, read(token.secret)) for token in config.tokens]

        async def unit(tx: Tx) -> int:
            named: dict[bytes, _Named] = {}
            for token, value in given:
                tenant_id = None if token.tenant is None else await _tenant_id(tx, token.tenant)
                digest = await control.ensure(tx, tenant_id, token.roles, CONFIGURED, value)
                _name(named, digest, _Named(tenant_id, token.roles))
            return await self._bring(tx, "control", named)

        _tell("control", await self._ledger.write(unit))

    async def _bring(self, tx: Tx, kind: str, named: Mapping[bytes, _Named]) -> int:
        """Returns how many stay revoked: an operator's command stands above the configuration."""
        revoked = 0
        for digest, said in named.items():
            key = await credentials.by_digest(tx, digest)
            if key is None or (key.revoked_at is not None and key.label != TAKEN_OUT):
                revoked += 1
            elif not _is_as(key, said):
                await credentials.configure(tx, key.id, said.tenant_id, said.roles)
        for key in await credentials.configured(tx, kind):
            if key.digest not in named:
                await credentials.take_out(tx, key.id, self._clock.now())
        return revoked


def _tell(kind: str, revoked: int) -> None:
    if revoked:
        _log.warning("credentials.revoked", kind=kind, count=revoked)


def _name(named: dict[bytes, _Named], digest: bytes, said: _Named) -> None:
    if named.setdefault(digest, said) != said:
        raise Problem(
            "invalid-config", "Two entries name the same credential, and differ.",
            hint="Give each tenant and each role a key or token of its own.",
        )  # fmt: skip


def _is_as(key: ApiKey, said: _Named) -> bool:
    return (key.tenant_id, key.roles, key.label) == (said.tenant_id, said.roles, CONFIGURED)


async def _tenant_id(tx: Tx, name: str) -> str:
    found = await tenants.by_name(tx, name)
    if found is None:
        raise Problem("invalid-config", "A token names a tenant that does not exist.")
    return found.id
