"""How one key epoch follows another: rewrap what lives, retire, destroy at the provider, probe."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from proxy.clock import Clock
from proxy.keys import aead
from proxy.keys.epochs import BATCH, Epochs, epoch_aad, start_epoch
from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.kek import Assurance, Kek, Wrapped
from proxy.ledger import tenants
from proxy.ledger import wrapped as rows
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.failures import Conflict
from proxy.problems import Problem


@dataclass(frozen=True, slots=True)
class EpochResult:
    """What a rotation or destruction did.

    Args:
        epoch: the active epoch now.
        retired: epochs nothing hangs on any more since this call.
        rewrapped: keys and secrets that were moved.
        destroyed: epochs whose key the provider was seen to refuse; only what was destroyed
            under those may be called crypto-erased.
        remaining: retired epochs whose key the provider still opens.
        destroyed_at: when, if none remains.
        final_at: lies ahead if the provider only scheduled the destruction.
        clean: whether the database's own log was emptied of deleted key rows.
    """

    epoch: int
    retired: tuple[int, ...]
    rewrapped: int
    assurance: Assurance | None = None
    destroyed: tuple[int, ...] = ()
    remaining: tuple[int, ...] = ()
    destroyed_at: datetime | None = None
    final_at: datetime | None = None
    clean: bool | None = None


def secret_aad(name: str) -> bytes:
    """What binds an installation secret to its name."""
    return aead.bind("secret", name)


def tenant_aad(tenant_id: str) -> bytes:
    """What binds a tenant's secret to the tenant."""
    return aead.bind("tenant", tenant_id)


def dek_aad(dek: rows.Dek) -> bytes:
    """What binds a data key to its record."""
    return aead.bind("dek", dek.tenant_id, dek.purpose, dek.ref, dek.id)


async def rotate(ledger: Ledger, kek: Kek, epochs: Epochs, clock: Clock) -> EpochResult:
    """Open the next epoch and move every living key into it, in batches beside normal work.

    Raises:
        Problem: ``invalid-state`` if the provider has no newer key version (``env``: add one).
    """
    if not await _has_newer_version(ledger, kek):
        raise Problem(
            "invalid-state", "The key provider has no newer key version.", hint="Add one first."
        )
    return await _succeed(ledger, kek, epochs, clock)


async def destroy(ledger: Ledger, kek: Kek, epochs: Epochs, clock: Clock) -> EpochResult:
    """Rotate, destroy the provider's older versions, and record what a probe proves.

    A provider that makes no versions itself (``env``) is not rotated again: then this looks whether
    the operator has taken the keys of retired epochs out.
    """
    if await _has_newer_version(ledger, kek):
        result = await _succeed(ledger, kek, epochs, clock)
    else:
        active = await ledger.read(rows.active_epoch)
        result = await _drain_all(ledger, epochs, clock, active.epoch if active else 0)
    return await _destroy_retired(ledger, kek, clock, result)


async def _destroy_retired(
    ledger: Ledger, kek: Kek, clock: Clock, result: EpochResult
) -> EpochResult:
    old = [row for row in await ledger.read(rows.epochs) if row.state == "retired"]
    current = await ledger.read(rows.active_epoch)
    try:
        trim = await kek.trim(current.key_ref if current else "", [row.key_ref for row in old])
        refused = [row.epoch for row in old if await _is_refused(kek, row)]
    except (KekUnavailable, KekRefused):
        raise Problem("keys-sealed", "The key provider went away: repeat this.") from None
    at = clock.now()

    async def unit(tx: Tx) -> None:
        for epoch in refused:
            await rows.finish_epoch(tx, epoch, trim.assurance, at, trim.final_at)

    await ledger.write(unit)
    done = bool(old) and len(refused) == len(old)
    return replace(
        result,
        assurance=trim.assurance,
        destroyed=tuple(refused),
        remaining=tuple(row.epoch for row in old if row.epoch not in refused),
        destroyed_at=at if done else None,
        final_at=trim.final_at if done else None,
        clean=await ledger.checkpoint(),
    )


async def _has_newer_version(ledger: Ledger, kek: Kek) -> bool:
    try:
        version = await kek.rotate()
    except (KekUnavailable, KekRefused):
        raise Problem("keys-sealed", "The key provider cannot rotate.") from None
    active = await ledger.read(rows.active_epoch)
    return active is None or active.key_ref != version


async def _succeed(ledger: Ledger, kek: Kek, epochs: Epochs, clock: Clock) -> EpochResult:
    newest = max(row.epoch for row in await ledger.read(rows.epochs))
    try:
        fresh = await start_epoch(ledger, kek, newest + 1, clock.now())
    except Conflict:
        raise Problem("invalid-state", "Another process is rotating the keys.") from None
    return await _drain_all(ledger, epochs, clock, fresh.epoch)


async def _drain_all(ledger: Ledger, epochs: Epochs, clock: Clock, active: int) -> EpochResult:
    """Move everything into the active epoch, also what a process that died left behind."""
    rewrapped, retired = 0, []
    for old in await ledger.read(rows.epochs):
        if old.state == "draining":
            rewrapped += await _drain(ledger, epochs, old.epoch, clock)
            epochs.drop(old.epoch)
            retired.append(old.epoch)
    return EpochResult(active, tuple(retired), rewrapped)


async def _is_refused(kek: Kek, row: rows.Epoch) -> bool:
    try:
        await kek.unwrap(Wrapped(row.key_ref, row.wrapped or b""), epoch_aad(row.epoch))
    except KekRefused:
        return True
    return False


async def _drain(ledger: Ledger, epochs: Epochs, old: int, clock: Clock) -> int:
    moved = 0
    steps = (_move_secrets, _move_tenants, _move_deks)
    while True:
        for step in steps:
            while count := await ledger.write(_bound(step, epochs, old)):
                moved += count
        if await ledger.write(lambda tx: _retire(tx, old, clock.now())):
            return moved


Step = Callable[[Tx, Epochs, int], Awaitable[int]]


def _bound(step: Step, epochs: Epochs, old: int) -> Callable[[Tx], Awaitable[int]]:
    return lambda tx: step(tx, epochs, old)


async def _retire(tx: Tx, old: int, at: datetime) -> bool:
    """Delete the old epoch's key unless a late writer wrapped something under it."""
    await rows.lock_epoch(tx, old)
    if await rows.living_under(tx, old):
        return False
    await rows.retire_epoch(tx, old, at)
    return True


async def _move_secrets(tx: Tx, epochs: Epochs, old: int) -> int:
    found = await rows.secrets_under(tx, old)
    for name, wrapped in found:
        epoch, moved = await _rewrap(tx, epochs, old, wrapped, secret_aad(name))
        await rows.set_secret(tx, name, moved, epoch)
    return len(found)


async def _move_tenants(tx: Tx, epochs: Epochs, old: int) -> int:
    found = await rows.tenants_under(tx, old, BATCH)
    for tenant_id, wrapped in found:
        epoch, moved = await _rewrap(tx, epochs, old, wrapped, tenant_aad(tenant_id))
        await tenants.set_secret(tx, tenant_id, moved, epoch)
    return len(found)


async def _move_deks(tx: Tx, epochs: Epochs, old: int) -> int:
    found = await rows.deks_under(tx, old, BATCH)
    epoch, key = await epochs.active(tx)
    previous = await epochs.key(tx, old)
    moved = [
        (dek.id, aead.seal(key, aead.unseal(previous, dek.wrapped or b"", aad), aad))
        for dek, aad in ((dek, dek_aad(dek)) for dek in found)
    ]
    await rows.rewrap_deks(tx, moved, epoch)
    return len(found)


async def _rewrap(
    tx: Tx, epochs: Epochs, old: int, wrapped: bytes, aad: bytes
) -> tuple[int, bytes]:
    epoch, key = await epochs.active(tx)
    plain = aead.unseal(await epochs.key(tx, old), wrapped, aad)
    return epoch, aead.seal(key, plain, aad)
