"""The ledger's disk fills while an erasure runs: nothing is claimed, and it ends well later."""

from contextlib import suppress
from datetime import timedelta

import pytest
from sqlalchemy import text

from proxy.clock import FrozenClock
from proxy.erasure import find
from proxy.erasure.target import Target
from proxy.ledger.engine import Ledger
from proxy.problems import Problem
from tests.support.erasing import OPERATOR, Erasing

EVERYTHING = Target(kind="owner", values=("u-1",))
COUNT = 200


async def pages(ledger: Ledger, *, more: int) -> None:
    """Let the database file grow by so many pages and no further."""

    async def limit(tx) -> None:  # type: ignore[no-untyped-def]
        held = (await tx.execute(text("PRAGMA page_count"))).scalar_one()
        await tx.execute(text(f"PRAGMA max_page_count={held + more}"))

    await ledger.write(limit)


@pytest.mark.parametrize("more", [0, 6])
async def test_the_disk_fills_midway(bench: Erasing, clock: FrozenClock, more: int) -> None:
    """What the store has lost by then is not called erased before the ledger can say so."""
    if bench.ledger.path is None:
        pytest.skip("a database server's disk is not ours to fill")
    for n in range(COUNT):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    view = await bench.service.request(bench.tenant_id, EVERYTHING, actor=OPERATOR)
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    await pages(bench.ledger, more=more)
    clock.advance(timedelta(minutes=15))
    with suppress(Problem):  # a worker goes on with the next job
        await bench.service.run_due()
    stands = await bench.service.get(bench.tenant_id, view.id)
    assert (stands.state, stands.certificate_ready) == ("executing", False)
    await pages(bench.ledger, more=100_000)
    clock.advance(timedelta(minutes=30))
    await bench.service.run_due()
    done = await bench.service.get(bench.tenant_id, view.id)
    assert (done.state, done.deleted, bench.small.rows) == ("complete", COUNT, {})
    assert (await bench.service.certificate(bench.tenant_id, view.id)).dsse


async def test_the_disk_fills_while_a_large_plan_is_made(
    bench: Erasing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no plan and nothing is deleted; with room again the same request is planned."""
    if bench.ledger.path is None:
        pytest.skip("a database server's disk is not ours to fill")
    for n in range(COUNT):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    monkeypatch.setattr(find, "LOT", 20)
    await pages(bench.ledger, more=10)
    with pytest.raises(Problem, match="ledger-unavailable"):
        await bench.service.request(bench.tenant_id, EVERYTHING, actor=OPERATOR)
    assert len(bench.small.rows) == COUNT
    await pages(bench.ledger, more=100_000)
    (waiting,), _ = await bench.service.list(bench.tenant_id)
    assert waiting.state == "received"
    view = await bench.service.retry(bench.tenant_id, waiting.id, actor=OPERATOR)
    assert (view.state, view.counts["to_delete"]) == ("planned", COUNT)
