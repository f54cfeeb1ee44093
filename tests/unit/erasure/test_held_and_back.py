"""What a backup brings back under a legal hold stays, is told, and waits in one erasure."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from proxy.rights.holds import Holds, Keeping
from tests.support.erasing import OPERATOR, Erasing

TEA, CELLO = "Likes jasmine tea", "Plays the cello"
OWNER = Target(kind="owner", values=("u-1",))


async def on_hold(bench: Erasing, **what: Any) -> tuple[Holds, str]:
    """A hold on a memory, or on all of an owner."""
    holds, keeping = Holds(bench.means, bench.service), Keeping("legal_claims")
    placed = await holds.hold(bench.tenant_id, actor=OPERATOR, keeping=keeping, **what)
    return holds, placed


async def again(bench: Erasing, **more: Any) -> Any:
    """Reconcile, as after a restore."""
    return await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR, **more)


async def restored(bench: Erasing, rows: dict[str, Any], *, new_ids: bool) -> list[str]:
    """Put the rows of a backup back, under their ids or under new ones."""
    assert bench.small is not None
    if not new_ids:
        bench.small.rows.update(rows)
        return list(rows)
    return [
        bench.small.plant(row["memory"], user_id=row["user_id"], metadata=row["metadata"])
        for row in rows.values()
    ]


async def erased(bench: Erasing) -> dict[str, Any]:
    """An owner with two memories, who is erased as a whole; gives the rows of a backup."""
    for text in (TEA, CELLO):
        await bench.remember("u-1", text, mentions=[])
    await bench.remember("u-9", "Rain on Friday", mentions=[])
    assert bench.small is not None
    backup = {
        key: dict(row) for key, row in bench.small.rows.items() if row["memory"] != "Rain on Friday"
    }
    assert (await bench.forget(OWNER)).state == "complete"
    return backup


@pytest.mark.parametrize("new_ids", [False, True], ids=["same ids", "new ids"])
@pytest.mark.parametrize("held", ["u-1", "u-9"], ids=["held", "twin: another is held"])
async def test_an_erased_owner_who_is_back_is_held_and_left(
    bench: Erasing, held: str, new_ids: bool
) -> None:
    """Reconcile counts them, exits as for what is left, and takes them when the hold is lifted."""
    there = await restored(bench, await erased(bench), new_ids=new_ids)
    holds, placed = await on_hold(bench, owner=("user", held))
    covered = await holds.covered(bench.tenant_id, owner=("user", held))
    preview = await again(bench, dry_run=True)
    done = await again(bench)
    assert bench.small is not None
    kept = 2 if held == "u-1" else 0
    assert (preview.found, preview.held) == (2, kept)
    assert (done.found, done.held, done.erased) == (2, kept, 2 - kept)
    assert done.complete is not bool(kept)
    assert (len([each for each in there if each in bench.small.rows])) == kept
    assert (covered.memories, covered.erased) == ((2, 2 if new_ids else 0) if kept else (1, 0))
    await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
    assert not set(there) & bench.small.rows.keys()
    assert (await again(bench)).complete


KEPT: dict[str, Callable[[Erasing, str], Awaitable[tuple[Holds, str]]]] = {
    "its owner is held": lambda bench, _: on_hold(bench, owner=("user", "u-1")),
    "it is held itself": lambda bench, one: on_hold(bench, memory_id=one),
}


@pytest.mark.parametrize("kind", KEPT)
async def test_what_came_back_under_a_hold_waits_in_one_erasure(bench: Erasing, kind: str) -> None:
    """However often somebody reconciles; each time it is told, with the same reference."""
    await bench.remember("u-1", CELLO, mentions=[])
    one = await bench.remember("u-1", TEA, mentions=[])
    assert bench.small is not None
    row = dict(bench.small.rows[one])
    await bench.forget(Target(kind="memory", values=(one,)))
    bench.small.rows[one] = row
    holds, placed = await KEPT[kind](bench, one)
    told = [await again(bench) for _ in range(3)]
    assert [(each.found, each.held, each.erased, each.complete) for each in told] == [
        (1, 1, 0, False)
    ] * 3
    assert len({*told[0].references, *told[1].references, *told[2].references}) == 1
    views, _ = await bench.service.list(bench.tenant_id, state="held")
    assert [view.reference for view in views] == told[0].references
    other = await bench.remember("u-9", TEA, mentions=[])
    back = dict(bench.small.rows[other])
    await bench.forget(Target(kind="memory", values=(other,)))
    bench.small.rows[other] = back
    more = await again(bench)
    assert (more.found, more.held, more.erased) == (2, 1, 1), "what no hold keeps goes meanwhile"
    await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
    assert one not in bench.small.rows
    assert (await again(bench)).complete


async def test_a_hold_that_is_lifted_and_placed_anew_counts(bench: Erasing) -> None:
    """An erasure that waited for the first hold is over; the second one gets its own."""
    one = await bench.remember("u-1", TEA, mentions=[])
    await bench.remember("u-1", CELLO, mentions=[])
    assert bench.small is not None
    row = dict(bench.small.rows[one])
    await bench.forget(Target(kind="memory", values=(one,)))
    references = []
    for _ in range(2):
        bench.small.rows[one] = dict(row)
        holds, placed = await on_hold(bench, owner=("user", "u-1"))
        references += (await again(bench)).references
        await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
        assert one not in bench.small.rows
    assert len({*references}) == 2
