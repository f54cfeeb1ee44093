"""What was erased and is there again: after a restore, or by another way around the proxy."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.erasure.found import Found
from proxy.erasure.means import Means
from proxy.erasure.service import ErasureService
from proxy.erasure.side_rows import Refs, delete_rows, side_rows
from proxy.erasure.target import Actor, Target
from proxy.erasure.walk import Batch, under_erased_owner, walk
from proxy.ledger import tombstones
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError
from proxy.upstreams.layers.base import LayerUnavailable

CHUNK = 200


@dataclass(slots=True)
class Returned:
    """What came back, by why it should not be there; counts only."""

    looked_at: int = 0
    by_tombstone: int = 0
    by_owner: int = 0
    by_mention: int = 0
    by_row: int = 0
    erased: int = 0
    references: list[str] = field(default_factory=list)
    complete: bool = True

    @property
    def found(self) -> int:
        """All of it."""
        return self.by_tombstone + self.by_owner + self.by_mention + self.by_row

    def body(self) -> dict[str, Any]:
        """JSON form."""
        names = (
            "looked_at", "by_tombstone", "by_owner", "by_mention", "by_row", "erased", "references",
            "found", "complete",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


async def reconcile(
    means: Means, service: ErasureService, tenant_id: str, *, actor: Actor, dry_run: bool = False
) -> Returned:
    """Find everything that was erased and is there again, and erase it again.

    Raises:
        Problem: ``upstream-unreachable`` if a store cannot be read to its end.
    """
    result = Returned()
    doomed: dict[str, list[str]] = defaultdict(list)
    walked: set[tuple[str, bytes]] = set()
    try:
        async for batch in walk(means, tenant_id):
            for one in await _returned(means, tenant_id, batch, result):
                doomed[one.upstream].append(one.memory_id)
                walked.add((one.upstream, one.ref))
        if not dry_run:
            await _erase(service, tenant_id, actor, doomed, result)
        await _side_rows(means, tenant_id, frozenset(walked), result, dry_run=dry_run)
    except (StoreError, LayerUnavailable):
        raise Problem("upstream-unreachable", "A store could not be read to the end.") from None
    if dry_run:
        result.complete = not result.found
    return result


async def _side_rows(
    means: Means, tenant_id: str, walked: Refs, result: Returned, *, dry_run: bool
) -> None:
    """Rows of side tables that came back alone: they go where they stand, on record."""
    for store in means.stores.values():
        found = (await side_rows(means, tenant_id, store, spared=walked)).all
        result.by_row += len(found)
        if found and not dry_run:
            left = await delete_rows(store, found)
            result.erased += len(found) - left
            result.complete &= not left
            await _on_record(means, tenant_id, store.name, len(found), left)


async def _on_record(means: Means, tenant_id: str, upstream: str, rows: int, left: int) -> None:
    fields = {"upstream": upstream, "rows": rows, "left": left}
    await means.ledger.write(
        lambda tx: means.audit.append(tx, tenant_id, "store.reconciled", fields)
    )


async def _returned(
    means: Means, tenant_id: str, batch: Batch, result: Returned
) -> Sequence[Found]:
    result.looked_at += len(batch.found)
    refs = [one.ref for one in batch.found]
    gone = await means.ledger.read(
        lambda tx: tombstones.matching(tx, tenant_id, batch.store.name, refs)
    )
    blocked = await _mentions(means, tenant_id, batch)
    owned = await under_erased_owner(means, tenant_id, batch)
    back = []
    for one, mentioned in zip(batch.found, blocked, strict=True):
        if one.ref in gone:
            result.by_tombstone += 1
        elif (one.upstream, one.ref) in owned:
            result.by_owner += 1
        elif mentioned:
            result.by_mention += 1
        else:
            continue
        back.append(one)
    return back


async def _mentions(means: Means, tenant_id: str, batch: Batch) -> list[bool]:
    """Which texts name somebody who is blocked, for everybody or for this owner."""
    owner_ids = [batch.place.row.id] if batch.place.row else []
    texts = [one.text for one in batch.found]
    found = await means.blocklist.blocked_mentions(tenant_id, texts, owner_ids)
    return [bool(each) for each in found]


async def _erase(
    service: ErasureService,
    tenant_id: str,
    actor: Actor,
    doomed: Mapping[str, Sequence[str]],
    result: Returned,
) -> None:
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
            result.erased += view.deleted + view.cascaded
            result.complete &= view.state == "complete"
