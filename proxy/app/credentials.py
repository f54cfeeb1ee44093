"""Tenants, client keys and control tokens that the configuration names."""

from proxy.app.secrets import read
from proxy.clock import Clock
from proxy.config import Config
from proxy.config.schema import TenantConfig, TokenConfig
from proxy.control.credentials import Credentials
from proxy.gateway.identity.identify import DOMAIN, Authenticator
from proxy.keys.ring import KeyRing
from proxy.ledger import credentials, tenants
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

CONFIGURED = "config"


class Configured:
    """Brings the ledger's credentials to what the configuration names.

    A credential that no longer stands in the configuration is revoked.
    """

    def __init__(self, ledger: Ledger, keyring: KeyRing, clock: Clock) -> None:
        self._ledger, self._keyring, self._clock = ledger, keyring, clock

    async def tenants(self, config: Config, keys: Authenticator) -> dict[str, str]:
        """Make tenants and their client keys exist; returns policy source by tenant id.

        Raises:
            Problem: ``invalid-config`` when a key is missing, too short, or was revoked before.
        """
        sources: dict[str, str] = {}
        for tenant in config.tenants:
            tenant_id = await self._tenant(tenant, keys)
            if tenant.policy is not None:
                sources[tenant_id] = tenant.policy
        return sources

    async def _tenant(self, tenant: TenantConfig, keys: Authenticator) -> str:
        names = await self._keyring.installation()
        values = [read(secret) for secret in tenant.keys]
        digests = {names.of(DOMAIN, value) for value in values}

        async def unit(tx: Tx) -> str:
            found = await tenants.by_name(tx, tenant.name)
            tenant_id = found.id if found else await self._keyring.create_tenant(tx, tenant.name)
            await tenants.set_state(tx, tenant_id, "active")
            for value in values:
                await keys.issue_key(tx, tenant_id, roles=("app",), label=CONFIGURED, key=value)
            await self._revoke_others(tx, tenant_id, "client", digests)
            return tenant_id

        return await self._ledger.write(unit)

    async def tokens(self, config: Config, control: Credentials) -> None:
        """Make control tokens exist.

        Raises:
            Problem: ``invalid-config``.
        """
        bound: dict[str | None, list[TokenConfig]] = {None: []}
        for token in config.tokens:
            bound.setdefault(token.tenant, []).append(token)
        for tenant, group in bound.items():
            await self._tokens(tenant, group, control)

    async def _tokens(
        self, tenant: str | None, group: list[TokenConfig], control: Credentials
    ) -> None:
        given = [(token, read(token.secret)) for token in group]

        async def unit(tx: Tx) -> None:
            tenant_id = None if tenant is None else await _tenant_id(tx, tenant)
            digests = {
                await control.ensure(tx, tenant_id, token.roles, CONFIGURED, value)
                for token, value in given
            }
            await self._revoke_others(tx, tenant_id, "control", digests)

        await self._ledger.write(unit)

    async def _revoke_others(
        self, tx: Tx, tenant_id: str | None, kind: str, kept: set[bytes]
    ) -> None:
        for key in await credentials.of_tenant(tx, tenant_id):
            if key.digest in kept and key.revoked_at is not None:
                raise Problem("invalid-config", "A configured credential was revoked before.",
                              hint="Make a new one.")  # fmt: skip
            if key.kind == kind and key.label == CONFIGURED and key.digest not in kept:
                await credentials.revoke(tx, key.id, self._clock.now())


async def _tenant_id(tx: Tx, name: str) -> str:
    found = await tenants.by_name(tx, name)
    if found is None:
        raise Problem("invalid-config", "A token names a tenant that does not exist.")
    return found.id
