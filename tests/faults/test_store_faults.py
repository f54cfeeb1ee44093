"""A store that fails: nothing is lost, nothing is claimed, and it ends well once it answers."""

import base64
import json
from datetime import timedelta

import pytest

from proxy.clock import FrozenClock
from proxy.erasure import worker
from proxy.erasure.saga import deletion
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.small_store import SmallLayer, reply

TIMES = 14
EVERYTHING = Target(kind="owner", values=("u-1",))
DOWN = Problem("upstream-unreachable", "The store cannot be reached.")


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a store that answers at once or never."""
    monkeypatch.setattr(deletion, "PAUSE_S", 0.0)


async def fill(bench: Erasing, count: int) -> list[str]:
    """Memories of one owner."""
    return [await bench.remember("u-1", f"Lighthouse note {n}", mentions=[]) for n in range(count)]


async def signed(bench: Erasing, erasure_id: str) -> tuple[str, str]:
    """What the certificate says: the state of all, the status of the history."""
    bundle = await bench.service.certificate(bench.tenant_id, erasure_id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    (history,) = [each for each in said["layers"] if each["layer"] == "history"]
    return said["state"], history["status"]


async def settle(bench: Erasing, clock: FrozenClock) -> None:
    """Let the worker take up what is waiting."""
    clock.advance(timedelta(minutes=15))
    await bench.service.run_due()


async def test_one_500_is_retried_at_once(bench: Erasing) -> None:
    """Row 57 of 110 fails once: everything goes, and the certificate counts all."""
    ids = await fill(bench, 110)
    failures = iter([reply(status=500)])
    bench.small.fault = lambda verb, subject: (
        next(failures, None) if (verb, subject) == ("delete", ids[56]) else None
    )
    view = await bench.forget(EVERYTHING)
    assert (view.state, view.deleted) == ("complete", 110)
    assert bench.small.rows == {}


async def test_a_row_that_always_fails_keeps_it_incomplete(
    bench: Erasing, clock: FrozenClock
) -> None:
    """109 of 110 go, the state says incomplete; after the fault is gone the rest goes too."""
    ids = await fill(bench, 110)
    bench.small.fault = lambda verb, subject: (
        reply(status=500) if (verb, subject) == ("delete", ids[56]) else None
    )
    view = await bench.forget(EVERYTHING)
    memory = next(layer for layer in view.layers if layer.layer == "memory")
    assert (view.state, memory.status, memory.residual) == ("incomplete", "residual", 1)
    assert list(bench.small.rows) == [ids[56]]
    bench.small.fault = lambda verb, subject: None
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.deleted) == ("complete", 110)


async def test_a_poison_row_ends_with_an_operator(bench: Erasing, clock: FrozenClock) -> None:
    """After all attempts it is final: incomplete, certified as such, and can be retried by hand."""
    ids = await fill(bench, 3)
    bench.small.fault = lambda verb, subject: (
        reply(status=500) if (verb, subject) == ("delete", ids[1]) else None
    )
    view = await bench.forget(EVERYTHING)
    for _ in range(12):
        await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.certificate_ready, view.counts["remaining"]) == (
        "incomplete", False, 1,
    )  # fmt: skip
    clock.advance(timedelta(days=1))
    assert await bench.service.run_due() == 1
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.certificate_ready, view.counts["remaining"]) == ("incomplete", True, 1)
    clock.advance(timedelta(days=1))
    assert await bench.service.run_due() == 0
    bench.small.fault = lambda verb, subject: None
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, view.deleted) == ("complete", 3)


async def test_rows_that_vanish_later_are_waited_for(bench: Erasing, clock: FrozenClock) -> None:
    """The store says deleted and still shows it: verifying, not complete; then complete."""
    ids = await fill(bench, 5)
    bench.small.lagging = set(ids)
    view = await bench.forget(EVERYTHING)
    assert view.state == "verifying"
    bench.small.rows.clear()
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.deleted) == ("complete", 5)


async def test_rows_that_never_vanish_are_residual(bench: Erasing, clock: FrozenClock) -> None:
    """A store that only says that it deletes is found out."""
    ids = await fill(bench, 2)
    bench.small.lagging = set(ids)
    view = await bench.forget(EVERYTHING)
    for _ in range(12):
        await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    memory = next(layer for layer in view.layers if layer.layer == "memory")
    assert (view.state, memory.status, memory.residual) == ("incomplete", "residual", 2)


async def test_a_store_down_midway_is_taken_up_again(bench: Erasing, clock: FrozenClock) -> None:
    """Down after 40 deletes: truthful in between, cumulative at the end, nothing deleted twice."""
    await fill(bench, 90)
    left = iter(range(40))
    bench.small.fault = lambda verb, subject: (
        DOWN if verb != "list" and verb == "delete" and next(left, None) is None else None
    )
    view = await bench.forget(EVERYTHING)
    assert view.state == "incomplete"
    assert view.counts["deleted"] == 40
    bench.small.fault = lambda verb, subject: None
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 90, {})


@pytest.mark.parametrize(
    ("down", "answers"),
    [
        pytest.param(timedelta(hours=1), True, id="for an hour"),
        pytest.param(timedelta(hours=20), True, id="for most of a day"),
        pytest.param(timedelta(hours=30), False, id="for longer than anybody waits"),
    ],
)
async def test_a_store_is_away_for_hours(
    bench: Erasing, clock: FrozenClock, down: timedelta, answers: bool
) -> None:
    """Whatever it is asked it does not answer; the worker looks again and again by itself."""
    await fill(bench, 5)
    left = iter(range(2))
    bench.small.fault = lambda verb, subject: (
        DOWN if verb == "delete" and next(left, None) is None else None
    )
    view = await bench.forget(EVERYTHING)
    assert (view.state, view.counts["deleted"]) == ("incomplete", 2)
    bench.small.fault = lambda verb, subject: DOWN
    for _ in range(TIMES):
        clock.advance(down / TIMES)
        await bench.service.run_due()
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, len(bench.small.rows)) == ("incomplete", 3)
    bench.small.fault = lambda verb, subject: None
    clock.advance(timedelta(minutes=10))
    assert await bench.service.run_due() == answers
    view = await bench.service.get(bench.tenant_id, view.id)
    assert view.state == ("complete" if answers else "incomplete")
    if not answers:
        view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 5, {})


async def test_no_plan_without_the_whole_store(bench: Erasing) -> None:
    """A store that cannot be listed to its end gives no plan, rather than a partial one."""
    await fill(bench, 3)
    bench.small.fault = lambda verb, subject: DOWN if verb == "list" else None
    with pytest.raises(Problem) as caught:
        await bench.forget(EVERYTHING)
    assert caught.value.slug == "upstream-unreachable"
    assert len(bench.small.rows) == 3


async def test_the_store_says_when_to_come_back(bench: Erasing, clock: FrozenClock) -> None:
    """A 429 with Retry-After is obeyed."""
    await fill(bench, 2)
    bench.small.fault = lambda verb, subject: (
        reply(status=429, Retry_After="120") if verb == "delete" else None
    )
    view = await bench.forget(EVERYTHING)
    bench.small.fault = lambda verb, subject: None
    clock.advance(timedelta(seconds=60))
    assert await bench.service.run_due() == 0
    clock.advance(timedelta(seconds=61))
    assert await bench.service.run_due() == 1
    assert (await bench.service.get(bench.tenant_id, view.id)).state == "complete"


@pytest.mark.parametrize("status", [429, 503, 500])
async def test_a_store_that_takes_no_deletes_is_named_as_such(
    bench: Erasing, clock: FrozenClock, status: int
) -> None:
    """What it still shows is no residue that somebody has to look at: it limits, and goes on."""
    await fill(bench, 2)
    bench.small.fault = lambda verb, subject: reply(status=status) if verb == "delete" else None

    def told(view: ErasureView) -> tuple[object, ...]:
        (memory,) = [each for each in view.layers if each.layer == "memory"]
        return view.state, memory.status, memory.residual, memory.reason, memory.action

    view = await bench.forget(EVERYTHING)
    left = "incomplete", "residual", 2, "store_unavailable"
    assert told(view) == (
        *left, "The store takes no deletes now; the erasure goes on when it does.",
    )  # fmt: skip
    for _ in range(worker.MAX_ATTEMPTS):
        clock.advance(worker.PATIENCE)
        await bench.service.run_due()
    view = await bench.service.get(bench.tenant_id, view.id)
    assert view.outcome == "needs_operator"
    assert told(view) == (
        *left, f"When that is back: 'expunge erasure retry {view.reference}'.",
    )  # fmt: skip
    bench.small.fault = lambda verb, subject: None
    view = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 2, {})


async def test_a_layer_that_keeps_its_rows_is_named(build) -> None:
    """A history that cannot be deleted is residual by name; the certificate is not complete."""
    layer = SmallLayer("history", stubborn=True)
    bench = await build(layers={"history": layer})
    ids = await fill(bench, 2)
    layer.rows = dict.fromkeys(ids, "kept")
    view = await bench.forget(EVERYTHING)
    named = {each.layer: each.status for each in view.layers}
    assert named["history"] == "residual"
    assert view.state == "incomplete"


async def test_a_layer_that_is_away_is_waited_for(build, clock: FrozenClock) -> None:
    """A layer that does not answer is named in a certificate, and erased when it does."""
    layers = {name: SmallLayer(name) for name in ("history", "messages", "entities")}
    bench = await build(layers=layers)
    ids = await fill(bench, 2)
    layers["history"].rows, layers["history"].away = dict.fromkeys(ids, "kept"), True
    view = await bench.forget(EVERYTHING)
    assert {each.layer: each.status for each in view.layers}["history"] == "unreachable"
    assert await signed(bench, view.id) == ("incomplete", "unreachable")
    first = (await bench.service.certificate(bench.tenant_id, view.id)).dsse
    clock.advance(timedelta(seconds=90))
    await bench.service.run_due()
    again = (await bench.service.certificate(bench.tenant_id, view.id)).dsse
    assert again == first, "the same outcome is certified once"
    layers["history"].away = False
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert view.state == "complete", view.body()
    assert layers["history"].rows == {}
    assert await signed(bench, view.id) == ("complete", "erased")


async def test_a_layer_without_a_connector_is_never_clean(build) -> None:
    """What nobody can look into is residual, not absent."""
    bench = await build(
        layers={"history": SmallLayer("history"), "entities": SmallLayer("entities")}
    )
    await fill(bench, 1)
    view = await bench.forget(EVERYTHING)
    messages = next(each for each in view.layers if each.layer == "messages")
    assert (view.state, messages.status, messages.found) == ("incomplete", "residual", None)


async def test_one_of_two_stores_is_down(
    ledger, keyring, tenant_id, clock: FrozenClock, tmp_path
) -> None:
    """What answers is erased; the other is named and follows when it is back."""
    first, one = small_binding("first")
    second, two = small_binding("second")
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [first, second], small=one)
    await bench.remember("u-1", "Lighthouse note", mentions=[])
    two.plant("Lighthouse copy", user_id=await bench.upstream_id("u-1"))
    two.fault = lambda verb, subject: DOWN if verb == "delete" else None
    view = await bench.forget(EVERYTHING)
    named = {(each.upstream, each.layer): each.status for each in view.layers}
    assert (view.state, named["first", "memory"], named["second", "memory"]) == (
        "incomplete", "erased", "residual",
    )  # fmt: skip
    two.fault = lambda verb, subject: None
    await settle(bench, clock)
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, one.rows, two.rows) == ("complete", {}, {})


async def test_a_write_that_arrives_meanwhile_goes_too(bench: Erasing) -> None:
    """A memory that turns up while deleting runs is found by verification and erased."""
    await fill(bench, 3)
    place = await bench.upstream_id("u-1")
    late = iter(["Lighthouse latecomer"])

    def plant(verb: str, subject: str) -> None:
        if verb == "delete" and (text := next(late, None)):
            bench.small.plant(text, user_id=place)

    bench.small.fault = plant
    view = await bench.forget(EVERYTHING)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 4, {})


async def test_what_is_held_follows_after_release(bench: Erasing) -> None:
    """Nine go now, one is deferred with its code; it goes by itself once the hold is lifted."""
    ids = await fill(bench, 10)
    holds = Holds(bench.means, bench.service)
    hold = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), memory_id=ids[3]
    )
    view = await bench.forget(EVERYTHING)
    assert (view.state, view.deleted, view.counts["held"]) == ("held", 9, 1)
    assert list(bench.small.rows) == [ids[3]]
    assert await holds.lift(bench.tenant_id, hold, actor=OPERATOR) == 1
    view = await bench.service.get(bench.tenant_id, view.id)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 10, {})


LOST = [
    pytest.param({1}, id="one of three"),
    pytest.param({0}, id="the first"),
    pytest.param({0, 1, 2}, id="all"),
    pytest.param(set(), id="none"),
]


@pytest.mark.parametrize("lost", LOST)
async def test_what_the_store_has_lost_is_dealt_with_as_the_rest(
    bench: Erasing, lost: set[int]
) -> None:
    """Of what only the ledger knows there is no owner to prime for: the others are primed for.
    It was gone before, and is not said to be deleted."""
    ids = await fill(bench, 3)
    for number in lost:
        del bench.small.rows[ids[number]]
    view = await bench.forget(EVERYTHING)
    assert (view.state, view.deleted, bench.small.rows) == ("complete", 3 - len(lost), {})
    assert view.counts["already_gone"] == len(lost)
