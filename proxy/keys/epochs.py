"""Key epochs: the one key that wraps all others, itself wrapped by the provider."""

from dataclasses import dataclass, field
from datetime import datetime

from proxy.clock import Clock
from proxy.keys import aead
from proxy.keys.errors import KekRefused, KekUnavailable
from proxy.keys.kek import Kek, Wrapped
from proxy.ledger import wrapped as rows
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.failures import Conflict
from proxy.problems import Problem

LEASE_S = 60.0
RETRY_S = 1.0
BATCH = 256

Failure = KekUnavailable | KekRefused


@dataclass(slots=True)
class Epochs:
    """The epoch keys a process holds, for at most a lease.

    Data keys are wrapped locally under the epoch key, so that no write waits for the provider.
    When the lease ends, rows and provider are asked again: a retired epoch's key leaves memory,
    and a sealed provider seals us.
    """

    kek: Kek
    clock: Clock
    lease_s: float = LEASE_S
    _keys: dict[int, bytes] = field(default_factory=dict, repr=False)
    _until: float = 0.0
    _failed: tuple[float, Failure] | None = None  # until when it is not asked again, and why

    async def active(self, tx: Tx) -> tuple[int, bytes]:
        """Number and key of the epoch to wrap under; holds it open until ``tx`` ends."""
        row = await rows.active_epoch(tx, hold=True)
        if row is None:
            raise Problem("keys-sealed", "There is no active key epoch.")
        return row.epoch, await self.key(tx, row.epoch)

    async def key(self, tx: Tx, epoch: int) -> bytes:
        """The key of ``epoch``; raises ``Problem("keys-sealed")`` while the provider is away."""
        if epoch not in self._keys or self.clock.monotonic() >= self._until:
            await self._renew(tx)
        if epoch not in self._keys:
            raise Problem("keys-sealed", "The key epoch is retired.")
        return self._keys[epoch]

    async def tried(self, row: rows.Epoch) -> bool:
        """Whether the provider opens an epoch's key now; what is held stays as it is."""
        try:
            await self._open(row)
        except (KekUnavailable, KekRefused):
            return False
        return True

    def drop(self, epoch: int | None = None) -> None:
        """Forget one epoch's key, or all."""
        if epoch is None:
            self._keys.clear()
        else:
            self._keys.pop(epoch, None)

    async def _renew(self, tx: Tx) -> None:
        now = self.clock.monotonic()
        if self._failed is not None and now < self._failed[0]:
            raise _sealed(self._failed[1])
        held = [row for row in await rows.epochs(tx) if row.state in ("active", "draining")]
        self._keys.clear()
        try:
            fresh = {row.epoch: await self._open(row) for row in held}
        except (KekUnavailable, KekRefused) as failure:
            self._failed = now + RETRY_S, failure
            raise _sealed(failure) from None
        self._keys, self._until, self._failed = fresh, now + self.lease_s, None

    async def _open(self, row: rows.Epoch) -> bytes:
        wrapped = Wrapped(row.key_ref, row.wrapped or b"")
        return await self.kek.unwrap(wrapped, epoch_aad(row.epoch))


def epoch_aad(epoch: int) -> bytes:
    """What binds an epoch's wrapped key to its number."""
    return aead.bind("epoch", str(epoch))


def _sealed(failure: Failure) -> Problem:
    if isinstance(failure, KekUnavailable):
        detail = f"The key provider cannot be used: {failure}."
        return Problem("keys-sealed", detail, retry_after=5)
    return Problem(
        "keys-sealed", "The key provider does not open our key: it is another key, or the ledger "
        "is older than the last destruction of keys.", retry_after=5,
        hint="Check the section keys, and whether an old ledger was restored.",
    )  # fmt: skip


async def start_epoch(ledger: Ledger, kek: Kek, number: int, at: datetime) -> rows.Epoch:
    """Make epoch ``number`` with a new key and its predecessor draining; one process wins."""
    try:
        wrapped = await kek.wrap(aead.new_key(), epoch_aad(number))
    except (KekUnavailable, KekRefused) as failure:
        raise _sealed(failure) from None
    row = rows.Epoch(number, kek.provider, wrapped.key_ref, wrapped.blob, "active", None, at)

    async def unit(tx: Tx) -> None:
        await rows.insert_epoch(tx, row)
        await rows.demote_epochs_before(tx, number)

    await ledger.write(unit)
    return row


async def ensure_first_epoch(ledger: Ledger, kek: Kek, at: datetime) -> None:
    """Make epoch 1 in a new ledger."""
    if await ledger.read(rows.epochs):
        return
    try:
        await start_epoch(ledger, kek, 1, at)
    except Conflict:
        return  # another process was first
