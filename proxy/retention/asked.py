"""What a review asks a data subject, and what becomes of it without an answer; no content."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from policies import Policy
from policies.prompts import question, silence
from policies.retention import Fate, fate
from proxy.erasure.search.found import Found
from proxy.ledger.memories import Memory
from proxy.ledger.reviews import Review
from proxy.retention.prompts import answer_by

DECISIONS = ("keep_all", "delete", "extend")  # what can be said of a category


def fate_of(policy: Policy, memory: Memory) -> Fate:
    """What happens to a memory at its end if nobody answers."""
    return fate(
        policy, memory.tier, memory.expires_at, memory.created_at, memory.tags,
        answer_by=answer_by(memory),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One memory that is asked about; ``id`` is the store's."""

    id: str
    memory: Memory
    fate: Fate

    def body(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "id": self.id,
            "upstream": self.memory.upstream,
            "categories": list(self.memory.categories),
            "tier": self.memory.tier,
            "created_at": self.memory.created_at.isoformat(),
            "hidden_at": _iso(self.fate.hidden_at),
            "erased_at": _iso(self.fate.erased_at),
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """A review, and what it asks about now."""

    review: Review
    items: Sequence[Item]

    def prompts(self) -> list[dict[str, Any]]:
        """A question for each category, with counts and the earliest dates."""
        groups: dict[str | None, list[Fate]] = defaultdict(list)
        for item in self.items:
            for name in item.memory.categories or (None,):
                groups[name].append(item.fate)
        return [_prompt(name, groups[name]) for name in sorted(groups, key=lambda one: one or "~")]


def asked(policy: Policy, review: Review, found: Sequence[Found]) -> Asked:
    """What a review asks about, of memories whose ids could be opened."""
    rows = ((one.memory_id, one.row) for one in found)
    return Asked(
        review, [Item(name, row, fate_of(policy, row)) for name, row in rows if row is not None]
    )


def _prompt(category: str | None, fates: Sequence[Fate]) -> dict[str, Any]:
    hidden = min(_known(fate.hidden_at for fate in fates), default=None)
    erased = min(_known(fate.erased_at for fate in fates), default=None)
    return {
        "category": category,
        "memories": len(fates),
        "text": f"{question(category)} {silence(hidden, erased)}",
        "hidden_at": _iso(hidden),
        "erased_at": _iso(erased),
        "actions": list(DECISIONS),
    }


def _known(dates: Iterator[datetime | None]) -> Iterator[datetime]:
    return (each for each in dates if each is not None)


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
