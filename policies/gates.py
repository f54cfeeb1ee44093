"""Checks on a text as a whole that no rule can switch off: consent, residency, purpose, size."""

from collections.abc import Iterator
from typing import NamedTuple

from policies.conditions import Labels
from policies.decision import Context, Preferences
from policies.policy import Policy
from policies.rules import SENDING, STORING

EVERY_CATEGORY = "all"


class Verdict(NamedTuple):
    """What one check says; ``session`` keeps the text for the session only."""

    outcome: str
    rule: str
    reason: str
    session: bool = False


def verdicts(policy: Policy, context: Context, labels: Labels) -> list[Verdict]:
    """Every check that has something to say about the text."""
    found = _storing(policy, context, labels) if context.operation in STORING else []
    if context.operation in SENDING:
        if context.text_length > policy.write.max_characters:
            found.append(Verdict("reject", "write.max_characters", "too-large"))
        found += _residency(policy, context, labels)
    else:
        found += _withdrawn(policy, context, labels)
    name = context.purpose or policy.read.default_purpose
    if name is not None and not purpose_allows(policy, name, labels, context.preferences):
        found.append(Verdict("reject", f"read.purposes.{name}", "purpose-denied"))
    return found


def _storing(policy: Policy, context: Context, labels: Labels) -> list[Verdict]:
    found: list[Verdict] = []
    if "*" not in policy.write.languages:
        found += _language(policy, context)
    if not labels.isdisjoint(policy.consent.required):
        found += _consent(policy, context, labels)
    if context.preferences.refused_categories:
        found += _refused(context, labels)
    if context.suspicion:
        found += _poisoning(policy, context)
    return found


def _language(policy: Policy, context: Context) -> list[Verdict]:
    write = policy.write
    if context.language in write.languages:
        return []
    outcome = "allow" if write.unsupported_language == "index" else write.unsupported_language
    return [Verdict(outcome, "write.unsupported_language", "unsupported-language")]


def _consent(policy: Policy, context: Context, labels: Labels) -> Iterator[Verdict]:
    for label in sorted(labels & policy.consent.required.keys()):
        need = policy.consent.required[label]
        if not context.consents.issuperset(need.consent):
            session = need.without == "session"
            outcome = "allow" if need.without == "session" else need.without
            yield Verdict(outcome, f"consent.{label}", "consent-missing", session)


def _withdrawn(policy: Policy, context: Context, labels: Labels) -> Iterator[Verdict]:
    """What may not be stored without a consent may not be read after it is withdrawn either."""
    for verdict in _consent(policy, context, labels):
        if verdict.outcome == "reject":
            yield verdict


def _refused(context: Context, labels: Labels) -> list[Verdict]:
    if context.preferences.refused_categories.isdisjoint(labels):
        return []
    return [Verdict("reject", "preference.refused_categories", "preference")]


def _poisoning(policy: Policy, context: Context) -> list[Verdict]:
    section = policy.poisoning
    if section.action == "off" or context.source in section.trusted_sources:
        return []
    if all(context.suspicion.get(kind, 0.0) < section.threshold for kind in section.checks):
        return []
    outcome = "allow" if section.action == "flag" else section.action
    return [Verdict(outcome, "poisoning", "poisoning")]


def _residency(policy: Policy, context: Context, labels: Labels) -> list[Verdict]:
    section = policy.residency
    store = context.upstream_region.casefold() if context.upstream_region else None
    if store == "local":
        return []
    if section.local_only and not labels.isdisjoint(section.local_only):
        return [Verdict("reject", "residency.local_only", "residency")]
    allowed = section.stay.get(context.region.casefold()) if context.region else None
    if allowed is None:
        return []
    if store is None:
        refused = section.unknown_region == "reject"
        return [Verdict("reject", "residency.unknown_region", "residency")] if refused else []
    if store in {region.casefold() for region in allowed}:
        return []
    return [Verdict("reject", "residency.stay", "residency")]


def purpose_allows(policy: Policy, name: str, labels: Labels, wishes: Preferences) -> bool:
    """Whether a purpose may touch a text in these categories (GDPR Art. 5(1)(b), 21)."""
    purpose = policy.read.purposes.get(name)
    if purpose is None:
        return policy.read.unknown_purpose == "allow"
    if name in wishes.denied_purposes or EVERY_CATEGORY in purpose.deny:
        return False
    if purpose.external and not (wishes.sharing and labels.isdisjoint(wishes.unshared)):
        return False
    return labels.isdisjoint(purpose.deny)
