"""Notices to owners: that an erasure touched what they shared, or that they are asked; never what.

They are pull-only: an application reads them for its user and shows them. Reading marks them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from proxy.erasure.search.means import Means
from proxy.erasure.search.places import holder
from proxy.ledger import erasures, notifications
from proxy.ledger.engine import Tx
from proxy.ledger.notifications import Notification


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice as its owner may see it."""

    id: str
    kind: str
    reference: str | None
    created_at: datetime
    first_read_at: datetime

    def body(self) -> dict[str, Any]:
        """JSON form: nothing in it tells who was forgotten or which words went."""
        return {
            "id": self.id,
            "kind": self.kind,
            "reference": self.reference,
            "created_at": self.created_at.isoformat(),
            "first_read_at": self.first_read_at.isoformat(),
        }


async def notices(means: Means, tenant_id: str, owner: tuple[str, str]) -> Sequence[Notice]:
    """An owner's notices, newest first; those read for the first time count as delivered.

    Args:
        owner: kind and the client's id of it; one that is unknown has none.
    """
    names = await means.keyring.tenant(tenant_id)
    found = await holder(means, tenant_id, names, *owner)
    if found.row is None:
        return []
    owner_id, now = found.row.id, means.clock.now()

    async def read(tx: Tx) -> list[Notice]:
        listed = await notifications.of_owner(tx, tenant_id, owner_id)
        for each in listed:
            if each.sent_at is None:
                await notifications.mark(
                    tx, each.id, "sent", attempts=each.attempts + 1, sent_at=now
                )
        return [await _shown(tx, tenant_id, each, now) for each in listed]

    return await means.ledger.write(read)


async def _shown(tx: Tx, tenant_id: str, notice: Notification, now: datetime) -> Notice:
    erasure = await erasures.get(tx, tenant_id, notice.erasure_id or "")
    reference = erasure.reference if erasure else notice.review_id
    return Notice(notice.id, notice.kind, reference, notice.created_at, notice.sent_at or now)
