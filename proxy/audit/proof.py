"""Proofs out of the ledger: inclusion, consistency, tiles, the newest checkpoint."""

import base64

from proxy.audit import tree
from proxy.audit.offline import PROOF_HEADER
from proxy.ledger import audit
from proxy.ledger.engine import Tx
from proxy.problems import Problem

TILE_HEIGHT = 8
TILE_WIDTH = 1 << TILE_HEIGHT


async def checkpoint(tx: Tx) -> str:
    """The newest signed checkpoint; raises ``Problem("not-found")`` while there is none."""
    return (await _head(tx)).note.decode()


async def inclusion(tx: Tx, entry_id: str) -> str:
    """The tlog-proof of an entry, self-contained: entry, path and checkpoint.

    Raises:
        Problem: ``not-found`` if there is no such entry or it is not signed yet.
    """
    head, entry = await _head(tx), await audit.entry(tx, entry_id)
    if entry is None or entry.leaf_index is None or entry.leaf_index >= head.size:
        raise Problem("not-found", "The entry is not in the signed log yet.")
    path = await _digests(tx, tree.inclusion(entry.leaf_index, head.size))
    lines = [
        PROOF_HEADER,
        f"extra {_encode(entry.leaf)}",
        f"index {entry.leaf_index}",
        *map(_encode, path),
    ]
    return "\n".join(lines) + "\n\n" + head.note.decode()


async def consistency(tx: Tx, old: int, new: int) -> list[bytes]:
    """The digests that prove that the tree of ``new`` extends that of ``old``."""
    size = await audit.size(tx)
    if not 0 <= old <= new <= size:
        raise Problem("not-found", "The log is not that long.")
    return await _digests(tx, tree.consistency(old, new))


async def tile(tx: Tx, level: int, index: int, width: int = TILE_WIDTH) -> bytes:
    """A tile of digests (https://c2sp.org/tlog-tiles), for mirrors and witnesses.

    Raises:
        Problem: ``not-found`` for tiles that are not complete to ``width``.
    """
    first = index * TILE_WIDTH
    wanted = [(level * TILE_HEIGHT, first + n) for n in range(width)]
    nodes = await audit.nodes(tx, wanted) if 0 < width <= TILE_WIDTH and level < 8 else {}
    if len(nodes) < max(width, 1):
        raise Problem("not-found", "There is no such tile.")
    return b"".join(nodes[at] for at in wanted)


async def _head(tx: Tx) -> audit.SignedHead:
    head = await audit.latest_checkpoint(tx)
    if head is None:
        raise Problem("not-found", "The log has no checkpoint yet.")
    return head


async def _digests(tx: Tx, ranges: list[tree.Range]) -> list[bytes]:
    nodes = await audit.nodes(tx, tree.needed(ranges))
    return [tree.fold(span, nodes) for span in ranges]


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()
