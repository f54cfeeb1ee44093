"""Between the plan and its execution memories go and change: what is done is what is true then."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.saga.durable import LEASE
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger import jobs
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing
from tests.support.small_store import SmallStore, reply
from tests.unit.erasure.conftest import Build

PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))
HERS = [Mention("PERSON", "Alva Brenn")]
DUET = [*HERS, Mention("PERSON", "Tomas Eck")]


@pytest.fixture
async def bench(build: Build) -> Erasing:
    """A service whose erasures begin a day after they are confirmed."""
    return await build(grace="P1D", mixed="redact")


async def confirmed(bench: Erasing, target: Target) -> ErasureView:
    """Planned and confirmed; nothing is deleted yet."""
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    return await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )


async def carried_out(bench: Erasing, clock: FrozenClock, view: ErasureView) -> ErasureView:
    """What became of it when its time had come."""
    clock.advance(timedelta(days=1, minutes=1))
    return await bench.service.run(bench.tenant_id, view.id)


async def certificate(bench: Erasing, view: ErasureView) -> dict[str, Any]:
    """What is signed."""
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert isinstance(said, dict)
    return said


def small_of(bench: Erasing) -> SmallStore:
    """The store."""
    assert bench.small is not None
    return bench.small


# -- gone before -----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [PERSON, OWNER], ids=["a person", "an owner"])
@pytest.mark.parametrize("gone", [0, 1, 3])
async def test_what_was_gone_before_is_not_counted_as_deleted(
    bench: Erasing, clock: FrozenClock, target: Target, gone: int
) -> None:
    """Counted apart in the view and in the certificate; the layer says what was found."""
    texts = ("Alva Brenn likes jasmine tea", "Alva Brenn rows boats", "Met Alva Brenn in Turku")
    ids = [await bench.remember("u-1", text, mentions=HERS) for text in texts]
    view = await confirmed(bench, target)
    for memory_id in ids[:gone]:
        del small_of(bench).rows[memory_id]
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted, done.counts["already_gone"]) == ("complete", 3 - gone, gone)
    signed = await certificate(bench, done)
    assert (signed["counts"]["deleted"], signed["counts"]["already_gone"]) == (3 - gone, gone)
    (memory,) = [each for each in signed["layers"] if each["layer"] == "memory"]
    assert (memory["found"], memory["erased"]) == (3 - gone, 3 - gone)
    assert signed["outcome"] == done.outcome


async def test_a_client_deletes_what_is_gone(build: Build) -> None:
    """By the short way: it is said to be gone, not to be deleted."""
    bench = await build()
    memory_id = await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    del small_of(bench).rows[memory_id]
    target = Target(kind="memory", values=(memory_id,))
    done = await bench.forget(target, origin="client")
    assert (done.state, done.deleted, done.counts.get("already_gone")) == (
        "complete", 0, 1,
    ), done.body()  # fmt: skip


async def test_what_another_erasure_took_meanwhile_is_its(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Two targets share a memory: one of the two deleted it, and only that one says so."""
    await bench.remember("u-1", "Alva Brenn and Tomas Eck play duets", mentions=DUET)
    targets = Target(kind="owner", values=("u-1",)), Target(kind="tenant")
    views = [
        await bench.service.request(bench.tenant_id, target, actor=OPERATOR) for target in targets
    ]
    for view in views:
        await bench.service.confirm(
            bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
        )
    done = [await carried_out(bench, clock, view) for view in views]
    assert [each.state for each in done] == ["complete", "complete"]
    assert [(each.deleted, each.counts["already_gone"]) for each in done] == [(1, 0), (0, 1)]


async def test_a_delete_that_worked_and_said_otherwise_is_ours(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The store deletes, answers 500, and cannot be asked: nobody else did it."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    view = await confirmed(bench, OWNER)

    def fault(verb: str, subject: str) -> Any:
        if verb == "delete" and memory_id in small_of(bench).rows:
            del small_of(bench).rows[memory_id]
            return reply(status=500)
        asked = [each for each, _ in small_of(bench).calls].count("delete")
        return reply(status=500) if verb == "get" and asked == 1 else None

    small_of(bench).fault = fault
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted, done.counts["already_gone"]) == ("complete", 1, 0)


async def test_what_a_killed_worker_deleted_is_ours(bench: Erasing, clock: FrozenClock) -> None:
    """It died between the store's answer and the ledger's: whoever takes over claims it."""
    memory_id = await bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    view = await confirmed(bench, OWNER)
    clock.advance(timedelta(days=1, minutes=1))
    taken = await bench.ledger.write(lambda tx: jobs.lease(tx, "wrk_dead", clock.now(), LEASE))
    assert taken is not None
    del small_of(bench).rows[memory_id]
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted, done.counts["already_gone"]) == ("complete", 1, 0)


# -- changed since ---------------------------------------------------------------------------------


def change(bench: Erasing, memory_id: str, text: str) -> None:
    """Let the store's row say something else, as an update of its own would."""
    small_of(bench).rows[memory_id]["memory"] = text


CHANGES = [
    pytest.param("Alva Brenn moved to Turku", "Alva Brenn moved to Oulu", ("complete", 1, []),
                 id="still about her"),
    pytest.param("Alva Brenn moved to Turku", "Somebody moved to Oulu",
                 ("complete", 0, ["Somebody moved to Oulu"]), id="no more about her"),
    pytest.param("Alva Brenn moved to Turku", "Alva Brenn and Tomas Eck moved to Oulu",
                 ("incomplete", 0, ["Alva Brenn and Tomas Eck moved to Oulu"]),
                 id="about somebody else as well"),
    pytest.param("Alva Brenn and Tomas Eck play duets", "Alva Brenn and Tomas Eck row boats",
                 ("complete", 0, ["A person and Tomas Eck row boats"]), id="written anew"),
    pytest.param("Alva Brenn and Tomas Eck play duets", "Tomas Eck plays alone",
                 ("complete", 0, ["Tomas Eck plays alone"]), id="nothing left to be redacted"),
    pytest.param("Alva Brenn moved to Turku", "Alva Brenn moved to Turku", ("complete", 1, []),
                 id="not changed"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES)
async def test_a_text_that_changed_is_judged_anew(
    bench: Erasing,
    clock: FrozenClock,
    before: str,
    after: str,
    expected: tuple[str, int, list[str]],
) -> None:
    """The same action goes on with today's text; another one is not done without a new plan."""
    memory_id = await bench.remember("u-1", before, known=False)
    view = await confirmed(bench, PERSON)
    change(bench, memory_id, after)
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted, small_of(bench).texts()) == expected, done.body()
    if done.state == "complete":
        checks = (await certificate(bench, done))["checks"]
        assert {each["result"] for each in checks.values()} <= {"pass", "not_applicable"}


async def test_metadata_that_changed_counts_too(bench: Erasing, clock: FrozenClock) -> None:
    """She was named beside the text alone, and is so no more."""
    memory_id = await bench.remember(
        "u-1", "Likes jasmine tea", mentions=[], metadata={"who": "Alva Brenn"}
    )
    view = await confirmed(bench, PERSON)
    small_of(bench).rows[memory_id]["metadata"] = {"who": "Tilda Lund"}
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted) == ("complete", 0), done.body()
    assert small_of(bench).texts() == ["Likes jasmine tea"]


async def test_what_goes_with_its_owner_goes_whatever_it_says(
    bench: Erasing, clock: FrozenClock
) -> None:
    """The owner is erased, not a text; nothing is asked of the store beforehand."""
    memory_id = await bench.remember("u-1", "Alva Brenn moved to Turku", mentions=HERS)
    view = await confirmed(bench, OWNER)
    change(bench, memory_id, "Somebody moved to Oulu")
    done = await carried_out(bench, clock, view)
    assert (done.state, done.deleted, small_of(bench).texts()) == ("complete", 1, [])


async def test_a_new_plan_deals_with_what_was_changed(bench: Erasing, clock: FrozenClock) -> None:
    """It is named with what to do; a new erasure of the same and a retry end both."""
    memory_id = await bench.remember("u-1", "Alva Brenn moved to Turku", known=False)
    view = await confirmed(bench, PERSON)
    change(bench, memory_id, "Alva Brenn and Tomas Eck moved to Oulu")
    done = await carried_out(bench, clock, view)
    (memory,) = [each for each in done.layers if each.layer == "memory"]
    assert (memory.status, memory.reason, memory.residual) == ("residual", "changed", 1)
    assert (await certificate(bench, done))["keys"]["destroyed"] == []
    again = await carried_out(bench, clock, await confirmed(bench, PERSON))
    assert (again.state, again.redacted) == ("complete", 1), again.body()
    assert small_of(bench).texts() == ["A person and Tomas Eck moved to Oulu"]
    done = await bench.service.retry(bench.tenant_id, done.id, actor=OPERATOR)
    assert (done.state, done.deleted) == ("complete", 0), done.body()
