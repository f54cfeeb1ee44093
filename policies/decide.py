"""From detections, categories and context to a decision; pure, and fast enough for every write."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from detectors.detection import CategoryScore, Detection
from policies.decision import Context, Decision, Edit
from policies.gates import Verdict, verdicts
from policies.policy import Policy
from policies.retention import expiry
from policies.rules import EDITS, EVERY_OPERATION, STRENGTH, Choice, Labels, marker
from policies.schema.fields import FrozenMap
from policies.spans import WHOLE_TEXT, Mark, cover, edits, whole

BLOCKLIST = "blocklist"
_OUTCOMES = {"allow": 0, "quarantine": 1, "reject": 2}
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
    over_text = _first(policy.rules.texts, 1.0, context, labels)
    if over_text is not None:
        labels |= over_text.categories
    judged = [(d, _choice(policy, d, context, labels)) for d in detections]
    fired = [choice for _, choice in judged]
    if over_text is not None:
        fired.append(over_text)
    said = [*_outcomes(fired), *verdicts(policy, context, labels), *_lost(over_text, context)]
    tiers = {choice.tier for choice in fired if choice.tier}
    end = expiry(policy.timetable, labels, tiers, context, session=any(v.session for v in said))
    worst = max(said, key=lambda v: _OUTCOMES[v.outcome], default=None)
    outcome = "allow" if worst is None else worst.outcome
    return Decision(
        outcome=outcome,
        edits=_edits(policy, judged, over_text, end.tier, labels, context.text_length),
        tier=end.tier,
        expires_at=end.at,
        expires_after=end.after,
        prompt_at=end.prompt_at,
        categories=tuple(sorted(labels)),
        tags=_tags(judged),
        rules=tuple(dict.fromkeys([c.rule for c in fired if c.rule] + [v.rule for v in said])),
        reason=worst.reason if worst is not None and outcome != "allow" else None,
        expiry_from=end.source,
    )


def _labels(policy: Policy, categories: Iterable[CategoryScore], context: Context) -> Labels:
    threshold = policy.write.category_threshold
    own = frozenset([c.name for c in categories if c.score >= threshold])
    return own | context.inherited_categories


def _first(
    choices: tuple[Choice, ...], score: float, context: Context, labels: Labels
) -> Choice | None:
    operation = context.operation
    for choice in choices:
        if score >= choice.min_score and operation in choice.operations:
            for test in choice.tests:
                if not test(context, labels):
                    break
            else:
                return choice
    return None


def _choice(policy: Policy, found: Detection, context: Context, labels: Labels) -> Choice:
    """What happens to one detection; the blocklist and the subject's refusals come first."""
    if found.recogniser == BLOCKLIST:
        return _built_in(policy, BLOCKLIST, policy.blocklist.action, found.entity_type)
    choices = policy.rules.choices(found.entity_type)
    choice = _first(choices, found.score, context, labels) or choices[-1]
    refused = context.preferences.refused_types
    if found.entity_type in refused and choice.strength < STRENGTH["redact"]:
        return _built_in(policy, "preference.refused_types", "redact", found.entity_type)
    return choice


def _built_in(policy: Policy, rule: str, action: str, entity_type: str) -> Choice:
    params = FrozenMap({"mark": marker(policy.write, entity_type)})
    tag = f"pii:{entity_type.lower()}"
    return Choice(rule, action, 0.0, EVERY_OPERATION, (), params, None, STRENGTH[action], tag)


def _outcomes(fired: Iterable[Choice]) -> list[Verdict]:
    return [
        Verdict(c.action, c.rule, "blocked" if c.rule == BLOCKLIST else "rule")
        for c in fired
        if c.action in _OUTCOMES and c.action != "allow"
    ]


def _lost(over_text: Choice | None, context: Context) -> list[Verdict]:
    """A text whose length nobody gave cannot be covered as a whole: it is refused."""
    if over_text is None or over_text.action not in EDITS or context.text_length > 0:
        return []
    return [Verdict("reject", over_text.rule, "length-unknown")]


def _edits(
    policy: Policy,
    judged: Judged,
    over_text: Choice | None,
    tier: str,
    labels: Labels,
    length: int,
) -> tuple[Edit, ...]:
    hidden = _hidden(policy, tier, labels)
    marks = [
        _mark(policy, d.start, d.end, d.entity_type, choice, hidden, labels)
        for d, choice in judged
        if choice.action != "allow" or d.entity_type in hidden
    ]
    if over_text is not None and over_text.action in EDITS and length > 0:
        mark = _mark(policy, 0, length, WHOLE_TEXT, over_text, hidden, labels)
        return edits(whole(mark, marks))
    return edits(cover(marks)) if marks else ()


def _hidden(policy: Policy, tier: str, labels: Labels) -> frozenset[str]:
    """Types that an encrypted tier keeps out of sight."""
    section = policy.retention
    if not section.tiers[tier].encrypted:
        return frozenset()
    return frozenset(
        t for name in labels & section.categories.keys() for t in section.categories[name].types
    )


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
