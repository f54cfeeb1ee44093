"""The key ring: tenants' secrets and data keys, wrapped; sealing, unsealing, destroying.

No data key is cached: each use reads its row, so a key destroyed anywhere opens nowhere.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from proxy import ids
from proxy.clock import Clock
from proxy.keys import aead, succession
from proxy.keys.epochs import LEASE_S, Epochs, ensure_first_epoch
from proxy.keys.errors import KeyDestroyed
from proxy.keys.kek import Kek
from proxy.ledger import tenants
from proxy.ledger import wrapped as rows
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.failures import Conflict
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms

Purpose = Literal["owner", "entity", "category", "erasure", "memory"]

INSTALLATION = "installation"
MAX_TENANTS = 1024


@dataclass(frozen=True, slots=True)
class DestroyedKey:
    """A data key that is no more: its row is deleted, its epoch perhaps not yet destroyed."""

    dek_id: str
    fingerprint: str
    row_deleted_at: datetime | None = None
    key_epoch_destroyed_at: datetime | None = None
    assurance: str | None = None
    final_at: datetime | None = None

    def facts(self) -> dict[str, str | None]:
        """Fingerprint, dates and grade; no id."""
        return {
            "fingerprint": self.fingerprint,
            "row_deleted_at": _rfc3339(self.row_deleted_at),
            "key_epoch_destroyed_at": _rfc3339(self.key_epoch_destroyed_at),
            "assurance": self.assurance,
        }


class KeyRing:
    """All keys of one installation."""

    def __init__(self, ledger: Ledger, kek: Kek, clock: Clock, lease_s: float = LEASE_S) -> None:
        self._ledger, self._kek, self._clock = ledger, kek, clock
        self._epochs = Epochs(kek, clock, lease_s)
        self._lease_s = lease_s
        self._tenants: OrderedDict[str, tuple[float, Pseudonyms]] = OrderedDict()
        self._installation: Pseudonyms | None = None

    @classmethod
    async def open(
        cls, ledger: Ledger, kek: Kek, clock: Clock, *, lease_s: float = LEASE_S
    ) -> "KeyRing":
        """Open the ring; in a new ledger the first epoch and secret are made.

        Args:
            lease_s: seconds for which keys are used without asking ledger and provider again.

        Raises:
            Problem: ``keys-sealed`` if the provider is away or does not know our key.
        """
        ring = cls(ledger, kek, clock, lease_s)
        try:
            await ensure_first_epoch(ledger, kek, clock.now())
            if await ledger.read(lambda tx: rows.secret(tx, INSTALLATION)) is None:
                await ledger.write(ring._make_installation)
            await ring.installation()
        except BaseException:
            await ring.close()
            raise
        return ring

    # -- secrets -----------------------------------------------------------------------------------

    async def installation(self) -> Pseudonyms:
        """Pseudonyms of the installation: digests of credentials, actors."""
        if self._installation is None:
            self._installation = await self._ledger.read(self._read_installation)
        return self._installation

    async def tenant(self, tenant_id: str, tx: Tx | None = None) -> Pseudonyms:
        """Pseudonyms of a tenant; pass ``tx`` for one created in the same transaction.

        Raises:
            Problem: ``not-found``, ``keys-sealed``.
            KeyDestroyed: the tenant's secret was destroyed.
        """
        expires, found = self._tenants.get(tenant_id, (0.0, None))
        if found is not None and self._clock.monotonic() < expires:
            self._tenants.move_to_end(tenant_id)
            return found
        self._tenants.pop(tenant_id, None)
        if tx is not None:
            return await self._read_tenant(tx, tenant_id)  # uncommitted: not for the cache
        pseudonyms = await self._ledger.read(lambda tx: self._read_tenant(tx, tenant_id))
        self._remember(tenant_id, pseudonyms)
        return pseudonyms

    async def create_tenant(self, tx: Tx, name: str) -> str:
        """Make a tenant with a secret of its own; raises ``Conflict`` if the name is taken."""
        epoch, key = await self._epochs.active(tx)
        tenant_id = ids.new("ten")
        wrapped = aead.seal(key, aead.new_key(), succession.tenant_aad(tenant_id))
        await tenants.insert_tenant(
            tx, tenants.Tenant(tenant_id, name, wrapped, epoch, "active", self._clock.now())
        )
        return tenant_id

    async def destroy_tenant(self, tx: Tx, tenant_id: str) -> DestroyedKey:
        """Destroy a tenant's secret: none of its pseudonyms can be computed again."""
        row = await self._tenant_row(tx, tenant_id)
        secret = await self._open_secret(tx, row)
        name, at = aead.fingerprint(secret), self._clock.now()
        await tenants.destroy_secret(tx, tenant_id, name, at)
        self._tenants.pop(tenant_id, None)
        return DestroyedKey(tenant_id, name, at)

    # -- data keys ---------------------------------------------------------------------------------

    async def ensure_dek(
        self, tx: Tx, tenant_id: str, purpose: Purpose, ref: bytes, *, renew: bool = False
    ) -> str:
        """The living data key of a record, made if it never had one.

        Args:
            ref: pseudonym of the record.
            renew: make a new key after destruction; the old one's ciphertext stays unreadable.

        Raises:
            KeyDestroyed: the record's key was destroyed and ``renew`` is false.
        """
        made = await rows.deks_for(tx, tenant_id, purpose, ref)
        living = next((dek for dek in made if dek.wrapped is not None), None)
        if living is not None:
            return living.id
        if made and not renew:
            raise KeyDestroyed("the record's key was destroyed")
        offered = await self._offer_dek(tx, tenant_id, purpose, ref)
        return offered[0].id if offered else await self.ensure_dek(tx, tenant_id, purpose, ref)

    async def seal_first(
        self, tx: Tx, tenant_id: str, purpose: Purpose, ref: bytes, value: tuple[bytes, bytes]
    ) -> tuple[str, bytes]:
        """Make the data key of a record that never had one and seal ``(plaintext, aad)`` under it.

        Raises:
            Conflict: it has one.
        """
        offered = await self._offer_dek(tx, tenant_id, purpose, ref)
        if offered is None:
            raise Conflict("the record has a key")
        dek, key = offered
        return dek.id, _seal_all(dek, key, [value])[0]

    async def seal_anew(
        self,
        tx: Tx,
        tenant_id: str,
        purpose: Purpose,
        ref: bytes,
        values: Sequence[tuple[bytes, bytes]],
    ) -> tuple[str, list[bytes]]:
        """As ``ensure_dek`` that renews, and ``seal_many``: of a record that mostly has no key."""
        offered = await self._offer_dek(tx, tenant_id, purpose, ref)
        if offered is not None:
            dek, key = offered
            return dek.id, _seal_all(dek, key, values)
        dek_id = await self.ensure_dek(tx, tenant_id, purpose, ref, renew=True)
        return dek_id, await self.seal_many(tx, dek_id, values)

    async def seal(self, tx: Tx, dek_id: str, plaintext: bytes, aad: bytes) -> bytes:
        """Encrypt under a data key, bound to the place ``aad``; raises ``KeyDestroyed``."""
        return (await self.seal_many(tx, dek_id, [(plaintext, aad)]))[0]

    async def seal_many(
        self, tx: Tx, dek_id: str, values: Sequence[tuple[bytes, bytes]]
    ) -> list[bytes]:
        """Encrypt ``(plaintext, aad)`` pairs under one data key with one look-up."""
        dek = await self._living(tx, dek_id)
        return _seal_all(dek, await self._open_dek(tx, dek), values)

    async def unseal(self, tx: Tx, dek_id: str, blob: bytes, aad: bytes) -> bytes:
        """Decrypt; raises ``KeyDestroyed``, or ``SealBroken`` for a changed or moved value."""
        dek = await self._living(tx, dek_id)
        return aead.unseal(await self._open_dek(tx, dek), blob, _content_aad(dek, aad))

    async def unseal_many(
        self, tx: Tx, sealed: Sequence[tuple[str, bytes, bytes]]
    ) -> list[bytes | None]:
        """Decrypt ``(dek id, blob, aad)`` triples with one look-up; None where destroyed."""
        deks = await rows.deks_by_id(tx, sorted({dek_id for dek_id, _, _ in sealed}))
        keys = {dek.id: await self._open_dek(tx, dek) for dek in deks.values() if dek.wrapped}
        return [
            aead.unseal(keys[dek_id], blob, _content_aad(deks[dek_id], aad))
            if dek_id in keys
            else None
            for dek_id, blob, aad in sealed
        ]

    async def destroy(self, tx: Tx, dek_ids: Sequence[str]) -> list[DestroyedKey]:
        """Delete wrapped data keys (state ``row_deleted``); repeating it changes nothing.

        Until ``destroy_epoch`` the old database files plus the provider's key could still open
        what they sealed.
        """
        await self.discard(tx, dek_ids)
        return await self.destroyed(tx, dek_ids)

    async def discard(self, tx: Tx, dek_ids: Sequence[str]) -> None:
        """``destroy``, for whoever does not ask which keys they were."""
        deks = await rows.deks_by_id(tx, list(dek_ids))
        for dek in deks.values():
            if dek.wrapped is not None:
                name = aead.fingerprint(await self._open_dek(tx, dek))
                await rows.delete_wrapped(tx, dek.id, name, self._clock.now())

    async def destroyed(self, tx: Tx, dek_ids: Sequence[str]) -> list[DestroyedKey]:
        """Fingerprint, dates and grade of those data keys that are destroyed."""
        deks = await rows.deks_by_id(tx, list(dek_ids))
        epochs = {row.epoch: row for row in await rows.epochs(tx)}
        return [
            _destroyed(deks[dek_id], epochs.get(deks[dek_id].kek_epoch))
            for dek_id in dek_ids
            if dek_id in deks and deks[dek_id].wrapped is None
        ]

    async def destroyed_as(
        self, tx: Tx, tenant_id: str, fingerprints: Sequence[str]
    ) -> list[DestroyedKey]:
        """The same of a tenant's keys by their fingerprints."""
        return await self.destroyed(tx, await rows.destroyed_deks(tx, tenant_id, fingerprints))

    # -- epochs ------------------------------------------------------------------------------------

    async def rotate(self) -> succession.EpochResult:
        """Start a new epoch and rewrap everything that lives; nothing becomes unreadable."""
        return await succession.rotate(self._ledger, self._kek, self._epochs, self._clock)

    async def destroy_epoch(self) -> succession.EpochResult:
        """Rotate, then destroy the provider's older versions and probe that they open no more.

        Afterwards, destroyed data keys count as ``key_epoch_destroyed``, with the provider's grade.
        """
        return await succession.destroy(self._ledger, self._kek, self._epochs, self._clock)

    async def opens(self) -> bool:
        """Whether keys can be used now; the provider is asked at most once in a lease."""

        async def unit(tx: Tx) -> bool:
            epoch = await rows.active_epoch(tx)
            return epoch is not None and bool(await self._epochs.key(tx, epoch.epoch))

        try:
            return await self._ledger.read(unit)
        except Problem:
            return False

    async def provider_answers(self) -> bool:
        """Whether the provider opens our key now, whatever is held in memory for a lease."""
        epoch = await self._ledger.read(rows.active_epoch)
        return epoch is not None and await self._epochs.tried(epoch)

    async def status(self) -> list[rows.Epoch]:
        """Every epoch, oldest first."""
        return await self._ledger.read(rows.epochs)

    async def close(self) -> None:
        """Forget all keys and release the provider."""
        self._epochs.drop()
        self._tenants.clear()
        self._installation = None
        await self._kek.close()

    # -- inside ------------------------------------------------------------------------------------

    async def _make_installation(self, tx: Tx) -> None:
        epoch, key = await self._epochs.active(tx)
        wrapped = aead.seal(key, aead.new_key(), succession.secret_aad(INSTALLATION))
        await rows.offer_secret(tx, INSTALLATION, wrapped, epoch)

    async def _read_installation(self, tx: Tx) -> Pseudonyms:
        found = await rows.secret(tx, INSTALLATION)
        if found is None:
            raise Problem("keys-sealed", "The installation has no secret.")
        key = await self._epochs.key(tx, found[1])
        return Pseudonyms(aead.unseal(key, found[0], succession.secret_aad(INSTALLATION)))

    async def _read_tenant(self, tx: Tx, tenant_id: str) -> Pseudonyms:
        return Pseudonyms(await self._open_secret(tx, await self._tenant_row(tx, tenant_id)))

    async def _tenant_row(self, tx: Tx, tenant_id: str) -> tenants.Tenant:
        row = await tenants.get(tx, tenant_id)
        if row is None:
            raise Problem("not-found", "There is no such tenant.")
        return row

    async def _open_secret(self, tx: Tx, row: tenants.Tenant) -> bytes:
        if row.wrapped_secret is None:
            raise KeyDestroyed("the tenant's secret was destroyed")
        key = await self._epochs.key(tx, row.kek_epoch)
        return aead.unseal(key, row.wrapped_secret, succession.tenant_aad(row.id))

    def _remember(self, tenant_id: str, pseudonyms: Pseudonyms) -> None:
        self._tenants[tenant_id] = (self._clock.monotonic() + self._lease_s, pseudonyms)
        if len(self._tenants) > MAX_TENANTS:
            self._tenants.popitem(last=False)

    async def _offer_dek(
        self, tx: Tx, tenant_id: str, purpose: Purpose, ref: bytes
    ) -> tuple[rows.Dek, bytes] | None:
        """A new data key and its row; None if the record has a living one."""
        epoch, wrapping = await self._epochs.active(tx)
        at, key = self._clock.now(), aead.new_key()
        dek = rows.Dek(ids.new("dek"), tenant_id, purpose, ref, b"", epoch, None, at)
        wrapped = aead.seal(wrapping, key, succession.dek_aad(dek))
        return (dek, key) if await rows.offer_dek(tx, dek, wrapped) else None

    async def _living(self, tx: Tx, dek_id: str) -> rows.Dek:
        dek = await rows.dek(tx, dek_id)
        if dek is None or dek.wrapped is None:
            raise KeyDestroyed("the data key was destroyed")
        return dek

    async def _open_dek(self, tx: Tx, dek: rows.Dek) -> bytes:
        key = await self._epochs.key(tx, dek.kek_epoch)
        return aead.unseal(key, dek.wrapped or b"", succession.dek_aad(dek))


def _seal_all(dek: rows.Dek, key: bytes, values: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    return [aead.seal(key, plaintext, _content_aad(dek, aad)) for plaintext, aad in values]


def _content_aad(dek: rows.Dek, aad: bytes) -> bytes:
    return aead.bind("content", dek.tenant_id, dek.purpose, dek.id, aad)


def _destroyed(dek: rows.Dek, epoch: rows.Epoch | None) -> DestroyedKey:
    gone = dek.key_epoch_destroyed_at is not None and epoch is not None
    return DestroyedKey(
        dek.id,
        dek.fingerprint or "",
        dek.row_deleted_at,
        dek.key_epoch_destroyed_at,
        epoch.assurance if epoch and gone else None,
        epoch.final_at if epoch and gone else None,
    )


def _rfc3339(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None
