"""From detections, categories and context to a decision; pure, and fast enough for every write."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from detectors.detection import CategoryScore, Detection
from policies.conditions import Labels
from policies.decision import Context, Decision, Edit
from policies.gates import Verdict, verdicts
from policies.policy import Policy
from policies.retention import expiry, marks
from policies.rules import EDITS, STRENGTH, WHOLE_TEXT, Applying, Choice, built_in
from policies.spans import Mark, cover, edits, whole

BLOCKLIST = "blocklist"
_OUTCOMES = {"allow": 0, "quarantine": 1, "reject": 2}
_HELD = STRENGTH["quarantine"]
_CLEAR = frozenset({"allow", "tag"})
Judged = list[tuple[Detection, Choice]]


def decide(
    policy: Policy,
    detections: Sequence[Detection],
    categories: Sequence[CategoryScore],
    context: Context,
) -> Decision:
    """Decide about one text.

    Each detection takes the first entity rule that matches it, the text as a whole the first
    text rule. Checks of consent, residency, purpose, preferences, size, language and poisoning
    come on top; the strictest outcome wins. Spans that overlap become one edit, so that no
    character of a detection that is to be changed survives.
    """
    labels = _labels(policy, categories, context)
    held = _held(policy, context, labels)
    over_text = _first(policy.rules.applying(context.operation, "", held), 1.0)
    if over_text is not None and not over_text.categories <= labels:
        labels |= over_text.categories
        held = _held(policy, context, labels)
    judged = [(d, _choice(policy, d, context, held)) for d in detections]
    fired = [choice for _, choice in judged]
    if over_text is not None:
        fired.append(over_text)
    said = _outcomes(fired, context) + verdicts(policy, context, labels)
    tiers = {choice.tier for choice in fired if choice.tier}
    end = expiry(policy.timetable, labels, tiers, context, session=_session(said))
    outcome, reason = _worst(said)
    return Decision(
        outcome=outcome,
        edits=_edits(policy, judged, over_text, labels, context.text_length),
        tier=end.tier,
        expires_at=end.at,
        expires_after=end.after,
        prompt_at=end.prompt_at,
        categories=tuple(sorted(labels)),
        tags=_tags(judged) + marks(policy.retention, context.preferences),
        rules=tuple(dict.fromkeys([c.rule for c in fired if c.rule] + [v.rule for v in said])),
        reason=reason,
        expiry_from=end.source,
        held_by=() if outcome == "allow" else _by(said, "quarantine"),
        refused_by=_by(said, "reject"),
    )


def _labels(policy: Policy, categories: Iterable[CategoryScore], context: Context) -> Labels:
    own = frozenset([c.name for c in categories if c.score >= _threshold(policy, c.name)])
    return own | context.inherited_categories


def _threshold(policy: Policy, category: str) -> float:
    gated = category in policy.consent.required or category in policy.residency.local_only
    usual = policy.write.category_threshold
    return max(usual, policy.consent.threshold) if gated else usual


def _held(policy: Policy, context: Context, labels: Labels) -> int:
    """Which of the policy's conditions hold, as a mask."""
    held = 0
    for bit, test in policy.rules.conditions.tests:
        if test(context, labels):
            held |= bit
    return held


def _first(entries: Applying, score: float) -> Choice | None:
    for min_score, choice in entries:
        if score >= min_score:
            return choice
    return None


def _choice(policy: Policy, found: Detection, context: Context, held: int) -> Choice:
    """What happens to one detection; the blocklist and the subject's refusals come first."""
    if found.recogniser == BLOCKLIST:
        return built_in(policy.write, BLOCKLIST, policy.blocklist.action, found.entity_type)
    entries = policy.rules.applying(context.operation, found.entity_type, held)
    choice = _first(entries, found.score) or entries[-1][1]
    refused = context.preferences.refused_types
    if found.entity_type in refused and choice.strength < STRENGTH["redact"]:
        return built_in(policy.write, "preference.refused_types", "redact", found.entity_type)
    return choice


def _outcomes(fired: Iterable[Choice], context: Context) -> list[Verdict]:
    """What the rules that fired say about the text as a whole.

    A text whose length nobody gave cannot be covered as a whole: it is refused.
    """
    found: list[Verdict] = []
    for choice in fired:
        if choice.strength >= _HELD:
            reason = "blocked" if choice.rule == BLOCKLIST else "rule"
            found.append(Verdict(choice.action, choice.rule, reason))
        elif not choice.tag and choice.action in EDITS and context.text_length < 1:
            found.append(Verdict("reject", choice.rule, "length-unknown"))
    return found


def _session(said: list[Verdict]) -> bool:
    return bool(said) and any(verdict.session for verdict in said)


def _worst(said: list[Verdict]) -> tuple[str, str | None]:
    """The strictest outcome and its reason; the first of equals speaks."""
    if not said:
        return "allow", None
    worst = max(said, key=lambda verdict: _OUTCOMES[verdict.outcome])
    return worst.outcome, None if worst.outcome == "allow" else worst.reason


def _by(said: list[Verdict], outcome: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(verdict.rule for verdict in said if verdict.outcome == outcome))


def _edits(
    policy: Policy,
    judged: Judged,
    over_text: Choice | None,
    labels: Labels,
    length: int,
) -> tuple[Edit, ...]:
    hidden = _hidden(policy, labels)
    marks = [
        _mark(policy, d.start, d.end, d.entity_type, choice, hidden, labels)
        for d, choice in judged
        if choice.action != "allow" or d.entity_type in hidden
    ]
    if over_text is not None and over_text.action in EDITS and length > 0:
        mark = _mark(policy, 0, length, WHOLE_TEXT, over_text, hidden, labels)
        return edits(whole(mark, marks))
    return edits(cover(marks)) if marks else ()


def _hidden(policy: Policy, labels: Labels) -> frozenset[str]:
    """Types that the encrypted tiers of the text's categories keep out of sight."""
    hiding = policy.timetable.hiding
    types: frozenset[str] = frozenset()
    for label in labels:
        if label in hiding:
            types |= hiding[label]
    return types


def _mark(
    policy: Policy,
    start: int,
    end: int,
    entity_type: str,
    choice: Choice,
    hidden: frozenset[str],
    labels: Labels,
) -> Mark:
    action, strength, params = choice.action, choice.strength, choice.params
    if action in _CLEAR and entity_type in hidden:
        action, strength = "encrypt", STRENGTH["encrypt"]
    if action == "encrypt":
        params = _with_category(policy, entity_type, params, labels)
    return Mark(start, end, action, strength, entity_type, choice.rule, params)


def _with_category(
    policy: Policy, entity_type: str, params: Mapping[str, Any], labels: Labels
) -> Mapping[str, Any]:
    """Encryption uses the key of a category: the type's own, else the text's."""
    own = policy.timetable.category_of.get(entity_type)
    return {**params, "category": own or min(labels, default="other")}


def _tags(judged: Judged) -> tuple[str, ...]:
    return tuple(sorted({choice.tag for _, choice in judged if choice.action != "allow"}))
