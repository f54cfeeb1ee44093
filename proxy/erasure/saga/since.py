"""What is written after an erasure began, where nothing forbids it: it stays."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from proxy.erasure.saga.run import Run, blocks
from proxy.ledger import reach, writes
from proxy.ledger.memories import Memory
from proxy.upstreams.store import Item

SINCE = "written_since"  # the reason of what stays


def begun(run: Run) -> datetime | None:
    """When the erasure began to delete; None before."""
    at = run.saga.done.get("begin", {}).get("at")
    return datetime.fromisoformat(at) if at else None


async def written_since(
    run: Run, upstream: str, shown: Mapping[bytes, tuple[Memory | None, Item | None]]
) -> set[bytes]:
    """Of what a store shows, what is none of the erasure's concern: it was written too late for it.

    Of whom an erasure blocks there is no such thing, until a consent lets them back.

    Args:
        shown: pseudonyms of memories, each with its row and the store's item, if there are any.
    """
    began = begun(run)
    if began is None or blocks(run):
        return set()
    stamp = run.means.stores[upstream].profile.stamp
    made = {ref: _write_of(row, item, stamp) for ref, (row, item) in shown.items()}
    asked, late = {each for each in made.values() if each}, set[str]()
    for part in reach.chunks(asked):
        late |= await run.means.ledger.read(
            partial(writes.begun_since, tenant_id=run.tenant_id, write_ids=part, at=began)
        )
    return {ref for ref, write_id in made.items() if write_id in late}


def _write_of(row: Memory | None, item: Item | None, stamp: str) -> str | None:
    """The write that made a memory: on record, or by its stamp while it is not recorded yet."""
    if row is not None:
        return row.write_id
    told = item.metadata.get(stamp) if item is not None else None
    return told if isinstance(told, str) else None
