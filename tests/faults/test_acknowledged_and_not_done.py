"""A store that acknowledges a delete and does not carry it out: nothing is counted as deleted."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.saga import deletion
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.tokens.vault import Mention
from tests.faults.test_store_faults import settle
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import reply
from tests.unit.erasure.test_what_a_certificate_says import signed

ALVA = Mention("PERSON", "Alva Brenn")
TEXT = "{} keeps basalt in a blue box"
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
TARGETS = {
    "owner": Target(kind="owner", values=("u-1",)),
    "subject": Target(kind="subject", values=("Alva Brenn",), owner="u-1"),
    "entity": PERSON,
    "entity of one owner": Target(kind="entity", values=("Alva Brenn",), owner="u-1"),
    "category": Target(kind="category", values=("health",), owner="u-1"),
    "tag": Target(kind="tag", values=("pii:person",)),
    "tenant": Target(kind="tenant"),
}


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store answers at once."""
    monkeypatch.setattr(deletion, "PAUSE_S", 0.0)


def lie(bench: Erasing, *, lying: bool = True) -> None:
    """Let the store acknowledge deletes without deleting."""
    done = reply({"message": "Memory deleted successfully!"})
    bench.small.fault = lambda verb, _: done if lying and verb == "delete" else None


async def keep_one(bench: Erasing) -> str:
    """A memory that names a person by a token, as the gateway stores it."""
    minted = await bench.ledger.write(
        lambda tx: bench.means.vault.tokenise(tx, bench.tenant_id, [ALVA])
    )
    text = TEXT.format(minted[0].token)
    return await bench.remember(
        "u-1", text, mentions=[ALVA], categories=["health"], tags=["pii:person"]
    )


async def given_up(bench: Erasing, clock: FrozenClock, view: ErasureView) -> ErasureView:
    """Where it rests after the worker has looked as often as it does."""
    for _ in range(8):
        await settle(bench, clock)
    return await bench.service.get(bench.tenant_id, view.id)


def deletes(bench: Erasing) -> Counter[str]:
    """How often the store was told to delete each memory."""
    return Counter(subject for verb, subject in bench.small.calls if verb == "delete")


def numbers(view: ErasureView) -> tuple[Any, ...]:
    """State, what is counted, and what the memory layer shows."""
    memory = next(layer for layer in view.layers if layer.layer == "memory")
    counted = tuple(view.counts.get(name) for name in ("found", "deleted", "remaining"))
    return view.state, counted, (memory.status, memory.found, memory.erased, memory.residual)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
async def test_what_is_still_shown_is_not_deleted(
    bench: Erasing, clock: FrozenClock, target: Target
) -> None:
    """Counts, checks and layers agree, while it is tried and when it rests."""
    await keep_one(bench)
    lie(bench)
    first = await bench.forget(target)
    assert numbers(first) == ("verifying", (1, 0, 1), ("residual", 1, 0, 1))
    view = await given_up(bench, clock, first)
    assert numbers(view) == ("incomplete", (1, 0, 1), ("residual", 1, 0, 1))
    facts = await signed(bench, view.id)
    assert (facts["counts"]["deleted"], facts["counts"]["remaining"]) == (0, 1)
    check = facts["checks"]["erasure_completeness"]
    assert check == {"result": "fail", "evidence": {"planned": 1, "accounted_for": 0}}


async def test_each_attempt_deletes_anew_and_their_number_is_bounded(
    bench: Erasing, clock: FrozenClock
) -> None:
    """One DELETE an attempt; when it rests none is sent, and a retry sends one again."""
    kept = await keep_one(bench)
    lie(bench)
    view = await given_up(bench, clock, await bench.forget(PERSON))
    assert deletes(bench) == {kept: 6}
    await settle(bench, clock)
    assert deletes(bench) == {kept: 6}
    again = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert deletes(bench) == {kept: 7}
    assert numbers(again)[1:] == ((1, 0, 1), ("residual", 1, 0, 1))


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
async def test_a_retry_deletes_what_is_still_shown(
    bench: Erasing, clock: FrozenClock, target: Target
) -> None:
    """Once the store does what it says, the first erasure completes; it is counted once."""
    await keep_one(bench)
    lie(bench)
    view = await given_up(bench, clock, await bench.forget(target))
    lie(bench, lying=False)
    done = await bench.service.retry(bench.tenant_id, view.id, actor=OPERATOR)
    assert numbers(done) == ("complete", (1, 1, 0), ("erased", 1, 1, 0))
    assert bench.small.rows == {}
    assert (await signed(bench, view.id))["checks"]["erasure_completeness"]["result"] == "pass"


async def test_the_worker_deletes_it_without_being_asked(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Rows that the later delete leaves in other layers go too."""
    kept = await keep_one(bench)
    history = bench.store.layers["history"].rows
    lie(bench)
    view = await bench.forget(PERSON)
    lie(bench, lying=False)

    def leaves_a_row(verb: str, subject: str) -> None:
        if verb == "delete":
            history[subject] = "the text before"

    bench.small.fault = leaves_a_row
    await settle(bench, clock)
    done = await bench.service.get(bench.tenant_id, view.id)
    assert numbers(done) == ("complete", (1, 1, 0), ("erased", 1, 1, 0))
    assert (bench.small.rows, history, deletes(bench)) == ({}, {}, {kept: 2})


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
async def test_the_same_anew_finds_it(bench: Erasing, clock: FrozenClock, target: Target) -> None:
    """The ledger takes it for erased, and no key opens its token; the store shows it, so it goes.

    The preview says so too.
    """
    await keep_one(bench)
    lie(bench)
    first = await given_up(bench, clock, await bench.forget(target))
    asked = {"actor": OPERATOR, "dry_run": True}
    shown = await bench.service.request(bench.tenant_id, target, **asked)
    assert (shown.state, shown.counts["found"]) == ("planned", 1)
    anew = await given_up(bench, clock, await bench.forget(target))
    assert numbers(anew) == ("incomplete", (1, 0, 1), ("residual", 1, 0, 1))
    lie(bench, lying=False)
    anew = await bench.forget(target)
    assert numbers(anew) == ("complete", (1, 1, 0), ("erased", 1, 1, 0))
    assert bench.small.rows == {}
    retried = await bench.service.retry(bench.tenant_id, first.id, actor=OPERATOR)
    assert retried.state == "complete"


OTHERWISE = [
    pytest.param(PERSON, TARGETS["subject"], id="a name, then a data subject"),
    pytest.param(TARGETS["subject"], PERSON, id="a data subject, then the name"),
    pytest.param(
        PERSON, Target(kind="entity", values=("Dr. Brenn, Alva",)), id="with a title"
    ),
    pytest.param(
        Target(kind="entity", values=("Alva Brenn", "Otto Falk"), entity_type="PERSON"),
        PERSON, id="two names, then one",
    ),
    pytest.param(TARGETS["owner"], TARGETS["category"], id="an owner, then a category of theirs"),
    pytest.param(TARGETS["owner"], TARGETS["tag"], id="an owner, then a tag"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "again"), OTHERWISE)
async def test_asked_for_otherwise(
    bench: Erasing, clock: FrozenClock, first: Target, again: Target
) -> None:
    """Never nothing, and never complete, while the store shows it."""
    await bench.remember(
        "u-1", "Alva Brenn has asthma", mentions=[ALVA], categories=["health"], tags=["pii:person"]
    )
    lie(bench)
    await given_up(bench, clock, await bench.forget(first))
    view = await given_up(bench, clock, await bench.forget(again))
    assert numbers(view) == ("incomplete", (1, 0, 1), ("residual", 1, 0, 1))


@pytest.mark.parametrize("route", ["get", "search"])
async def test_what_no_list_shows_is_not_nothing(
    bench: Erasing, clock: FrozenClock, route: str
) -> None:
    """Another route shows it yet: the earlier one is named with what it left."""
    kept = await keep_one(bench)
    row, gone = dict(bench.small.rows[kept]), set[str]()
    shown = {"get": row, "search": {"results": [row]}}

    def fault(verb: str, subject: str) -> Any:
        if verb == "delete":
            gone.add(subject)
        return reply(shown[verb]) if gone and verb == route else None

    bench.small.fault = fault
    first = await given_up(bench, clock, await bench.forget(PERSON))
    view = await bench.forget(PERSON)
    assert (view.state, view.outcome, view.earlier) == (
        "incomplete", "nothing_found", first.reference,
    )  # fmt: skip
    assert [(each["layer"], each["residual"]) for each in view.earlier_left] == [("memory", 1)]


async def test_what_a_list_alone_shows_is_not_inaccessible(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The checks count it, as the layer does."""
    kept = await keep_one(bench)
    row, gone = dict(bench.small.rows[kept]), set[str]()
    page = {"count": 1, "next": None, "results": [row]}

    def fault(verb: str, subject: str) -> Any:
        if verb == "delete":
            gone.add(subject)
        return reply(page) if gone and verb == "list" else None

    bench.small.fault = fault
    view = await given_up(bench, clock, await bench.forget(PERSON))
    assert numbers(view) == ("incomplete", (1, 0, 1), ("residual", 1, 0, 1))
    facts = await signed(bench, view.id)
    assert facts["verification"]["hits"]["listed"] == 1
    assert facts["checks"]["erasure_data_inaccessible"]["result"] == "fail"


async def test_a_slow_store_is_counted_once(bench: Erasing, clock: FrozenClock) -> None:
    """It shows for a while what it has deleted: deleted anew, it says 404, and that is one."""
    kept = await keep_one(bench)
    row = dict(bench.small.rows[kept])
    bench.small.fault = lambda verb, subject: (
        reply(row) if verb == "get" and kept not in bench.small.rows else None
    )
    view = await bench.forget(PERSON)
    assert numbers(view) == ("verifying", (1, 0, 1), ("residual", 1, 0, 1))
    bench.small.fault = lambda verb, subject: None
    clock.advance(timedelta(minutes=15))
    await bench.service.run_due()
    done = await bench.service.get(bench.tenant_id, view.id)
    assert numbers(done) == ("complete", (1, 1, 0), ("erased", 1, 1, 0))


@pytest.mark.parametrize("text", ["Alva Brenn and Otto Falk sing."])
async def test_what_replaced_it_is_not_written_twice(
    bench: Erasing, clock: FrozenClock, text: str
) -> None:
    """Of a rewritten memory the old one goes at the next attempt; the new one is there once."""
    mentions = [ALVA, Mention("PERSON", "Otto Falk")]
    await bench.remember("u-1", text, mentions=mentions)
    lie(bench)
    view = await bench.forget(PERSON, choices={"mixed": "redact"})
    assert view.counts["redacted"] == 0
    lie(bench, lying=False)
    await settle(bench, clock)
    done = await bench.service.get(bench.tenant_id, view.id)
    assert (done.state, done.counts["redacted"]) == ("complete", 1)
    assert await bench.texts("u-1") == ["A person and Otto Falk sing."]
