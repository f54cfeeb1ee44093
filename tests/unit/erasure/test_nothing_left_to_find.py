"""Where nothing is found: what was looked at, and what an earlier erasure of the same left."""

from pathlib import Path

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.keys.ring import KeyRing
from proxy.ledger import erasures
from proxy.ledger.engine import Ledger
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.small_store import SmallLayer

OWNER = Target(kind="owner", values=("u-1",))
NAMED = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
UNSEEN = {"entities": "out_of_reach", "history": "out_of_reach", "messages": "out_of_reach"}


@pytest.fixture
async def blind(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> Erasing:
    """A store of whose layers only the memories can be reached, and that keeps its history."""
    store, small = small_binding()
    store.layers, small.keeps_history = {}, True
    return await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)


def not_absent(view: ErasureView) -> dict[str, str | None]:
    """Layers that are not said to be absent, with the reason."""
    return {each.layer: each.reason for each in view.layers if each.status != "absent"}


@pytest.mark.parametrize("kind", ["owner", "entity", "memory", "memory of the owner"])
async def test_what_the_first_left_is_not_complete_at_the_second(blind: Erasing, kind: str) -> None:
    """Nobody can look, so nothing is absent; the earlier one is named with what it left."""
    memory_id = await blind.remember("u-1", "Alva Brenn likes jasmine tea")
    by_id = Target(kind="memory", values=(memory_id,))
    first = {"entity": NAMED, "memory": by_id}.get(kind, OWNER)
    again = by_id if kind == "memory of the owner" else first
    done = await blind.forget(first)
    assert (done.state, done.deleted) == ("incomplete", 1)
    for _ in range(2):
        view = await blind.forget(again)
        assert (view.state, view.outcome, view.deleted) == ("incomplete", "nothing_found", 0)
        assert not_absent(view) == UNSEEN
        assert (view.earlier, view.earlier_state) == (done.reference, "incomplete")
        left = {str(each["layer"]): each["reason"] for each in view.earlier_left}
        assert left == UNSEEN | {"history": "no_route_deletes_it"}


HERS = Target(kind="owner", values=("alva-brenn",))
SUBJECT = Target(kind="subject", values=("Alva Brenn",), owner="u-1")
OTHERWISE = [
    pytest.param("alva-brenn", HERS, NAMED, id="an owner, then the name that is its id"),
    pytest.param("u-1", NAMED, HERS, id="a name, then the owner whose id it is"),
    pytest.param("u-1", SUBJECT, NAMED, id="a data subject, then the name"),
    pytest.param("u-1", SUBJECT, OWNER, id="a data subject, then the owner"),
    pytest.param(
        "u-1", NAMED, Target(kind="entity", values=("Dr. Brenn, Alva",)), id="with a title"
    ),
    pytest.param("u-1", OWNER, SUBJECT, id="an owner, then the data subject"),
]


@pytest.mark.parametrize(("owner", "first", "again"), OTHERWISE)
async def test_the_same_person_asked_for_otherwise(
    blind: Erasing, owner: str, first: Target, again: Target
) -> None:
    """What the first left is named by the second, though the target is of another kind."""
    await blind.remember(owner, "Alva Brenn likes jasmine tea")
    done = await blind.forget(first)
    assert (done.state, done.deleted) == ("incomplete", 1)
    view = await blind.forget(again)
    assert (view.state, view.outcome) == ("incomplete", "nothing_found")
    assert (view.earlier, view.earlier_state) == (done.reference, "incomplete")
    assert {str(each["layer"]) for each in view.earlier_left} == UNSEEN.keys()


OTHERS = [
    pytest.param(NAMED, Target(kind="entity", values=("Arne Brenn",)), id="another first name"),
    pytest.param(NAMED, Target(kind="entity", values=("Alva Lund",)), id="another family name"),
    pytest.param(NAMED, Target(kind="entity", values=("Alva Brenn Falk",)), id="a longer name"),
    pytest.param(NAMED, Target(kind="owner", values=("a-brenn",)), id="an id with an initial"),
    pytest.param(OWNER, Target(kind="owner", values=("u-10",)), id="a longer id"),
    pytest.param(
        Target(kind="entity", values=("Alva Brenn",), owner="u-1"),
        Target(kind="entity", values=("Alva Brenn",), owner="u-2"), id="elsewhere",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("first", "again"), OTHERS)
async def test_somebody_else_is_not_the_same(blind: Erasing, first: Target, again: Target) -> None:
    """Of whom only a part of the name is the same nothing was left."""
    await blind.remember("u-1", "Alva Brenn likes jasmine tea", mentions=[])
    assert (await blind.forget(first)).state == "incomplete"
    view = await blind.forget(again)
    assert (view.state, view.outcome, view.earlier) == ("complete", "nothing_found", None)


async def test_what_was_closed_with_something_left_is_known_by_whom_it_blocks(
    blind: Erasing,
) -> None:
    """Its request can be read no more; the name that it blocks tells."""
    await blind.remember("u-1", "Alva Brenn likes jasmine tea")
    done = await blind.forget(NAMED)
    await blind.ledger.write(
        lambda tx: erasures.change(tx, done.id, state="incomplete", outcome="needs_operator")
    )
    closed = await blind.service.cancel(blind.tenant_id, done.id, actor=OPERATOR)
    assert (closed.state, closed.outcome) == ("cancelled", "incomplete")
    for again in (HERS, Target(kind="entity", values=("BRENN, Alva",))):
        view = await blind.forget(again)
        assert (view.outcome, view.state, view.earlier) == (
            "nothing_found", "incomplete", done.reference,
        )  # fmt: skip


async def test_of_whom_nobody_heard_the_unseen_layers_are_told(blind: Erasing) -> None:
    """It is complete, for there is nothing to do; what nobody looked at is not called absent."""
    view = await blind.forget(Target(kind="owner", values=("u-404",)))
    assert (view.state, view.outcome, view.earlier) == ("complete", "nothing_found", None)
    assert not_absent(view) == UNSEEN
    seen = [(each.layer, each.residual) for each in view.layers if each.status == "absent"]
    assert seen == [("memory", 0), ("embedding", 0)]


async def test_a_preview_tells_the_same(blind: Erasing) -> None:
    """Before anything is confirmed, with the state of a preview."""
    await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    done = await blind.forget(OWNER)
    view = await blind.service.request(blind.tenant_id, OWNER, actor=OPERATOR, dry_run=True)
    assert (view.state, view.outcome, view.earlier) == ("planned", "nothing_found", done.reference)
    assert not_absent(view) == UNSEEN


async def test_it_is_done_when_the_earlier_one_is(blind: Erasing) -> None:
    """Connect the layers, retry the first, then the second: both are complete."""
    await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    done, again = await blind.forget(OWNER), await blind.forget(OWNER)
    assert blind.small is not None
    blind.small.history.clear()
    blind.store.layers = {name: SmallLayer(name) for name in UNSEEN}
    first = await blind.service.retry(blind.tenant_id, done.id, actor=OPERATOR)
    assert first.state == "complete", first.body()
    view = await blind.service.retry(blind.tenant_id, again.id, actor=OPERATOR)
    assert (view.state, view.outcome) == ("complete", "nothing_found")
    assert (view.earlier, view.earlier_state, view.earlier_left) == (done.reference, "complete", ())


async def test_one_that_waits_for_an_earlier_one_can_be_dropped(blind: Erasing) -> None:
    """It deleted nothing, so it is cancelled like one that was not confirmed."""
    await blind.remember("u-1", "Likes jasmine tea", mentions=[])
    await blind.forget(OWNER)
    again = await blind.forget(OWNER)
    view = await blind.service.cancel(blind.tenant_id, again.id, actor=OPERATOR)
    assert view.state == "cancelled"


async def test_a_layer_that_does_not_answer_is_not_absent(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path
) -> None:
    """Connected, and away when it was asked."""
    layers = {"history": SmallLayer("history", away=True), "messages": SmallLayer("messages"),
              "entities": SmallLayer("entities")}  # fmt: skip
    store, small = small_binding(**layers)
    bench = await erasing(ledger, keyring, tenant_id, clock, tmp_path, [store], small=small)
    view = await bench.forget(Target(kind="owner", values=("u-404",)))
    assert not_absent(view) == {"history": "layer_unreachable"}
    unasked = await bench.forget(Target(kind="memory", values=("no-such-id",)))
    assert not_absent(unasked) == dict.fromkeys(layers, "not_asked")
