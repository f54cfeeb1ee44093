"""Rows of client and control keys: only a keyed digest of each, never the key."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, insert, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.records import record
from proxy.ledger.schema import api_keys


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One credential; ``kind`` is ``client`` or ``control``."""

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


async def touch(tx: Tx, key_id: str, at: datetime) -> None:
    """Record that a credential was used."""
    await tx.execute(update(api_keys).where(api_keys.c.id == key_id).values(last_used_at=at))


async def revoke(tx: Tx, key_id: str, at: datetime) -> bool:
    """Make a credential useless at once; False if there is none or it was revoked before."""
    change = update(api_keys).where(api_keys.c.id == key_id, api_keys.c.revoked_at.is_(None))
    return (await tx.execute(change.values(revoked_at=at))).rowcount == 1


def _key(row: Row[Any]) -> ApiKey:
    key = record(ApiKey, row)
    return replace(key, roles=tuple(key.roles))
