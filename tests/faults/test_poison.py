"""A job that always breaks: it stops none of the others, and ends with an operator, never lost."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from detectors.errors import DetectionUnavailable
from proxy.app.diagnosis import of_erasures
from proxy.clock import FrozenClock
from proxy.erasure import worker
from proxy.erasure.saga import steps
from proxy.erasure.saga.run import Run
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.keys.errors import KekUnavailable, KeyDestroyed, SealBroken
from proxy.problems import Problem
from proxy.upstreams.errors import StoreUnavailable
from tests.support.erasing import OPERATOR, Erasing

EVERYTHING = Target(kind="owner", values=("u-1",))
AWAY: list[tuple[Callable[[], Exception], str]] = [
    (lambda: Problem("keys-sealed", "The key provider does not answer."), "keys_sealed"),
    (KekUnavailable, "keys_sealed"),
    (lambda: Problem("detection-unavailable", "No worker."), "detection_unavailable"),
    (DetectionUnavailable, "detection_unavailable"),
    (lambda: Problem("overloaded", "Too much work."), "overloaded"),
    (lambda: Problem("ledger-unavailable", "It is locked."), "ledger_unavailable"),
    (StoreUnavailable, "store_unavailable"),
    (lambda: OSError(28, "No space left"), "system_unavailable"),
]
BROKEN: list[tuple[Callable[[], Exception], str]] = [
    (ZeroDivisionError, "internal_error_at_examine"),
    (SealBroken, "unreadable_record_at_examine"),
    (KeyDestroyed, "key_destroyed_at_examine"),
    (lambda: Problem("invalid-state", "Not in this state."), "internal_error_at_examine"),
]


@dataclass
class Broken:
    """An erasure whose step ``examine`` fails, as long as ``error`` is set."""

    bench: Erasing
    clock: FrozenClock
    error: Callable[[], Exception] | None = None
    id: str = ""

    @property
    def rows(self) -> Mapping[str, Any]:
        """All that the store holds."""
        assert self.bench.small is not None
        return self.bench.small.rows

    async def begin(self) -> None:
        """Confirm an erasure of one memory."""
        await self.bench.remember("u-1", "Lighthouse note of u-1", mentions=[])
        service, tenant_id = self.bench.service, self.bench.tenant_id
        view = await service.request(tenant_id, EVERYTHING, actor=OPERATOR)
        self.id = view.id
        await service.confirm(
            tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
        )

    async def fail(self, times: int) -> ErasureView:
        """Let it be tried so often, each as late as can be."""
        for _ in range(times):
            assert await self.bench.service.run_due() == 1
            self.clock.advance(timedelta(seconds=worker.LONGEST_PAUSE_S))
        return await self.view()

    async def view(self) -> ErasureView:
        """How it stands."""
        return await self.bench.service.get(self.bench.tenant_id, self.id)


@pytest.fixture
async def broken(bench: Erasing, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Broken:
    """One that is confirmed."""
    found, real = Broken(bench, clock), steps.examine

    async def examine(run: Run) -> Any:
        if found.error is not None:
            raise found.error()
        return await real(run)

    monkeypatch.setattr(steps, "examine", examine)
    await found.begin()
    return found


def waits(view: ErasureView) -> set[tuple[str, str | None]]:
    """Status and reason of the layers that a run can look at."""
    fixed = {"out_of_reach"}
    return {(each.status, each.reason) for each in view.layers if each.reason not in fixed}


@pytest.mark.parametrize(("error", "code"), AWAY, ids=[code for _, code in AWAY])
async def test_what_costs_little_to_ask_is_asked_each_minute_however_long_it_was_away(
    broken: Broken, error: Callable[[], Exception], code: str
) -> None:
    """A store is given up to ten minutes."""
    broken.error = error
    await broken.fail(worker.MAX_ATTEMPTS)
    assert await broken.bench.service.run_due() == 1
    broken.error = None
    broken.clock.advance(timedelta(seconds=worker.LONGEST_NEAR_S))
    near = code != "store_unavailable"
    assert await broken.bench.service.run_due() == near
    assert ((await broken.view()).state == "complete") is near


@pytest.mark.parametrize(("error", "code"), AWAY, ids=[code for _, code in AWAY])
async def test_whatever_may_come_back_is_waited_for_a_day(
    broken: Broken, error: Callable[[], Exception], code: str
) -> None:
    """Twelve tries in two hours are no reason to give up; when it is back, all ends complete."""
    broken.error = error
    view = await broken.fail(worker.MAX_ATTEMPTS + 2)
    assert view.outcome is None
    if code != "store_unavailable":
        assert waits(view) == {("unreachable", code)}
        assert {each.action for each in view.layers if each.reason == code} == {
            "The erasure goes on by itself when that is back."
        }
    broken.error = None
    assert await broken.bench.service.run_due() == 1
    assert ((await broken.view()).state, broken.rows) == ("complete", {})


@pytest.mark.parametrize(("error", "code"), AWAY, ids=[code for _, code in AWAY])
async def test_after_a_day_it_is_an_operators_and_says_what_is_away(
    broken: Broken, error: Callable[[], Exception], code: str
) -> None:
    """It is given up with the reason, and a retry completes it."""
    broken.error = error
    await broken.fail(worker.MAX_ATTEMPTS)
    broken.clock.advance(worker.PATIENCE)
    view = await broken.fail(1)
    assert (view.state, view.outcome) == ("incomplete", "needs_operator")
    assert waits(view) == {("unreachable", code)}
    hint = f"When that is back: 'expunge erasure retry {view.reference}'."
    assert hint in {each.action for each in view.layers}
    view = await broken.bench.service.retry(broken.bench.tenant_id, view.id, actor=OPERATOR)
    broken.clock.advance(timedelta(seconds=worker.LONGEST_PAUSE_S))
    view = await broken.fail(worker.MAX_ATTEMPTS)
    assert view.outcome is None  # whoever retries too early has another day
    broken.clock.advance(worker.PATIENCE)
    assert (await broken.fail(1)).outcome == "needs_operator"
    broken.error = None
    view = await broken.bench.service.retry(broken.bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, view.deleted) == ("complete", 1)


@pytest.mark.parametrize(("error", "code"), BROKEN, ids=[code for _, code in BROKEN])
async def test_what_is_broken_is_given_up_with_its_step_and_its_kind(
    broken: Broken, error: Callable[[], Exception], code: str
) -> None:
    """No layer is said to wait for a store; both ways out are named."""
    broken.error = error
    view = await broken.fail(worker.MAX_ATTEMPTS)
    assert (view.state, view.outcome) == ("incomplete", "needs_operator")
    assert waits(view) == {("unreachable", code)}
    told = next(each.action or "" for each in view.layers if each.reason == code)
    [found] = await of_erasures(broken.bench.ledger)
    assert (found.status, found.detail[:2]) == ("warning", "1 ")
    for way in ("retry", "cancel"):
        assert f"'expunge erasure {way} {view.reference}'" in told


async def test_what_is_given_up_can_be_closed_and_forgotten_anew(broken: Broken) -> None:
    """Closed, it certifies what is left, keeps it hidden, and does not stand in the way."""
    bench = broken.bench
    broken.error = SealBroken
    await broken.fail(worker.MAX_ATTEMPTS)
    view = await bench.service.cancel(bench.tenant_id, broken.id, actor=OPERATOR)
    assert (view.state, view.outcome, view.certificate_ready) == ("cancelled", "incomplete", True)
    bundle = await bench.service.certificate(bench.tenant_id, broken.id)
    body = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert (body["state"], body["outcome"]) == ("incomplete", "incomplete")
    assert {each["reason"] for each in body["residuals"]} >= {"unreadable_record_at_examine"}
    assert body["checks"]["erasure_memory_clean"]["result"] == "fail"
    assert body["checks"]["erasure_proof"]["result"] == "pass"
    assert body["keys"]["state"] == "not_destroyed"
    assert body["blocklist"] == "on"
    for again in (bench.service.cancel, bench.service.retry):
        with pytest.raises(Problem, match="invalid-state"):
            await again(bench.tenant_id, broken.id, actor=OPERATOR)
    assert await bench.service.run_due() == 0
    assert [found.status for found in await of_erasures(bench.ledger)] == ["ok"]
    broken.error = None
    await bench.remember("u-1", "Lighthouse note that came later", mentions=[], known=False)
    assert (await bench.forget(EVERYTHING)).state == "complete"
    assert broken.rows == {}


async def test_what_still_goes_on_is_not_closed(broken: Broken) -> None:
    """Before it is given up it cannot be closed: deleting has begun."""
    broken.error = SealBroken
    await broken.fail(worker.MAX_ATTEMPTS - 1)
    with pytest.raises(Problem, match="invalid-state"):
        await broken.bench.service.cancel(broken.bench.tenant_id, broken.id, actor=OPERATOR)


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
    assert bench.small is not None
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 1, {})
