"""What was erased and is there again: after a restore, or by another way around the proxy."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from proxy.erasure.plans.owned import with_told
from proxy.erasure.search.again import written_again
from proxy.erasure.search.found import Found
from proxy.erasure.search.means import Means
from proxy.erasure.search.orphans import HISTORY, Reading
from proxy.erasure.search.side_rows import LeftRows, clear_rows, delete_rows, side_rows
from proxy.erasure.search.target import Actor, Target
from proxy.erasure.search.versions import Told
from proxy.erasure.search.walk import ROWS, Batch, Progress, Ref, back, each_store, silent, walk
from proxy.erasure.service import ErasureService
from proxy.ledger import holds, reach, tombstones
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.upstreams.layers.base import LayerUnavailable, Row
from proxy.upstreams.layers.matching import EMBEDDING
from proxy.upstreams.store import Store

CHUNK = 200
COUNTED = (
    "looked_at", "by_tombstone", "by_owner", "by_mention", "by_text", "by_row", "written_again",
    "erased", "held", "references", "left", "unreachable",
)  # fmt: skip


@dataclass(slots=True)
class Returned:
    """What came back, by why it should not be there; counts only.

    ``rewritten`` counts what an erasure had rewritten, of which the old text is back. It goes as a
    whole, for the names that told what to take out are gone; what was kept of it stays only in the
    rewritten memory, if the store still has that. ``by_text`` are erased texts from before their
    erasure under other ids; those that were said anew since are ``written_again``, and stay.
    ``held`` are memories that a legal hold keeps, of those found, and rows of such beside them; the
    memories go when it is lifted. ``by_orphan`` are versions of memories that nobody
    knows, None where they were not asked for.
    """

    looked_at: int = 0
    by_tombstone: int = 0
    by_owner: int = 0
    by_mention: int = 0
    by_text: int = 0
    by_row: int = 0
    by_orphan: int | None = None
    written_again: int = 0
    erased: int = 0
    held: int = 0
    references: list[str] = field(default_factory=list)
    left: list[LeftRows] = field(default_factory=list)
    rewritten: Counter[str] = field(default_factory=Counter)  # by the reference of the erasure
    unreachable: list[str] = field(default_factory=list)  # stores not read to their end
    complete: bool = True

    def add(self, other: "Returned") -> None:
        """Count what another tenant's came to as well."""
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.complete &= other.complete

    @property
    def found(self) -> int:
        """All of it."""
        memories = self.by_tombstone + self.by_owner + self.by_mention + self.by_text
        return memories + self.by_row + (self.by_orphan or 0)

    def body(self) -> dict[str, Any]:
        """JSON form."""
        named = (*COUNTED, "by_orphan", "found", "complete")
        body = {name: getattr(self, name) for name in named}
        counted = [{"reference": ref, "memories": n} for ref, n in sorted(self.rewritten.items())]
        return {**body, "left": [asdict(each) for each in self.left], "rewritten": counted}


async def reconcile(
    means: Means, service: ErasureService, tenant_id: str, *, actor: Actor, dry_run: bool = False,
    orphans: bool = False, progress: Progress = silent,
) -> Returned:  # fmt: skip
    """Find everything that was erased and is there again, and erase it again.

    Args:
        orphans: also versions of memories that neither a store nor any tenant's ledger knows,
            whoever's they were.

    Raises:
        Problem: ``upstream-unreachable`` if no store can be read to its end.
    """
    result = Returned()

    async def read(store: Store) -> None:
        gone: list[str] = []
        held: list[str] = []  # an erasure of its own waits until the hold is lifted
        walked: set[Ref] = set()
        async for batch in walk(means, tenant_id, upstream=store.name, progress=progress):
            returned = await _returned(means, tenant_id, batch, result, walked)
            walked |= {(one.upstream, one.ref) for one in returned}
            kept = await _held(means, tenant_id, returned)
            gone += [one.memory_id for one in returned if one.ref not in kept]
            held += await _not_waiting(means, tenant_id, kept, result)
        if not dry_run:
            for part in (gone, held):
                result.erased += await _erase(service, tenant_id, actor, {store.name: part}, result)
        progress(store.name, ROWS, 0)
        rows = await side_rows(means, tenant_id, store, spared=frozenset(walked))
        result.held += rows.held.total()
        found = rows.all
        result.by_row += len(found)
        if found and not dry_run:
            shown = await _shown(store, found)
            await _erase(service, tenant_id, actor, {store.name: shown}, result)
            await _delete(means, tenant_id, store, found, result)
        if orphans:
            await _clear_orphans(means, tenant_id, store, result, dry_run=dry_run)

    result.unreachable = await each_store(means, None, read)
    if dry_run:
        result.complete = not result.found
    result.complete &= not (result.unreachable or result.held)
    return result


async def reconcile_offline(means: Means, tenant_id: str, *, dry_run: bool = False) -> Returned:
    """The same in the files of stores that are stopped, which they hold while they run.

    Nothing is asked of a store, so memories count only as rows of its vectors.

    Raises:
        Problem: ``upstream-unreachable`` if a file cannot be read or changed.
    """
    result = Returned()
    try:
        for store in means.stores.values():
            rows = await side_rows(means, tenant_id, store, offline=True)
            result.held += rows.held.total()
            found = rows.all
            result.by_row += len(found)
            if found and not dry_run:
                await _delete(means, tenant_id, store, found, result)
    except LayerUnavailable:
        raise Problem("upstream-unreachable", "A file of a store cannot be used.") from None
    if dry_run:
        result.complete = not result.found
    result.complete &= not result.held
    return result


async def _shown(store: Store, found: Sequence[Told]) -> list[str]:
    """Vectors of which the store still has the memory, though no list of an owner showed it."""
    vectors = [each.entry.id for each in found if each.layer == EMBEDDING]
    return [each for each in vectors if await store.get(each) is not None]


async def _delete(
    means: Means, tenant_id: str, store: Store, found: Sequence[Told], result: Returned
) -> None:
    """Take rows that came back away where they stand, on record."""
    left = await delete_rows(store, found)
    await _count(means, tenant_id, store, len(found), left, result)


async def _count(
    means: Means, tenant_id: str, store: Store, found: int, left: Sequence[LeftRows],
    result: Returned,
) -> None:  # fmt: skip
    rows = sum(each.rows for each in left)
    result.left += left
    result.erased += found - rows
    result.complete &= not rows
    await _on_record(means, tenant_id, store.name, found, rows)


async def _clear_orphans(
    means: Means, tenant_id: str, store: Store, result: Returned, *, dry_run: bool
) -> None:
    """Delete versions of nobody; none where a hold keeps all of an owner, who may be theirs."""
    reading = await Reading.of(means, store)
    rows = [Row(HISTORY, each.id) async for page in reading.pages() for each in page]
    result.by_orphan = (result.by_orphan or 0) + len(rows)
    if not rows or dry_run:
        return
    if await reading.on_hold():
        result.held += len(rows)
        return
    left = await clear_rows(store, rows)
    await _count(means, tenant_id, store, len(rows), left, result)


async def _on_record(means: Means, tenant_id: str, upstream: str, rows: int, left: int) -> None:
    fields = {"upstream": upstream, "rows": rows, "left": left}
    await means.ledger.write(
        lambda tx: means.audit.append(tx, tenant_id, "store.reconciled", fields)
    )


async def _returned(
    means: Means, tenant_id: str, batch: Batch, result: Returned, walked: Set[Ref]
) -> Sequence[Found]:
    """What of a batch came back and was not found under another of its owners before."""
    result.looked_at += len(batch.fresh)
    seen = await back(means, tenant_id, batch)
    erased, owned = seen.erased - walked, seen.owned - walked
    result.by_tombstone += len(erased)
    refs = [ref for _, ref in erased]
    result.rewritten.update(
        await means.ledger.read(
            lambda tx: tombstones.rewritten(tx, tenant_id, batch.store.name, refs)
        )
    )
    result.by_owner += len(owned - erased)
    result.by_mention += len(seen.naming - walked - owned - erased)
    again = await written_again(means, tenant_id, batch)
    older = again.older - seen.all - walked
    result.by_text += len(older)
    result.written_again += len(again.newer - seen.all)
    mine = (seen.all - walked) | older
    return [one for one in batch.found if (one.upstream, one.ref) in mine]


async def _held(means: Means, tenant_id: str, found: Sequence[Found]) -> dict[bytes, Found]:
    """Those that a legal hold keeps, by the ledger or as the store tells whose they are."""
    names = await means.keyring.tenant(tenant_id)
    known = {one.ref: one.row.id if one.row else one.key for one in found}

    async def load(tx: Tx) -> Mapping[str, str]:
        owned = await reach.owners(tx, [one.row.id for one in found if one.row])
        told = {known[one.ref]: one.item.owners for one in found if one.item}
        return await holds.held(tx, tenant_id, await with_told(tx, tenant_id, names, owned, told))

    codes = await means.ledger.read(load)
    return {one.ref: one for one in found if known[one.ref] in codes}


async def _not_waiting(
    means: Means, tenant_id: str, held: Mapping[bytes, Found], result: Returned
) -> list[str]:
    """Ids of what is held and no erasure waits to delete yet; those that wait are named."""
    result.held += len(held)
    waiting: dict[bytes, str] = {}
    for upstream in {one.upstream for one in held.values()}:
        waiting |= await means.ledger.read(
            partial(holds.waiting, tenant_id=tenant_id, upstream=upstream, refs=held)
        )
    result.references += sorted({*waiting.values()} - {*result.references})
    return [one.memory_id for ref, one in held.items() if ref not in waiting]


async def _erase(
    service: ErasureService,
    tenant_id: str,
    actor: Actor,
    doomed: Mapping[str, Sequence[str]],
    result: Returned,
) -> int:
    """Erase memories by their ids, each some hundred with a certificate; how many went."""
    erased = 0
    for upstream, memory_ids in doomed.items():
        for start in range(0, len(memory_ids), CHUNK):
            part = tuple(memory_ids[start : start + CHUNK])
            view = await service.forget(
                tenant_id,
                Target(kind="memory", values=part, upstream=upstream),
                actor=actor,
                origin="control",
                reason="reconcile",
            )
            result.references.append(view.reference)
            erased += view.deleted + view.cascaded
            result.complete &= view.state == "complete"
    return erased
