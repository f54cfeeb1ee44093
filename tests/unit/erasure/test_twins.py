"""Erasures of one name side by side: what one has done, the other does not claim."""

import pytest

from proxy.erasure.target import Target
from proxy.erasure.view import ErasureView
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
