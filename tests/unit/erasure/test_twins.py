"""Erasures of one name side by side: what one has done, the other does not claim."""

from datetime import timedelta

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger import memories, reach
from tests.support.erasing import OPERATOR, Erasing

NAMED = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))


async def confirm(bench: Erasing, view: ErasureView) -> ErasureView:
    """Confirm as shown, and carry out."""
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    return await bench.service.run(bench.tenant_id, view.id)


@pytest.mark.parametrize("target", [NAMED, OWNER], ids=["name", "owner"])
async def test_what_a_twin_took_is_not_claimed_again(bench: Erasing, target: Target) -> None:
    """Both were planned while it was there; the second one found nothing left, and says by whom."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea")
    first, second = [
        await bench.service.request(bench.tenant_id, target, actor=OPERATOR) for _ in range(2)
    ]
    assert (first.counts["found"], second.counts["found"]) == (1, 1)
    done = await confirm(bench, first)
    assert (done.state, done.outcome, done.deleted) == ("complete", "erased", 1)
    late = await confirm(bench, second)
    assert (late.state, late.outcome, late.deleted) == ("complete", "nothing_found", 0)
    assert late.counts["found"] == 0


async def test_a_part_that_is_left_is_erased(bench: Erasing) -> None:
    """One memory is gone another way: the erasure goes on with the rest."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea")
    await bench.remember("u-2", "Alva Brenn likes rye bread")
    view = await bench.service.request(bench.tenant_id, NAMED, actor=OPERATOR)
    bench.small.rows.pop(next(iter(bench.small.rows)))
    done = await confirm(bench, view)
    assert (done.state, done.outcome) == ("complete", "erased")
    assert bench.small.rows == {}


@pytest.mark.parametrize("late", [2, 9], ids=["within one attempt", "beyond it"])
async def test_what_keeps_turning_up_goes_too(
    bench: Erasing, clock: FrozenClock, late: int
) -> None:
    """Each delete brings another mention: none of them is left, and nothing is called residual."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea")
    place = await bench.upstream_id("u-1")
    coming = [f"Alva Brenn likes tea number {n}" for n in range(late)]

    def another(verb: str, _: str) -> None:
        if verb == "delete" and coming:
            bench.small.plant(coming.pop(), user_id=place)

    bench.small.fault = another
    view = await bench.service.request(bench.tenant_id, NAMED, actor=OPERATOR)
    done = await confirm(bench, view)
    for _ in range(3):
        assert done.state in {"verifying", "complete"}
        clock.advance(timedelta(minutes=1))
        done = await bench.service.run(bench.tenant_id, view.id)
    assert (done.state, done.deleted, bench.small.texts()) == ("complete", late + 1, [])


async def test_a_twin_planned_while_the_first_ran_claims_nothing(bench: Erasing) -> None:
    """Its plan held nothing but the name, which the first one erased meanwhile."""
    await bench.remember("u-1", "Alva Brenn likes jasmine tea")
    first = await bench.service.request(bench.tenant_id, NAMED, actor=OPERATOR)
    kept = dict(bench.small.rows)
    bench.small.rows.clear()
    rows = await bench.ledger.read(lambda tx: memories.ids_of_tenant(tx, bench.tenant_id))
    await bench.ledger.write(lambda tx: reach.move(tx, rows, "erased", bench.means.clock.now()))
    second = await bench.service.request(bench.tenant_id, NAMED, actor=OPERATOR)
    assert (second.state, second.counts["found"]) == ("planned", 0)
    await bench.ledger.write(lambda tx: reach.move(tx, rows, "live"))
    bench.small.rows.update(kept)
    assert (await confirm(bench, first)).deleted == 1
    late = await confirm(bench, second)
    assert (late.state, late.outcome, late.deleted) == ("complete", "nothing_found", 0)
