"""Memories that end some day and about which their subjects are asked before, and the sweeper."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import policies
from proxy.ledger import memories, prompts, reviews
from proxy.ledger.memories import Memory
from proxy.ledger.reviews import EXPIRING, Review
from proxy.retention.reviews import Reviews
from proxy.retention.sweeper import Sweeper, SweepResult
from tests.support.erasing import Erasing
from tests.support.holding import row

DAY = timedelta(days=1)


async def ending(
    bench: Erasing, text: str = "Has asthma", *, owner: str = "u-1", days: float = 30,
    category: str | None = "health", **fields: Any,
) -> str:  # fmt: skip
    """A memory as the default policy decides of it: of health it ends after 30 days, asked on 23.

    Args:
        days: until its end.
        fields: other columns of its row.
    """
    categories = [category] if category else []
    memory_id = await bench.remember(owner, text, categories=categories, mentions=[])
    end = bench.means.clock.now() + days * DAY
    given = {"tier": "sensitive", "expires_at": end, "prompt_at": end - 7 * DAY} | fields
    await change(bench, memory_id, **given)
    return memory_id


async def change(bench: Erasing, memory_id: str, **fields: Any) -> None:
    """Change a memory's row."""
    made = await row(bench, memory_id)
    await bench.ledger.write(lambda tx: memories.change(tx, made.id, **fields))


def under(bench: Erasing, lines: str) -> Erasing:
    """The same with other sections of the policy."""
    head = "apiVersion: expunge/v1\nkind: Policy\nname: tested\n"
    policy = policies.load_text((head + lines).encode(), "tested.yaml")
    return replace(bench, means=replace(bench.means, policies=lambda _: policy))


async def sweep(bench: Erasing) -> SweepResult:
    """One sweep by a process that has just started."""
    return await Sweeper(bench.means, bench.service).run_once(trust_clock=True)


def answering(bench: Erasing) -> Reviews:
    """The service that takes the answers."""
    return Reviews(bench.means, bench.service)


async def asking(bench: Erasing, state: str | None = None) -> list[Review]:
    """The reviews of the tenant that ask about what ends soon, oldest first."""
    found = await bench.ledger.read(lambda tx: reviews.of_tenant(tx, bench.tenant_id, state=state))
    return [each for each in reversed(found) if each.reason == EXPIRING]


async def the_review(bench: Erasing) -> Review:
    """The one that is open."""
    (found,) = await asking(bench, "open")
    return found


async def in_question(bench: Erasing) -> list[Memory]:
    """What the open review asks about now."""
    review = await the_review(bench)
    return await bench.ledger.read(lambda tx: prompts.asked(tx, review))
