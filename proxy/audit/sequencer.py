"""The only one who gives entries their place in the log and signs the tree over them."""

import asyncio

from proxy.audit import set_back, tree
from proxy.audit.log import AuditLog
from proxy.audit.offline import leaf_digest, parse_checkpoint
from proxy.audit.signer import Signer
from proxy.audit.witness import Witness
from proxy.clock import Clock
from proxy.ledger import audit
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem

BATCH = 1000
PAUSE_S = 1.0


class Sequencer:
    """Takes entries out of the outbox, in batches.

    It never starts a tree anew and never signs one that contradicts what it signed before: a log
    that was cut, changed or signed by another key stops it until an operator has looked.
    """

    def __init__(
        self, ledger: Ledger, signer: Signer, clock: Clock, witness: Witness | None = None
    ) -> None:
        self._ledger, self._signer, self._clock = ledger, signer, clock
        self._witness = witness

    async def run_once(self) -> int:
        """Sequence and sign everything in the outbox; returns how many entries.

        Raises:
            Problem: ``invalid-state`` if the log does not continue what was signed before,
                ``ledger-lost`` if it does not continue what the witness keeps.
        """
        total = 0
        while count := await self._ledger.write(self._batch):
            total += count
        if self._witness is not None:
            await self._witness.follow(self._ledger)
        return total

    async def run(self) -> None:
        """``run_once`` for ever, with a pause between."""
        while True:
            await self.run_once()
            await asyncio.sleep(PAUSE_S)

    async def adopt_key(self) -> None:
        """Continue a log that another key signed, openly: the change is an entry of the log."""

        async def unit(tx: Tx) -> None:
            log = AuditLog(self._clock)
            await log.append(tx, None, "audit.key_adopted", {"key": self._signer.key_id})
            await self._sequence(tx, await self._checked_size(tx, any_key=True))

        await self._ledger.write(unit)

    async def _batch(self, tx: Tx) -> int:
        if not await audit.lock_sequencer(tx):
            return 0
        if not await audit.unsequenced(tx, 1):
            return 0
        if self._witness is not None:
            await self._witness.check(tx)
        return await self._sequence(tx, await self._checked_size(tx))

    async def _sequence(self, tx: Tx, size: int) -> int:
        waiting = await set_back.noted(tx, size, await audit.unsequenced(tx, BATCH), self._clock)
        edge = await audit.nodes(tx, tree.needed([(0, size)]))
        made = tree.append(size, [leaf_digest(entry.leaf) for entry in waiting], edge)
        await audit.assign(tx, [entry.id for entry in waiting], size)
        await audit.put_nodes(tx, made)
        new = size + len(waiting)
        root = tree.root(new, {**edge, **made})
        note = self._signer.checkpoint(new, root).encode()
        await audit.put_checkpoint(tx, audit.SignedHead(new, root, note, self._clock.now()))
        return len(waiting)

    async def _checked_size(self, tx: Tx, *, any_key: bool = False) -> int:
        """The size of the log, after making sure that it continues the newest checkpoint."""
        size, head = await audit.size(tx), await audit.latest_checkpoint(tx)
        if head is None:
            if size:
                raise _stop("The log has entries but no checkpoint.")
            return 0
        if size != head.size:
            raise _stop("The log does not end where it was last signed.")
        if not any_key and not self._signer.has_signed(head.note.decode()):
            raise _stop("The log was signed by another key.")
        nodes = await audit.nodes(tx, tree.needed([(0, size)]))
        if len(nodes) < len(tree.needed([(0, size)])) or tree.root(size, nodes) != (
            parse_checkpoint(head.note.decode()).root
        ):
            raise _stop("The log's tree does not match its last checkpoint.")
        return size


def _stop(detail: str) -> Problem:
    return Problem("invalid-state", detail, hint="Run 'expunge audit verify'.")
