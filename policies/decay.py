"""Forgetting under a budget: which memories go first when an owner has too many."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from policies.schema.retention import Decay


@dataclass(frozen=True, slots=True)
class Aged:
    """What the choice is made by: nothing of a memory's content or use."""

    ref: str
    created_at: datetime
    pinned: bool = False


def evict(rules: Decay, memories: Iterable[Aged], *, seed: int = 0) -> list[str]:
    """Refs of the memories of one owner that are beyond the budget, first to go first.

    Pinned memories count but stay. ``seed`` makes the random strategy repeatable.
    """
    if rules.strategy == "none":
        return []
    known = sorted(memories, key=lambda memory: (memory.created_at, memory.ref))
    free = [memory.ref for memory in known if not memory.pinned]
    if rules.strategy == "random":
        random.Random(seed).shuffle(free)  # noqa: S311  (no secret depends on it)
    return free[: max(0, len(known) - rules.budget)]
