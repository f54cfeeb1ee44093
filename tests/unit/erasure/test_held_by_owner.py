"""A legal hold on an owner keeps whatever the store has under it, known to the ledger or not."""

from dataclasses import replace
from typing import Any

import pytest

from proxy import ids
from proxy.clock import FrozenClock
from proxy.erasure.reconcile import reconcile
from proxy.erasure.search.target import Target
from proxy.ledger import erasures
from proxy.ledger.engine import Tx
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from tests.support.erasing import OPERATOR, Erasing
from tests.unit.erasure.conftest import Build
from tests.unit.erasure.test_changed_since import carried_out, confirmed

TEA = "Alva Brenn likes jasmine tea"
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
OWNER = Target(kind="owner", values=("u-1",))
ASKED: dict[str, tuple[str, str]] = {
    "the owner": ("owner", "control"),
    "a person": ("person", "control"),
    "a memory": ("memory", "control"),
    "a client, the owner": ("owner", "client"),
    "a client, a memory": ("memory", "client"),
}


async def placed(bench: Erasing, owner: str) -> tuple[Holds, str]:
    """A hold on all of an owner."""
    holds = Holds(bench.means, bench.service)
    hold_id = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), owner=("user", owner)
    )
    return holds, hold_id


@pytest.mark.parametrize("held", [True, False], ids=["held", "twin: another is held"])
@pytest.mark.parametrize(("what", "origin"), ASKED.values(), ids=ASKED)
async def test_what_the_ledger_never_saw_is_held_with_its_owner(
    bench: Erasing, what: str, origin: str, held: bool
) -> None:
    """It was written past the proxy; it stays until the hold is lifted, and then it goes."""
    await bench.remember("u-9", "Plays the cello", mentions=[])
    known = await bench.remember("u-1", "Rain on Friday", mentions=[])
    memory_id = await bench.remember("u-1", TEA, known=False)
    holds, hold_id = await placed(bench, "u-1" if held else "u-9")
    memory = Target(kind="memory", values=(memory_id,))
    target = {"owner": OWNER, "person": PERSON, "memory": memory}[what]
    view = await bench.forget(target, origin=origin)
    assert bench.small is not None
    assert (memory_id in bench.small.rows) is held
    assert (known in bench.small.rows) is (held or what != "owner")
    assert view.state == ("held" if held else "complete"), view.body()
    if not held:
        return
    _, second = await placed(bench, "u-9")
    await holds.lift(bench.tenant_id, second, actor=OPERATOR)
    assert memory_id in bench.small.rows, "another's hold was lifted"
    await holds.lift(bench.tenant_id, hold_id, actor=OPERATOR)
    done = await bench.service.get(bench.tenant_id, view.id)
    assert done.state == "complete", done.body()
    assert memory_id not in bench.small.rows


async def test_the_owner_that_the_store_tells_counts(bench: Erasing) -> None:
    """The ledger has it under one owner, the store under another, who is on hold."""
    memory_id = await bench.remember("u-1", TEA)
    await bench.remember("u-2", "Plays the cello", mentions=[])
    assert bench.small is not None
    bench.small.rows[memory_id]["user_id"] = await bench.upstream_id("u-2")
    await placed(bench, "u-2")
    view = await bench.forget(PERSON)
    assert (view.state, memory_id in bench.small.rows) == ("held", True)


@pytest.mark.parametrize("held", ["u-1", "u-9"], ids=["held", "twin: another is held"])
async def test_a_hold_within_the_grace_window_counts_too(
    build: Build, clock: FrozenClock, held: str
) -> None:
    """The hold is put on after the confirmation, before anything is deleted."""
    bench = await build(grace="P1D")
    await bench.remember("u-9", "Plays the cello", mentions=[])
    await bench.remember("u-1", "Rain on Friday", mentions=[])
    memory_id = await bench.remember("u-1", TEA, known=False)
    view = await confirmed(bench, PERSON)
    holds, hold_id = await placed(bench, held)
    done = await carried_out(bench, clock, view)
    assert bench.small is not None
    assert (done.state, memory_id in bench.small.rows) == (
        ("held", True) if held == "u-1" else ("complete", False)
    )
    await holds.lift(bench.tenant_id, hold_id, actor=OPERATOR)
    done = await bench.service.get(bench.tenant_id, view.id)
    assert (done.state, memory_id in bench.small.rows) == ("complete", False)


@pytest.mark.parametrize("held", [True, False], ids=["held", "twin: not held"])
async def test_reconcile_leaves_what_is_held(bench: Erasing, held: bool) -> None:
    """Somebody erased is named again under an owner on hold, past the proxy."""
    await bench.remember("u-1", TEA)
    await bench.remember("u-2", "Plays the cello", mentions=[])
    await bench.forget(PERSON)
    if held:
        await placed(bench, "u-2")
    again = await bench.remember("u-2", "Alva Brenn called", known=False)
    back: Any = await reconcile(bench.means, bench.service, bench.tenant_id, actor=OPERATOR)
    assert bench.small is not None
    assert (again in bench.small.rows, back.found) == (held, 0 if held else 1)


async def test_an_owner_whom_only_the_store_knows_can_be_held(bench: Erasing) -> None:
    """All of it was written past the proxy; who has nothing anywhere cannot be held."""
    memory_id = await bench.remember("u-7", TEA, known=False)
    with pytest.raises(Problem) as caught:
        await placed(bench, "u-8")
    assert caught.value.slug == "not-found"
    holds, hold_id = await placed(bench, "u-7")
    target = Target(kind="owner", values=("u-7",))
    view = await bench.forget(target)
    assert bench.small is not None
    assert (view.state, memory_id in bench.small.rows) == ("held", True), view.body()
    await holds.lift(bench.tenant_id, hold_id, actor=OPERATOR)
    assert bench.small.rows == {}


async def test_what_is_held_goes_however_many_came_after_it(bench: Erasing) -> None:
    """A store whose history nobody can reach leaves an incomplete erasure for each delete."""
    memory_id = await bench.remember("u-1", TEA)
    holds, hold_id = await placed(bench, "u-1")
    view = await bench.forget(PERSON)
    assert view.state == "held"
    row = await bench.ledger.read(lambda tx: erasures.by_id(tx, view.id))
    assert row is not None
    later = [
        replace(row, id=ids.new("era"), reference=f"LATER-{number}", state="incomplete")
        for number in range(120)
    ]

    async def insert(tx: Tx) -> None:
        for each in later:
            await erasures.insert(tx, each)

    await bench.ledger.write(insert)
    assert await holds.lift(bench.tenant_id, hold_id, actor=OPERATOR) == 1
    assert bench.small is not None
    assert memory_id not in bench.small.rows
    assert (await bench.service.get(bench.tenant_id, view.id)).state == "complete"
