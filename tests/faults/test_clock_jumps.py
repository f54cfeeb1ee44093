"""A wall clock that is set forward or back: nothing is done twice, nothing is left undone."""

import asyncio
import json
from datetime import timedelta

import pytest

from proxy.background import spawn
from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.ledger import audit
from proxy.problems import Problem
from tests.support.erasing import OPERATOR, Erasing

EVERYTHING = Target(kind="owner", values=("u-1",))
JUMPS = [
    pytest.param(timedelta(days=1), id="a day on"),
    pytest.param(timedelta(hours=-5), id="five hours back"),
    pytest.param(timedelta(seconds=-1), id="a second back"),
]


@pytest.mark.parametrize("jump", JUMPS)
async def test_it_is_set_while_memories_are_deleted(
    bench: Erasing, clock: FrozenClock, jump: timedelta
) -> None:
    """Another worker looks for work at once; all ends complete, certified once, all counted."""
    for n in range(90):
        await bench.remember("u-1", f"Lighthouse note {n}", mentions=[])
    other = ErasureService(bench.means)
    started: list[asyncio.Task[int]] = []
    deletes = iter(range(40))

    def fault(verb: str, subject: str) -> None:
        if verb == "delete" and next(deletes, None) is None and not started:
            clock.advance(jump)
            started.append(spawn(other.run_due(), name="another-worker"))

    bench.small.fault = fault
    view = await bench.forget(EVERYTHING)
    await started[0]
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 90, {})
    entries = await bench.ledger.read(lambda tx: audit.unsequenced(tx, 10_000))
    told = [json.loads(entry.leaf) for entry in entries]
    certified = [each["fields"]["state"] for each in told if each["event"] == "erasure.certified"]
    assert certified == ["complete"]


@pytest.mark.parametrize(
    ("jump", "expired"),
    [
        pytest.param(timedelta(hours=-5), False, id="back"),
        pytest.param(timedelta(hours=5), True, id="forward"),
    ],
)
async def test_it_is_set_before_the_confirmation(
    bench: Erasing, clock: FrozenClock, jump: timedelta, expired: bool
) -> None:
    """A token outlives no hour of the clock, and is no worse for one that went back."""
    await bench.remember("u-1", "Lighthouse note", mentions=[])
    view = await bench.service.request(bench.tenant_id, EVERYTHING, actor=OPERATOR)
    clock.advance(jump)
    confirming = bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    if expired:
        with pytest.raises(Problem, match="confirmation-expired"):
            await confirming
        return
    assert (await confirming).state == "confirmed"
    assert (await bench.service.run(bench.tenant_id, view.id)).state == "complete"
