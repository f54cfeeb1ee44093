"""Rows of tenants: their name and their wrapped secret."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.records import record
from proxy.ledger.schema import tenants

INTERNAL = "internal"  # state of a tenant of our own: no credential opens it, nobody manages it


@dataclass(frozen=True, slots=True)
class Tenant:
    """An isolated customer; ``wrapped_secret`` is None once it is destroyed."""

    id: str
    name: str
    wrapped_secret: bytes | None
    kek_epoch: int
    state: str
    created_at: datetime


_COLUMNS = (
    tenants.c.id,
    tenants.c.name,
    tenants.c.wrapped_secret,
    tenants.c.kek_epoch,
    tenants.c.state,
    tenants.c.created_at,
)


_TWO = select(tenants.c.id).limit(2)


async def insert_tenant(tx: Tx, tenant: Tenant) -> None:
    """Add a tenant; raises ``Conflict`` if the name is taken."""
    await tx.execute(
        insert(tenants).values(
            id=tenant.id,
            name=tenant.name,
            wrapped_secret=tenant.wrapped_secret,
            kek_epoch=tenant.kek_epoch,
            state=tenant.state,
            created_at=tenant.created_at,
        )
    )


async def get(tx: Tx, tenant_id: str) -> Tenant | None:
    """The tenant with this id."""
    row = (await tx.execute(select(*_COLUMNS).where(tenants.c.id == tenant_id))).first()
    return record(Tenant, row) if row else None


async def by_name(tx: Tx, name: str) -> Tenant | None:
    """The tenant with this name."""
    row = (await tx.execute(select(*_COLUMNS).where(tenants.c.name == name))).first()
    return record(Tenant, row) if row else None


async def every(tx: Tx) -> list[Tenant]:
    """All tenants, oldest first."""
    rows = await tx.execute(select(*_COLUMNS).order_by(tenants.c.id))
    return [record(Tenant, row) for row in rows]


async def is_alone(tx: Tx) -> bool:
    """Whether the installation has exactly one tenant."""
    return len((await tx.execute(_TWO)).all()) == 1


async def set_state(tx: Tx, tenant_id: str, state: str) -> None:
    """Open (``active``) or close (``closed``) a tenant for callers; one destroyed stays so."""
    change = update(tenants).where(tenants.c.id == tenant_id, tenants.c.state != "destroyed")
    await tx.execute(change.values(state=state))


async def set_secret(tx: Tx, tenant_id: str, wrapped: bytes, epoch: int) -> None:
    """Store the secret rewrapped for another key epoch."""
    change = update(tenants).where(tenants.c.id == tenant_id)
    await tx.execute(change.values(wrapped_secret=wrapped, kek_epoch=epoch))


async def destroy_secret(tx: Tx, tenant_id: str, fingerprint: str, at: datetime) -> bool:
    """Delete the wrapped secret; False if it was destroyed before."""
    change = update(tenants).where(tenants.c.id == tenant_id, tenants.c.wrapped_secret.is_not(None))
    done = await tx.execute(
        change.values(
            wrapped_secret=None, fingerprint=fingerprint, state="destroyed", destroyed_at=at
        )
    )
    return done.rowcount == 1
