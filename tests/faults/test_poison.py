"""A job that always breaks: it stops none of the others, and ends with an operator, never lost."""

from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure import worker
from proxy.erasure.saga import steps
from proxy.erasure.saga.run import Run
from proxy.erasure.search.target import Target
from tests.support.erasing import OPERATOR, Erasing


async def test_it_is_set_aside_and_can_be_taken_up_again(
    bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve attempts, then needs_operator; another's erasure beside it is complete at once."""
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, f"Lighthouse note of {owner}", mentions=[])
    examine, poisoned = steps.examine, list[str]()

    async def breaks(run: Run) -> Any:
        if run.erasure.id in poisoned:
            raise ZeroDivisionError
        return await examine(run)

    monkeypatch.setattr(steps, "examine", breaks)
    target = Target(kind="owner", values=("u-1",))
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    poisoned.append(view.id)
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    for _ in range(worker.MAX_ATTEMPTS):
        view = await bench.service.get(bench.tenant_id, view.id)
        assert (view.outcome, view.certificate_ready) == (None, False)
        assert await bench.service.run_due() == 1
        clock.advance(timedelta(seconds=worker.LONGEST_PAUSE_S))
    other = await bench.forget(Target(kind="owner", values=("u-2",)))
    assert other.state == "complete"
    assert await bench.service.run_due() == 0
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.outcome, view.certificate_ready) == (
        "incomplete", "needs_operator", False,
    )  # fmt: skip
    poisoned.clear()
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 1, {})
