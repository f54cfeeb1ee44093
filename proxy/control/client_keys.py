"""Client keys of a tenant: issued with a scope, listed, rotated with an overlap, revoked."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import Field

from policies import Policy
from policies.access import unlisted
from proxy.config.section import Role, Word
from proxy.config.types import Duration
from proxy.control.models import Label
from proxy.control.routing import Ask, Body, Route, roles
from proxy.control.services import ControlServices
from proxy.control.tenants import installation_only, named, revoke_all
from proxy.ledger import credentials, tenants
from proxy.ledger.credentials import CONFIGURED, ApiKey
from proxy.ledger.engine import Tx
from proxy.problems import Problem

_OPERATE = roles("operator")
_LONGEST = timedelta(days=3660)


class KeyBody(Body):
    """A new client key."""

    label: Label = ""
    roles: list[Role] = Field(default=["app"], min_length=1, max_length=4,
                              description="What policies know its holder as.")  # fmt: skip
    operations: list[Literal["read", "write", "delete"]] | None = Field(
        default=None, min_length=1, max_length=3, description="What it may do; absent: all."
    )
    purposes: list[Word] | None = Field(
        default=None, max_length=32,
        description="Purposes it may state, of those in the policy's `read.purposes`; absent: any.",
    )  # fmt: skip
    expires_in: Duration | None = Field(
        default=None, ge=timedelta(0), le=_LONGEST, description="Ends after this; absent: never."
    )


class RotateBody(Body):
    """How long the former keys stay good."""

    overlap: Duration = Field(
        default=timedelta(0), ge=timedelta(0), le=timedelta(days=90),
        description="For this long; absent: not at all.",
    )  # fmt: skip


async def add(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One more key, beside those there are."""
    installation_only(ask)
    body: KeyBody = ask.body
    now = services.clock.now()
    ends = None if body.expires_in is None else now + body.expires_in

    async def unit(tx: Tx) -> dict[str, Any]:
        tenant = await named(tx, ask.path["name"])
        _check_purposes(services.policies(tenant.id), body.purposes or ())
        key = await services.client_keys.issue_key(
            tx, tenant.id, roles=body.roles, label=body.label, expires_at=ends,
            operations=body.operations, purposes=body.purposes,
        )  # fmt: skip
        await tenants.set_state(tx, tenant.id, "active")
        await services.audit.append(tx, tenant.id, "key.added", {"key": ask.caller.key_id})
        return await _issued(services, tx, tenant.name, key)

    return await services.ledger.write(unit)


async def _issued(services: ControlServices, tx: Tx, tenant: str, key: str) -> dict[str, Any]:
    """A new key, this once, and what it may."""
    kept = await services.client_keys.kept(tx, key)
    return {"name": tenant, "tenant": tenant, "client_key": key,
            **_shown(kept, services.clock.now())}  # fmt: skip


def _check_purposes(policy: Policy, purposes: Sequence[str]) -> None:
    if wrong := unlisted(policy, purposes):
        raise Problem("invalid-request", f"No request can have this purpose: {wrong}.",
                      hint="Take one that the tenant's policy lists.")  # fmt: skip


async def list_(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """The keys by id, never the keys themselves."""
    installation_only(ask)

    async def unit(tx: Tx) -> list[ApiKey]:
        tenant = await named(tx, ask.path["name"])
        return await credentials.of_tenant(tx, tenant.id)

    now = services.clock.now()
    keys = [key for key in await services.ledger.read(unit) if key.kind == "client"]
    return {"items": [_shown(key, now) for key in keys]}


async def rotate(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """A new key of the same scope as the newest one; the former end now or after the overlap."""
    installation_only(ask)
    name, body = ask.path["name"], ask.body
    now = services.clock.now()

    async def unit(tx: Tx) -> dict[str, Any]:
        tenant = await named(tx, name)
        former = await _usable(tx, tenant.id, now)
        if body.overlap:
            for key in former:
                await credentials.expire(tx, key.id, now + body.overlap)
        else:
            await revoke_all(services, tx, tenant.id, {"client"})
        latest = former[-1] if former else None
        made = await services.client_keys.issue_key(
            tx, tenant.id, roles=latest.roles if latest else ("app",), label="rotated",
            operations=latest.operations if latest else None,
            purposes=latest.purposes if latest else None,
        )  # fmt: skip
        await tenants.set_state(tx, tenant.id, "active")
        await services.audit.append(tx, tenant.id, "key.rotated", {"key": ask.caller.key_id})
        configured = sum(key.label == CONFIGURED for key in former)
        return {**await _issued(services, tx, name, made), "configured": configured}

    return await services.ledger.write(unit)


async def revoke(services: ControlServices, ask: Ask) -> Mapping[str, Any]:
    """One key ends at once; others of the tenant stay good."""
    installation_only(ask)
    name, key_id = ask.path["name"], ask.path["id"]

    async def unit(tx: Tx) -> tuple[bool, bool]:
        tenant = await named(tx, name)
        known = {key.id: key for key in await credentials.of_tenant(tx, tenant.id)
                 if key.kind == "client"}  # fmt: skip
        if key_id not in known:
            raise Problem("not-found", "The tenant has no client key of this id.")
        await services.audit.append(tx, tenant.id, "key.revoked", {"key": ask.caller.key_id})
        revoked = await credentials.revoke(tx, key_id, services.clock.now())
        return revoked, known[key_id].label == CONFIGURED

    revoked, configured = await services.ledger.write(unit)
    return {"name": name, "id": key_id, "revoked": int(revoked), "configured": int(configured)}


async def _usable(tx: Tx, tenant_id: str, now: datetime) -> list[ApiKey]:
    keys = await credentials.of_tenant(tx, tenant_id)
    return [key for key in keys if key.kind == "client" and _state(key, now) == "active"]


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "active"


def _shown(key: ApiKey, now: datetime) -> dict[str, Any]:
    return {
        "id": key.id, "label": key.label, "state": _state(key, now), "roles": list(key.roles),
        "operations": None if key.operations is None else list(key.operations),
        "purposes": None if key.purposes is None else list(key.purposes),
        "created_at": _time(key.created_at), "expires_at": _time(key.expires_at),
        "last_used_at": _time(key.last_used_at), "revoked_at": _time(key.revoked_at),
    }  # fmt: skip


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat().replace("+00:00", "Z")


ROUTES = (
    Route("GET", "/v1/tenants/{name}/keys", "listTenantKeys", _OPERATE, list_,
          "List a tenant's client keys by id, with scope and last use.", tenant=False),
    Route("POST", "/v1/tenants/{name}/keys", "addTenantKey", _OPERATE, add,
          "Issue one more client key; it is shown once.", body=KeyBody, status=201, tenant=False),
    Route("DELETE", "/v1/tenants/{name}/keys/{id}", "revokeTenantKey", _OPERATE, revoke,
          "Revoke one client key.", tenant=False),
    Route("POST", "/v1/tenants/{name}/rotate-key", "rotateTenantKey", _OPERATE, rotate,
          "Issue a new client key; the former ones end now or after an overlap.",
          body=RotateBody, tenant=False),
)  # fmt: skip
