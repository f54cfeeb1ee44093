"""By which way a request came, and who made sure, and how, that it is the data subject's own."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from policies import Policy
from policies.access import identifying
from proxy.audit import leaf
from proxy.erasure.search.target import Actor
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms

VERIFIER = "verifier"
ASKED_FOR = frozenset({"control", "agent"})  # what a client deletes is gone when it is answered
_OPEN = frozenset({"received", "needs_clarification", "planned"})
IDENTIFICATION = "identification"  # what a request waits for
SKEW = timedelta(minutes=5)


def identified(
    said: Mapping[str, Any] | None, names: Pseudonyms, actor: Actor, now: datetime
) -> dict[str, Any] | None:
    """What is recorded of how the requester was identified: no id of anybody, but pseudonyms.

    Args:
        said: ``method``; ``by``, an opaque id of who verified (absent: who says so); ``at``
            (absent: now); ``evidence_ref``, the caller's own reference of the evidence.

    Raises:
        Problem: ``invalid-request`` for a moment that has not come.
    """
    if said is None:
        return None
    at = said.get("at") or now
    if at > now + SKEW:
        raise Problem(
            "invalid-request", "The identification has not taken place yet.",
            errors=[{"pointer": "/identity/at", "detail": "Lies in the future."}],
        )  # fmt: skip
    by = said.get("by")
    who = actor if by is None else Actor(VERIFIER, by)
    return {
        "method": said["method"],
        "by": who.ref(names).hex(),
        "at": leaf.instant(at),
        "evidence_ref": said.get("evidence_ref"),
    }


def unidentified(policy: Policy, origin: str, details: Mapping[str, Any]) -> tuple[str, ...]:
    """How the requester would have to be identified; empty: that is done, or need not be.

    What nobody asks for from outside (a reconciliation) states no channel at all.
    """
    if origin not in ASKED_FOR or "channel" not in details:
        return ()
    wanted = identifying(policy, details["channel"])
    known = details.get("identity") or {}
    return () if known.get("method") in wanted else wanted


def check_identified(policy: Policy, erasure: Erasure) -> None:
    """Refuse to let an erasure start whose requester nobody identified as the policy wants it.

    Raises:
        Problem: ``identification-required``; the request stays as it is, and its clock runs.
    """
    wanted = unidentified(policy, erasure.origin, erasure.details)
    if not wanted:
        return
    channel = erasure.details["channel"]
    came = f"came by {channel}" if channel else "states no channel"
    raise Problem(
        "identification-required",
        f"The request {came}, and its requester is not identified as the policy wants it.",
        hint=f"Tell how with the confirmation, as identity (--identified); {erasure.reference} "
        "stays planned.",
        errors=[{"pointer": "/identity/method", "detail": f"One of {', '.join(wanted)}."}],
        rules=["erasure.identify"],
    )


def awaited(erasure: Erasure) -> str | None:
    """What a request still waits for before it can be confirmed."""
    return erasure.details.get("awaiting") if erasure.state in _OPEN else None


def requester(erasure: Erasure) -> dict[str, Any]:
    """By which way a recorded request came, and how its requester was identified, if told."""
    return {name: erasure.details.get(name) for name in ("channel", "identity")}
