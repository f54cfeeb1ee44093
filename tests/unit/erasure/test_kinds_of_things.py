"""A name without a type that a person and a place, a month or a firm bear: it is asked which."""

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.view import ErasureView
from proxy.problems import Problem
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

BOTH = [
    # name, of somebody, of something else, and what that is
    pytest.param("Paris", "Paris called about the rent", "We flew to Paris", "LOCATION",
                 id="a city"),
    pytest.param("Jordan", "Yesterday Jordan called from Oslo", "Jordan borders Israel", "LOCATION",
                 id="a country"),
    pytest.param("April", "April called about the rent", "The fair is in April", "TERM",
                 id="a month"),
    pytest.param("May", "Yesterday May called from Oslo", "The fair is in May 2027", "TERM",
                 id="a month that is a verb"),
]  # fmt: skip


async def written(bench: Erasing, name: str, person: str, thing: str, *, known: bool) -> None:
    """Two memories, with what the index takes the name for, or behind its back."""
    for text, kind in ((person, "PERSON"), (thing, "LOCATION")):
        mentions = [Mention(kind, name)] if known else []
        await bench.remember("u-1", text, mentions=mentions, known=known)
    await bench.remember("u-2", "Tilda Lund mends nets", known=False)


async def planned(bench: Erasing, name: str, **more: object) -> ErasureView:
    """What is answered to a request without a type."""
    target = Target(kind="entity", values=(name,), **more)
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR)


@pytest.mark.parametrize("meant", ["person", "thing"])
@pytest.mark.parametrize("known", [True, False], ids=["indexed", "unknown"])
@pytest.mark.parametrize(("name", "person", "thing", "kind"), BOTH)
async def test_it_is_asked_which_is_meant(
    bench: Erasing, name: str, person: str, thing: str, kind: str, known: bool, meant: str
) -> None:
    """With how many memories each is in; only what was chosen goes, and nothing before."""
    kind = "LOCATION" if known else kind
    await written(bench, name, person, thing, known=known)
    view = await planned(bench, name)
    assert view.state == "needs_clarification"
    listed = {each.entity_type: (each.memories, each.hint) for each in view.candidates}
    assert listed.keys() == {"PERSON", kind}
    assert listed["PERSON"] == (1, f"{name} (a person)")
    assert listed[kind][0] == 1
    chosen = {"person": "PERSON", "thing": kind}[meant]
    (wanted,) = [each.id for each in view.candidates if each.entity_type == chosen]
    plan = await bench.service.clarify(
        bench.tenant_id, view.id, entity_ids=[wanted], actor=OPERATOR
    )
    assert (plan.state, plan.counts["found"]) == ("planned", 1), plan.body()
    await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    done = await bench.service.run(bench.tenant_id, plan.id)
    assert (done.state, done.deleted) == ("complete", 1), done.body()
    assert await bench.texts("u-1") == [thing if meant == "person" else person]


ONE = [
    pytest.param("Paris", ["Paris called about the rent"], 1, id="only somebody"),
    pytest.param("Paris", ["We flew to Paris"], 1, id="only a city"),
    pytest.param("Will", ["Yesterday Will called", "She will call", "Will it rain?"], 1,
                 id="a verb is no name"),
    pytest.param("Grace", ["Dinner with Grace", "There is a grace period"], 1,
                 id="a word in small letters is no name"),
    pytest.param("Orla", ["Orla called", "Met Orla in Turku"], 2, id="no word at all"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "texts", "found"), ONE)
async def test_of_one_kind_nothing_is_asked(
    bench: Erasing, name: str, texts: list[str], found: int
) -> None:
    """There is nothing to choose."""
    for text in texts:
        await bench.remember("u-1", text, known=False)
    view = await planned(bench, name)
    assert (view.state, view.counts["found"]) == ("planned", found), view.body()


@pytest.mark.parametrize(("firms", "asks"), [(2, True), (1, False)])
async def test_a_firm_that_bears_a_first_name(bench: Erasing, firms: int, asks: bool) -> None:
    """The index tells; what it saw once may be a slip of detection."""
    for kind, text, times in (("PERSON", "Zara called", 2), ("ORGANIZATION", "Drives", firms)):
        for n in range(times):
            await bench.remember("u-1", f"{text} {n}", mentions=[Mention(kind, "Zara")])
    view = await planned(bench, "Zara")
    assert (view.state == "needs_clarification") is asks, view.body()


async def test_a_type_or_an_answer_beforehand_is_not_asked_again(bench: Erasing) -> None:
    """Whoever says what is meant is not asked; of the kinds one is chosen."""
    await written(bench, "Paris", "Paris called about the rent", "We flew to Paris", known=True)
    for more in ({"entity_type": "PERSON"}, {"entity_ids": ("knd_person",)}):
        view = await planned(bench, "Paris", **more)
        assert (view.state, view.counts["found"]) == ("planned", 1), view.body()
    view = await planned(bench, "Paris")
    with pytest.raises(Problem, match="invalid-request"):
        await bench.service.clarify(bench.tenant_id, view.id, entity_ids=["all"], actor=OPERATOR)
    assert (await bench.service.get(bench.tenant_id, view.id)).state == "needs_clarification"
