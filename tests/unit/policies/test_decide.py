"""Decisions: rules, checks and their order of strength."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from detectors.detection import CategoryScore, Detection
from policies import Context, Decision, Policy, Preferences, decide, load, load_text

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


def rules(*lines: str) -> Policy:
    """The default policy with these entity rules first."""
    return mine("write:\n  entities:\n" + "".join(f"    - {line}\n" for line in lines))


def person(score: float = 0.9, recogniser: str = "ner") -> Detection:
    """A detected name."""
    return Detection("PERSON", 0, 4, score, recogniser, "Alva")


def decided(
    policy: Policy,
    *,
    found: tuple[Detection, ...] = (),
    categories: Mapping[str, float] | None = None,
    **circumstances: Any,
) -> Decision:
    """A decision about a write of twenty characters."""
    given = {"operation": "write", "at": NOW, "text_length": 20} | circumstances
    scores = [CategoryScore(name, score) for name, score in (categories or {}).items()]
    return decide(policy, found, scores, Context(**given))


@pytest.mark.parametrize(
    ("condition", "matching", "other"),
    [
        ("min_score: 0.8", {}, {"score": 0.7}),
        ("categories: [health]", {"categories": {"health": 0.5}}, {"categories": {"health": 0.4}}),
        ("categories: [health]", {"inherited_categories": frozenset({"health"})}, {}),
        ('owners: ["run:r-1"]', {"owners": {"run:r-1"}}, {"owners": {"run:r-10"}}),
        ('owners: ["run:*"]', {"owners": {"run:r-10"}}, {"owners": {"runner:r-1"}}),
        ('owners: ["user:*"]', {"owners": {"user:*"}}, {"owners": set()}),
        ('owners: ["user:a.b"]', {"owners": {"user:a.b"}}, {"owners": {"user:a-b"}}),
        ('owners: ["run:*"]', {"owners": {"user:u", "run:r"}}, {"owners": {"user:u", "agent:r"}}),
        ('owners: ["agent:s", "run:r"]', {"owners": {"user:u", "agent:s"}}, {"owners": {"user:s"}}),
        ("purposes: [marketing]", {"purpose": "marketing"}, {"purpose": "assistant"}),
        ("consent: [biometric, home_address]",
         {"consents": frozenset({"biometric", "home_address"})},
         {"consents": frozenset({"biometric"})}),
        ("no_consent: [biometric]", {}, {"consents": frozenset({"biometric"})}),
        ("regions: [EU]", {"region": "EU"}, {"region": "US"}),
        ("regions: [EU]", {"region": "eu"}, {"region": None}),
        ("sources: [tool]", {"source": "tool"}, {"source": "conversation"}),
        ("languages: [de]", {"language": "de"}, {"language": "en"}),
        ("infer: true", {"infer": True}, {"infer": None}),
        ("infer: false", {"infer": False}, {"infer": True}),
        ("older_than: P30D", {"content_at": NOW - timedelta(days=31)},
         {"content_at": NOW - timedelta(days=29)}),
        ("older_than: P30D", {"content_at": datetime(2020, 1, 1)}, {}),  # noqa: DTZ001
        ("operations: [search]", {"operation": "search"}, {"operation": "write"}),
    ],
)  # fmt: skip
def test_a_condition_decides_whether_a_rule_applies(
    condition: str, matching: dict[str, Any], other: dict[str, Any]
) -> None:
    """Each condition has a text that meets it and a near one that does not."""
    policy = rules(f"{{id: mine, when: {{entities: [PERSON], {condition}}}, action: redact}}")
    for circumstances, expected in ((matching, "mine"), (other, "people")):
        given = dict(circumstances)
        found = (person(given.pop("score", 0.9)),)
        assert expected in decided(policy, found=found, **given).rules


def test_the_first_matching_rule_decides() -> None:
    """Order is meaning."""
    policy = rules(
        "{id: one, when: {entities: [PERSON], regions: [EU]}, action: mask}",
        "{id: two, when: {entities: [PERSON]}, action: redact}",
    )
    assert decided(policy, found=(person(),), region="EU").edits[0].rule == "one"
    assert decided(policy, found=(person(),), region="US").edits[0].rule == "two"


@pytest.mark.parametrize(
    ("action", "outcome", "edit", "tagged"),
    [("allow", "allow", None, False), ("tag", "allow", None, True),
     ("redact", "allow", "redact", True), ("mask", "allow", "mask", True),
     ("generalise", "allow", "generalise", True), ("tokenise", "allow", "tokenise", True),
     ("encrypt", "allow", "encrypt", True), ("quarantine", "quarantine", None, True),
     ("reject", "reject", None, True)],
)  # fmt: skip
def test_every_action_has_its_effect(
    action: str, outcome: str, edit: str | None, tagged: bool
) -> None:
    """Outcome, edit and tag of each action of an entity rule."""
    policy = rules(f"{{id: mine, when: {{entities: [PERSON]}}, action: {action}}}")
    decision = decided(policy, found=(person(),))
    assert decision.outcome == outcome
    assert [e.action for e in decision.edits] == ([edit] if edit else [])
    assert decision.tags == (("pii:person",) if tagged else ())
    assert decision.reason == ("rule" if outcome != "allow" else None)


@pytest.mark.parametrize("action", ["redact", "tokenise", "encrypt"])
def test_a_text_rule_covers_the_whole_text(action: str) -> None:
    """From the first to the last code point; other edits of less strength are absorbed."""
    policy = mine(
        f"write: {{texts: [{{id: t, when: {{categories: [health]}}, action: {action}}}]}}\n"
    )
    decision = decided(policy, found=(person(),), categories={"health": 0.9})
    assert [(e.start, e.end, e.action) for e in decision.edits] == [(0, 20, action)]


def test_only_what_rejects_is_named_as_refusing() -> None:
    """Beside what edits another part of the text, and what would only hold it."""
    policy = rules(
        "{id: no, when: {entities: [LOCATION]}, action: reject}",
        "{id: wait, when: {entities: [MONEY]}, action: quarantine}",
        "{id: edit, when: {entities: [PERSON]}, action: redact}",
    )
    city = replace(person(), entity_type="LOCATION", start=12, end=17)
    pay = replace(person(), entity_type="MONEY", start=17, end=19)
    decision = decided(policy, found=(person(), pay, city))
    assert (decision.rules, decision.refused_by, decision.held_by) == (
        ("edit", "wait", "no"), ("no",), ("wait",),
    )  # fmt: skip
    assert decided(policy, found=(person(), pay)).refused_by == ()


def test_a_text_rule_without_the_length_refuses() -> None:
    """Half a text covered would be half a text leaked."""
    policy = mine("write: {texts: [{id: t, when: {}, action: encrypt}]}\n")
    decision = decided(policy, text_length=0)
    assert (decision.outcome, decision.reason) == ("reject", "length-unknown")


def test_categories_given_by_a_text_rule_count() -> None:
    """They decide retention and entity rules as detected ones do."""
    policy = mine(
        "write:\n  texts: [{id: t, when: {sources: [tool]}, action: tag, categories: [health]}]\n"
        "  entities: [{id: e, when: {entities: [PERSON], categories: [health]}, action: redact}]\n"
    )
    decision = decided(policy, found=(person(),), source="tool")
    assert decision.categories == ("health",)
    assert decision.edits[0].rule == "e"
    assert decision.tier == "sensitive"


def test_encryption_names_the_category_whose_key_it_uses() -> None:
    """The type's own category before the text's."""
    policy = load("builtin/gdpr-default")
    found = (Detection("MEDICATION", 0, 4, 0.9, "lexicon"),)
    edit = decided(policy, found=found, categories={"financial": 0.9}).edits[0]
    assert (edit.action, edit.params["category"]) == ("encrypt", "health")


def test_an_encrypted_tier_hides_its_types_whatever_else_is_said() -> None:
    """Amounts of a financial text are hidden when its tier is encrypted and names the type."""
    changed = "retention: {categories: {financial: {types: [MONEY]}}}\n"
    money = (Detection("MONEY", 0, 4, 0.9, "pattern"),)
    for policy, actions in ((mine(changed), ["encrypt"]), (mine(""), [])):
        decision = decided(policy, found=money, categories={"financial": 0.9, "location": 0.9})
        assert [e.action for e in decision.edits] == actions
    assert decided(mine(changed), found=money, categories={"preferences": 0.9}).edits == ()


@pytest.mark.parametrize(
    ("text", "circumstances", "outcome", "reason"),
    [
        ("write: {max_characters: 19}", {}, "reject", "too-large"),
        ("write: {max_characters: 20}", {}, "allow", None),
        ("write: {languages: [en], unsupported_language: quarantine}", {"language": "fi"},
         "quarantine", "unsupported-language"),
        ("write: {languages: [en], unsupported_language: reject}", {"language": "fi"},
         "reject", "unsupported-language"),
        ("write: {languages: [en]}", {"language": "fi"}, "allow", None),
        ("write: {languages: [en], unsupported_language: reject}", {}, "allow", None),
        ("write: {unsupported_language: reject}", {"language": "zh"},
         "reject", "unsupported-language"),
        ("write: {unsupported_language: reject}", {"language": "de"}, "allow", None),
        ("write: {languages: ['*'], unsupported_language: reject}", {"language": "zh"},
         "allow", None),
        ("", {"categories": {"biometric": 0.9}}, "reject", "consent-missing"),
        ("", {"categories": {"biometric": 0.9}, "consents": frozenset({"biometric"})},
         "reject", "residency"),
        ("", {"categories": {"biometric": 0.9}, "consents": frozenset({"biometric"}),
              "upstream_region": "local"}, "allow", None),
        ("", {"categories": {"biometric": 0.4}}, "allow", None),
        ("", {"categories": {"biometric": 0.6}}, "allow", None),
        ("consent: {threshold: 0.6}", {"categories": {"biometric": 0.6}}, "reject",
         "consent-missing"),
        ("consent: {required: {health: {consent: [biometric], without: quarantine}}}",
         {"categories": {"health": 0.9}}, "quarantine", "consent-missing"),
        ("", {"categories": {"biometric": 0.9}, "operation": "read"}, "reject", "consent-missing"),
        ("", {"categories": {"biometric": 0.9}, "operation": "read",
              "consents": frozenset({"biometric"})}, "allow", None),
        ("", {"categories": {"political_religious": 0.9}, "operation": "read"}, "allow", None),
        ("residency: {stay: {eu: [EU, EEA]}}", {"region": "EU", "upstream_region": "US"},
         "reject", "residency"),
        ("residency: {stay: {eu: [EU, EEA]}}", {"region": "eu", "upstream_region": "eea"},
         "allow", None),
        ("residency: {stay: {eu: [EU]}}", {"region": "US", "upstream_region": "US"}, "allow", None),
        ("residency: {stay: {eu: [EU]}}", {"region": "EU"}, "allow", None),
        ("residency: {stay: {eu: [EU]}, unknown_region: reject}", {"region": "EU"},
         "reject", "residency"),
        ("residency: {stay: {eu: [EU]}}",
         {"region": "EU", "upstream_region": "US", "operation": "search"}, "reject", "residency"),
        ("", {"purpose": "training"}, "reject", "purpose-denied"),
        ("", {"purpose": "assistant"}, "allow", None),
        ("", {"purpose": "unheard-of"}, "reject", "purpose-denied"),
        ("read: {unknown_purpose: allow}", {"purpose": "unheard-of"}, "allow", None),
        ("read: {default_purpose: training}", {}, "reject", "purpose-denied"),
        ("", {"purpose": "marketing", "categories": {"relationships": 0.9}},
         "reject", "purpose-denied"),
        ("", {"purpose": "assistant", "categories": {"relationships": 0.9}}, "allow", None),
        ("", {"suspicion": {"instruction": 0.7}}, "quarantine", "poisoning"),
        ("", {"suspicion": {"instruction": 0.69}}, "allow", None),
        ("", {"suspicion": {"burst": 1.0}}, "allow", None),
        ("poisoning: {action: reject}", {"suspicion": {"instruction": 0.9}},
         "reject", "poisoning"),
        ("poisoning: {action: off}", {"suspicion": {"instruction": 0.9}}, "allow", None),
        ("poisoning: {action: flag}", {"suspicion": {"instruction": 0.9}}, "allow", None),
        ("poisoning: {trusted_sources: [tool]}",
         {"suspicion": {"instruction": 0.9}, "source": "tool"}, "allow", None),
        ("", {"suspicion": {"instruction": 0.9}, "operation": "search"}, "allow", None),
    ],
)  # fmt: skip
def test_checks_on_the_text_as_a_whole(
    text: str, circumstances: dict[str, Any], outcome: str, reason: str | None
) -> None:
    """Size, language, consent, residency, purpose, poisoning: each with a twin that passes."""
    decision = decided(mine(text + "\n"), **circumstances)
    assert (decision.outcome, decision.reason) == (outcome, reason)


def test_a_flagged_write_is_named_in_the_rules() -> None:
    """Flagging is visible although the write passes."""
    decision = decided(mine("poisoning: {action: flag}\n"), suspicion={"instruction": 0.9})
    assert "poisoning" in decision.rules


def test_the_strictest_outcome_wins() -> None:
    """A rejection beats a quarantine whatever the order."""
    policy = rules("{id: q, when: {entities: [PERSON]}, action: quarantine}")
    decision = decided(policy, found=(person(),), categories={"biometric": 0.9})
    assert (decision.outcome, decision.reason) == ("reject", "consent-missing")
    assert set(decision.rules) == {"q", "consent.biometric", "residency.local_only"}


@pytest.mark.parametrize(("action", "outcome"), [("reject", "reject"), ("redact", "allow")])
def test_the_blocklist_comes_before_every_rule(action: str, outcome: str) -> None:
    """Even before a rule that lets people pass."""
    policy = mine(
        "write: {entities: [{id: pass, when: {entities: [PERSON]}, action: allow}]}\n"
        f"blocklist: {{action: {action}}}\n"
    )
    decision = decided(policy, found=(person(recogniser="blocklist"),))
    assert decision.outcome == outcome
    assert decision.reason == ("blocked" if outcome == "reject" else None)
    assert [e.action for e in decision.edits] == (["redact"] if action == "redact" else [])


def test_what_the_subject_refused_is_redacted_or_rejected() -> None:
    """'Do not remember my address': types are redacted, categories rejected."""
    policy = load("builtin/gdpr-default")
    wishes = Preferences(refused_types=frozenset({"PERSON"}),
                         refused_categories=frozenset({"health"}))  # fmt: skip
    decision = decided(policy, found=(person(),), preferences=wishes)
    assert [(e.action, e.rule) for e in decision.edits] == [("redact", "preference.refused_types")]
    health = decided(policy, categories={"health": 0.9}, preferences=wishes)
    assert (health.outcome, health.reason) == ("reject", "preference")
    assert decided(policy, categories={"location": 0.9}, preferences=wishes).outcome == "allow"


@pytest.mark.parametrize(
    ("wishes", "purpose", "categories", "outcome"),
    [
        (Preferences(denied_purposes=frozenset({"assistant"})), "assistant", {}, "reject"),
        (Preferences(denied_purposes=frozenset({"assistant"})), "support", {}, "allow"),
        (Preferences(sharing=False), "share", {}, "reject"),
        (Preferences(sharing=False), "assistant", {}, "allow"),
        (Preferences(unshared=frozenset({"professional"})), "share", {"professional": 0.9},
         "reject"),
        (Preferences(unshared=frozenset({"professional"})), "assistant", {"professional": 0.9},
         "allow"),
        (Preferences(), "share", {"professional": 0.9}, "allow"),
    ],
)  # fmt: skip
def test_the_subject_controls_purposes_and_sharing(
    wishes: Preferences, purpose: str, categories: dict[str, float], outcome: str
) -> None:
    """Objections and opt-outs close a purpose; nothing else changes for the subject."""
    decision = decided(
        load("builtin/gdpr-default"),
        operation="read",
        purpose=purpose,
        categories=categories,
        preferences=wishes,
    )
    assert decision.outcome == outcome


def test_reading_changes_nothing() -> None:
    """What comes from the store is left alone by rules about writing."""
    assert decided(load("builtin/gdpr-default"), found=(person(),), operation="read").edits == ()


def test_a_query_is_treated_as_a_write_is() -> None:
    """The same tokens, so that the query finds what was stored."""
    decision = decided(load("builtin/gdpr-default"), found=(person(),), operation="search")
    assert [e.action for e in decision.edits] == ["tokenise"]


def test_types_nobody_named_are_redacted() -> None:
    """The default action stands behind every list of rules."""
    found = (Detection("EMPLOYEE_BADGE", 0, 4, 0.9, "custom"),)
    decision = decided(load("builtin/gdpr-default"), found=found)
    assert [(e.action, e.rule) for e in decision.edits] == [("redact", "default")]
    assert decision.edits[0].params["mark"] == "[employee_badge]"


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        *((k, "tokenise") for k in ("PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER", "USERNAME")),
        *((k, "redact") for k in ("API_KEY", "PASSWORD", "PRIVATE_KEY", "CREDIT_CARD", "IBAN_CODE",
                                  "BANK_ACCOUNT", "CRYPTO", "US_SSN", "US_ITIN", "NATIONAL_ID",
                                  "PASSPORT", "TAX_ID", "DRIVER_LICENSE", "MEDICAL_LICENSE",
                                  "IP_ADDRESS", "MAC_ADDRESS")),
        *((k, "generalise") for k in ("STREET_ADDRESS", "COORDINATES", "POSTCODE",
                                      "DATE_OF_BIRTH")),
        *((k, "encrypt") for k in ("MEDICAL_CONDITION", "MEDICATION")),
        *((k, None) for k in ("DATE_TIME", "NRP", "ORGANIZATION", "LOCATION", "AGE", "MONEY",
                              "RELATIONSHIP", "URL")),
    ],
)  # fmt: skip
def test_what_the_default_policy_does_with_each_type(kind: str, action: str | None) -> None:
    """The table of the default policy, type by type."""
    decision = decided(load("builtin/gdpr-default"), found=(Detection(kind, 0, 4, 0.9, "t"),))
    assert [e.action for e in decision.edits] == ([action] if action else [])
    assert decision.tags == (f"pii:{kind.lower()}",)
    assert decision.outcome == "allow"
