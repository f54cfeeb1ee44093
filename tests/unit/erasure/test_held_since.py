"""Within the grace window of a confirmed erasure: holds are put on, and other erasures end."""

from datetime import timedelta
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger import erasures, memories
from proxy.rights.holds import Holds, Keeping
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing
from tests.unit.erasure.conftest import Build
from tests.unit.erasure.test_changed_since import carried_out, certificate, confirmed, small_of

PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))
HERS = [Mention("PERSON", "Alva Brenn")]
DUET = [*HERS, Mention("PERSON", "Tomas Eck")]
TEA, PLAYS = "Alva Brenn likes jasmine tea", "Alva Brenn and Tomas Eck play duets"


@pytest.fixture
async def bench(build: Build) -> Erasing:
    """A service whose erasures begin a day after they are confirmed."""
    return await build(grace="P1D", mixed="redact")


def texts(bench: Erasing) -> list[str]:
    """What the store holds."""
    return sorted(str(row["memory"]) for row in small_of(bench).rows.values())


HELD: dict[str, Any] = {"tea": ["u-1"], "duet": ["u-2"], "owner": ["u-1"], "both": ["u-1", "u-2"]}


@pytest.mark.parametrize("held", HELD)
async def test_what_is_put_on_hold_after_the_confirmation_stays(
    bench: Erasing, clock: FrozenClock, held: str
) -> None:
    """A memory or an owner, one that would go and one that would be rewritten; lifted, as planned.

    What is not held goes at the end of the window all the same.
    """
    ids = {
        "tea": await bench.remember("u-1", TEA, mentions=HERS),
        "duet": await bench.remember("u-2", PLAYS, mentions=DUET),
    }
    view = await confirmed(bench, PERSON)
    holds, keeping = Holds(bench.means, bench.service), Keeping("legal_claims")
    wanted = ids if held == "both" else {held: ids.get(held, "")}
    placed = [
        await holds.hold(bench.tenant_id, actor=OPERATOR, keeping=keeping, **where)
        for name, memory_id in wanted.items()
        for where in (
            [{"owner": ("user", "u-1")}] if name == "owner" else [{"memory_id": memory_id}]
        )
    ]
    done = await carried_out(bench, clock, view)
    stays = {"owner": {TEA}, "tea": {TEA}, "duet": {PLAYS}, "both": {TEA, PLAYS}}[held]
    signed = await certificate(bench, done)
    assert (done.state, done.counts["held"]) == ("held", len(stays)), done.body()
    assert {TEA, PLAYS} & {*texts(bench)} == stays
    assert [(each["code"], each["items"]) for each in signed["exceptions"]] == [
        ("legal_claims", len(stays))
    ]
    assert signed["checks"]["erasure_proof"]["result"] == "pass"
    for each in placed:
        await holds.lift(bench.tenant_id, each, actor=OPERATOR)
    ended = await bench.service.get(bench.tenant_id, view.id)
    assert ended.state == "complete"
    assert len(texts(bench)) == 1
    assert "Tomas Eck" in texts(bench)[0]
    assert "Alva" not in texts(bench)[0]


async def test_a_hold_of_something_else_keeps_nothing(bench: Erasing, clock: FrozenClock) -> None:
    """The negative twin."""
    await bench.remember("u-1", TEA, mentions=HERS)
    other = await bench.remember("u-1", "Rain on Friday", mentions=[])
    view = await confirmed(bench, PERSON)
    holds = Holds(bench.means, bench.service)
    keeping = Keeping("legal_claims")
    await holds.hold(bench.tenant_id, actor=OPERATOR, keeping=keeping, memory_id=other)
    done = await carried_out(bench, clock, view)
    assert (done.state, texts(bench)) == ("complete", ["Rain on Friday"])


async def state_of(bench: Erasing, memory_id: str) -> str:
    """In the ledger."""
    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, bench.store.name, memory_id)
    found = await bench.means.ledger.read(
        lambda tx: memories.by_refs(tx, bench.tenant_id, bench.store.name, [ref])
    )
    return found[ref].state


@pytest.mark.parametrize("first", [True, False], ids=["the first", "the second"])
async def test_cancelling_one_erasure_shows_nothing_of_another(
    bench: Erasing, clock: FrozenClock, first: bool
) -> None:
    """What the other still hides stays hidden until it is deleted; cancelled too, it is read."""
    memory_id = await bench.remember("u-1", TEA, mentions=HERS)
    own = await bench.remember("u-1", "Rain on Friday", mentions=[])
    pair: list[ErasureView] = [await confirmed(bench, PERSON), await confirmed(bench, OWNER)]
    cancelled, rest = (pair[0], pair[1]) if first else (pair[1], pair[0])
    await bench.service.cancel(bench.tenant_id, cancelled.id, actor=OPERATOR)
    assert await state_of(bench, memory_id) == "erasing"
    assert await state_of(bench, own) == ("erasing" if first else "live")
    await bench.service.cancel(bench.tenant_id, rest.id, actor=OPERATOR)
    assert [await state_of(bench, each) for each in (memory_id, own)] == ["live", "live"]
    clock.advance(timedelta(days=2))
    await bench.service.run_due()
    assert texts(bench) == sorted([TEA, "Rain on Friday"])


async def test_one_erasure_that_cannot_be_read_keeps_no_other_held(
    bench: Erasing, clock: FrozenClock
) -> None:
    """Its record is broken; what another hold kept goes when that is lifted."""
    holds, keeping = Holds(bench.means, bench.service), Keeping("legal_claims")
    held: dict[str, str] = {}
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, f"Lighthouse note of {owner}", mentions=[])
        view = await confirmed(bench, Target(kind="owner", values=(owner,)))
        held[view.id] = await holds.hold(
            bench.tenant_id, actor=OPERATOR, keeping=keeping, owner=("user", owner)
        )
        assert (await carried_out(bench, clock, view)).state == "held"
    broken, whole = held
    await bench.ledger.write(lambda tx: erasures.change(tx, broken, sealed_request=b"broken"))
    for each in held.values():
        await holds.lift(bench.tenant_id, each, actor=OPERATOR)
    assert (await bench.service.get(bench.tenant_id, broken)).state == "held"
    assert (await bench.service.get(bench.tenant_id, whole)).state == "complete"
    assert texts(bench) == ["Lighthouse note of u-1"]
