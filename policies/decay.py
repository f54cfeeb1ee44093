"""Forgetting under a budget: which memories go first when an owner has too many."""

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from policies.durations import as_utc
from policies.schema.retention import Decay

_MOST_IMPORTANT = 10.0
_MANY_READS = 10


@dataclass(frozen=True, slots=True)
class Aged:
    """What is known of a memory's use, without its content; ``importance`` from 0 to 10."""

    ref: str
    created_at: datetime
    accessed_at: datetime
    reads: int = 0
    importance: float = 5.0
    confidence: float = 1.0
    pinned: bool = False


def priority(rules: Decay, memory: Aged, at: datetime) -> float:
    """How much a memory deserves to stay, from 0 to 1: recency, importance and reads."""
    idle = (as_utc(at) - as_utc(memory.accessed_at)).total_seconds()
    half_life = rules.half_life.rank or 1.0
    recency = math.exp2(-max(0.0, idle) / half_life)
    used = min(1.0, math.log1p(memory.reads) / math.log1p(_MANY_READS))
    important = memory.importance / _MOST_IMPORTANT
    rest = max(0.0, 1.0 - rules.importance_weight - rules.access_weight)
    return rest * recency + rules.importance_weight * important + rules.access_weight * used


def confidence(rules: Decay, memory: Aged, at: datetime) -> float:
    """Confidence after stale steps without access and promotions by reads."""
    idle = (as_utc(at) - as_utc(memory.accessed_at)).total_seconds()
    steps = int(max(0.0, idle) // (rules.stale_after.rank or 1.0))
    raised = min(1.0, memory.confidence + memory.reads * rules.promotion)
    return max(rules.floor, raised - steps * rules.stale_step)


def evict(rules: Decay, memories: Iterable[Aged], at: datetime, *, seed: int = 0) -> list[str]:
    """Refs of the memories of one owner that are beyond the budget, first to go first.

    Pinned memories stay. Old unimportant ones (``archive_after``) go whether or not there are
    too many. ``seed`` makes the random strategy repeatable.
    """
    if rules.strategy == "none":
        return []
    free = [memory for memory in memories if not memory.pinned]
    stale = [m for m in free if _archived(rules, m, at)]
    kept = [m for m in free if not _archived(rules, m, at)]
    over = max(0, len(kept) - rules.budget)
    return [m.ref for m in stale] + [m.ref for m in _ordered(rules, kept, at, seed)[:over]]


def _archived(rules: Decay, memory: Aged, at: datetime) -> bool:
    if rules.archive_after is None or memory.importance >= rules.min_importance:
        return False
    return rules.archive_after.after(memory.created_at) <= as_utc(at)


def _ordered(rules: Decay, memories: list[Aged], at: datetime, seed: int) -> list[Aged]:
    if rules.strategy == "random":
        order = sorted(memories, key=lambda m: m.ref)
        random.Random(seed).shuffle(order)  # noqa: S311  (no secret depends on it)
        return order
    keys: dict[str, Callable[[Aged], float]] = {
        "fifo": lambda m: m.created_at.timestamp(),
        "lru": lambda m: m.accessed_at.timestamp(),
        "priority": lambda m: priority(rules, m, at),
        "hybrid": lambda m: priority(rules, m, at) * confidence(rules, m, at),
    }
    key = keys[rules.strategy]
    return sorted(memories, key=lambda m: (key(m), m.ref))
