"""What the policy says about exports, recipients, exceptions and quarantine."""

from datetime import UTC, datetime

import pytest

from policies import Policy, PolicyError, load, load_text
from policies.access import (
    detection_tier,
    exception_allowed,
    export,
    extraction,
    only_observes,
    quarantine_ends,
    recipients,
)

HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


@pytest.mark.parametrize(
    ("categories", "purpose", "confirmed", "verdict"),
    [
        (["preferences"], None, False, "allow"),
        (["preferences", "health"], None, False, "confirm"),
        (["health"], None, True, "allow"),
        (["preferences"], "training", True, "refuse"),
        (["preferences"], "assistant", False, "allow"),
        ([], None, False, "allow"),
    ],
)
def test_exports(categories: list[str], purpose: str | None, confirmed: bool, verdict: str) -> None:
    """Health needs a confirmation, training is refused whatever is confirmed."""
    policy = load("builtin/gdpr-default")
    assert export(policy, categories, purpose=purpose, confirmed=confirmed) == verdict


OBSERVING = "extends: builtin/dev-observe\n"
RULE = "write: {{{}: [{{id: a, action: {}, when: {}}}]}}\n".format
PERSON, ANY = "{entities: [PERSON]}", "{sources: [x]}"


@pytest.mark.parametrize(
    ("text", "observes"),
    [
        ("", False),
        (OBSERVING, True),
        (OBSERVING + RULE("entities", "allow", PERSON), True),
        (OBSERVING + RULE("texts", "tag", ANY), True),
        (OBSERVING + RULE("entities", "mask", PERSON), False),
        (OBSERVING + RULE("texts", "quarantine", ANY), False),
        (OBSERVING + "write: {default_action: redact}\n", False),
        (OBSERVING + "retention: {tiers: {hidden: {duration: P7D, encrypted: true}}, categories: "
         "{health: {tier: hidden, maximum: P7D, types: [MEDICATION]}}}\n", False),
        ("extends: none\nwrite: {default_action: allow}\n"
         "retention: {tiers: {long_term: {duration: P7D}}}\n", True),
    ],
)  # fmt: skip
def test_a_policy_that_hides_nothing_only_observes(text: str, observes: bool) -> None:
    """By what its rules do, not by its name."""
    assert only_observes(mine(text)) is observes


def test_recipients_are_told_of_their_events() -> None:
    """By webhook or by a person; others are not told."""
    policy = mine(
        "notifications:\n  recipients:\n"
        "    crm: {url: https://crm.example.org/hook, events: [erasure, rectification]}\n"
        "    desk: {contact: the help desk}\n"
    )
    assert [told.name for told in recipients(policy, "erasure")] == ["crm", "desk"]
    (crm,) = recipients(policy, "rectification")
    assert (crm.url, crm.contact) == ("https://crm.example.org/hook", None)
    assert recipients(policy, "restriction") == ()
    assert recipients(mine(""), "erasure") == ()


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("legal_claims", True),
        ("gdpr.17.3.e_legal_claims", True),
        ("gdpr.17.3.b_legal_obligation", True),
        ("gdpr.17.3.b_public_task", False),
        ("e_legal", False),
        ("claims", False),
        ("", False),
    ],
)
def test_grounds_for_holding_back(code: str, allowed: bool) -> None:
    """Only the grounds the policy lists, with or without a regime's prefix."""
    assert exception_allowed(mine("erasure: {exceptions: [legal_claims, legal_obligation]}\n"),
                             code) is allowed  # fmt: skip


@pytest.mark.parametrize(("action", "refuse"), [("flag", False), ("refuse", True)])
def test_the_extraction_budget(action: str, refuse: bool) -> None:
    """Window, number of items, and whether it refuses."""
    budget = extraction(
        mine(f"read: {{extraction: {{action: {action}, window: PT5M, distinct_items: 7}}}}\n")
    )
    assert budget is not None
    assert (str(budget.window), budget.distinct_items, budget.refuse) == ("PT5M", 7, refuse)
    assert extraction(mine("read: {extraction: {action: off}}\n")) is None


def test_the_end_of_a_quarantine() -> None:
    """Never by itself, unless the policy says when."""
    assert quarantine_ends(mine(""), NOW) is None
    ends = quarantine_ends(mine("poisoning: {release_after: P1M}\n"), NOW)
    assert ends == datetime(2026, 2, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("store", "route", "tier"),
    [
        ("mem0", "search", "structured"),
        ("mem0", "write", "fast"),
        ("other", "write", "full"),
        ("other", "search", "structured"),
    ],
)
def test_the_route_goes_before_the_store_and_the_store_before_the_rest(
    store: str, route: str, tier: str
) -> None:
    """How much is done to find personal data; without any word, what the installation loads."""
    policy = mine(
        "detection:\n  tier: full\n  upstreams: {mem0: fast}\n  routes: {search: structured}\n"
    )
    assert detection_tier(policy, store, route) == tier
    assert detection_tier(mine(""), store, route) is None


def test_an_unknown_kind_of_route_is_a_fault() -> None:
    """A typing error does not leave a route at another tier."""
    with pytest.raises(PolicyError, match="kind of route serach"):
        mine("detection:\n  routes: {serach: fast}\n")
