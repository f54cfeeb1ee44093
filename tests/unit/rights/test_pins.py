"""A pinned memory is kept within the bounds, and let go again."""

from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.ledger import memories
from proxy.problems import Problem
from proxy.retention.sweeper import Sweeper
from proxy.rights.pins import Pins
from proxy.rights.wishes import Wishes
from tests.support.erasing import OPERATOR, Erasing
from tests.support.holding import row, told

DAY = timedelta(days=1)


async def kept(bench: Erasing, **fields: Any) -> str:
    """A memory that ends in a week; gives the store's id."""
    memory_id = await bench.remember("u-1", "Likes rye bread")
    made = await row(bench, memory_id)
    fields = {"tier": "short_term", "expires_at": made.created_at + 7 * DAY} | fields
    await bench.ledger.write(lambda tx: memories.change(tx, made.id, **fields))
    return memory_id


@pytest.mark.parametrize(
    ("categories", "tier", "wish", "days"),
    [
        ([], "short_term", {}, None),
        (["professional"], "medium_term", {}, None),
        (["health"], "sensitive", {}, 366),
        (["location"], "ephemeral", {}, 7),
        (["professional", "location"], "ephemeral", {}, 7),
        (["professional"], "medium_term", {"maximum": "P60D"}, 60),
        (["professional"], "ephemeral", {}, 1),
    ],
    ids=["none", "unbounded", "a year", "a week", "the shortest", "own maximum", "a rule's tier"],
)
async def test_a_pin_reaches_to_the_bound(
    bench: Erasing, categories: list[str], tier: str, wish: dict[str, str], days: int | None
) -> None:
    """Counted from when the memory was made; the subject's own maximum goes before a pin."""
    memory_id = await kept(bench, categories=categories, tier=tier)
    if wish:
        await Wishes(bench.means).prefer(bench.tenant_id, ("user", "u-1"), wish, actor=OPERATOR)
    done = await Pins(bench.means).pin(bench.tenant_id, await row(bench, memory_id), actor=OPERATOR)
    now = await row(bench, memory_id)
    assert (now.pinned, now.expires_at) == (True, done.expires_at)
    age = now.expires_at - now.created_at if now.expires_at else None
    if days is None:
        assert age is None
    else:
        assert age is not None
        assert timedelta(days=days - 1) <= age <= timedelta(days=days)
    assert [entry["memory"] for entry in await told(bench, "memory.pinned")] == [now.id]


async def test_the_sweeper_leaves_it_until_the_bound(bench: Erasing, clock: FrozenClock) -> None:
    """Pinned it outlives its week; at the end of the bound it goes; without the pin at once."""
    long_, short = await kept(bench), await kept(bench)
    bounded = await kept(bench, categories=["location"])
    pins = Pins(bench.means)
    for memory_id in (long_, bounded):
        await pins.pin(bench.tenant_id, await row(bench, memory_id), actor=OPERATOR)
    clock.advance(8 * DAY)
    await Sweeper(bench.means, bench.service).run_once(trust_clock=True)
    states = [(await row(bench, each)).state for each in (long_, short, bounded)]
    assert states == ["live", "erased", "erased"]
    await pins.pin(bench.tenant_id, await row(bench, long_), actor=OPERATOR, pinned=False)
    now = await row(bench, long_)
    assert (now.pinned, now.expires_at) == (False, now.created_at + 7 * DAY)


async def test_nothing_outlives_its_sources(bench: Erasing) -> None:
    """A pinned summary ends with the turn it was made of."""
    turn = await bench.remember("u-1", "Likes rye bread", name="turn")
    source = await row(bench, turn)
    ends = source.created_at + 3 * DAY
    await bench.ledger.write(lambda tx: memories.change(tx, source.id, expires_at=ends))
    summary = await bench.remember("u-1", "Likes bread", derived_from=["turn"])
    done = await Pins(bench.means).pin(bench.tenant_id, await row(bench, summary), actor=OPERATOR)
    assert done.expires_at == ends


async def test_an_erasure_takes_what_is_pinned(bench: Erasing) -> None:
    """A pin is a wish, not a hold; what is being erased is not pinned."""
    memory_id = await kept(bench)
    found = await row(bench, memory_id)
    await Pins(bench.means).pin(bench.tenant_id, found, actor=OPERATOR)
    await bench.forget(Target(kind="owner", values=("u-1",)))
    assert await bench.texts("u-1") == []
    with pytest.raises(Problem) as caught:
        await Pins(bench.means).pin(bench.tenant_id, found, actor=OPERATOR)
    assert caught.value.slug == "invalid-state"
