"""Whatever is thrown at it: loading, retention and diffing keep their promises."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detectors.detection import CategoryScore
from policies import Context, Policy, PolicyError, Preferences, decide, load, load_text
from policies.diff import diff
from policies.durations import Duration, parse
from policies.load import main_file
from policies.retention import fate
from policies.yaml_tree import parse as read_yaml

GDPR = load("builtin/gdpr-default")
NEVER = load("builtin/never-forget")
LEGAL = load_text(
    b"apiVersion: expunge/v1\nkind: Policy\nname: l\nretention: {legal_maximum: P2Y}\n"
)
SOURCE = main_file("builtin/gdpr-default").read_bytes()
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
FAR = datetime(9000, 1, 1, tzinfo=UTC)


def loads(raw: bytes) -> Policy | None:
    """The policy, or None if it is refused; nothing else may happen."""
    try:
        return load_text(raw)
    except PolicyError as error:
        faults = error.errors
    assert faults
    assert all(issue.message for issue in faults)
    return None


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_policy_or_an_error(raw: bytes) -> None:
    """No crash, no policy out of noise."""
    assert loads(raw) is None


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_damaged_policy_is_refused_or_stays_a_policy(data: st.DataObject) -> None:
    """Lines lost, doubled or mixed: an error with a place, or a policy that decides."""
    lines = SOURCE.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        how = data.draw(st.sampled_from(["drop", "double", "swap", "cut"]))
        if how == "drop":
            del lines[at]
        elif how == "double":
            lines.insert(at, lines[at])
        elif how == "swap":
            other = data.draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
    policy = loads(b"".join(lines))
    if policy is not None:
        assert decide(policy, (), (), Context("write", NOW, text_length=1)).tier


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(SOURCE)))
def test_a_policy_cut_anywhere_is_refused_or_complete_yaml(length: int) -> None:
    """Loading itself never crashes on a prefix; the watcher waits until a file holds still."""
    loads(SOURCE[:length])


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=10,
    ),
    st.sampled_from(
        ["write", "retention", "read", "erasure", "residency", "consent", "notifications",
         "poisoning", "blocklist", "extends", "description"]
    ),
)  # fmt: skip
def test_any_value_in_a_section_is_judged(value: object, section: str) -> None:
    """JSON is YAML: whatever stands in a section, the answer is a policy or an error."""
    import json

    document = {"apiVersion": "expunge/v1", "kind": "Policy", "name": "x", section: value}
    loads(json.dumps(document).encode())


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_reading_yaml_never_crashes(text: str) -> None:
    """Data or issues, for every text."""
    tree = read_yaml(text.encode("utf-8", "surrogatepass"), "f")
    assert tree.data is not None or tree.issues


SPANS = st.sampled_from(["PT1H", "P1D", "P7D", "P30D", "P1M", "P90D", "P1Y", "P5Y", "session"])
CATEGORIES = st.lists(st.sampled_from(sorted(GDPR.retention.categories)), max_size=3, unique=True)
WISHES = st.builds(
    Preferences,
    maximum=st.none() | SPANS.map(parse),
    categories=st.dictionaries(
        st.sampled_from(sorted(GDPR.retention.categories)), SPANS.map(parse), max_size=3
    ),
    pinned=st.booleans(),
    exceptions=st.sampled_from([frozenset(), frozenset({"ent_1"})]),
)
CONTEXTS = st.builds(
    Context,
    operation=st.just("write"),
    at=st.datetimes(
        datetime(2020, 1, 1),  # noqa: DTZ001
        datetime(2040, 1, 1),  # noqa: DTZ001
        timezones=st.timezones(),
    ),
    consents=st.sampled_from([frozenset(), frozenset({"long_term"})]),
    preferences=WISHES,
    inherited_expiry=st.none() | st.integers(-5, 900).map(lambda days: NOW + timedelta(days=days)),
    entities=st.sampled_from([frozenset(), frozenset({"ent_1"})]),
)


def end_of(duration: Duration, policy: Policy, at: datetime) -> datetime:
    """When a duration ends; the session at its limit."""
    if duration.session:
        return policy.retention.session_limit.after(at)
    return FAR if duration.indefinite else duration.after(at)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CATEGORIES, CONTEXTS, st.booleans())
def test_nothing_is_kept_beyond_any_limit(
    categories: list[str], context: Context, legal: bool
) -> None:
    """Bounds of every category, the subject's maximum, the sources' expiry, the law's maximum."""
    policy = LEGAL if legal else GDPR
    scores = [CategoryScore(name, 0.9) for name in categories]
    decision = decide(policy, (), scores, context)
    ends = decision.expires_at or FAR
    slack = timedelta(days=2)  # months and years are compared by their usual length
    for name in categories:
        maximum = policy.retention.categories[name].maximum
        assert ends <= end_of(maximum, policy, context.at) + slack
    wishes = context.preferences
    if wishes.maximum is not None:
        pinned = wishes.pinned and policy.retention.pin_overrides_maximum
        assert pinned or ends <= end_of(wishes.maximum, policy, context.at) + slack
    if context.inherited_expiry is not None:
        assert ends <= context.inherited_expiry
    if policy.retention.legal_maximum is not None:
        assert ends <= policy.retention.legal_maximum.after(context.at)


@settings(max_examples=100, deadline=None)
@given(CATEGORIES, CONTEXTS)
def test_never_forget_never_ends_anything(categories: list[str], context: Context) -> None:
    """Whatever the circumstances."""
    scores = [CategoryScore(name, 0.9) for name in categories]
    decision = decide(NEVER, (), scores, context)
    assert decision.expires_at is None
    assert fate(NEVER, decision.tier, decision.expires_at, NOW) == (None, None)


@settings(max_examples=200, deadline=None)
@given(CATEGORIES, CONTEXTS)
def test_prompts_and_ends_are_in_order(categories: list[str], context: Context) -> None:
    """A prompt comes before the end, hiding before erasure."""
    scores = [CategoryScore(name, 0.9) for name in categories]
    decision = decide(GDPR, (), scores, context)
    end = fate(GDPR, decision.tier, decision.expires_at, NOW)
    if decision.prompt_at is not None and decision.expires_at is not None:
        assert decision.prompt_at <= max(decision.expires_at, context.at)
    if end.hidden_at is not None and end.erased_at is not None:
        assert end.hidden_at <= end.erased_at


CHANGES = st.dictionaries(
    st.sampled_from(["max_items", "unknown", "unknown_purpose"]), st.integers(1, 3), max_size=3
)


@settings(max_examples=25, deadline=None)
@given(CHANGES, CHANGES)
def test_diff_is_empty_exactly_when_nothing_differs(a: dict[str, int], b: dict[str, int]) -> None:
    """A changed policy never looks unchanged."""
    values = {
        "max_items": ["5", "6", "7"],
        "unknown": ["index", "hide", "allow"],
        "unknown_purpose": ["deny", "allow", "deny"],
    }
    policies = []
    for change in (a, b):
        read = ", ".join(f"{key}: {values[key][n - 1]}" for key, n in change.items())
        text = f"apiVersion: expunge/v1\nkind: Policy\nname: x\nread: {{{read}}}\n"
        policies.append(load_text(text.encode()))
    before, after = policies
    assert (diff(before, after) == []) == (before.digest == after.digest)


@pytest.mark.parametrize("size", [10, 400])
def test_a_long_policy_loads(size: int) -> None:
    """Rules by the hundred, each about a source of its own."""
    rules = "".join(
        f"    - {{id: r{i}, when: {{entities: [PERSON], sources: [s{i}]}}, action: tag}}\n"
        for i in range(size)
    )
    text = f"apiVersion: expunge/v1\nkind: Policy\nname: x\nwrite:\n  entities:\n{rules}"
    assert len(load_text(text.encode()).write.entities) == size + len(GDPR.write.entities)
