"""Rows of wrapped keys: key epochs, installation secrets, data keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, insert, select, update

from proxy.ledger.engine import Tx
from proxy.ledger.inserts import insert_ignore, offer
from proxy.ledger.records import record
from proxy.ledger.schema import deks, kek_epochs, secrets, tenants


@dataclass(frozen=True, slots=True)
class Epoch:
    """One key epoch; ``wrapped`` is None once it is destroyed."""

    epoch: int
    provider: str
    key_ref: str
    wrapped: bytes | None
    state: str
    assurance: str | None
    created_at: datetime
    retired_at: datetime | None = None
    destroyed_at: datetime | None = None
    final_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Dek:
    """One data key; ``wrapped`` is None once it is destroyed."""

    id: str
    tenant_id: str
    purpose: str
    ref: bytes
    wrapped: bytes | None
    kek_epoch: int
    fingerprint: str | None
    created_at: datetime
    row_deleted_at: datetime | None = None
    key_epoch_destroyed_at: datetime | None = None


_EPOCHS = select(kek_epochs).order_by(kek_epochs.c.epoch)
_ACTIVE = select(kek_epochs).where(kek_epochs.c.state == "active")
_ACTIVE = _ACTIVE.order_by(kek_epochs.c.epoch.desc()).limit(1)
_HELD = _ACTIVE.with_for_update(read=True)
_DEK = select(deks).where(deks.c.id == bindparam("dek"))
_DEKS = select(deks).where(deks.c.id.in_(bindparam("deks", expanding=True)))
_DEKS_FOR = (
    select(deks)
    .where(
        deks.c.tenant_id == bindparam("tenant"),
        deks.c.purpose == bindparam("purpose"),
        deks.c.ref == bindparam("ref"),
    )
    .order_by(deks.c.id)
)
_DELETE_WRAPPED = update(deks).where(deks.c.id == bindparam("dek"), deks.c.wrapped.is_not(None))


# -- epochs ----------------------------------------------------------------------------------------


async def insert_epoch(tx: Tx, row: Epoch) -> None:
    """Add an epoch; raises ``Conflict`` if another process opened the same one."""
    await tx.execute(
        insert(kek_epochs).values(
            epoch=row.epoch,
            provider=row.provider,
            key_ref=row.key_ref,
            wrapped=row.wrapped,
            state=row.state,
            created_at=row.created_at,
        )
    )


async def epochs(tx: Tx) -> list[Epoch]:
    """All epochs, oldest first."""
    rows = await tx.execute(_EPOCHS)
    return [record(Epoch, row) for row in rows]


async def active_epoch(tx: Tx, *, hold: bool = False) -> Epoch | None:
    """The epoch to wrap under; ``hold`` keeps it from being retired until ``tx`` ends."""
    newest = _HELD if hold else _ACTIVE
    # a successor may have been committed while the lock was awaited: then the second look finds it
    row = (await tx.execute(newest)).first() or (await tx.execute(newest)).first()
    return record(Epoch, row) if row else None


async def lock_epoch(tx: Tx, epoch: int) -> None:
    """Wait for everyone who holds an epoch open."""
    locked = select(kek_epochs.c.epoch).where(kek_epochs.c.epoch == epoch).with_for_update()
    await tx.execute(locked)


async def retire_epoch(tx: Tx, epoch: int, at: datetime) -> None:
    """Use an epoch's key no more. Its wrapped bytes stay for the probe of its destruction."""
    change = update(kek_epochs).where(kek_epochs.c.epoch == epoch)
    await tx.execute(change.values(state="retired", retired_at=at))


async def demote_epochs_before(tx: Tx, epoch: int) -> None:
    """Wrap nothing new under older epochs; what is wrapped under them still opens."""
    change = update(kek_epochs).where(kek_epochs.c.epoch < epoch, kek_epochs.c.state == "active")
    await tx.execute(change.values(state="draining"))


async def finish_epoch(
    tx: Tx, epoch: int, assurance: str, at: datetime, final_at: datetime | None
) -> None:
    """Record that the provider can no longer open an epoch's key."""
    change = update(kek_epochs).where(kek_epochs.c.epoch == epoch)
    await tx.execute(
        change.values(
            state="destroyed",
            wrapped=None,
            assurance=assurance,
            destroyed_at=at,
            final_at=final_at,
        )
    )
    gone = update(deks).where(
        deks.c.kek_epoch == epoch,
        deks.c.wrapped.is_(None),
        deks.c.key_epoch_destroyed_at.is_(None),
    )
    await tx.execute(gone.values(key_epoch_destroyed_at=at))


# -- secrets ---------------------------------------------------------------------------------------


async def secret(tx: Tx, name: str) -> tuple[bytes, int] | None:
    """An installation secret as (wrapped, epoch)."""
    row = (
        await tx.execute(
            select(secrets.c.wrapped, secrets.c.kek_epoch).where(secrets.c.name == name)
        )
    ).first()
    return (row.wrapped, row.kek_epoch) if row else None


async def offer_secret(tx: Tx, name: str, wrapped: bytes, epoch: int) -> None:
    """Store a secret unless there is one of this name: the first process to start decides."""
    await insert_ignore(tx, secrets, [{"name": name, "wrapped": wrapped, "kek_epoch": epoch}])


async def set_secret(tx: Tx, name: str, wrapped: bytes, epoch: int) -> None:
    """Store a secret rewrapped for another epoch."""
    change = update(secrets).where(secrets.c.name == name)
    await tx.execute(change.values(wrapped=wrapped, kek_epoch=epoch))


async def secrets_under(tx: Tx, epoch: int) -> list[tuple[str, bytes]]:
    """Installation secrets wrapped under ``epoch``."""
    rows = await tx.execute(
        select(secrets.c.name, secrets.c.wrapped).where(secrets.c.kek_epoch == epoch)
    )
    return [(row.name, row.wrapped) for row in rows]


async def tenants_under(tx: Tx, epoch: int, limit: int) -> list[tuple[str, bytes]]:
    """Tenant secrets wrapped under ``epoch``."""
    found = select(tenants.c.id, tenants.c.wrapped_secret).where(
        tenants.c.kek_epoch == epoch, tenants.c.wrapped_secret.is_not(None)
    )
    return [(row.id, row.wrapped_secret) for row in await tx.execute(found.limit(limit))]


# -- data keys -------------------------------------------------------------------------------------


async def offer_dek(tx: Tx, row: Dek, wrapped: bytes) -> bool:
    """Add a data key; False if its record got a living one meanwhile."""
    values = {name: getattr(row, name) for name in Dek.__slots__}
    return await offer(tx, deks, {**values, "wrapped": wrapped})


async def dek(tx: Tx, dek_id: str) -> Dek | None:
    """The data key with this id."""
    row = (await tx.execute(_DEK, {"dek": dek_id})).first()
    return record(Dek, row) if row else None


async def deks_by_id(tx: Tx, dek_ids: Sequence[str]) -> dict[str, Dek]:
    """The data keys with these ids (at most some thousands)."""
    found: dict[str, Dek] = {}
    for start in range(0, len(dek_ids), 500):
        chunk = list(dek_ids[start : start + 500])
        rows = await tx.execute(_DEKS, {"deks": chunk})
        found.update({row.id: record(Dek, row) for row in rows})
    return found


async def deks_for(tx: Tx, tenant_id: str, purpose: str, ref: bytes) -> list[Dek]:
    """All data keys ever made for a record, oldest first; destroyed ones stay as rows."""
    given = {"tenant": tenant_id, "purpose": purpose, "ref": ref}
    rows = await tx.execute(_DEKS_FOR, given)
    return [record(Dek, row) for row in rows]


async def destroyed_deks(tx: Tx, tenant_id: str, fingerprints: Sequence[str]) -> list[str]:
    """Ids of a tenant's destroyed data keys by their fingerprints, oldest first."""
    found: set[str] = set()
    for start in range(0, len(fingerprints), 500):
        chunk = list(fingerprints[start : start + 500])
        query = select(deks.c.id).where(
            deks.c.tenant_id == tenant_id, deks.c.fingerprint.in_(chunk), deks.c.wrapped.is_(None)
        )
        found |= {row.id for row in await tx.execute(query)}
    return sorted(found)


async def deks_under(tx: Tx, epoch: int, limit: int) -> list[Dek]:
    """Living data keys wrapped under ``epoch``."""
    living = select(deks).where(deks.c.kek_epoch == epoch, deks.c.wrapped.is_not(None))
    return [record(Dek, row) for row in await tx.execute(living.limit(limit))]


async def living_under(tx: Tx, epoch: int) -> int:
    """How many keys and secrets of any kind still hang on ``epoch``."""
    counts = (
        select(func.count()).where(deks.c.kek_epoch == epoch, deks.c.wrapped.is_not(None)),
        select(func.count()).where(secrets.c.kek_epoch == epoch),
        select(func.count()).where(
            tenants.c.kek_epoch == epoch, tenants.c.wrapped_secret.is_not(None)
        ),
    )
    return sum([int((await tx.execute(count)).scalar_one()) for count in counts])


async def rewrap_deks(tx: Tx, moved: Sequence[tuple[str, bytes]], epoch: int) -> None:
    """Store data keys rewrapped for another epoch, except those destroyed meanwhile."""
    change = update(deks).where(deks.c.id == bindparam("dek"), deks.c.wrapped.is_not(None))
    change = change.values(wrapped=bindparam("fresh"), kek_epoch=epoch)
    if moved:
        await tx.execute(change, [{"dek": dek_id, "fresh": blob} for dek_id, blob in moved])


async def delete_wrapped(tx: Tx, dek_id: str, fingerprint: str, at: datetime) -> bool:
    """Delete a data key's wrapped bytes; False if they were deleted before."""
    values = {"dek": dek_id, "wrapped": None, "fingerprint": fingerprint, "row_deleted_at": at}
    done = await tx.execute(_DELETE_WRAPPED, values)
    return done.rowcount == 1
