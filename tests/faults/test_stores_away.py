"""One of several stores is away: the rest is erased at once, and it follows when it is back."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.erasure.view import ErasureView, LayerView
from proxy.ledger import audit, memories
from proxy.problems import Problem
from tests.support.erasing import OPERATOR
from tests.support.small_store import SmallLayer
from tests.support.two_stores import AWAY, HERS, OWNER, PERSON, Two


def memory_of(view: ErasureView, store: str) -> LayerView:
    """The memory layer of a store."""
    (found,) = [each for each in view.layers if (each.upstream, each.layer) == (store, "memory")]
    return found


@pytest.mark.parametrize("verbs", AWAY)
@pytest.mark.parametrize("target", [PERSON, OWNER], ids=["a person", "an owner"])
async def test_what_answers_is_erased_and_the_rest_follows(
    two: Two, target: Target, verbs: tuple[str, ...]
) -> None:
    """Planned, confirmed and erased without the store that is away, which is named all along."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    await two.plant("u-2", "Tilda Lund mends nets")
    two.away(*verbs)
    plan = await two.planned(target)
    shown = memory_of(plan, "second")
    assert (plan.state, plan.counts["found"]) == ("planned", 1)
    assert (shown.status, shown.found, shown.reason) == ("unreachable", None, "store_unavailable")
    done = await two.confirm(plan)
    assert (done.state, done.deleted, two.one.rows) == ("incomplete", 1, {})
    assert memory_of(done, "first").status == "erased"
    assert memory_of(done, "second").status == "unreachable"
    first = await two.signed(done)
    assert (first["state"], first["counts"]["deleted"]) == ("incomplete", 1)
    assert {"upstream": "second", "layer": "memory"}.items() <= first["residuals"][0].items()
    assert_verified(first)
    two.back()
    done = await two.later(done)
    assert (done.state, done.outcome, done.deleted) == ("complete", "erased", 2)
    assert two.two.texts() == ["Tilda Lund mends nets"]
    last = await two.signed(done)
    found = [
        (each["found"], each["erased"]) for each in last["layers"] if each["layer"] == "memory"
    ]
    assert (last["state"], last["counts"]["deleted"], found) == ("complete", 2, [(1, 1), (1, 1)])
    assert {each["result"] for each in last["checks"].values()} <= {"pass", "not_applicable"}
    assert last["verification"]["tries"].keys() == first["verification"]["tries"].keys()
    assert "stores_not_asked" not in last["checks"]["erasure_data_inaccessible"]["evidence"]
    for told in (last["counts"], done.counts):
        assert (told["found"], told["found_later"]) == (2, 1)
    assert (done.counts["to_delete"], sum(last["roles"].values())) == (2, 2)


def assert_verified(signed: dict[str, Any]) -> None:
    """What the certificate calls absent in the first store was looked for there by every route."""
    assert "first/memory" in signed["claim"]["absent_from"]
    assert all(signed["verification"]["tries"][each] for each in ("by_id", "searches"))
    assert "listed" in signed["verification"]["tries"]
    found = signed["checks"]["erasure_data_inaccessible"]
    assert (found["result"], found["evidence"]["stores_not_asked"]) == ("fail", 1)
    assert found["evidence"]["tries"] == sum(signed["verification"]["tries"].values())
    if signed["checks"]["erasure_key_destruction"]["evidence"]["keys_expected"]:
        assert signed["keys"]["state"] == "not_destroyed"


GIVES_UP = [
    pytest.param(("delete",), id="deletes nothing"),
    pytest.param(("get", "delete"), id="shows and deletes nothing"),
    pytest.param((), id="answers nothing"),
]


@pytest.mark.parametrize("verbs", GIVES_UP)
async def test_what_answers_is_read_anew_before_it_is_called_absent(
    two: Two, verbs: tuple[str, ...]
) -> None:
    """Though the other store fails in the midst of the erasure: what came late is found first."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    plan = await two.planned(PERSON)
    two.one.plant("Met Alva Brenn in Turku", {}, user_id=await two.bench.upstream_id("u-1"))
    await two.bench.service.confirm(
        two.bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR,
        unseen=True,
    )  # fmt: skip
    two.away(*verbs)
    done = await two.bench.service.run(two.bench.tenant_id, plan.id)
    for _ in range(3):
        done = await two.later(done)
    assert (done.state, done.deleted, two.one.rows) == ("incomplete", 2, {})
    assert (done.counts["found"], done.counts["found_later"]) == (3, 1)
    if verbs != ("delete",):  # else the store shows what it does not delete: it is not done yet
        signed = await two.signed(done)
        assert_verified(signed)
        assert signed["verification"]["tries"]["listed"]
        assert "second/memory" not in signed["claim"]["absent_from"]
        assert (signed["counts"]["found"], signed["counts"]["found_later"]) == (3, 1)
    two.back()
    done = await two.later(done, minutes=60)
    assert (done.state, done.deleted, two.two.rows) == ("complete", 3, {})


async def states(two: Two) -> dict[str, str]:
    """State of the memories that the ledger does not know as erased, by their store."""
    rows = await two.bench.ledger.read(lambda tx: memories.ids_of_tenant(tx, two.bench.tenant_id))
    known = await two.bench.ledger.read(lambda tx: memories.by_ids(tx, rows))
    return {row.upstream: row.state for row in known}


HIDDEN = [
    pytest.param(PERSON, id="a person"),
    pytest.param(OWNER, id="an owner"),
    pytest.param(Target(kind="category", values=("health",)), id="a category"),
]


@pytest.mark.parametrize("target", HIDDEN)
@pytest.mark.parametrize("cancelled", [False, True], ids=["confirmed", "cancelled"])
@pytest.mark.parametrize("two", [{"grace": "P1D"}], indirect=True)
async def test_what_is_recorded_there_is_hidden_from_the_confirmation_on(
    two: Two, target: Target, cancelled: bool
) -> None:
    """Nobody reads it when the store is back before the worker is; a cancelled one is readable."""
    there = replace(two.bench, store=two.bench.means.stores["second"])
    for bench in (two.bench, there):
        await bench.remember("u-1", "Alva Brenn is diabetic", mentions=HERS, categories=["health"])
    two.away()
    plan = await two.planned(target)
    assert set((await states(two)).values()) == {"live"}
    await two.confirm(plan)
    assert await states(two) == {"first": "erasing", "second": "erasing"}
    if cancelled:
        await two.bench.service.cancel(two.bench.tenant_id, plan.id, actor=OPERATOR)
        assert await states(two) == {"first": "live", "second": "live"}
        return
    done = await two.later(plan, minutes=25 * 60)
    assert (done.state, await states(two)) == ("incomplete", {"second": "erasing"})
    two.back()
    assert (await two.later(plan)).state == "complete"
    assert await states(two) == {}


async def test_what_turns_out_to_be_another_matter_is_readable_again(two: Two) -> None:
    """Its row says that she is named; the store that is back shows another text."""
    there = replace(two.bench, store=two.bench.means.stores["second"])
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    memory_id = await there.remember("u-2", "Met Alva Brenn in Turku", mentions=HERS)
    two.two.rows[memory_id]["memory"] = "Met Alva Smith in Turku"
    two.away()
    plan = await two.planned(PERSON)
    await two.confirm(plan)
    assert (await states(two))["second"] == "erasing"
    two.back()
    done = await two.later(plan)
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await states(two) == {"second": "live"}


async def test_the_digest_says_which_store_was_not_read(two: Two) -> None:
    """The same items with and without the store: two plans, and a token is of one of them."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    whole = await two.planned(OWNER)
    two.away()
    part = await two.planned(OWNER)
    assert whole.counts == part.counts
    assert whole.plan_digest != part.plan_digest
    two.back()
    assert (await two.planned(OWNER)).plan_digest == whole.plan_digest


async def test_a_store_that_goes_away_between_plan_and_confirmation(two: Two) -> None:
    """The plan stays as it was shown; what can be reached goes at once."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    plan = await two.planned(PERSON)
    assert plan.counts["found"] == 2
    two.away()
    done = await two.confirm(plan)
    assert (done.state, done.deleted, two.one.rows) == ("incomplete", 1, {})
    assert memory_of(done, "second").status == "unreachable"
    assert (await two.signed(done))["state"] == "incomplete"
    two.back()
    done = await two.later(done)
    assert (done.state, done.deleted, two.two.rows) == ("complete", 2, {})


async def test_a_store_that_is_back_before_the_confirmation(two: Two) -> None:
    """It was said that it follows: nobody is asked again, and all goes at once."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    two.away()
    plan = await two.planned(PERSON)
    two.back()
    done = await two.confirm(plan)
    assert (done.state, done.deleted, two.one.rows, two.two.rows) == ("complete", 2, {}, {})


async def test_without_any_store_there_is_no_plan(two: Two) -> None:
    """As with a single store: the request is recorded, and planned when one answers."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    two.away()
    two.one.fault = two.two.fault
    with pytest.raises(Problem, match="upstream-unreachable"):
        await two.planned(PERSON)
    (waiting,), _ = await two.bench.service.list(two.bench.tenant_id)
    assert waiting.state == "received"
    two.one.fault = lambda verb, subject: None
    two.clock.advance(timedelta(minutes=6))
    assert await two.bench.service.plan_received() == 1
    assert (await two.bench.service.get(two.bench.tenant_id, waiting.id)).state == "planned"


async def test_nothing_is_said_to_be_found_or_not_before_all_were_read(two: Two) -> None:
    """Nothing where one can look: no outcome yet; and none when the other one has nothing."""
    await two.plant("u-2", "Tilda Lund mends nets")
    two.away()
    plan = await two.planned(PERSON)
    assert (plan.state, plan.outcome, plan.counts["found"]) == ("planned", None, 0)
    done = await two.confirm(plan)
    assert done.state == "incomplete"
    two.back()
    done = await two.later(done)
    assert (done.state, done.outcome, done.deleted) == ("complete", "nothing_found", 0)
    assert two.two.texts() == ["Tilda Lund mends nets"]


@pytest.mark.parametrize(
    ("down", "answers"),
    [
        pytest.param(timedelta(hours=1), True, id="for an hour"),
        pytest.param(timedelta(hours=30), False, id="for longer than anybody waits"),
    ],
)
async def test_a_store_is_away_for_hours(two: Two, down: timedelta, answers: bool) -> None:
    """The store that answers is not read again and again meanwhile; it ends well by itself, or
    by a retry."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    two.away()
    done = await two.confirm(await two.planned(PERSON))
    read = [verb for verb, _ in two.one.calls].count("list")
    for _ in range(14):
        two.clock.advance(down / 14)
        await two.bench.service.run_due()
    assert [verb for verb, _ in two.one.calls].count("list") == read
    two.back()
    done = await two.later(done)
    assert done.state == ("complete" if answers else "incomplete")
    if not answers:
        assert done.outcome == "needs_operator"
        signed = await two.signed(done)
        assert (signed["outcome"], signed["keys"]["destroyed"]) == ("incomplete", [])
        assert f"expunge erasure retry {done.reference}" in str(memory_of(done, "second").action)
        done = await two.bench.service.retry(two.bench.tenant_id, done.id, actor=OPERATOR)
    assert (done.state, done.deleted, two.two.rows) == ("complete", 2, {})


async def test_its_files_are_named_while_it_is_away(two: Two) -> None:
    """In the preview, and in the certificate of what is erased meanwhile."""
    store = two.bench.means.stores["second"]
    store.layers = {**store.layers, "files": SmallLayer("files", reach="side:files")}
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    two.away()
    plan = await two.planned(PERSON)
    done = await two.confirm(plan)
    for view in (plan, done):
        (files,) = [each for each in view.layers if each.layer == "files"]
        assert (files.upstream, files.status, files.reason) == (
            "second", "unreachable", "store_unavailable",
        )  # fmt: skip
    assert "second/files" in (await two.signed(done))["claim"]["out_of_reach"]


@pytest.mark.parametrize("two", [{"mixed": "ask"}], indirect=True)
@pytest.mark.parametrize("action", ["delete", "redact"])
async def test_what_has_to_be_asked_there_is_asked_later(two: Two, action: str) -> None:
    """Nobody was asked about mixed memories, for only the store that was away holds one."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    await two.plant("u-2", "Alva Brenn and Tomas Eck play duets")
    two.away()
    plan = await two.planned(PERSON)
    assert plan.questions == ()
    await two.confirm(plan)
    two.back()
    done = await two.later(plan)
    assert (done.state, done.deleted) == ("incomplete", 2)
    assert [each["id"] for each in done.questions] == ["mixed"]
    assert (memory_of(done, "second").reason, memory_of(done, "second").residual) == ("asked", 1)
    assert two.two.texts() == ["Alva Brenn and Tomas Eck play duets"]
    assert (await two.later(done)).state == "incomplete"
    done = await two.bench.service.clarify(
        two.bench.tenant_id, done.id, choices={"mixed": action}, actor=OPERATOR
    )
    assert (done.state, done.questions) == ("complete", ())
    left = ["A person and Tomas Eck play duets"] if action == "redact" else []
    assert two.two.texts() == left
    assert (await two.signed(done))["state"] == "complete"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        pytest.param("none", ["Likes rye bread", "Alva Brenn is me"], id="somebody else's"),
        pytest.param("alva-brenn-42", [], id="theirs"),
    ],
)
async def test_whose_owner_it_is_there_is_asked_later(
    two: Two, answer: str, left: list[str]
) -> None:
    """Only the store that was away knows an owner whose id holds the name: nothing of it goes
    before somebody has said whose it is."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    for text in ("Likes rye bread", "Alva Brenn is me"):
        two.two.plant(text, user_id="alva-brenn-42")
    two.two.plant("Met Alva Brenn", user_id="u-9")
    two.away()
    plan = await two.planned(PERSON)
    assert plan.candidates == ()
    await two.confirm(plan)
    two.back()
    done = await two.later(plan)
    assert (done.state, len(two.two.rows)) == ("incomplete", 3)
    assert [each.why for each in done.candidates] == ["holds_the_name"]
    assert (memory_of(done, "second").status, memory_of(done, "second").reason) == (
        "residual", "asked",
    )  # fmt: skip
    done = await two.bench.service.clarify(
        two.bench.tenant_id, done.id, owners=[answer], actor=OPERATOR
    )
    assert (done.state, done.candidates, two.two.texts()) == ("complete", (), left), done.body()


async def test_an_owner_there_whose_id_is_the_name_goes_as_a_whole(two: Two) -> None:
    """As it would have if the store had been read at once."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    two.two.plant("Likes rye bread", user_id="alva-brenn")
    two.away()
    plan = await two.planned(PERSON)
    await two.confirm(plan)
    two.back()
    done = await two.later(plan)
    assert (done.state, done.deleted, two.two.rows) == ("complete", 2, {})


@pytest.mark.parametrize("here", [True, False], ids=["one is known here", "nobody is known here"])
async def test_a_short_name_is_asked_about_while_a_store_is_away(two: Two, here: bool) -> None:
    """It may mean several there: only who is chosen goes, the others stay; without anybody to be
    chosen there is no plan yet."""
    target = Target(kind="entity", values=("John",), entity_type="PERSON")
    if here:
        await two.bench.remember("u-1", "My brother John likes jasmine tea")
    await two.plant("u-1", "My brother John moved to Turku")
    await two.plant("u-1", "John from accounting is late again")
    two.away()
    if not here:
        with pytest.raises(Problem, match="upstream-unreachable"):
            await two.planned(target)
        return
    view = await two.planned(target)
    assert (view.state, len(view.candidates)) == ("needs_clarification", 1)
    plan = await two.bench.service.clarify(
        two.bench.tenant_id, view.id, entity_ids=[view.candidates[0].id], actor=OPERATOR
    )
    await two.confirm(plan)
    two.back()
    done = await two.later(plan)
    assert (done.state, done.deleted) == ("complete", 2), done.body()
    assert two.two.texts() == ["John from accounting is late again"]


async def test_two_workers_end_it_once(two: Two) -> None:
    """Whoever takes it up when the store is back: one certificate says complete."""
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    two.away()
    plan = await two.planned(PERSON)
    await two.confirm(plan)
    two.back()
    two.clock.advance(timedelta(minutes=15))
    rival = ErasureService(two.bench.means)
    await asyncio.gather(two.bench.service.run_due(), rival.run_due())
    done = await two.later(plan)
    assert (done.state, done.deleted, two.two.rows) == ("complete", 2, {})
    entries = await two.bench.ledger.read(lambda tx: audit.unsequenced(tx, 10_000))
    told = [json.loads(entry.leaf) for entry in entries]
    ended = [t["fields"]["state"] for t in told if t["event"] == "erasure.certified"]
    assert ended == ["incomplete", "complete"]
