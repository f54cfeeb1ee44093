"""Forgetting under a budget: which memories go first."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.decay import Aged, evict
from policies.schema.retention import Decay

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def rules(**values: Any) -> Decay:
    """A decay section."""
    return Decay.model_validate({"strategy": "fifo", "budget": 2} | values)


def aged(ref: str, made: int, *, pinned: bool = False) -> Aged:
    """A memory made so many days ago."""
    return Aged(ref, NOW - timedelta(days=made), pinned)


MEMORIES = (aged("mid", 40), aged("oldest", 90), aged("new", 10), aged("old", 80))


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        pytest.param({"strategy": "none"}, [], id="nothing goes without a strategy"),
        pytest.param({}, ["oldest", "old"], id="first in, first out"),
        pytest.param({"budget": 3}, ["oldest"], id="only what is too many"),
        pytest.param({"budget": 4}, [], id="nothing goes within the budget"),
    ],
)
def test_what_goes(change: dict[str, Any], gone: list[str]) -> None:
    """Strategy and budget say which, and in which order."""
    assert evict(rules(**change), MEMORIES) == gone


def test_random_is_repeatable() -> None:
    """The same seed, the same choice, whatever the order; another seed may choose otherwise."""
    by_chance = rules(strategy="random")
    choices = {tuple(evict(by_chance, MEMORIES, seed=seed)) for seed in range(20)}
    assert len(choices) > 1
    chosen = evict(by_chance, MEMORIES, seed=3)
    assert len(set(chosen)) == 2
    assert chosen == evict(by_chance, reversed(MEMORIES), seed=3)


def test_pinned_memories_count_and_stay() -> None:
    """A pin protects, and takes room that others would have."""
    pinned = aged("pinned", 400, pinned=True)
    assert evict(rules(), [pinned, *MEMORIES]) == ["oldest", "old", "mid"]
    assert evict(rules(budget=1), [pinned]) == []


@settings(max_examples=60)
@given(
    strategy=st.sampled_from(["fifo", "random"]),
    budget=st.integers(1, 5),
    pins=st.lists(st.booleans(), max_size=12),
    seed=st.integers(0, 9),
)
def test_never_more_goes_than_is_too_many(
    strategy: str, budget: int, pins: list[bool], seed: int
) -> None:
    """What is left is the budget, or what is pinned."""
    memories = [aged(str(i), i, pinned=pin) for i, pin in enumerate(pins)]
    gone = evict(rules(strategy=strategy, budget=budget), memories, seed=seed)
    free = {m.ref for m in memories if not m.pinned}
    assert set(gone) <= free
    assert len(gone) == len(set(gone)) == min(len(free), max(0, len(memories) - budget))
