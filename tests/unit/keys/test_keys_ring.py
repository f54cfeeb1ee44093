"""The key ring: sealing, destroying, rotating; replicas, restarts, a provider that goes away."""

import asyncio
import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.clock import FrozenClock
from proxy.keys import aead
from proxy.keys.epochs import start_epoch
from proxy.keys.errors import KekUnavailable, KeyDestroyed, SealBroken
from proxy.keys.file import FileKek
from proxy.keys.kek import Trim, Wrapped
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.ledger.failures import Conflict
from proxy.problems import Problem
from tests.support.key_rows import backup, restore

REF = b"r" * 16


async def make(ledger: Ledger, ring: KeyRing, tenant: str, ref: bytes = REF) -> str:
    """A data key for an entity."""
    return await ledger.write(lambda tx: ring.ensure_dek(tx, tenant, "entity", ref))


async def seal(ledger: Ledger, ring: KeyRing, dek: str, data: bytes = b"words") -> bytes:
    """Sealed data, bound to the place ``b"here"``."""
    return await ledger.read(lambda tx: ring.seal(tx, dek, data, b"here"))


async def unseal(ledger: Ledger, ring: KeyRing, dek: str, blob: bytes) -> bytes:
    """The data again."""
    return await ledger.read(lambda tx: ring.unseal(tx, dek, blob, b"here"))


async def test_what_is_sealed_opens_again_also_after_a_restart(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, tmp_path: Path, clock: FrozenClock
) -> None:
    """One key per record, stable; a second ring on the same ledger opens it."""
    dek = await make(ledger, keyring, tenant_id)
    assert await make(ledger, keyring, tenant_id) == dek
    blob = await seal(ledger, keyring, dek)
    assert b"words" not in blob
    restarted = await KeyRing.open(ledger, FileKek(tmp_path / "keys" / "kek.json"), clock)
    assert await unseal(ledger, restarted, dek, blob) == b"words"
    ours, theirs = await keyring.tenant(tenant_id), await restarted.tenant(tenant_id)
    assert ours.of("owner", "u-1") == theirs.of("owner", "u-1")
    assert (await keyring.installation()).of("actor", "x") == (await restarted.installation()).of(
        "actor", "x"
    )


async def test_a_value_opens_only_where_it_belongs(
    ledger: Ledger, keyring: KeyRing, tenant_id: str
) -> None:
    """Another place, another record, another tenant, a changed byte: all refused."""
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    dek = await make(ledger, keyring, tenant_id)
    second, foreign = (
        await make(ledger, keyring, tenant_id, b"s" * 16),
        await make(ledger, keyring, other),
    )
    blob = await seal(ledger, keyring, dek)
    with pytest.raises(SealBroken):
        await ledger.read(lambda tx: keyring.unseal(tx, dek, blob, b"there"))
    for wrong in (second, foreign):
        with pytest.raises(SealBroken):
            await unseal(ledger, keyring, wrong, blob)
    for changed in (blob[:-1] + bytes([blob[-1] ^ 1]), b"\x02" + blob[1:], b"", blob[:10]):
        with pytest.raises(SealBroken):
            await unseal(ledger, keyring, dek, changed)


async def test_a_swapped_wrapped_key_is_refused(
    ledger: Ledger, keyring: KeyRing, tenant_id: str
) -> None:
    """A data key moved to another record's row does not open there."""
    one, two = await make(ledger, keyring, tenant_id), await make(ledger, keyring, tenant_id, b"2")
    copy = "UPDATE deks SET wrapped=(SELECT wrapped FROM deks WHERE id=:b) WHERE id=:a"
    await ledger.write(lambda tx: tx.execute(text(copy), {"a": one, "b": two}))
    with pytest.raises(SealBroken):
        await seal(ledger, keyring, one)


async def test_destruction_is_final_and_named_by_its_fingerprint(
    ledger: Ledger, keyring: KeyRing, tenant_id: str
) -> None:
    """Destroyed: opens nowhere, is not made anew, has a fingerprint and a date; twice is once."""
    dek = await make(ledger, keyring, tenant_id)
    blob = await seal(ledger, keyring, dek)
    first = await ledger.write(lambda tx: keyring.destroy(tx, [dek]))
    assert await ledger.write(lambda tx: keyring.destroy(tx, [dek, "dek_unknown"])) == first
    assert len(first[0].fingerprint) == 16
    assert first[0].row_deleted_at is not None
    assert first[0].key_epoch_destroyed_at is None
    for attempt in (seal(ledger, keyring, dek), unseal(ledger, keyring, dek, blob)):
        with pytest.raises(KeyDestroyed):
            await attempt
    with pytest.raises(KeyDestroyed):
        await make(ledger, keyring, tenant_id)
    renewed = await ledger.write(
        lambda tx: keyring.ensure_dek(tx, tenant_id, "entity", REF, renew=True)
    )
    assert renewed != dek
    with pytest.raises(SealBroken):
        await unseal(ledger, keyring, renewed, blob)
    found = await ledger.read(
        lambda tx: keyring.unseal_many(tx, [(dek, blob, b"here"), (renewed, b"", b"here")][:1])
    )
    assert found == [None]


async def test_the_fingerprint_is_of_the_key(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First 16 hexadecimal digits of SHA-256 of the key that was destroyed."""
    key = b"k" * 32
    monkeypatch.setattr(aead, "new_key", lambda: key)
    dek = await make(ledger, keyring, tenant_id)
    [destroyed] = await ledger.write(lambda tx: keyring.destroy(tx, [dek]))
    assert destroyed.fingerprint == hashlib.sha256(key).hexdigest()[:16]


async def test_another_replica_cannot_open_what_was_destroyed(
    ledger_url: str, ledger: Ledger, keyring: KeyRing, tenant_id: str, tmp_path: Path,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """A second process that used the key a moment ago loses it at once."""
    dek = await make(ledger, keyring, tenant_id)
    blob = await seal(ledger, keyring, dek)
    second = await Ledger.open(ledger_url)
    replica = await KeyRing.open(second, FileKek(tmp_path / "keys" / "kek.json"), clock)
    assert await unseal(second, replica, dek, blob) == b"words"
    await ledger.write(lambda tx: keyring.destroy(tx, [dek]))
    with pytest.raises(KeyDestroyed):
        await unseal(second, replica, dek, blob)
    await keyring.destroy_epoch()
    other = await second.write(lambda tx: replica.ensure_dek(tx, tenant_id, "entity", b"new"))
    assert await unseal(ledger, keyring, other, await seal(second, replica, other)) == b"words"
    await second.close()


async def test_rotation_keeps_everything_readable(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, tmp_path: Path, clock: FrozenClock
) -> None:
    """Several rotations: old values, tenants and the installation open, also after a restart."""
    deks = [await make(ledger, keyring, tenant_id, bytes([n])) for n in range(5)]
    blobs = [await seal(ledger, keyring, dek) for dek in deks]
    before = (await keyring.tenant(tenant_id)).of("owner", "u")
    for epoch in (2, 3, 4):
        result = await keyring.rotate()
        assert (result.epoch, result.retired, result.rewrapped) == (epoch, (epoch - 1,), 7)
        assert result.destroyed_at is None
    restarted = await KeyRing.open(ledger, FileKek(tmp_path / "keys" / "kek.json"), clock)
    for ring in (keyring, restarted):
        found = [await unseal(ledger, ring, d, b) for d, b in zip(deks, blobs, strict=True)]
        assert found == [b"words"] * 5
        assert (await ring.tenant(tenant_id)).of("owner", "u") == before


async def test_a_rotation_that_died_halfway_is_finished_by_the_next(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, tmp_path: Path, clock: FrozenClock
) -> None:
    """The new epoch was opened and nothing moved yet: all opens, and the next call moves it all."""
    dek = await make(ledger, keyring, tenant_id)
    blob = await seal(ledger, keyring, dek)
    kek = FileKek(tmp_path / "keys" / "kek.json")
    await kek.rotate()
    await start_epoch(ledger, kek, 2, clock.now())
    restarted = await KeyRing.open(ledger, kek, clock)
    assert await unseal(ledger, restarted, dek, blob) == b"words"
    result = await restarted.destroy_epoch()
    assert (result.epoch, result.retired, result.destroyed) == (3, (1, 2), (1, 2))
    for ring in (keyring, restarted):
        assert await unseal(ledger, ring, dek, blob) == b"words"


async def test_writers_do_not_lose_keys_to_a_rotation(
    ledger: Ledger, ledger_url: str, keyring: KeyRing, tenant_id: str, tmp_path: Path,
    clock: FrozenClock,
) -> None:  # fmt: skip
    """Keys made by two replicas while the epochs change all open afterwards."""
    second = await Ledger.open(ledger_url)
    replica = await KeyRing.open(second, FileKek(tmp_path / "keys" / "kek.json"), clock)

    async def work(where: Ledger, ring: KeyRing, mark: int) -> list[tuple[str, bytes]]:
        made = []
        for number in range(25):
            dek = await make(where, ring, tenant_id, bytes([mark, number]))
            made.append((dek, await seal(where, ring, dek)))
        return made

    async def rotate() -> None:
        for _ in range(4):
            await keyring.rotate()

    ours, theirs, _ = await asyncio.gather(
        work(ledger, keyring, 1), work(second, replica, 2), rotate()
    )
    for dek, blob in ours + theirs:
        assert await unseal(ledger, keyring, dek, blob) == b"words"
        assert await unseal(second, replica, dek, blob) == b"words"
    await second.close()


async def test_destroying_the_epoch_dates_what_was_destroyed_before(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock
) -> None:
    """row_deleted first, key_epoch_destroyed later, with the provider's grade; the rest lives."""
    gone, kept = (
        await make(ledger, keyring, tenant_id, b"gone"),
        await make(ledger, keyring, tenant_id, b"kept"),
    )
    blob = await seal(ledger, keyring, kept)
    await ledger.write(lambda tx: keyring.destroy(tx, [gone]))
    clock.advance(timedelta(hours=1))
    result = await keyring.destroy_epoch()
    assert result.destroyed_at == clock.now()
    assert (result.assurance, result.clean) == ("local-kek", True)
    [key] = await ledger.read(lambda tx: keyring.destroyed(tx, [gone, kept]))
    assert key.row_deleted_at == clock.now() - timedelta(hours=1)
    assert (key.key_epoch_destroyed_at, key.assurance) == (clock.now(), "local-kek")
    assert await unseal(ledger, keyring, kept, blob) == b"words"
    states = [row.state for row in await keyring.status()]
    assert states == ["destroyed", "active"]


async def test_an_old_backup_with_todays_keys_opens_nothing(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, tmp_path: Path, clock: FrozenClock
) -> None:
    """Restoring the rows of before the destruction does not bring the key back."""
    dek = await make(ledger, keyring, tenant_id)
    blob = await seal(ledger, keyring, dek)
    kept = await ledger.read(backup)
    await ledger.write(lambda tx: keyring.destroy(tx, [dek]))
    await keyring.destroy_epoch()
    await ledger.write(lambda tx: restore(tx, kept))
    revived = KeyRing(ledger, FileKek(tmp_path / "keys" / "kek.json"), clock)
    with pytest.raises(Problem) as caught:
        await unseal(ledger, revived, dek, blob)
    assert caught.value.slug == "keys-sealed"


class Switchable(FileKek):
    """A key file whose provider can go away, or keep what it should destroy."""

    away = False
    keeps = False

    async def unwrap(self, wrapped: Wrapped, aad: bytes) -> bytes:
        if self.away:
            raise KekUnavailable
        return await super().unwrap(wrapped, aad)

    async def trim(self, keep: str, older: object) -> Trim:
        return Trim("local-kek") if self.keeps else await super().trim(keep, [])


@pytest.fixture
def kek(tmp_path: Path) -> Switchable:
    """The same key file as the ring's."""
    return Switchable(tmp_path / "keys" / "kek.json")


async def test_a_provider_that_keeps_the_old_key_is_not_believed(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, kek: Switchable, clock: FrozenClock
) -> None:
    """The probe opens the old epoch: nothing counts as destroyed until it is refused."""
    ring = await KeyRing.open(ledger, kek, clock)
    dek = await make(ledger, ring, tenant_id)
    await ledger.write(lambda tx: ring.destroy(tx, [dek]))
    kek.keeps = True
    assert (await ring.destroy_epoch()).destroyed_at is None
    [key] = await ledger.read(lambda tx: ring.destroyed(tx, [dek]))
    assert (key.key_epoch_destroyed_at, key.assurance) == (None, None)
    kek.keeps = False
    assert (await ring.destroy_epoch()).destroyed_at is not None
    [key] = await ledger.read(lambda tx: ring.destroyed(tx, [dek]))
    assert key.key_epoch_destroyed_at is not None


async def test_a_provider_that_goes_away_seals_us_after_the_lease(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, kek: Switchable, clock: FrozenClock
) -> None:
    """Within the lease work goes on; after it, keys-sealed; when it is back, so are we."""
    ring = await KeyRing.open(ledger, kek, clock, lease_s=30)
    dek = await make(ledger, ring, tenant_id)
    blob = await seal(ledger, ring, dek)
    kek.away = True
    assert await unseal(ledger, ring, dek, blob) == b"words"
    assert await ring.opens()
    clock.advance(timedelta(seconds=31))
    assert not await ring.opens()
    for attempt in (unseal(ledger, ring, dek, blob), ring.tenant(tenant_id)):
        with pytest.raises(Problem) as caught:
            await attempt
        assert caught.value.slug == "keys-sealed"
    kek.away = False
    clock.advance(timedelta(seconds=2))
    assert await ring.opens()
    assert await unseal(ledger, ring, dek, blob) == b"words"


async def test_a_lost_key_file_is_not_replaced(
    ledger: Ledger, keyring: KeyRing, tmp_path: Path, clock: FrozenClock
) -> None:
    """Without its key file a used ledger stays sealed; no new key is made for it."""
    path = tmp_path / "keys" / "kek.json"
    path.unlink()
    with pytest.raises(Problem) as caught:
        await KeyRing.open(ledger, FileKek(path), clock)
    assert caught.value.slug == "keys-sealed"
    assert caught.value.detail == "The key provider cannot be used: the key file cannot be read."
    assert not path.exists()


async def test_tenants_are_apart_and_can_be_destroyed(
    ledger: Ledger, keyring: KeyRing, tenant_id: str
) -> None:
    """Secrets differ; a name is taken once; a destroyed tenant computes nothing again."""
    other = await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    ours, theirs = await keyring.tenant(tenant_id), await keyring.tenant(other)
    assert ours.of("owner", "u-1") != theirs.of("owner", "u-1")
    with pytest.raises(Conflict):
        await ledger.write(lambda tx: keyring.create_tenant(tx, "other"))
    destroyed = await ledger.write(lambda tx: keyring.destroy_tenant(tx, other))
    assert len(destroyed.fingerprint) == 16
    with pytest.raises(KeyDestroyed):
        await keyring.tenant(other)
    with pytest.raises(Problem) as caught:
        await keyring.tenant("ten_unknown")
    assert caught.value.slug == "not-found"
    assert (await keyring.tenant(tenant_id)).of("owner", "u-1") == ours.of("owner", "u-1")


async def test_the_cache_of_tenants_is_bounded(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More tenants than places: the oldest leave, and are read again when needed."""
    monkeypatch.setattr("proxy.keys.ring.MAX_TENANTS", 3)
    names = [
        await ledger.write(lambda tx, n=n: keyring.create_tenant(tx, f"t{n}")) for n in range(5)
    ]
    first = [(await keyring.tenant(name)).of("owner", "u") for name in names]
    assert len(keyring._tenants) == 3
    assert [(await keyring.tenant(name)).of("owner", "u") for name in names] == first


async def test_a_destroyed_key_leaves_the_database_file(tmp_path: Path, clock: FrozenClock) -> None:
    """The wrapped bytes are in no byte of database or log once the epoch is destroyed."""
    path = tmp_path / "ledger.db"
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{path}")
    ring = await KeyRing.open(ledger, FileKek(tmp_path / "kek.json"), clock)
    tenant = await ledger.write(lambda tx: ring.create_tenant(tx, "acme"))
    deks = [await make(ledger, ring, tenant, bytes([n])) for n in range(40)]
    rows = (await ledger.read(backup))["deks"]
    wrapped = [bytes(row["wrapped"]) for row in rows[:20]]  # type: ignore[call-overload]
    assert sum(_occurs(path, needle) for needle in wrapped) == 20
    await ledger.write(lambda tx: ring.destroy(tx, deks[:20]))
    result = await ring.destroy_epoch()
    assert result.clean
    assert sum(_occurs(path, needle) for needle in wrapped) == 0
    await ledger.close()


def _occurs(path: Path, needle: bytes) -> bool:
    return any(needle in file.read_bytes() for file in path.parent.glob("ledger.db*"))
