"""Checks on a text as a whole that no rule can switch off: consent, residency, purpose, size."""

from collections.abc import Iterator
from typing import NamedTuple

from policies.decision import Context
from policies.policy import Policy
from policies.rules import SENDING, STORING, Labels

EVERY_CATEGORY = "all"


class Verdict(NamedTuple):
    """What one check says; ``session`` keeps the text for the session only."""

    outcome: str
    rule: str
    reason: str
    session: bool = False


def verdicts(policy: Policy, context: Context, labels: Labels) -> list[Verdict]:
    """Every check that has something to say about the text."""
    found: list[Verdict] = []
    if context.operation in STORING:
        found += _language(policy, context)
        found += _consent(policy, context, labels)
        found += _refused(context, labels)
        found += _poisoning(policy, context)
    if context.operation in SENDING:
        found += _size(policy, context)
        found += _residency(policy, context, labels)
    found += _purpose(policy, context, labels)
    return found


def _size(policy: Policy, context: Context) -> Iterator[Verdict]:
    if context.text_length > policy.write.max_characters:
        yield Verdict("reject", "write.max_characters", "too-large")


def _language(policy: Policy, context: Context) -> Iterator[Verdict]:
    write = policy.write
    if context.language in write.languages or "*" in write.languages:
        return
    outcome = "allow" if write.unsupported_language == "index" else write.unsupported_language
    yield Verdict(outcome, "write.unsupported_language", "unsupported-language")


def _consent(policy: Policy, context: Context, labels: Labels) -> Iterator[Verdict]:
    required = policy.consent.required
    for label in labels:
        need = required.get(label)
        if need is not None and not context.consents.issuperset(need.consent):
            session = need.without == "session"
            outcome = "allow" if need.without == "session" else need.without
            yield Verdict(outcome, f"consent.{label}", "consent-missing", session)


def _refused(context: Context, labels: Labels) -> Iterator[Verdict]:
    refused = context.preferences.refused_categories
    if refused and not refused.isdisjoint(labels):
        yield Verdict("reject", "preference.refused_categories", "preference")


def _poisoning(policy: Policy, context: Context) -> Iterator[Verdict]:
    section = policy.poisoning
    if not context.suspicion or section.action == "off":
        return
    if context.source in section.trusted_sources:
        return
    if any(context.suspicion.get(kind, 0.0) >= section.threshold for kind in section.checks):
        outcome = "allow" if section.action == "flag" else section.action
        yield Verdict(outcome, "poisoning", "poisoning")


def _residency(policy: Policy, context: Context, labels: Labels) -> Iterator[Verdict]:
    section = policy.residency
    store = context.upstream_region.casefold() if context.upstream_region else None
    if section.local_only and not labels.isdisjoint(section.local_only) and store != "local":
        yield Verdict("reject", "residency.local_only", "residency")
    allowed = section.stay.get(context.region.casefold()) if context.region else None
    if allowed is None or store == "local":
        return
    if store is None:
        if section.unknown_region == "reject":
            yield Verdict("reject", "residency.unknown_region", "residency")
    elif store not in {region.casefold() for region in allowed}:
        yield Verdict("reject", "residency.stay", "residency")


def _purpose(policy: Policy, context: Context, labels: Labels) -> Iterator[Verdict]:
    name = context.purpose or policy.read.default_purpose
    if name is not None and not purpose_allows(policy, name, labels, context):
        yield Verdict("reject", f"read.purposes.{name}", "purpose-denied")


def purpose_allows(policy: Policy, name: str, labels: Labels, context: Context) -> bool:
    """Whether a purpose may touch a text in these categories (GDPR Art. 5(1)(b), 21)."""
    purpose = policy.read.purposes.get(name)
    if purpose is None:
        return policy.read.unknown_purpose == "allow"
    wishes = context.preferences
    if name in wishes.denied_purposes or EVERY_CATEGORY in purpose.deny:
        return False
    if purpose.external and not (wishes.sharing and labels.isdisjoint(wishes.unshared)):
        return False
    return labels.isdisjoint(purpose.deny)
