"""Recipients whom the policy wants told, such as by GDPR Art. 19: one queued notice each."""

from datetime import datetime

from policies import Policy, access
from proxy import ids
from proxy.ledger.notifications import Notification

LONGEST = 40  # the column's width
BY_HAND = "by_hand"


def kind_of(event: str, name: str) -> str:
    """How a notice names its event and recipient."""
    return f"{event}:{name}"[:LONGEST]


def owed(
    policy: Policy,
    tenant_id: str,
    event: str,
    erasure_id: str | None,
    now: datetime,
    *,
    review_id: str | None = None,
) -> list[Notification]:
    """Notices to everybody whom an event concerns; those without a webhook are left to a person.

    Args:
        event: ``erasure``, ``rectification``, ``restriction`` or ``review``.
    """
    return [
        Notification(
            ids.new("ntc"), tenant_id, erasure_id, None, kind_of(event, told.name),
            "pending" if told.url else BY_HAND, now, review_id=review_id,
        )
        for told in access.recipients(policy, event)
    ]  # fmt: skip
