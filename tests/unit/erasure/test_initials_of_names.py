"""An initial in place of a name: ``Hedvig M.``, ``H. Moen``; found where nothing contradicts."""

import pytest

from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

HEDVIG = Target(kind="entity", values=("Hedvig Moen",), entity_type="PERSON")
WITHIN = Target(kind="entity", values=("Hedvig Moen",), entity_type="PERSON", owner="u-1")
SHORT = ["Hedvig M.", "Hedvig M", "H. Moen", "H Moen"]
SAID = ["{} called about the rent", "Lunch with {} today", "{}'s boat leaks", "Met {}, my boss"]


def _mentions(name: str, *, indexed: bool) -> list[Mention]:
    return [Mention("PERSON", name)] if indexed else []


async def told(bench: Erasing, *texts: str, name: str = "", indexed: bool = False) -> None:
    """An owner who tells the whole name once, and then these."""
    await bench.remember("u-1", "Hedvig Moen is my landlord", mentions=[_person("Hedvig Moen")])
    for text in texts:
        await bench.remember("u-1", text, mentions=_mentions(name, indexed=indexed))


def _person(name: str) -> Mention:
    return Mention("PERSON", name)


@pytest.mark.parametrize("target", [HEDVIG, WITHIN], ids=["everywhere", "within her owner"])
@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "unknown"])
@pytest.mark.parametrize("short", SHORT)
async def test_it_goes_under_the_owner_who_tells_the_whole_name(
    bench: Erasing, short: str, indexed: bool, target: Target
) -> None:
    """However the sentence goes on."""
    texts = [each.format(short) for each in SAID]
    await told(bench, *texts, name=short, indexed=indexed)
    view = await bench.forget(target)
    assert (view.state, view.deleted) == ("complete", len(SAID) + 1), view.body()
    assert await bench.texts("u-1") == []


OTHERS = {
    # id: what else the owner says, how much of it stays, and how much of that is doubtful
    "another initial": (["Hedvig K. called"], 1, 0),
    "another initial of the given name": (["T. Moen called"], 1, 0),
    "a middle initial": (["Hedvig M. Falk called"], 1, 0),
    "a namesake of that initial": (["Hedvig Maas rows", "Hedvig M. called"], 2, 1),
    "a namesake of the other initial": (["Henrik Moen rows", "H. Moen called"], 2, 1),
    "twin: a namesake of another initial": (["Hedvig Voss rows", "Hedvig M. called"], 1, 0),
}


@pytest.mark.parametrize(("texts", "stays", "doubtful"), OTHERS.values(), ids=OTHERS)
async def test_what_may_be_a_namesakes_stays_and_is_counted(
    bench: Erasing, texts: list[str], stays: int, doubtful: int
) -> None:
    """Of others nothing goes; where two may be meant nobody can tell."""
    await told(bench, *texts)
    view = await bench.forget(HEDVIG)
    assert view.state == "complete", view.body()
    assert len(await bench.texts("u-1")) == stays
    assert view.counts.get("doubtful", 0) == doubtful


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "unknown"])
@pytest.mark.parametrize("short", SHORT)
async def test_under_strangers_it_is_counted(bench: Erasing, short: str, indexed: bool) -> None:
    """An owner who never tells the whole name may mean anybody."""
    await told(bench)
    text = f"{short} called about the rent"
    await bench.remember("u-2", text, mentions=_mentions(short, indexed=indexed))
    plan = await bench.service.request(bench.tenant_id, HEDVIG, actor=OPERATOR)
    assert (plan.state, plan.counts.get("doubtful", 0)) == ("planned", 1), plan.body()
    await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    done = await bench.service.run(bench.tenant_id, plan.id)
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-2") == [text]


async def test_it_does_not_come_back(bench: Erasing) -> None:
    """Under her owner both short forms are blocked, and those of others are not."""
    await told(bench, "Hedvig M. called", "H. Moen called")
    await bench.forget(HEDVIG)
    row = (await bench.ledger.write(lambda tx: bench.owner(tx, "u-1"))).id
    said = ["Hedvig M. moved", "H. Moen moved", "Hedvig K. moved", "T. Moen moved"]
    hits = await bench.means.blocklist.blocked_mentions(bench.tenant_id, said, [row])
    assert [bool(each) for each in hits] == [True, True, False, False]
