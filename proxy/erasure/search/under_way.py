"""Writes under way: what they bring is in no store yet, and nobody can say what it is about."""

from datetime import datetime

from proxy.erasure.search.resolve import Aim
from proxy.ledger import writes
from proxy.ledger.engine import Tx

BY_TEXT = frozenset({"category", "tag", "attribute", "time_range"})  # not by owner or name


async def by_text(tx: Tx, aim: Aim, until: datetime) -> int:
    """How many writes may bring what a target names by what a text says; 0 for other targets.

    Args:
        until: those that began until then, under the owners that the target is limited to.
    """
    if aim.target.kind not in BY_TEXT:
        return 0
    if aim.within is None:
        return await writes.count_open(tx, aim.tenant_id, until)
    within = [holder.row.id for holder in aim.within if holder.row]
    found = await writes.open_of_owners(tx, within) if within else ()
    return sum(each.created_at <= until for each in found)
