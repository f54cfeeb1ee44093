"""Requests that come twice, at once, for whom nobody knows or may erase, or with odd names."""

import asyncio
import base64
import json

import pytest

from proxy.erasure.search.target import Target, load
from proxy.erasure.view import ErasureView
from proxy.ledger import memories, reach
from proxy.problems import Problem
from proxy.rights.holds import Holds, Keeping
from tests.support.erasing import OPERATOR, Erasing

OWNER = Target(kind="owner", values=("u-1",))
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")


async def confirmed(bench: Erasing, view: ErasureView) -> str:
    """Confirm a view; gives ``ok`` or the problem's slug."""
    try:
        await bench.service.confirm(
            bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
        )
    except Problem as problem:
        return problem.slug
    return "ok"


async def asked(bench: Erasing, target: Target) -> ErasureView:
    """A planned request."""
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR)


async def test_one_token_confirmed_many_times_at_once(bench: Erasing) -> None:
    """Exactly one confirmation counts, and there is one job and one certificate."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    view = await asked(bench, OWNER)
    answers = await asyncio.gather(*(confirmed(bench, view) for _ in range(5)))
    assert sorted(answers) == ["invalid-state"] * 4 + ["ok"]
    assert await bench.service.run_due() == 1
    assert (await bench.service.get(bench.tenant_id, view.id)).state == "complete"


async def test_equal_requests_confirmed_at_once(bench: Erasing) -> None:
    """One of them runs; the others say that the subject is locked."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    views = [await asked(bench, OWNER) for _ in range(3)]
    answers = await asyncio.gather(*(confirmed(bench, view) for view in views))
    assert sorted(answers) == ["ok", "subject-locked", "subject-locked"]
    assert await bench.service.run_due() == 1
    assert bench.small.rows == {}


async def test_what_another_of_the_same_target_took_ends_by_itself(bench: Erasing) -> None:
    """Nobody has to confirm the plans that lost; what came since is left for a confirmation."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    views = [await asked(bench, OWNER) for _ in range(3)]
    answers = [await confirmed(bench, view) for view in views]
    assert answers == ["ok", "subject-locked", "subject-locked"]
    assert await bench.service.end_overtaken() == 0
    await bench.service.run_due()
    assert await bench.service.end_overtaken() == 2
    for lost in views[1:]:
        view = await bench.service.get(bench.tenant_id, lost.id)
        assert (view.state, view.outcome) == ("complete", "nothing_found")
        assert (view.earlier, view.earlier_state) == (views[0].reference, "complete")
    assert await bench.service.end_overtaken() == 0


async def test_a_plan_of_what_came_since_is_not_ended(bench: Erasing) -> None:
    """It is looked at once for each erasure that was complete before it, not at every turn."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    first, second = await asked(bench, OWNER), await asked(bench, OWNER)
    assert await confirmed(bench, first) == "ok"
    await bench.service.run_due()
    await bench.remember("u-1", "Plays the cello", known=False)
    assert await bench.service.end_overtaken() == 0
    asked_before = len(bench.small.calls)
    assert await bench.service.end_overtaken() == 0
    assert len(bench.small.calls) == asked_before
    assert (await bench.service.get(bench.tenant_id, second.id)).state == "planned"


async def test_owner_and_person_erased_at_once(bench: Erasing) -> None:
    """Two erasures that share a memory both end complete, and the memory is gone once."""
    await bench.remember("u-1", "Rowed with Alva Brenn")
    await bench.remember("u-2", "Baked with Alva Brenn")
    kept = await bench.remember("u-2", "Likes jasmine tea", mentions=[])
    views = await asyncio.gather(bench.forget(OWNER), bench.forget(PERSON))
    assert [view.state for view in views] == ["complete", "complete"]
    assert list(bench.small.rows) == [kept]
    for view in views:
        assert (await bench.service.certificate(bench.tenant_id, view.id)).dsse


@pytest.mark.parametrize("kind", ["owner", "memory"])
async def test_a_held_subject(bench: Erasing, kind: str) -> None:
    """What a hold keeps stays, is counted under its code, and goes when the hold is lifted."""
    held = await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    await bench.remember("u-1", "Plays the cello", mentions=[])
    holds = Holds(bench.means, bench.service)
    which = {"owner": ("user", "u-1")} if kind == "owner" else {"memory_id": held}
    placed = await holds.hold(
        bench.tenant_id, actor=OPERATOR, keeping=Keeping("legal_claims"), **which
    )
    view = await bench.forget(OWNER)
    left = [held] if kind == "memory" else list(bench.small.rows)
    assert (view.state, list(bench.small.rows)) == ("held", left)
    assert view.counts["held"] == len(left)
    signed = await bench.service.certificate(bench.tenant_id, view.id)
    payload = base64.b64decode(json.loads(signed.dsse)["payload"])
    predicate = json.loads(payload)["predicate"]
    memory = next(each for each in predicate["layers"] if each["layer"] == "memory")
    shown = [memory[name] for name in ("found", "erased", "residual", "status")]
    assert shown == [2, 2 - len(left), len(left), "held"]
    claim, checks = predicate["claim"], predicate["checks"]
    assert (claim["absent_from"], claim["out_of_reach"]) == ([], [])
    assert len(claim["held_in"]) == len(predicate["layers"])
    for name in ("erasure_memory_clean", "erasure_data_inaccessible"):
        assert checks[name]["result"] == "not_applicable"
    await holds.lift(bench.tenant_id, placed, actor=OPERATOR)
    assert (await bench.service.get(bench.tenant_id, view.id)).state == "complete"
    assert bench.small.rows == {}


@pytest.mark.parametrize("target", [OWNER, PERSON, Target(kind="memory", values=("no-such",))])
async def test_nobody_knows_them(bench: Erasing, target: Target) -> None:
    """Not an error and not a success: an outcome of its own, without a certificate."""
    await bench.remember("u-9", "Likes jasmine tea", mentions=[])
    view = await bench.forget(target)
    assert (view.state, view.outcome, view.deleted) == ("complete", "nothing_found", 0)
    assert not view.certificate_ready
    assert len(bench.small.rows) == 1


ODD_NAMES = [
    pytest.param("Al.a Brenn", "Rowed with Alva Brenn", False, id="dot is no wildcard"),
    pytest.param("Al.a Brenn", "Rowed with Al.a Brenn", True, id="dot is a dot"),
    pytest.param("Alva.*", "Rowed with Alvaro Quist", False, id="star is no wildcard"),
    pytest.param("Alva.*", "Rowed with Alva", True, id="star is no letter"),
    pytest.param("(Alva|Orla) Quist", "Rowed with Orla Quist", False, id="alternatives"),
    pytest.param("[A-Z]rla Quist", "Rowed with Orla Quist", False, id="class"),
    pytest.param("^Orla", "Orla came", True, id="caret"),
    pytest.param("Orla (Quist", "Rowed with Orla Voss", False, id="open bracket"),
    pytest.param("C++ Circle", "The CCC Circle met", False, id="plus"),
    pytest.param("C++ Circle", "The C++ Circle met", True, id="plus itself"),
    pytest.param("a\\d+b", "Room a12b is free", False, id="backslash"),
    pytest.param("50% Club", "The 50% Club met", True, id="percent"),
    pytest.param("50% Club", "The 500 Club met", False, id="percent is no wildcard"),
    pytest.param("Q", "Q called from Oslo", True, id="one letter"),
    pytest.param("Q", "The Quist house is old", False, id="one letter in a word"),
    pytest.param("Q", "See Q3 of the report", False, id="one letter before a digit"),
    pytest.param("李", "李娜 called from Oslo", False, id="one sign of a name without spaces"),
    pytest.param("李娜", "李娜 called from Oslo", True, id="two signs"),
    pytest.param("May", "May called from Oslo", True, id="month as a name"),
    pytest.param("May", "You may call from Oslo", False, id="month as a verb"),
]


@pytest.mark.parametrize(("name", "text", "goes"), ODD_NAMES)
async def test_odd_names_are_erased_to_the_letter(
    bench: Erasing, name: str, text: str, goes: bool
) -> None:
    """Carried out, not only shown: the memory that names them goes, its twin stays."""
    await bench.remember("u-1", text, mentions=[], known=False)
    kind = "PERSON" if name in {"Q", "May"} else None
    view = await bench.forget(Target(kind="entity", values=(name,), entity_type=kind))
    assert view.state == "complete"
    assert len(bench.small.rows) == int(not goes)


@pytest.mark.parametrize("value", ["", " ", "\t\n", "--", ".*", "***", "\u200b", "?!"])
def test_names_without_a_letter_are_refused(value: str) -> None:
    """A name of nothing would mean everything."""
    with pytest.raises(Problem) as caught:
        load({"kind": "entity", "value": value})
    assert caught.value.slug == "invalid-request"


async def test_ten_thousand_aliases_are_erased(bench: Erasing) -> None:
    """As many names as a request may have, carried out to the certificate."""
    letters = "bdfghjklmn"
    names = [f"Tilda {a}{b}{c}{d}z".title() for a in letters for b in letters for c in letters
             for d in letters]  # fmt: skip
    await bench.remember("u-1", f"Rowed with {names[-1]}", mentions=[], known=False)
    kept = await bench.remember("u-1", "Rowed with Tilda Qwe", mentions=[], known=False)
    target = Target(kind="entity", values=tuple(names), entity_type="PERSON", owner="u-1")
    view = await bench.forget(target)
    assert (view.state, view.deleted, list(bench.small.rows)) == ("complete", 1, [kept])


@pytest.mark.parametrize("state", ["erasing", "live", "restricted"])
async def test_nothing_comes_back_from_erased(bench: Erasing, state: str) -> None:
    """A slower erasure, or a hold that is lifted, finds a memory erased and leaves it so."""
    await bench.remember("u-1", "Likes jasmine tea", mentions=[])
    rows = await bench.ledger.read(lambda tx: memories.of_tenant(tx, bench.tenant_id))
    await bench.forget(OWNER)
    await bench.ledger.write(lambda tx: reach.move(tx, [row.id for row in rows], state))
    after = await bench.ledger.read(lambda tx: memories.by_ids(tx, [row.id for row in rows]))
    assert [row.state for row in after] == ["erased"]
