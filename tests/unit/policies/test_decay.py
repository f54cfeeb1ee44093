"""Forgetting under a budget: which memories go first, and how confidence fades."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.decay import Aged, confidence, evict, priority
from policies.schema.retention import Decay

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def rules(**values: Any) -> Decay:
    """A decay section."""
    return Decay.model_validate({"strategy": "priority", "budget": 2} | values)


def aged(ref: str, made: int, used: int, **known: Any) -> Aged:
    """A memory made and last used so many days ago."""
    return Aged(ref, NOW - timedelta(days=made), NOW - timedelta(days=used), **known)


MEMORIES = (
    aged("old-used", 90, 1, reads=9, importance=9.0),
    aged("old-idle", 80, 80, importance=2.0),
    aged("new-idle", 10, 10, importance=2.0),
    aged("mid-used", 40, 2, reads=3, importance=5.0),
)


@pytest.mark.parametrize(
    ("strategy", "gone"),
    [
        ("none", []),
        ("fifo", ["old-used", "old-idle"]),
        ("lru", ["old-idle", "new-idle"]),
        ("priority", ["old-idle", "new-idle"]),
        ("hybrid", ["old-idle", "new-idle"]),
    ],
)
def test_each_strategy_chooses(strategy: str, gone: list[str]) -> None:
    """First in first out, least recently used, least priority, priority times confidence."""
    assert evict(rules(strategy=strategy), MEMORIES, NOW) == gone


def test_random_is_repeatable() -> None:
    """The same seed, the same choice; another seed may choose otherwise."""
    choices = {tuple(evict(rules(strategy="random"), MEMORIES, NOW, seed=s)) for s in range(20)}
    assert len(choices) > 1
    assert len(set(evict(rules(strategy="random"), MEMORIES, NOW, seed=3))) == 2
    again = [evict(rules(strategy="random"), reversed(MEMORIES), NOW, seed=3) for _ in range(2)]
    assert again[0] == again[1] == evict(rules(strategy="random"), MEMORIES, NOW, seed=3)


def test_nothing_goes_within_the_budget() -> None:
    """Four memories, room for four."""
    assert evict(rules(budget=4), MEMORIES, NOW) == []


def test_pinned_memories_stay() -> None:
    """They do not count either."""
    pinned = aged("pinned", 900, 900, importance=0.0, pinned=True)
    assert "pinned" not in evict(rules(budget=1), (pinned, *MEMORIES), NOW)


def test_old_unimportant_memories_go_whether_or_not_there_are_too_many() -> None:
    """After `archive_after`, below `min_importance`; an important twin stays."""
    archive = rules(budget=100, archive_after="P365D")
    low, high = (aged(str(i), 400, 1, importance=i) for i in (4.0, 6.0))
    assert evict(archive, (low, high), NOW) == ["4.0"]
    assert evict(archive, (aged("young", 300, 1, importance=4.0),), NOW) == []


def test_reading_outranks_a_twin_that_is_not_read() -> None:
    """Access resists decay."""
    read, unread = aged("a", 50, 40, reads=2), aged("b", 50, 40)
    assert priority(rules(), read, NOW) > priority(rules(), unread, NOW)


@pytest.mark.parametrize(
    ("idle", "reads", "expected"),
    [(0, 0, 0.9), (29, 0, 0.9), (30, 0, 0.75), (60, 0, 0.6), (180, 0, 0.1), (999, 0, 0.1),
     (0, 1, 1.0), (60, 1, 0.7)],
)  # fmt: skip
def test_confidence_falls_by_steps_to_a_floor(idle: int, reads: int, expected: float) -> None:
    """0.15 a step, never below 0.1, raised by reads."""
    memory = aged("m", 999, idle, reads=reads, confidence=0.9)
    assert confidence(rules(), memory, NOW) == pytest.approx(expected)


@settings(deadline=None)
@given(st.integers(0, 4000), st.integers(0, 500), st.floats(0, 10), st.floats(0, 1))
def test_figures_stay_in_range(idle: int, reads: int, importance: float, sure: float) -> None:
    """Priority and confidence are between nought and one; idling never raises them."""
    memory = aged("m", 4000, idle, reads=reads, importance=importance, confidence=sure)
    later = NOW + timedelta(days=100)
    for figure in (priority, confidence):
        assert 0.0 <= figure(rules(), memory, later) <= figure(rules(), memory, NOW) <= 1.0
