"""An erased text under another id: drawn again from its source, said anew, or brought back."""

from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.adopt import adopt
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing

TEA = "Likes jasmine tea with two spoons of honey"
SINCE, BEFORE = timedelta(seconds=10), timedelta(days=-1)

# text, owner, when the store says it was made, whether the ledger adopts it;
# what recheck counts, what reconcile takes
CASES: dict[str, tuple[str, str, timedelta | None, bool, int, int]] = {
    "ten seconds later": (TEA, "u-1", SINCE, False, 1, 0),
    "in other letters": ("likes  JASMINE tea with two spoons of honey.", "u-1", SINCE, False, 1, 0),
    "adopted since": (TEA, "u-1", SINCE, True, 1, 0),
    "of an age that nobody knows": (TEA, "u-1", None, False, 1, 0),
    "a backup under new ids": (TEA, "u-1", BEFORE, False, 1, 1),
    "the same, adopted": (TEA, "u-1", BEFORE, True, 1, 1),
    "twin: another owner says so too": (TEA, "u-2", SINCE, False, 0, 0),
    "twin: the same before": (TEA, "u-2", BEFORE, False, 0, 0),
    "twin: other words": ("Likes green tea with honey", "u-1", BEFORE, False, 0, 0),
}


async def plant(bench: Erasing, owner: str, text: str, made: str | None) -> str:
    """Put a memory into the store past the proxy, made at some time."""
    memory_id = await bench.remember(owner, text, known=False)
    assert bench.small is not None
    bench.small.rows[memory_id]["created_at"] = made
    return memory_id


async def looked(bench: Erasing, erasure_id: str) -> Any:
    """The certificate looked at again."""
    return await bench.service.recheck(bench.tenant_id, erasure_id, actor=OPERATOR)


@pytest.mark.parametrize(
    ("text", "owner", "made", "adopted", "again", "taken"), CASES.values(), ids=CASES
)
async def test_a_text_that_is_there_again(
    bench: Erasing, clock: FrozenClock, text: str, owner: str, made: timedelta | None,
    adopted: bool, again: int, taken: int,
) -> None:  # fmt: skip
    """The first look finds nothing, the second names it; only what is older than its erasure goes.

    What its owner says anew is a statement of today, so it stays.
    """
    memory_id = await bench.remember("u-1", TEA, mentions=[])
    await bench.remember("u-2", "Plays the cello", mentions=[])
    view = await bench.forget(Target(kind="memory", values=(memory_id,)))
    assert (view.state, (await looked(bench, view.id)).still_absent) == ("complete", True)
    stated = None if made is None else (clock.now() + made).isoformat()
    planted = await plant(bench, owner, text, stated)
    clock.advance(timedelta(minutes=1))
    if adopted:
        await adopt(bench.means, bench.tenant_id)
    seen = await looked(bench, view.id)
    assert (seen.written_again, seen.returned, seen.still_absent) == (again, again, not again)
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (back.by_text, back.erased, back.written_again) == (taken, taken, again - taken)
    assert bench.small is not None
    assert (planted in bench.small.rows) is not taken


async def test_one_of_two_that_a_client_deletes_leaves_the_other(bench: Erasing) -> None:
    """It named one of them; the other stood beside it, known to the ledger or not."""
    first = await bench.remember("u-1", TEA, mentions=[])
    known = await bench.remember("u-1", TEA, mentions=[])
    strange = await plant(bench, "u-1", TEA, "2026-01-04T00:00:00+00:00")
    view = await bench.forget(Target(kind="memory", values=(first,)), origin="client")
    assert bench.small is not None
    assert {known, strange} <= bench.small.rows.keys()
    assert (await looked(bench, view.id)).written_again == 1, "nobody knows since when it is there"
    back = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert (back.found, back.written_again) == (0, 1)
    assert {known, strange} <= bench.small.rows.keys()
