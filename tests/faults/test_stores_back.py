"""A store that was away is read: in lots, whatever it holds, and with the holds of today."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from proxy.erasure.saga import late
from proxy.erasure.search import crawl, find
from proxy.erasure.search.found import Hunt
from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.ledger.engine import Tx
from proxy.ledger.schema import plan_items
from proxy.rights.holds import Holds, Keeping
from proxy.upstreams.errors import StoreUnavailable
from tests.support.erasing import OPERATOR
from tests.support.two_stores import HERS, OWNER, PERSON, Two

MANY = 30


async def planted(two: Two, target: Target) -> int:
    """How many memories of the second store go: most by name or owner, some as what derives."""
    there = replace(two.bench, store=two.bench.means.stores["second"])
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    for n in range(MANY):
        await two.plant(f"u-{1 + n % 5}", f"Alva Brenn paid invoice {n}")
        await two.plant(f"u-{1 + n % 5}", f"Invoice {n} is paid")
    await there.remember("u-2", "Alva Brenn rows on Sundays", name="rows", mentions=HERS)
    await there.remember("u-2", "Sundays are for the oars", mentions=[], derived_from=["rows"])
    return MANY + 2 if target is PERSON else 2 * MANY // 5


async def unsettled(two: Two) -> set[str]:
    """Whose items there are in the ledger."""

    async def unit(tx: Tx) -> set[str]:
        return set((await tx.execute(plan_items.select())).scalars())

    return await two.bench.ledger.read(unit)


@pytest.mark.parametrize("target", [PERSON, OWNER], ids=["a person", "an owner"])
async def test_what_is_back_is_judged_lot_by_lot(
    two: Two, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never more than a lot at once, however much there is; all of it goes, nothing else does."""
    monkeypatch.setattr(crawl, "LOT", 4)
    there = await planted(two, target)
    two.away()
    plan = await two.planned(target)
    await two.confirm(plan)
    lots: list[int] = []
    drafts = late._drafts

    async def counted(run: Any, found: Hunt) -> Any:
        lots.append(len(found.found))
        return await drafts(run, found)

    monkeypatch.setattr(late, "_drafts", counted)
    two.back()
    done = await two.later(plan)
    assert (done.state, done.counts["found_later"]) == ("complete", there), done.body()
    assert max(lots) <= 2 * MANY // 5  # the most that one owner has, for owners are read whole
    assert len(two.two.rows) == 2 * MANY + 2 - there
    assert await unsettled(two) == {plan.id}


async def test_a_store_that_fails_while_it_is_read_leaves_nothing_behind(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged before is forgotten, and judged anew once it is back for good."""
    monkeypatch.setattr(crawl, "LOT", 4)
    there = await planted(two, PERSON)
    two.away()
    plan = await two.planned(PERSON)
    await two.confirm(plan)
    staged: list[set[str]] = []
    missing = find._fetch_missing

    async def fails(*_: Any) -> None:
        staged.append(await unsettled(two))
        raise StoreUnavailable

    monkeypatch.setattr(find, "_fetch_missing", fails)
    two.back()
    assert (await two.later(plan)).state == "incomplete"
    assert max(map(len, staged)) == 2
    assert await unsettled(two) == {plan.id}
    monkeypatch.setattr(find, "_fetch_missing", missing)
    done = await two.later(plan, minutes=60)
    assert (done.state, done.counts["found_later"]) == ("complete", there)


# -- holds -----------------------------------------------------------------------------------------

DUET = "Alva Brenn and Tomas Eck play duets"


async def asked(two: Two, *, away: bool) -> tuple[ErasureView, str]:
    """An erasure that asks about a memory which its plan did not hold."""
    there = replace(two.bench, store=two.bench.means.stores["second"])
    await two.bench.remember("u-1", "Alva Brenn likes jasmine tea", mentions=HERS)
    await two.plant("u-1", "Alva Brenn moved to Turku")
    if away:
        two.away()
    plan = await two.planned(PERSON)
    assert plan.questions == ()
    await two.bench.service.confirm(
        two.bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    two.back()
    memory_id = await there.remember("u-2", DUET)
    done = await two.bench.service.run(two.bench.tenant_id, plan.id)
    assert (done.state, [each["id"] for each in done.questions]) == ("incomplete", ["mixed"])
    return done, memory_id


HELD = [
    pytest.param("memory", id="the memory"),
    pytest.param("owner", id="its owner"),
    pytest.param("", id="nothing"),
]


def held_of(signed: Mapping[str, Any]) -> list[tuple[str, int]]:
    """What a certificate says is held."""
    return [(each["code"], each["items"]) for each in signed["exceptions"]]


@pytest.mark.parametrize("answered", [True, False], ids=["and answered", "without an answer"])
@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("away", [True, False], ids=["in a store that was away", "come since"])
@pytest.mark.parametrize("two", [{"mixed": "ask"}], indirect=True)
async def test_what_was_asked_about_and_is_put_on_hold_stays(
    two: Two, away: bool, held: str, answered: bool
) -> None:
    """The hold wins, all else goes, the certificate names it; lifted, the memory goes as well."""
    done, memory_id = await asked(two, away=away)
    holds = Holds(two.bench.means, two.bench.service)
    which: dict[str, Any] = {
        "memory": {"memory_id": memory_id}, "owner": {"owner": ("user", "u-2")},
    }  # fmt: skip
    keeping = Keeping("legal_claims")
    tenant = two.bench.tenant_id
    placed = (
        await holds.hold(tenant, actor=OPERATOR, keeping=keeping, **which[held]) if held else ""
    )
    if answered:
        done = await two.bench.service.clarify(
            tenant, done.id, choices={"mixed": "delete"}, actor=OPERATOR
        )
    else:
        done = await two.bench.service.retry(tenant, done.id, actor=OPERATOR)
    signed = await two.signed(done)
    proof = signed["checks"]["erasure_proof"]["result"]
    if not held:
        assert (done.state, proof) == ("complete" if answered else "incomplete", "pass")
        return
    assert (done.state, done.questions, proof) == ("held", (), "pass"), done.body()
    assert (two.one.rows, two.two.texts()) == ({}, [DUET])
    assert held_of(signed) == [("legal_claims", 1)]
    assert "second/memory" in signed["claim"]["held_in"]
    await holds.lift(tenant, placed, actor=OPERATOR)
    signed = await two.signed(done)
    assert (signed["state"], signed["checks"]["erasure_proof"]["result"]) == ("complete", "pass")
    assert (two.two.rows, held_of(signed)) == ({}, [])
