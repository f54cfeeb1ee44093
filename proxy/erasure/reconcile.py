"""What was erased and is there again: after a restore, or by another way around the proxy."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.erasure.found import Found
from proxy.erasure.means import Means
from proxy.erasure.service import ErasureService
from proxy.erasure.target import Actor, Target
from proxy.erasure.walk import Batch, walk
from proxy.ledger import tombstones
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError

CHUNK = 200


@dataclass(slots=True)
class Returned:
    """What came back, by why it should not be there; counts only."""

    looked_at: int = 0
    by_tombstone: int = 0
    by_owner: int = 0
    by_mention: int = 0
    erased: int = 0
    references: list[str] = field(default_factory=list)
    complete: bool = True

    @property
    def found(self) -> int:
        """All of it."""
        return self.by_tombstone + self.by_owner + self.by_mention

    def body(self) -> dict[str, Any]:
        """JSON form."""
        names = ("looked_at", "by_tombstone", "by_owner", "by_mention", "erased", "references")
        return {name: getattr(self, name) for name in names} | {
            "found": self.found, "complete": self.complete,
        }  # fmt: skip


async def reconcile(
    means: Means, service: ErasureService, tenant_id: str, *, actor: Actor, dry_run: bool = False
) -> Returned:
    """Find everything that was erased and is there again, and erase it again.

    Raises:
        Problem: ``upstream-unreachable`` if a store cannot be read to its end.
    """
    result = Returned()
    doomed: dict[str, list[str]] = defaultdict(list)
    try:
        async for batch in walk(means, tenant_id):
            for one in await _returned(means, tenant_id, batch, result):
                doomed[one.upstream].append(one.memory_id)
    except StoreError:
        raise Problem("upstream-unreachable", "A store could not be read to the end.") from None
    if not dry_run:
        await _erase(service, tenant_id, actor, doomed, result)
    return result


async def _returned(
    means: Means, tenant_id: str, batch: Batch, result: Returned
) -> Sequence[Found]:
    result.looked_at += len(batch.found)
    refs = [one.ref for one in batch.found]
    gone = await means.ledger.read(
        lambda tx: tombstones.matching(tx, tenant_id, batch.store.name, refs)
    )
    blocked = await _mentions(means, tenant_id, batch)
    erased_owner = batch.place.row is not None and batch.place.row.state == "erased"
    back = []
    for one, mentioned in zip(batch.found, blocked, strict=True):
        if one.ref in gone:
            result.by_tombstone += 1
        elif erased_owner:
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
