"""An old certificate looked at again: is what it says was erased still absent?"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.erasure import layers
from proxy.erasure.means import Means
from proxy.erasure.run import GONE
from proxy.erasure.side_rows import Refs, side_rows
from proxy.erasure.target import Actor
from proxy.erasure.walk import ROWS, Progress, back, silent, walk
from proxy.ledger import erasures, tombstones
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError
from proxy.upstreams.layers.base import LayerUnavailable

NO_CONNECTOR = "no connector"
NO_WORDS = "the erased words are gone, so bytes cannot be searched for them"
IDS, NAMES = "ids against tombstones", "names in every text"
OWNERS = "owners that were erased as a whole"
METHODS = {
    "memory": ("listing of every owner", IDS, NAMES, OWNERS),
    "embedding": ("every row", IDS, NAMES, OWNERS),
    "entities": ("every row", NAMES, OWNERS),
    "history": ("every row", IDS, NAMES),
    "messages": ("every row", NAMES, "names in two halves", OWNERS),
}


@dataclass(frozen=True, slots=True)
class Recheck:
    """An old certificate looked at again."""

    reference: str
    tombstones: int
    looked_at: int
    by_tombstone: int
    by_mention: int
    by_owner: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    read: tuple[str, ...] = ()  # upstream/layer
    unread: Mapping[str, str] = field(default_factory=dict)  # upstream/layer, and why

    @property
    def returned(self) -> int:
        """Everything that is there and should not be."""
        return self.by_tombstone + self.by_mention + self.by_owner + self.rows.total()

    @property
    def still_absent(self) -> bool:
        """Whether nothing of what was erased is there."""
        return not self.returned

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "reference": self.reference,
            "tombstones": self.tombstones,
            "looked_at": self.looked_at,
            "returned": self.returned,
            "by_tombstone": self.by_tombstone,
            "by_mention": self.by_mention,
            "by_owner": self.by_owner,
            "by_row": dict(self.rows),
            "still_absent": self.still_absent,
            "methods": {each: list(METHODS[each.rpartition("/")[2]]) for each in self.read},
            "not_looked_at": dict(self.unread),
        }


async def recheck(
    means: Means, tenant_id: str, erasure_id: str, reference: str, *, actor: Actor,
    progress: Progress = silent,
) -> Recheck:  # fmt: skip
    """Look whether what one erasure deleted is still absent; says so in the log.

    What names whom it erased has returned too, in any spelling and with any id, and so has all that
    is kept under an owner it erased; what the erasure kept on purpose has not.

    Raises:
        Problem: ``upstream-unreachable`` if a store cannot be read to its end.
    """
    stones = await means.ledger.read(lambda tx: tombstones.of_erasure(tx, tenant_id, erasure_id))
    kept = await means.ledger.read(lambda tx: _kept(tx, erasure_id))
    looked_at = by_tombstone = by_mention = by_owner = 0
    counted = set(kept)
    try:
        async for batch in walk(means, tenant_id, progress=progress):
            looked_at += len(batch.found)
            seen = await back(means, tenant_id, batch, erasure_id=erasure_id)
            others = seen.naming - seen.erased - kept
            by_tombstone += len(seen.erased)
            by_mention += len(others)
            by_owner += len(seen.owned - seen.erased - kept - others)
            counted |= seen.all
        for name in means.stores:
            progress(name, ROWS, 0)
        rows, read, unread = await _side_rows(means, tenant_id, erasure_id, frozenset(counted))
    except (StoreError, LayerUnavailable):
        raise Problem("upstream-unreachable", "A store could not be read to the end.") from None
    found = Recheck(
        reference, len(stones), looked_at, by_tombstone, by_mention, by_owner, rows, read, unread
    )
    fields = {
        "erasure": erasure_id, "reference": reference, "looked_at": looked_at,
        "returned": found.returned, "role": actor.role,
    }  # fmt: skip
    await means.ledger.write(
        lambda tx: means.audit.append(tx, tenant_id, "erasure.rechecked", fields)
    )
    return found


async def _side_rows(
    means: Means, tenant_id: str, erasure_id: str, counted: Refs
) -> tuple[Counter[str], tuple[str, ...], Mapping[str, str]]:
    """Rows of side tables by layer, the layers read, and why others were not."""
    rows: Counter[str] = Counter()
    read: set[str] = set()
    unread: dict[str, str] = {}
    for store in means.stores.values():
        found = await side_rows(means, tenant_id, store, erasure_id=erasure_id, spared=counted)
        rows.update(each.layer for each in found.all)
        read |= {f"{store.name}/{layer}" for layer in ("memory", *found.read)}
        unread |= {f"{store.name}/{layer}": NO_CONNECTOR for layer in found.unread}
        if layers.connector(store, layers.EVIDENCE):
            unread[f"{store.name}/{layers.EVIDENCE}"] = NO_WORDS
    return rows, tuple(sorted(read)), unread


async def _kept(tx: Tx, erasure_id: str) -> set[tuple[str, bytes]]:
    """What the plan left: held, kept, or another's."""
    items = await erasures.items(tx, erasure_id)
    return {(item.upstream, item.ref) for item in items if item.action not in GONE}
