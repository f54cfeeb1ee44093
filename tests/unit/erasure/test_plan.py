"""Decisions of the planner, and the digest that binds them."""

import pytest

from proxy.erasure.plans.plan import Edge, Finding, Rules, decide, digest

SOURCE = Finding("a", direct=True)


def actions(*findings: Finding, **rules: object) -> dict[str, str]:
    """Action by key."""
    return {each.key: each.action for each in decide(findings, Rules(**rules))}  # type: ignore[arg-type]


def derived(key: str, *sources: str, **more: object) -> Finding:
    """A derived finding."""
    return Finding(key, edges=tuple(Edge(each, "primary") for each in sources), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("delete", "delete"), ("redact", "redact"), ("regenerate", "regenerate")],
)
def test_what_derives_follows_the_policy(rule: str, expected: str) -> None:
    """With a source that stays, the rule decides."""
    assert actions(SOURCE, derived("d", "a", "row:x"), derived=rule)["d"] == expected


def test_without_any_source_left_it_goes() -> None:
    """Nothing can be regenerated from nothing."""
    assert actions(SOURCE, derived("d", "a"), derived="regenerate")["d"] == "delete"


def test_a_cycle_ends() -> None:
    """Two memories that derive from each other are decided once."""
    found = actions(SOURCE, derived("b", "a", "c"), derived("c", "b"))
    assert found == {"a": "delete", "b": "delete", "c": "delete"}


def test_a_greeting_does_not_cascade() -> None:
    """The item itself goes; what derives from it is not even in the plan."""
    greeting = Finding("a", direct=True, role="mentioned")
    assert actions(greeting, derived("d", "a")) == {"a": "delete"}


def test_another_persons_fact_stays() -> None:
    """A derived memory mainly about someone else loses only its edge, unless strict."""
    assert actions(SOURCE, derived("d", "a", independent=True))["d"] == "keep"
    assert (
        actions(SOURCE, derived("d", "a", independent=True), inferences="strict")["d"] == "delete"
    )


def test_primary_scope_leaves_tangential_mentions() -> None:
    """Both scopes over the same findings."""
    side = Finding("s", direct=True, primary=False)
    assert actions(SOURCE, side, scope="primary") == {"a": "delete", "s": "keep"}
    assert actions(SOURCE, side, scope="any_mention") == {"a": "delete", "s": "delete"}


def test_a_hold_wins() -> None:
    """What is held is neither deleted nor rewritten, and says why."""
    (item,) = decide([Finding("a", direct=True, held="legal_claims")], Rules())
    assert (item.action, item.reason) == ("hold", "legal_claims")


def test_the_digest_is_of_the_exact_items() -> None:
    """Order does not matter; any other change does."""
    rows = [("mem0", b"\0", "direct", "delete"), ("mem0", b"\1", "direct", "delete")]
    same = digest(reversed(rows), scope="any_mention", target="t", policy_digest="p")
    assert digest(rows, scope="any_mention", target="t", policy_digest="p") == same
    others = [
        digest(rows[:1], scope="any_mention", target="t", policy_digest="p"),
        digest(rows, scope="primary", target="t", policy_digest="p"),
        digest(rows, scope="any_mention", target="u", policy_digest="p"),
        digest(rows, scope="any_mention", target="t", policy_digest="q"),
        digest([*rows[:1], ("mem0", b"\1", "direct", "redact")], scope="any_mention", target="t",
               policy_digest="p"),
    ]  # fmt: skip
    assert same not in others
    assert len(set(others)) == len(others)
