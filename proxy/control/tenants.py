"""Tenants and their client keys."""

from collections.abc import Mapping
from typing import Any

from proxy.config.section import RESERVED
from proxy.control.models import TenantBody
from proxy.control.routing import Ask, Route, roles
from proxy.control.services import ControlServices
from proxy.ledger import credentials, tenants
from proxy.ledger.engine import Tx
from proxy.ledger.failures import Conflict
from proxy.ledger.tenants import Tenant
from proxy.problems import Problem

_OPERATE = roles("operator")


async def add(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """A new tenant with its first client key."""
    installation_only(ask)
    name: str = ask.body.name
    if name == RESERVED:
        raise Problem("invalid-request", "This name is taken by the self-test.")

    async def unit(tx: Tx) -> Mapping[str, Any]:
        tenant_id = await services.keyring.create_tenant(tx, name)
        key = await services.client_keys.issue_key(tx, tenant_id, label="first")
        await services.audit.append(tx, tenant_id, "tenant.added", {"key": ask.caller.key_id})
        kept = await services.client_keys.kept(tx, key)
        return {"id": tenant_id, "name": name, "client_key": key, "key_id": kept.id}

    try:
        return await services.ledger.write(unit)
    except Conflict:
        raise Problem("invalid-request", "A tenant of this name exists or existed.",
                      hint="Take another name; 'expunge tenant rotate-key' gives a new key."
                      ) from None  # fmt: skip


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """All tenants, without their keys."""
    installation_only(ask)
    return {"items": await services.ledger.read(_described)}


async def _described(tx: Tx) -> list[dict[str, Any]]:
    found = []
    for tenant in await tenants.every(tx):
        keys = [key for key in await credentials.of_tenant(tx, tenant.id) if not key.revoked_at]
        found.append({
            "id": tenant.id, "name": tenant.name, "state": tenant.state,
            "keys": sum(key.kind == "client" for key in keys),
            "created_at": tenant.created_at.isoformat().replace("+00:00", "Z"),
        })  # fmt: skip
    return found


async def remove(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """Close a tenant for every credential; its data stays until it is forgotten."""
    installation_only(ask)
    name = ask.path["name"]

    async def unit(tx: Tx) -> int:
        tenant = await named(tx, name)
        revoked = await revoke_all(services, tx, tenant.id, {"client", "control"})
        await tenants.set_state(tx, tenant.id, "closed")
        await services.audit.append(tx, tenant.id, "tenant.removed", {"key": ask.caller.key_id})
        return revoked

    return {"name": name, "revoked": await services.ledger.write(unit)}


async def named(tx: Tx, name: str) -> Tenant:
    """The tenant of this name; raises ``not-found``."""
    tenant = await tenants.by_name(tx, name)
    if tenant is None or tenant.state == tenants.INTERNAL:
        raise Problem("not-found", "There is no such tenant.")
    return tenant


async def revoke_all(services: ControlServices, tx: Tx, tenant_id: str, kinds: set[str]) -> int:
    """Revoke every credential of these kinds; how many there were."""
    keys = [key for key in await credentials.of_tenant(tx, tenant_id) if key.kind in kinds]
    now = services.clock.now()
    return sum([await credentials.revoke(tx, key.id, now) for key in keys])


def installation_only(ask: Ask) -> None:
    """Raise ``forbidden`` for a token that is bound to a tenant."""
    if ask.caller.tenant_id is not None:
        raise Problem("forbidden", "A token of one tenant cannot manage tenants.")


ROUTES = (
    Route("POST", "/v1/tenants", "addTenant", _OPERATE, add, "Add a tenant; its key is shown once.",
          body=TenantBody, status=201, tenant=False),
    Route("GET", "/v1/tenants", "listTenants", _OPERATE, list_, "List the tenants.", tenant=False),
    Route("DELETE", "/v1/tenants/{name}", "removeTenant", _OPERATE, remove,
          "Revoke every credential of a tenant.", tenant=False),
)  # fmt: skip
