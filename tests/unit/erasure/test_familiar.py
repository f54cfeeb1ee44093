"""Short names: an owner's only Kira is whom that owner means; where there are two, nobody is."""

import base64
import json

import pytest

from proxy.erasure.proof.certificate import SHORT_NAMES as NAMESAKES_TOO
from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

KIRA = Target(kind="entity", values=("Kira Moss",), entity_type="PERSON")
NAMESAKES = ["Kira Voss plays chess", "Tilda Moss bakes bread", "Karl Moss rows", "Kira is late"]


async def _two_owners(bench: Erasing, *texts: str) -> None:
    """One owner knows her by her whole name; another knows only people called nearly alike."""
    await bench.remember("u-1", "Kira Moss runs the practice", mentions=[_person("Kira Moss")])
    for text in texts:
        await bench.remember("u-1", text, known=False)
    for text in NAMESAKES:
        names = [_person(" ".join(text.split()[:2]))] if "late" not in text else [_person("Kira")]
        await bench.remember("u-2", text, mentions=names)


def _person(name: str) -> Mention:
    return Mention("PERSON", name)


SHORT = {
    # id: what the owner who knows her keeps, and what of it goes
    "first name": (["Kira has a new boat"], True),
    "possessive": (["Kira's practice is closed on Mondays"], True),
    "title": (["Mrs Moss has a new boat"], True),
    "initial": (["K. Moss approved it"], True),
    "middle initial": (["Dr. Kira T. Moss approved it"], True),
    "in a link": (["see https://x.example/kira-moss"], True),
    "twin: another first name": (["Tilda Moss approved it", "Mrs Moss approved it"], False),
    "twin: another family name": (["Kira Voss has a boat", "Kira has a new boat"], False),
    "twin: the same initial": (["Karl Moss approved it", "K. Moss approved it"], False),
    "twin: the plant": (["Moss grows on the roof"], False),
    "twin: a longer name": (["Kiran has a new boat"], False),
}


@pytest.mark.parametrize(("texts", "go"), SHORT.values(), ids=SHORT.keys())
async def test_what_an_owner_calls_her(bench: Erasing, texts: list[str], go: bool) -> None:
    """Under her owner the short name goes where it can mean nobody else; elsewhere nothing goes."""
    await _two_owners(bench, *texts)
    view = await bench.forget(KIRA)
    assert view.state == "complete", view.body()
    assert sorted(await bench.texts("u-1")) == ([] if go else sorted(texts))
    assert sorted(await bench.texts("u-2")) == sorted(NAMESAKES)


DOUBTFUL = {
    # id: what the owner who knows her keeps, and how much of it may be hers or a namesake's
    "family name": (["Tilda Moss approved it", "Mrs Moss approved it", "Mrs Moss left"], 2),
    "first name": (["Kira Voss has a boat", "Kira has a new boat"], 1),
    "initial": (["Karl Moss approved it", "K. Moss approved it"], 1),
    "twin: with the whole name": (["Tilda Moss rows", "Kira Moss and Mrs Moss left"], 0),
    "twin: no namesake": (["Mrs Moss approved it"], 0),
    "twin: no mention": (["Tilda Moss approved it"], 0),
}


STRANGERS = {
    # what an owner keeps who never says the whole name: how much of it may be hers
    "first name": (["Kira came to the party", "My cousin Kira skis"], 2),
    "title": (["Mrs Moss teaches maths", "Dr. Moss retired"], 2),
    "initial": (["Met K. Moss about the roof"], 1),
    "twin: a namesake": (["Kira came to the party", "Kira Lund sold the boat"], 0),
    "twin: another's whole name": (["Tilda Moss retired", "Kira Lund sold the boat"], 0),
    "twin: the plant": (["Moss grows on the roof"], 0),
}


@pytest.mark.parametrize(("texts", "number"), STRANGERS.values(), ids=STRANGERS.keys())
async def test_what_strangers_keep_may_be_hers_too(
    bench: Erasing, texts: list[str], number: int
) -> None:
    """A short name stays under owners who know no namesake; how many may be hers is counted."""
    await _two_owners(bench)
    for text in texts:
        await bench.remember("u-3", text, known=False)
    view = await bench.forget(KIRA)
    assert (view.state, view.counts.get("doubtful", 0)) == ("complete", number)
    assert sorted(await bench.texts("u-3")) == sorted(texts)


@pytest.mark.parametrize(("texts", "number"), DOUBTFUL.values(), ids=DOUBTFUL.keys())
async def test_what_may_be_a_namesakes_is_named(
    bench: Erasing, texts: list[str], number: int
) -> None:
    """A mention that stays because a namesake bears the short name too is counted, not hidden."""
    await _two_owners(bench, *texts)
    plan = await bench.service.request(bench.tenant_id, KIRA, actor=OPERATOR)
    assert plan.counts.get("doubtful", 0) == number
    view = await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    view = await bench.service.run(bench.tenant_id, view.id)
    assert (view.state, view.counts.get("doubtful", 0)) == ("complete", number)
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    payload = base64.b64decode(json.loads(bundle.dsse)["payload"])
    signed = json.loads(payload)["predicate"]
    assert signed["doubtful_mentions"] == number
    assert (NAMESAKES_TOO in signed["claim"]["not_covered"]) is bool(number)


@pytest.mark.parametrize("texts", [["Kira has a new boat"], []], ids=["used", "never used"])
async def test_short_names_do_not_come_back(bench: Erasing, texts: list[str]) -> None:
    """Under the owner who knows her they are blocked from then on, and under nobody else."""
    await _two_owners(bench, *texts)
    await bench.forget(KIRA)

    async def row_of(owner: str) -> str:
        return (await bench.ledger.write(lambda tx: bench.owner(tx, owner))).id

    rows = [await row_of(owner) for owner in ("u-1", "u-2")]
    said = ["Kira's practice moved", "Kira Voss moved", "Kiran moved"]
    mine, theirs = [
        await bench.means.blocklist.blocked_mentions(bench.tenant_id, said, [row]) for row in rows
    ]
    assert [bool(hits) for hits in mine] == [True, False, False]
    assert [bool(hits) for hits in theirs] == [False, False, False]


async def test_a_token_of_one_word_is_not_the_whole_name(bench: Erasing) -> None:
    """A namesake whose family name got the token of her bare one stays."""
    await bench.remember("u-1", "Kira Moss runs the practice", mentions=[_person("Kira Moss")])
    await bench.remember("u-1", "Mrs Moss has a boat", mentions=[_person("Moss")])
    await bench.remember("u-2", "Mira Moss sings", mentions=[_person("Mira Moss")])
    view = await bench.forget(KIRA)
    assert view.state == "complete", view.body()
    assert bench.small.texts() == ["Mira Moss sings"]


OWN = Target(kind="subject", values=("Kira Moss",), owner="u-9", entity_type="PERSON")


async def test_her_own_owner_says_nothing_of_what_others_call_by_her_first_name(
    bench: Erasing,
) -> None:
    """Her owner's bare name goes with the rest; under owners who do not know her it stays."""
    for owner in ("u-3", "u-9"):
        await bench.remember(owner, "Kira has a new boat", mentions=[_person("Kira")])
    await _two_owners(bench, "Kira is back")
    view = await bench.forget(OWN)
    assert view.state == "complete", view.body()
    assert await bench.texts("u-1") == await bench.texts("u-9") == []
    assert sorted(await bench.texts("u-2")) == sorted(NAMESAKES)
    assert await bench.texts("u-3") == ["Kira has a new boat"]
