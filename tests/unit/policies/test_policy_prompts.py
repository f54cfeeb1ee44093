"""Prompts: who is asked when, in which words, and what keeping comes to."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from policies import Context, Policy, Preferences, load, load_text
from policies.durations import parse
from policies.prompts import asking, comes, furthest, kept, question, silence
from policies.retention import fate

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)
HEAD = "apiVersion: expunge/v1\nkind: Policy\nname: mine\n"


@pytest.fixture(scope="module")
def gdpr() -> Policy:
    """The default policy."""
    return load("builtin/gdpr-default")


def mine(text: str) -> Policy:
    """A policy that changes the default."""
    return load_text((HEAD + text).encode())


def test_only_tiers_that_ask_ask(gdpr: Policy) -> None:
    """Under never-forget nobody is asked about anything, for nothing ends by itself."""
    assert asking(gdpr) == {"medium_term", "sensitive"}
    assert asking(load("builtin/never-forget")) == set()


@pytest.mark.parametrize(
    ("policy", "prompt", "end", "day"),
    [
        pytest.param("", 23, 30, 23, id="as decided"),
        pytest.param("", None, 30, 23, id="not decided then"),
        pytest.param("", None, 1, None, id="for the session"),
        pytest.param("", 23, None, None, id="no end"),
        pytest.param("", 23, 12, 5, id="an end that came nearer"),
        pytest.param("retention: {prompt_before: P14D}", 23, 30, 16, id="earlier by the policy"),
        pytest.param("retention: {prompt_before: P3D}", 23, 30, 23, id="later by the policy"),
        pytest.param("retention: {automatic: false}", 23, 30, None, id="nothing by itself"),
    ],
)
def test_when_a_prompt_comes(
    policy: str, prompt: int | None, end: int | None, day: int | None
) -> None:
    """The earlier of what was decided and what the policy in force says."""
    at = comes(
        mine(policy), "sensitive", None if prompt is None else NOW + prompt * DAY,
        None if end is None else NOW + end * DAY, NOW,
    )  # fmt: skip
    assert at == (None if day is None else NOW + day * DAY)


@pytest.mark.parametrize(
    ("labels", "tiers", "more", "after", "end", "prompt"),
    [
        pytest.param(["health"], [], {}, 23, 53, 46, id="health"),
        pytest.param(["health"], [], {}, 340, 365, 358, id="health up to a year"),
        pytest.param(["health"], [], {}, 360, 365, None, id="within the notice"),
        pytest.param(["biometric"], [], {}, 23, 30, None, id="biometric no longer"),
        pytest.param(["professional"], [], {}, 83, 173, 166, id="work"),
        pytest.param([], ["medium_term"], {}, 83, 173, 166, id="no category"),
        pytest.param(["health"], [], {"inherited_expiry": NOW + 40 * DAY}, 23, 40, 33, id="source"),
        pytest.param(["professional"], [], {"preferences": Preferences(maximum=parse("P100D"))}, 83,
                     100, 93, id="own maximum"),
        pytest.param(["professional"], [], {"preferences": Preferences(maximum=parse("session"))},
                     0.5, 1, None, id="own maximum of a session"),
    ],
)  # fmt: skip
def test_what_keeping_comes_to(
    gdpr: Policy, labels: list[str], tiers: list[str], more: dict[str, Any], after: float, end: int,
    prompt: int | None,
) -> None:  # fmt: skip
    """The period once more, from now; not beyond category, sources or the subject's maximum."""
    context = Context(operation="write", at=NOW, **more)
    found = kept(gdpr, labels, tiers, context, NOW + after * DAY)
    assert found.at == NOW + end * DAY
    assert found.prompt_at == (None if prompt is None else NOW + prompt * DAY)


def test_a_pin_that_overrides_does_not_lengthen_a_keep() -> None:
    """The subject's own maximum bounds what is said of one memory without a pin."""
    policy = mine("retention: {pin_overrides_maximum: true}")
    context = Context(operation="write", at=NOW, preferences=Preferences(maximum=parse("P50D")))
    assert furthest(policy, ["professional"], [], context) == NOW + 50 * DAY


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("health", "I still have health information stored. Keep or delete?"),
        ("financial", "I still have financial information stored. Keep or delete?"),
        ("professional", "Should I keep remembering what you told me about your work?"),
        (None, "Should I keep remembering what you told me?"),
        ("hobbies", "Should I keep remembering what is filed under hobbies?"),
    ],
)
def test_the_question(category: str | None, said: str) -> None:
    """Sensitive categories are kept or deleted, others remembered."""
    assert question(category) == said


@pytest.mark.parametrize(
    ("hidden", "erased", "said"),
    [
        (30, 37, "Without an answer it is hidden on 2026-02-14 and erased on 2026-02-21."),
        (30, 30, "Without an answer it is erased on 2026-02-14."),
        (None, None, "Without an answer it is kept."),
    ],
)
def test_what_silence_does(hidden: int | None, erased: int | None, said: str) -> None:
    """As the policy has it."""
    dates = [None if day is None else NOW + day * DAY for day in (hidden, erased)]
    assert silence(dates[0], dates[1]) == said


@pytest.mark.parametrize(
    ("policy", "answer_by", "day"),
    [
        pytest.param("", None, 37, id="asked in time"),
        pytest.param("", 31, 37, id="notice within the silence"),
        pytest.param("", 45, 45, id="asked late"),
        pytest.param("retention: {silence: {effect: erase}}", 45, 45, id="erased without hiding"),
        pytest.param("retention: {legal_maximum: P40D}", 45, 40, id="the law before the notice"),
    ],
)
def test_a_late_question_leaves_time_to_answer(
    policy: str, answer_by: int | None, day: int
) -> None:
    """Nothing is erased before the notice is over, but for a maximum; hidden it is at its end."""
    by = None if answer_by is None else NOW + answer_by * DAY
    end = fate(mine(policy), "sensitive", NOW + 30 * DAY, NOW, answer_by=by)
    assert end == (NOW + 30 * DAY, NOW + day * DAY)
    gone = fate(mine(policy), "sensitive_auto", NOW + 30 * DAY, NOW, answer_by=by)
    assert gone == (NOW + 30 * DAY, NOW + 30 * DAY)
