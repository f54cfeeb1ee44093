"""One text explained: what was found, which rule spoke, what comes out and for how long."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from detectors.detection import Analysis
from policies.decide import decide
from policies.decision import Context, Decision, Edit
from policies.gates import purpose_allows
from policies.policy import Policy
from policies.retention import fate
from policies.transform import apply_edits


class ShownTokens:
    """Stands in for the vault: `Person_1`, `Person_2`; the same original, the same token."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[str, str], str] = {}

    def __call__(self, edit: Edit, original: str) -> str:
        key = (edit.entity_type, original.casefold())
        if key not in self._tokens:
            number = sum(kind == edit.entity_type for kind, _ in self._tokens) + 1
            self._tokens[key] = f"{edit.entity_type.capitalize()}_{number}"
        return self._tokens[key]


def explain(
    policy: Policy, text: str, analysis: Analysis, context: Context, *, name: str | None = None
) -> dict[str, Any]:
    """The result of ``policy explain``; offsets are code points of ``text``.

    ``context.text_length`` and ``language`` are taken from the text and its analysis. Tokens are
    stand-ins; the vault mints the real ones.
    """
    seen = _about(context, text, analysis)
    decision = decide(policy, analysis.detections, analysis.categories, seen)
    return {
        "id": name,
        "detections": [
            {"entity_type": d.entity_type, "start": d.start, "end": d.end, "score": d.score}
            for d in analysis.detections
        ],
        "categories": [{"name": c.name, "score": c.score} for c in analysis.categories],
        "decision": decision.outcome,
        "reason": decision.reason,
        "text": apply_edits(text, decision.edits, ShownTokens()),
        "tier": decision.tier,
        "expires_after": decision.expires_after,
        "rules": list(decision.rules),
        "edits": [
            {
                "start": e.start,
                "end": e.end,
                "action": e.action,
                "rule": e.rule,
                "entity_type": e.entity_type,
            }
            for e in decision.edits
        ],
        "tags": list(decision.tags),
        "retention": _retention(policy, decision, seen.at),
        "purposes": _purposes(policy, decision, seen),
        "policy": {"name": policy.name, "digest": policy.digest},
    }


def _about(context: Context, text: str, analysis: Analysis) -> Context:
    return replace(context, text_length=len(text), language=analysis.language)


def _retention(policy: Policy, decision: Decision, at: datetime) -> dict[str, Any]:
    """When it ends and which setting won; the order of the settings, strongest first."""
    end = fate(policy, decision.tier, decision.expires_at, at, decision.tags)
    return {
        "categories": list(decision.categories),
        "won": decision.expiry_from,
        "precedence": list(PRECEDENCE),
        "expires_at": _stamp(decision.expires_at),
        "prompt_at": _stamp(decision.prompt_at),
        "hidden_at": _stamp(end.hidden_at),
        "erased_at": _stamp(end.erased_at),
    }


def _purposes(policy: Policy, decision: Decision, context: Context) -> dict[str, Sequence[str]]:
    labels = frozenset(decision.categories)
    wishes = context.preferences
    allowed = [p for p in policy.read.purposes if purpose_allows(policy, p, labels, wishes)]
    return {
        "allowed": allowed,
        "denied": [p for p in policy.read.purposes if p not in allowed],
    }


def _stamp(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None


PRECEDENCE = (
    "legal_maximum",
    "automatic",
    "inherited",
    "preference:maximum",
    "consent-missing (session)",
    "bound of the category",
    "preference:pin",
    "preference:exception",
    "preference:category",
    "rule tier, category default, default tier: the strictest",
)
