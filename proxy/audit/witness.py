"""The newest checkpoint in a file outside of the ledger: an older or emptied ledger contradicts it.

It shows a rollback to this installation alone. Who may write its folder can replace it too, so it
is no substitute for a checkpoint that was exported to somebody else.
"""

import asyncio
import os
from pathlib import Path

from proxy.audit import tree
from proxy.audit.offline import Checkpoint, NotValid, parse_checkpoint
from proxy.ledger import audit
from proxy.ledger.engine import Ledger, Tx
from proxy.problems import Problem


class Witness:
    """The checkpoint that was last seen, kept at ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: Checkpoint | None = None
        self.agrees = True  # as of the last look

    def kept(self) -> Checkpoint | None:
        """The checkpoint; None before the first one.

        Raises:
            Problem: ``ledger-lost`` if the file is there and cannot be read.
        """
        if self._kept is None and self._path.exists():
            self._kept = _read(self._path)
        return self._kept

    def kept_or_damaged(self) -> Checkpoint | None:
        """The same; None for a file that cannot be read, too."""
        try:
            return self.kept()
        except Problem:
            return None

    async def check(self, tx: Tx) -> None:
        """Make sure that the ledger's log goes on from the kept checkpoint.

        Raises:
            Problem: ``ledger-lost``.
        """
        kept = self.kept()
        found = await _contradiction(tx, kept) if kept else ""
        self.agrees = not found
        if found:
            raise Problem("ledger-lost", found)

    async def follow(self, ledger: Ledger) -> None:
        """Keep the ledger's newest checkpoint, if it goes on from the one that is kept.

        Raises:
            Problem: ``ledger-lost``.
        """
        kept, head = self.kept(), await ledger.read(audit.latest_checkpoint)
        note = head.note.decode() if head else None
        if note == (kept.note if kept else None):
            self.agrees = True
            return
        await ledger.read(self.check)
        if note is not None:
            await asyncio.to_thread(_replace, self._path, note)
            self._kept = parse_checkpoint(note)

    def entries_known(self) -> int:
        """How many entries all logs had by the checkpoints here, those set aside before too."""
        beside = self._path.parent.glob(f"{self._path.name}*")
        kept = (Witness(each).kept_or_damaged() for each in beside)
        return sum(each.size for each in kept if each)

    def set_aside(self, suffix: str) -> Path | None:
        """Rename the kept checkpoint, which still proves what was; gives its new place."""
        self._kept, self.agrees = None, True
        if not self._path.exists():
            return None
        return self._path.rename(self._path.with_name(f"{self._path.name}.{suffix}"))


async def _contradiction(tx: Tx, kept: Checkpoint) -> str:
    size = await audit.size(tx)
    if size < kept.size:
        return (
            f"The ledger's log ends after {size} entries, but {kept.size} were signed: it was "
            "emptied, cut, or restored from an older copy."
        )
    wanted = tree.needed([(0, kept.size)])
    nodes = await audit.nodes(tx, wanted)
    if len(nodes) < len(wanted) or tree.root(kept.size, nodes) != kept.root:
        return f"The first {kept.size} entries of the ledger's log are not those that were signed."
    return ""


def _read(path: Path) -> Checkpoint:
    try:
        return parse_checkpoint(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, NotValid):
        detail = "The last checkpoint, which is kept outside of the ledger, cannot be read."
        raise Problem("ledger-lost", detail) from None


def _replace(path: Path, note: str) -> None:
    """Write beside and rename: a crash leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with fresh.open("w", encoding="utf-8") as target:
        target.write(note)
        target.flush()
        os.fsync(target.fileno())
    fresh.replace(path)
