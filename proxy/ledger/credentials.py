"""Rows of client and control keys: only a keyed digest of each, never the key."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, insert, or_, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.records import record
from proxy.ledger.schema import api_keys

# Labels that no other credential bears: the configuration names it; named it, and is free to do so
# again. What an operator revoked keeps the first and stays revoked.
CONFIGURED, TAKEN_OUT = "config", "config (taken out)"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One credential; ``kind`` is ``client`` or ``control``.

    Args:
        operations: what a client key may do: ``read``, ``write``, ``delete``; None: all.
        purposes: purposes that its requests may state; None: any.
    """

    id: str
    tenant_id: str | None
    kind: str
    roles: tuple[str, ...]
    digest: bytes
    label: str
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    operations: tuple[str, ...] | None = None
    purposes: tuple[str, ...] | None = None


async def insert_key(tx: Tx, key: ApiKey) -> None:
    """Add a credential."""
    await tx.execute(
        insert(api_keys).values(
            id=key.id,
            tenant_id=key.tenant_id,
            kind=key.kind,
            roles=list(key.roles),
            digest=key.digest,
            label=key.label,
            created_at=key.created_at,
            expires_at=key.expires_at,
            operations=None if key.operations is None else list(key.operations),
            purposes=None if key.purposes is None else list(key.purposes),
        )
    )


async def by_digest(tx: Tx, digest: bytes) -> ApiKey | None:
    """The credential with this keyed digest, also if revoked or expired."""
    row = (await tx.execute(select(api_keys).where(api_keys.c.digest == digest))).first()
    return _key(row) if row else None


async def of_tenant(tx: Tx, tenant_id: str | None) -> list[ApiKey]:
    """All credentials of a tenant, or those of the installation (None), oldest first."""
    mine = select(api_keys).where(api_keys.c.tenant_id.is_not_distinct_from(tenant_id))
    rows = await tx.execute(mine.order_by(api_keys.c.id))
    return [_key(row) for row in rows]


async def configured(tx: Tx, kind: str) -> list[ApiKey]:
    """The credentials of a kind that the configuration names: of every tenant, revoked ones not."""
    mine = api_keys.c.kind == kind, api_keys.c.label == CONFIGURED, api_keys.c.revoked_at.is_(None)
    return [_key(row) for row in await tx.execute(select(api_keys).where(*mine))]


async def configure(tx: Tx, key_id: str, tenant_id: str | None, roles: Iterable[str]) -> None:
    """Bring a credential to what the configuration says of it; it opens again if it was out."""
    change = update(api_keys).where(api_keys.c.id == key_id)
    await tx.execute(
        change.values(tenant_id=tenant_id, roles=list(roles), label=CONFIGURED, revoked_at=None)
    )


async def take_out(tx: Tx, key_id: str, at: datetime) -> None:
    """The configuration names a credential no more: it opens nothing."""
    change = update(api_keys).where(api_keys.c.id == key_id)
    await tx.execute(change.values(label=TAKEN_OUT, revoked_at=at))


async def touch(tx: Tx, key_id: str, at: datetime) -> None:
    """Record that a credential was used."""
    await tx.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=at))


async def expire(tx: Tx, key_id: str, at: datetime) -> bool:
    """Let a credential end at an instant, unless it ends before or was revoked."""
    later = or_(api_keys.c.expires_at.is_(None), api_keys.c.expires_at > at)
    change = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None), later)
    return (await tx.execute(change.values(expires_at=at))).rowcount == 1


async def revoke(tx: Tx, key_id: str, at: datetime) -> bool:
    """Make a credential useless at once; False if there is none or it was revoked before.

    One that the configuration named before does not open again for being put in again.
    """
    mine = update(api_keys).where(api_keys.c.id == key_id)
    await tx.execute(mine.where(api_keys.c.label == TAKEN_OUT).values(label=CONFIGURED))
    change = mine.where(api_keys.c.revoked_at.is_(None)).values(revoked_at=at)
    return (await tx.execute(change)).rowcount == 1


def _key(row: Row[Any]) -> ApiKey:
    key = record(ApiKey, row)
    return replace(
        key,
        roles=tuple(key.roles),
        operations=_words(key.operations),
        purposes=_words(key.purposes),
    )


def _words(value: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)
