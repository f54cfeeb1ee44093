"""By which way a request came, and who made sure, and how, that it is the data subject's own."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from proxy.audit import leaf
from proxy.erasure.search.target import Actor
from proxy.ledger.erasures import Erasure
from proxy.problems import Problem
from proxy.pseudonyms import Pseudonyms

Channel = Literal["app", "web", "chat", "email", "phone", "letter", "in_person", "agent",
                  "authority", "other"]  # fmt: skip
Method = Literal["signed_in", "contact_confirmed", "known_facts", "document", "in_person",
                 "authorisation", "other"]  # fmt: skip
CHANNELS: tuple[str, ...] = get_args(Channel)
METHODS: tuple[str, ...] = get_args(Method)
VERIFIER = "verifier"
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


def requester(erasure: Erasure) -> dict[str, Any]:
    """By which way a recorded request came, and how its requester was identified, if told."""
    return {name: erasure.details.get(name) for name in ("channel", "identity")}
