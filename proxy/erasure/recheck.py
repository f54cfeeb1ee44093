"""An old certificate looked at again: is what it says was erased still absent?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.erasure.proof import keys
from proxy.erasure.saga.run import GONE
from proxy.erasure.search import layers
from proxy.erasure.search.again import written_again
from proxy.erasure.search.means import Means
from proxy.erasure.search.order import MEMORY
from proxy.erasure.search.side_rows import Refs, side_rows
from proxy.erasure.search.target import Actor
from proxy.erasure.search.walk import (
    AWAY,
    ROWS,
    Progress,
    all_layers,
    back,
    each_store,
    silent,
    walk,
)
from proxy.ledger import erasures, tombstones
from proxy.ledger.engine import Tx
from proxy.upstreams.store import Store

IDS, NAMES = "ids against tombstones", "names in every text"
TEXTS = "texts against tombstones"
OWNERS = "owners that were erased as a whole"
METHODS = {
    "memory": ("listing of every owner", IDS, NAMES, OWNERS, TEXTS),
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
    written_again: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    read: tuple[str, ...] = ()  # upstream/layer
    unread: Mapping[str, str] = field(default_factory=dict)  # upstream/layer, and why
    unreachable: Sequence[str] = ()  # stores that could not be read to their end
    keys: Mapping[str, Any] | None = None  # that its certificate names, as they are now

    @property
    def returned(self) -> int:
        """Everything that is there and should not be."""
        known = self.by_tombstone + self.by_mention + self.by_owner + self.written_again
        return known + self.rows.total()

    @property
    def still_absent(self) -> bool:
        """Whether nothing of what was erased is there, as far as one can look in every store."""
        return not self.returned and not self.unreachable

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
            "written_again": self.written_again,
            "by_row": dict(self.rows),
            "still_absent": self.still_absent,
            "methods": {each: list(METHODS[each.rpartition("/")[2]]) for each in self.read},
            "not_looked_at": dict(self.unread),
            "unreachable": list(self.unreachable),
            "keys": self.keys,
        }


async def recheck(
    means: Means, tenant_id: str, erasure_id: str, reference: str, *, actor: Actor,
    progress: Progress = silent,
) -> Recheck:  # fmt: skip
    """Look whether what one erasure deleted is still absent; says so in the log.

    What names whom it erased has returned too, in any spelling and with any id, and so has all that
    is kept under an owner it erased, or says under another id what an erased memory said under the
    same owners; what the erasure kept on purpose has not.

    Raises:
        Problem: ``upstream-unreachable`` if no store can be read to its end.
    """
    stones = await means.ledger.read(lambda tx: tombstones.count_of(tx, tenant_id, erasure_id))
    kept = await means.ledger.read(lambda tx: _kept(tx, erasure_id))
    deks = await means.ledger.read(lambda tx: keys.named(tx, tenant_id, erasure_id))
    found = Recheck(reference, stones, 0, 0, 0)

    async def read(store: Store) -> None:
        nonlocal found
        counted = set(kept)
        async for batch in walk(means, tenant_id, upstream=store.name, progress=progress):
            seen = await back(means, tenant_id, batch, erasure_id=erasure_id, deks=deks)
            others = seen.naming - seen.erased - counted
            said = await written_again(means, tenant_id, batch, erasure_id=erasure_id)
            again = said.all - seen.all - counted
            found = replace(
                found, looked_at=found.looked_at + len(batch.fresh),
                by_tombstone=found.by_tombstone + len(seen.erased - (counted - kept)),
                by_mention=found.by_mention + len(others),
                by_owner=found.by_owner + len(seen.owned - seen.erased - counted - others),
                written_again=found.written_again + len(again),
            )  # fmt: skip
            counted |= seen.all | again
        progress(store.name, ROWS, 0)
        found = await _with_rows(means, tenant_id, erasure_id, store, frozenset(counted), found)

    away = await each_store(means, None, read)
    unread = {**found.unread, **dict.fromkeys(sorted(all_layers(means, away)), AWAY)}
    found = replace(found, unread=unread, unreachable=away)
    found = replace(found, keys=await _keys(means, tenant_id, erasure_id))
    names = await means.keyring.tenant(tenant_id)
    fields = {
        "actor": actor.ref(names).hex(), "erasure": erasure_id, "reference": reference,
        "looked_at": found.looked_at,
        "returned": found.returned, "unreachable": len(away), "role": actor.role,
        "keys": found.keys["state"] if found.keys else None,
    }  # fmt: skip
    await means.ledger.write(
        lambda tx: means.audit.append(tx, tenant_id, "erasure.rechecked", fields)
    )
    return found


async def _keys(means: Means, tenant_id: str, erasure_id: str) -> Mapping[str, Any] | None:
    erasure = await means.ledger.read(lambda tx: erasures.get(tx, tenant_id, erasure_id))
    return await keys.later(means, erasure) if erasure else None


async def _with_rows(
    means: Means, tenant_id: str, erasure_id: str, store: Store, counted: Refs, so_far: Recheck
) -> Recheck:
    """The same with a store's side tables: rows by layer, layers read, and why others were not."""
    found = await side_rows(means, tenant_id, store, erasure_id=erasure_id, spared=counted)
    read = {*so_far.read, *(f"{store.name}/{layer}" for layer in (MEMORY, *found.read))}
    unread = layers.unlooked(store, found.unread)
    rows = so_far.rows + Counter(each.layer for each in found.all) + found.held
    return replace(so_far, rows=rows, read=tuple(sorted(read)), unread={**so_far.unread, **unread})


async def _kept(tx: Tx, erasure_id: str) -> set[tuple[str, bytes]]:
    """What the plan left: held, kept, or another's."""
    return {
        (each.upstream, each.ref)
        async for part in erasures.in_order(tx, erasure_id)
        for each in part if each.action not in GONE
    }  # fmt: skip
