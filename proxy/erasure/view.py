"""What callers see of an erasure: counts and states, never content, names or raw ids."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

OWNER_ID = "OWNER_ID"  # the type of a candidate that is an owner, not an entity
STATES = (
    "received", "needs_clarification", "planned", "confirmed", "executing", "verifying", "complete",
    "incomplete", "held", "cancelled", "refused",
)  # fmt: skip
LayerStatus = Literal["planned", "erased", "absent", "residual", "unreachable", "held"]


@dataclass(frozen=True, slots=True)
class LayerView:
    """One layer of one upstream; ``None`` means not configured, ``0`` looked and found none."""

    upstream: str
    layer: str
    found: int | None
    erased: int | None
    residual: int | None
    status: str
    method: str = ""
    reason: str | None = None
    action: str | None = None

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {name: getattr(self, name) for name in LayerView.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class CandidateView:
    """One of several entities a name may mean: an opaque id, a count and a safe hint.

    Args:
        why: for an owner whose id may be the person: what makes it look so.
    """

    id: str
    entity_type: str
    memories: int
    hint: str
    why: str | None = None

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {name: getattr(self, name) for name in CandidateView.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class ErasureView:
    """An erasure as shown; ``token`` is set only in the answer that issued it."""

    id: str
    reference: str
    state: str
    outcome: str | None
    target_kind: str
    scope: str
    origin: str
    plan_digest: str | None
    counts: Mapping[str, int]
    layers: tuple[LayerView, ...]
    candidates: tuple[CandidateView, ...]
    questions: tuple[Mapping[str, Any], ...]
    received_at: datetime
    due_at: datetime
    confirmed_at: datetime | None = None
    completed_at: datetime | None = None
    execute_at: datetime | None = None
    reason: str | None = None
    channel: str | None = None  # by which way the request came
    awaiting: str | None = None  # what it needs before it can be confirmed: identification
    identity: Mapping[str, Any] | None = None  # how, when and by whom the requester was identified
    kept: Mapping[str, Any] | None = None  # what was to be kept, without content
    scope_path: Mapping[str, Any] | None = None  # of a tenant's part: kind, pseudonyms, owners
    earlier: str | None = None  # where nothing was found: reference of what dealt with it before
    earlier_state: str | None = None
    earlier_left: tuple[Mapping[str, Any], ...] = ()  # its layers not seen clean since
    items: tuple[Mapping[str, Any], ...] = ()
    token: str | None = field(default=None, repr=False)
    certificate_ready: bool = False

    @property
    def deleted(self) -> int:
        """Memories deleted because they are about the target."""
        return self.counts.get("deleted", 0)

    @property
    def cascaded(self) -> int:
        """Memories deleted because they derive from those."""
        return self.counts.get("cascaded", 0)

    @property
    def regenerated(self) -> int:
        """Memories deleted and written anew from what survives."""
        return self.counts.get("regenerated", 0)

    @property
    def redacted(self) -> int:
        """Memories deleted and written anew without the mention."""
        return self.counts.get("redacted", 0)

    @property
    def complete(self) -> bool:
        """Whether every layer was shown to be clean."""
        return self.state == "complete"

    def body(self) -> dict[str, Any]:
        """JSON form of the control plane and the CLI."""
        body: dict[str, Any] = {
            "id": self.id,
            "reference": self.reference,
            "state": self.state,
            "outcome": self.outcome,
            "target_kind": self.target_kind,
            "scope": self.scope,
            "origin": self.origin,
            "plan_digest": self.plan_digest,
            "counts": dict(self.counts),
            "deleted": self.deleted,
            "cascaded": self.cascaded,
            "regenerated": self.regenerated,
            "redacted": self.redacted,
            "layers": [layer.body() for layer in self.layers],
            "candidates": [candidate.body() for candidate in self.candidates],
            "questions": [dict(question) for question in self.questions],
            "items": [dict(item) for item in self.items],
            "reason": self.reason,
            "channel": self.channel,
            "awaiting": self.awaiting,
            "identity": None if self.identity is None else dict(self.identity),
            "kept": None if self.kept is None else dict(self.kept),
            "scope_path": None if self.scope_path is None else dict(self.scope_path),
            "earlier": self.earlier,
            "earlier_state": self.earlier_state,
            "earlier_left": [dict(layer) for layer in self.earlier_left],
            "certificate_ready": self.certificate_ready,
        }
        for name in ("received_at", "due_at", "confirmed_at", "completed_at", "execute_at"):
            moment = getattr(self, name)
            body[name] = moment.isoformat().replace("+00:00", "Z") if moment else None
        if self.token is not None:
            body["token"] = self.token
        return body
