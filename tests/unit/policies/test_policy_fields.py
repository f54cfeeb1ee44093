"""Every field of the language has an effect that can be observed, or is listed as having none."""

import ast
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from detectors.detection import CategoryScore, Detection
from policies import Context, Policy, PolicyError, Preferences, apply_edits, decide, load_text
from policies.access import (
    detection_tier,
    exception_allowed,
    export,
    extraction,
    identifying,
    quarantine_ends,
    recipients,
)
from policies.decay import Aged, evict
from policies.durations import parse
from policies.inventory import every_field
from policies.preferences import bound
from policies.retention import fate

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
WITHOUT_EFFECT = {"description", "write.entities[].description", "write.texts[].description"}
# The packages that act on a field the policies package itself does not act on.
ELSEWHERE = {"gateway", "erasure", "rights"}


def base() -> dict[str, Any]:
    """A policy that uses every part of the language."""
    return {
        "apiVersion": "expunge/v1",
        "kind": "Policy",
        "name": "base",
        "write": {
            "entities": [
                {"id": "masked", "when": {"entities": ["PHONE_NUMBER"]}, "action": "mask",
                 "mask": {"keep": 3}},
                {"id": "replaced", "when": {"entities": ["URL"]}, "action": "replace",
                 "replacement": "(link)"},
                {"id": "coarse", "when": {"entities": ["DATE_TIME"]}, "action": "generalise",
                 "to": "month"},
            ],
            "texts": [{"id": "tools", "when": {"sources": ["tool"]}, "action": "tag"}],
        },
        "retention": {"categories": {"financial": {"types": ["MONEY"]}},
                      "decay": {"strategy": "fifo", "budget": 2}},
        "residency": {"stay": {"eu": ["EU"]}},
        "erasure": {"identify": {"email": ["document"]}},
        "notifications": {"recipients": {"crm": {"url": "https://crm.example.org/hook"}}},
        "poisoning": {"release_after": "P30D"},
    }  # fmt: skip


def entity(**change: Any) -> dict[str, Any]:
    """The base with its first entity rule changed."""
    return _rule("entities", 0, change)


def when(**change: Any) -> dict[str, Any]:
    """The base with a condition added to its first entity rule."""
    return _rule("entities", 0, {"when": {"entities": ["PHONE_NUMBER"]} | change})


def text_when(**change: Any) -> dict[str, Any]:
    """The base with the conditions of its text rule changed."""
    return _rule("texts", 0, {"when": change})


def _rule(name: str, index: int, change: dict[str, Any]) -> dict[str, Any]:
    changed = base()
    changed["write"][name][index] = changed["write"][name][index] | change
    return changed


def put(path: str, value: Any) -> dict[str, Any]:
    """The base with one value set."""
    changed = base()
    place: Any = changed
    *steps, last = path.split(".")
    for step in steps:
        place = place.setdefault(step, {})
    place[last] = value
    return changed


TIER = "retention.tiers"
CATEGORY = "retention.categories"
CONDITIONS: dict[str, Any] = {
    "operations": ["search"],
    "categories": ["health"],
    "owners": ["run:r-1"],
    "purposes": ["marketing"],
    "consent": ["biometric"],
    "no_consent": ["long_term"],
    "regions": ["EU"],
    "sources": ["document"],
    "languages": ["fi"],
    "infer": True,
    "older_than": "P30D",
}
FLIPS: dict[str, dict[str, Any]] = {
    "apiVersion": put("apiVersion", "expunge/v2"),
    "kind": put("kind", "Profile"),
    "name": put("name", "other"),
    "extends": put("extends", "builtin/never-forget"),
    "detection.tier": put("detection.tier", "fast"),
    "detection.upstreams": put("detection.upstreams", {"mem0": "structured"}),
    "detection.routes": put("detection.routes", {"search": "fast"}),
    "write.default_action": put("write.default_action", "tag"),
    "write.category_threshold": put("write.category_threshold", 0.95),
    "write.max_characters": put("write.max_characters", 50),
    "write.languages": put("write.languages", ["*"])
    | {"write": base()["write"] | {"languages": ["*"], "unsupported_language": "reject"}},
    "write.unsupported_language": {
        **base(), "write": base()["write"] | {"languages": ["en"],
                                              "unsupported_language": "quarantine"}},
    "write.mark": put("write.mark", "<{type}>"),
    "write.custom_types": put("write.custom_types", ["BADGE"])
    | {"write": base()["write"] | {"custom_types": ["PERSON"]}},
    "write.entities[].id": entity(id="renamed"),
    "write.entities[].tier": entity(tier="short_term"),
    "write.entities[].when.entities": when(entities=["PERSON"]),
    "write.entities[].when.min_score": when(min_score=0.95),
    "write.entities[].action": entity(action="redact", mask=None),
    "write.entities[].replacement": _rule("entities", 1, {"replacement": "(gone)"}),
    "write.entities[].mask.keep": entity(mask={"keep": 1}),
    "write.entities[].mask.side": entity(mask={"keep": 3, "side": "start"}),
    "write.entities[].mask.character": entity(mask={"keep": 3, "character": "#"}),
    "write.entities[].to": _rule("entities", 2, {"to": "year"}),
    "write.texts[].id": _rule("texts", 0, {"id": "renamed"}),
    "write.texts[].tier": _rule("texts", 0, {"tier": "short_term"}),
    "write.texts[].action": _rule("texts", 0, {"action": "encrypt"}),
    "write.texts[].categories": _rule("texts", 0, {"categories": ["health"]}),
    **{f"write.entities[].when.{k}": when(**{k: v}) for k, v in CONDITIONS.items()},
    **{f"write.texts[].when.{k}": text_when(**{k: v}) for k, v in CONDITIONS.items()},
    "blocklist.action": put("blocklist.action", "redact"),
    "retention.automatic": put("retention.automatic", False),
    "retention.legal_maximum": put("retention.legal_maximum", "P2Y"),
    "retention.session_limit": put("retention.session_limit", "PT2H"),
    "retention.default_tier": put("retention.default_tier", "short_term"),
    "retention.consent": put("retention.consent", "biometric"),
    "retention.prompt_before": put("retention.prompt_before", "P1D"),
    "retention.pin_overrides_maximum": put("retention.pin_overrides_maximum", True),
    "retention.silence.effect": put("retention.silence.effect", "erase"),
    "retention.silence.after": put("retention.silence.after", "P14D"),
    f"{TIER}.NAME.duration": put(f"{TIER}.short_term.duration", "P8D")
    | {"retention": {"default_tier": "short_term",
                     "tiers": {"short_term": {"duration": "P8D"}}}},
    f"{TIER}.NAME.auto_delete": put(f"{TIER}.sensitive_auto.auto_delete", False),
    f"{TIER}.NAME.user_extendable": put(f"{TIER}.medium_term.user_extendable", False)
    | {"retention": {"default_tier": "medium_term",
                     "tiers": {"medium_term": {"user_extendable": False}}}},
    f"{TIER}.NAME.user_prompted": put(f"{TIER}.sensitive.user_prompted", False),
    f"{TIER}.NAME.explicit_consent": put(f"{TIER}.long_term.explicit_consent", False)
    | {"retention": {"tiers": {"long_term": {"explicit_consent": False, "fallback": None}}}},
    f"{TIER}.NAME.encrypted": put(f"{TIER}.sensitive_auto.encrypted", False),
    f"{TIER}.NAME.fallback": put(f"{TIER}.long_term.fallback", "short_term"),
    f"{CATEGORY}.NAME.tier": put(f"{CATEGORY}.health.tier", "sensitive_auto"),
    f"{CATEGORY}.NAME.default": put(f"{CATEGORY}.health.default", "P9D"),
    f"{CATEGORY}.NAME.maximum": put(f"{CATEGORY}.health.maximum", "P2Y"),
    f"{CATEGORY}.NAME.explicit_consent": put(f"{CATEGORY}.preferences.explicit_consent", True),
    f"{CATEGORY}.NAME.types": put(f"{CATEGORY}.financial.types", []),
    "retention.decay.strategy": put("retention.decay.strategy", "none"),
    "retention.decay.budget": put("retention.decay.budget", 1),
    "read.extraction.action": put("read.extraction.action", "refuse"),
    "read.extraction.window": put("read.extraction.window", "PT1H"),
    "read.extraction.distinct_items": put("read.extraction.distinct_items", 5),
    "read.export.confirm": put("read.export.confirm", []),
    "read.export.refuse_purposes": put("read.export.refuse_purposes", []),
    "read.default_purpose": put("read.default_purpose", "marketing"),
    "read.unknown_purpose": put("read.unknown_purpose", "allow"),
    "read.purposes.NAME.deny": put("read.purposes.marketing.deny", []),
    "read.purposes.NAME.external": put("read.purposes.marketing.external", True),
    "erasure.identify": put("erasure.identify.email", ["document", "contact_confirmed"]),
    "erasure.exceptions": put("erasure.exceptions", []),
    "residency.stay": put("residency.stay.eu", ["EU", "US"]),
    "residency.local_only": put("residency.local_only", []),
    "residency.unknown_region": put("residency.unknown_region", "reject"),
    "consent.names": put("consent.names", ["long_term"]),
    "consent.threshold": put("consent.threshold", 0.95),
    "consent.required.NAME.consent": put("consent.required.biometric.consent", ["long_term"]),
    "consent.required.NAME.without": put("consent.required.biometric.without", "quarantine"),
    "notifications.recipients.NAME.url": put("notifications.recipients.crm.url", "https://x.example"),
    "notifications.recipients.NAME.contact": put("notifications.recipients.crm.contact", "desk"),
    "notifications.recipients.NAME.events": put("notifications.recipients.crm.events",
                                                ["restriction"]),
    "poisoning.action": put("poisoning.action", "reject"),
    "poisoning.threshold": put("poisoning.threshold", 0.9),
    "poisoning.checks": put("poisoning.checks", []),
    "poisoning.trusted_sources": put("poisoning.trusted_sources", ["tool"]),
    "poisoning.release_after": put("poisoning.release_after", "P60D"),
}  # fmt: skip
# Flips whose starting point is not the plain base, so that only the one field differs.
BASES: dict[str, dict[str, Any]] = {
    "write.unsupported_language": {
        **base(), "write": base()["write"] | {"languages": ["en"],
                                              "unsupported_language": "reject"}},
    "write.languages": put("write.unsupported_language", "reject"),
    f"{TIER}.NAME.duration": base() | {"retention": {"default_tier": "short_term"}},
    f"{TIER}.NAME.user_extendable": base() | {"retention": {"default_tier": "medium_term"}},
    f"{TIER}.NAME.explicit_consent": base() | {"retention": {}},
    "write.custom_types": {**base(), "write": base()["write"] | {
        "entities": [{"id": "badges", "when": {"entities": ["BADGE"]}, "action": "redact"}]}},
}  # fmt: skip
FLIPS["write.custom_types"] = json.loads(json.dumps(BASES["write.custom_types"]))
FLIPS["write.custom_types"]["write"]["custom_types"] = ["BADGE"]

TEXT = "call 555-0134 see x.example/7 on 14 May 1987, 52,000 for Alva"
FOUND = (
    Detection("PHONE_NUMBER", 5, 13, 0.9, "p"),
    Detection("URL", 18, 29, 0.9, "p"),
    Detection("DATE_TIME", 33, 44, 0.9, "p"),
    Detection("MONEY", 46, 52, 0.9, "p"),
    Detection("ODD", 53, 56, 0.9, "p"),
)
BLOCKED = (Detection("PERSON", 57, 61, 1.0, "blocklist"),)


def contexts() -> Iterator[tuple[dict[str, float], Context]]:
    """Circumstances that between them touch every condition and check."""
    for categories in ({}, {"health": 0.9}, {"financial": 0.9}, {"location": 0.9},
                       {"biometric": 0.9}, {"preferences": 0.9}):  # fmt: skip
        for change in CIRCUMSTANCES:
            given = {"operation": "write", "at": NOW, "text_length": len(TEXT)} | change
            yield categories, Context(**given)


CIRCUMSTANCES: tuple[dict[str, Any], ...] = (
    {},
    {"operation": "read", "purpose": "marketing"},
    {"purpose": "unheard-of"},
    {"operation": "read", "purpose": "marketing", "preferences": Preferences(sharing=False)},
    {"operation": "search", "source": "tool"},
    {"source": "tool", "owners": frozenset({"run:r-1"})},
    {"source": "document", "language": "fi", "infer": True},
    {"consents": frozenset({"long_term"})},
    {"consents": frozenset({"biometric"}), "upstream_region": "EU"},
    {"region": "EU", "source": "tool"},
    {"region": "EU", "upstream_region": "US"},
    {"content_at": NOW - timedelta(days=60), "source": "tool"},
    {"suspicion": {"instruction": 0.8}, "source": "tool"},
    {"preferences": Preferences(pinned=True)},
    {"preferences": Preferences(pinned=True, maximum=parse("P60D"))},
)


def observed(document: dict[str, Any]) -> dict[str, Any]:
    """Everything about a policy that can be seen from outside; its faults if it has any."""
    try:
        policy = load_text(json.dumps(document).encode())
    except PolicyError as error:
        return {"faults": [(fault.path, fault.message) for fault in error.errors]}
    return {
        "name": policy.name,
        "decisions": [decided(policy, c, x) for c, x in contexts()],
        "blocked": decide(policy, BLOCKED, (), Context("write", NOW, text_length=61)).outcome,
        "access": accessed(policy),
        "decay": decayed(policy),
    }


def decided(policy: Policy, categories: dict[str, float], context: Context) -> Any:
    """A decision and the text that comes out."""
    scores = [CategoryScore(name, score) for name, score in categories.items()]
    found = decide(policy, FOUND, scores, context)
    end = fate(policy, found.tier, found.expires_at, context.at)
    text = apply_edits(TEXT, found.edits, lambda edit, _: f"<{edit.action}>")
    return (found.outcome, found.reason, text, found.tier, found.expires_at, found.prompt_at,
            found.rules, found.categories, end)  # fmt: skip


def accessed(policy: Policy) -> Any:
    """What the accessors say."""
    return (
        [bound(policy, name) for name in policy.retention.categories],
        [export(policy, ["health"], purpose=p, confirmed=False) for p in (None, "training")],
        [recipients(policy, event) for event in ("erasure", "restriction")],
        extraction(policy),
        [detection_tier(policy, "mem0", route) for route in ("search", "write")],
        exception_allowed(policy, "gdpr.17.3.e_legal_claims"),
        [identifying(policy, channel) for channel in ("email", "letter", None)],
        quarantine_ends(policy, NOW),
    )


def decayed(policy: Policy) -> Any:
    """Which of some memories go under the budget."""
    memories = [Aged(str(age), NOW - timedelta(days=age)) for age in (40, 30, 20, 10)]
    return evict(policy.retention.decay, memories)


@cache
def observed_base() -> dict[str, Any]:
    """The base policy as seen from outside."""
    return observed(base())


FIELDS = {fact.path: fact for fact in every_field()}
HERE = [path for path, fact in FIELDS.items()
        if path not in WITHOUT_EFFECT and fact.effect not in ELSEWHERE]  # fmt: skip
THERE = [path for path, fact in FIELDS.items() if fact.effect in ELSEWHERE]


@pytest.mark.parametrize("path", HERE)
def test_changing_a_field_changes_what_happens(path: str) -> None:
    """A field without a flip here, or a flip without a difference, has no effect: not allowed."""
    assert path in FLIPS, "a new field needs a flip that shows its effect"
    before = observed(BASES[path]) if path in BASES else observed_base()
    assert "faults" not in before or path == "write.custom_types"
    assert observed(FLIPS[path]) != before


def test_every_flip_belongs_to_a_field() -> None:
    """A removed field takes its flip with it."""
    assert set(FLIPS) <= set(HERE)
    assert set(FIELDS) >= WITHOUT_EFFECT


def test_descriptions_change_nothing() -> None:
    """They are for the reader; not even the digest follows them."""
    described = base() | {"description": "words"}
    described["write"]["entities"][0]["description"] = "more words"
    described["write"]["texts"][0]["description"] = "and more"
    assert observed(described) == observed_base()


def read_in(tree: ast.Module) -> set[tuple[str, str]]:
    """(section, field) of every attribute read, also through a name given to the section."""
    named = dict(alias for node in ast.walk(tree) for alias in aliases(node))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Attribute):
                found.add((node.value.attr, node.attr))
            elif isinstance(node.value, ast.Name) and node.value.id in named:
                found.add((named[node.value.id], node.attr))
    return found


def aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names given to attributes by an assignment, one by one or in a row."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=True))
        for name, value in pairs:
            if isinstance(name, ast.Name) and isinstance(value, ast.Attribute):
                yield name.id, value.attr


@cache
def service() -> tuple[ast.Module, ...]:
    """The code of the service."""
    return tuple(ast.parse(f.read_text("utf-8")) for f in sorted((ROOT / "proxy").rglob("*.py")))


@cache
def read_by_the_service() -> set[tuple[str, str]]:
    """Every section and field that the code of the service reads."""
    return {pair for tree in service() for pair in read_in(tree)}


@pytest.mark.parametrize("path", THERE)
def test_fields_of_other_packages_are_read_there(path: str) -> None:
    """A field that says it has its effect in the service is read by the service."""
    section, field = path.split(".")[-2:]
    assert (section, field) in read_by_the_service()


def test_a_field_nobody_reads_is_noticed() -> None:
    """The check above can fail: it tells sections apart and follows names."""
    code = "section, other = policy.erasure, 1\nsection.grace\npolicy.read.unknown\nx.derived\n"
    found = read_in(ast.parse(code))
    assert {("erasure", "grace"), ("read", "unknown")} <= found
    assert ("erasure", "derived") not in found


def called_in(tree: ast.Module) -> set[str]:
    """Functions of the policies package that a module calls, with the module they come from."""
    known = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "policies"
        for alias in node.names
    }
    found = set()
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in known:
            found.add(known[called.id])
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            module = known.get(called.value.id)
            found |= {f"{module}.{called.attr}"} if module else set()
    return found


@cache
def called_by_the_service() -> set[str]:
    """Every function of the policies package that the service calls."""
    return {name for tree in service() for name in called_in(tree)}


def function_of(effect: str) -> str:
    """Where the function stands that a field names; short names are the package's own."""
    name = effect.removesuffix("()")
    return name if "." in name else f"policies.{name}"


EFFECTS = sorted({FIELDS[path].effect for path in HERE})


@pytest.mark.parametrize("effect", EFFECTS)
def test_what_a_field_acts_through_is_called_by_the_service(effect: str) -> None:
    """A function that only the policies package and its tests call gives a field no effect."""
    assert function_of(effect) in called_by_the_service()


def test_a_function_nobody_calls_is_noticed() -> None:
    """The check above can fail: importing is not calling, and other modules' names do not count."""
    code = (
        "from policies import access, decide as ask\n"
        "from policies.decay import evict\n"
        "from elsewhere import fate\n"
        "ask(1)\naccess.export(1)\nfate(1)\n"
    )
    assert called_in(ast.parse(code)) == {"policies.decide", "policies.access.export"}
    assert function_of("policies.decay.evict()") not in called_in(ast.parse(code))
