"""Why memories are deleted, by the erasure that deletes them: the types of a deletion report."""

from proxy.erasure.plans.plan import INDIRECT
from proxy.ledger.erasures import Erasure

USER_REQUEST = "user_request"  # a data subject's request or answer, or a delete by a client
RETENTION = "retention"  # the end of a period
CASCADE = "cascade"  # derived from what one of the others deletes
RECONCILE = "reconcile"  # erased before, and back again
POLICY = "policy"  # any other rule: held too long, over a budget, written again of somebody erased
ADMIN = (
    "admin"  # for the installation's own sake: a tenant, what was held for review, the self-test
)
TYPES = (USER_REQUEST, RETENTION, CASCADE, RECONCILE, POLICY, ADMIN)
_SPECIAL = {
    ("control", "reconcile"): RECONCILE,
    ("client", "quarantine"): ADMIN,
    ("client", "self_test"): ADMIN,
    ("sweeper", "retention"): RETENTION,
}


def type_of(erasure: Erasure, relation: str = "direct") -> str:
    """The type of one deletion.

    Args:
        relation: of the memory to the target.
    """
    if relation in INDIRECT:
        return CASCADE
    if erasure.target_kind == "tenant":
        return ADMIN
    usual = POLICY if erasure.origin == "sweeper" else USER_REQUEST
    return _SPECIAL.get((erasure.origin, erasure.reason or ""), usual)
