"""A bare name goes where something shows whom it means; under strangers it stays, counted."""

import base64
import json
from typing import Any

import pytest

from proxy.erasure.proof.certificate import BARE, SHORT_NAMES
from proxy.erasure.search.target import Target
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

ADA = Target(kind="entity", values=("Ada Lovren",), entity_type="PERSON")
TOLD = "Ada Lovren moved to Turku"


def _person(name: str) -> Mention:
    return Mention("PERSON", name)


async def _told(bench: Erasing, owner: str = "u-1") -> None:
    await bench.remember(owner, TOLD, mentions=[_person("Ada Lovren")])


async def _plan(bench: Erasing, target: Target = ADA, **request: Any) -> Any:
    return await bench.service.request(bench.tenant_id, target, actor=OPERATOR, **request)


STRANGERS = {
    # id: what an owner keeps who never tells the whole name
    "first name": "Ada likes tea",
    "family name": "Phoned Lovren about the boat",
    "title": "Dr. Lovren looks after the knee",
    "possessive": "The boat is Ada's",
    "small": "ada knits socks",
    "handle": "wrote to ada99",
    "several times": "Ada likes tea and Ada likes rye bread",
}


@pytest.mark.parametrize("known", [True, False], ids=["indexed", "not indexed"])
@pytest.mark.parametrize("text", STRANGERS.values(), ids=STRANGERS)
async def test_strangers_keep_what_only_bears_a_bare_name(
    bench: Erasing, text: str, known: bool
) -> None:
    """Nobody there says that Ada is Ada Lovren: it stays, the plan counts it, so does the proof."""
    await _told(bench)
    mentions = [_person(name) for name in ("Ada", "Lovren") if name in text]
    await bench.remember("u-2", text, known=known, mentions=mentions)
    plan = await _plan(bench)
    assert (plan.counts["to_delete"], plan.counts["doubtful"], plan.counts["bare_names"]) == (
        1, 1, 1,
    )  # fmt: skip
    view = await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    view = await bench.service.run(bench.tenant_id, view.id)
    assert (view.state, bench.small.texts()) == ("complete", [text])
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    signed = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert signed["doubtful_mentions"] == 1
    assert {BARE, SHORT_NAMES} & {*signed["claim"]["not_covered"]} == {BARE}


@pytest.mark.parametrize("text", STRANGERS.values(), ids=STRANGERS)
async def test_under_who_knows_her_it_goes(bench: Erasing, text: str) -> None:
    """The same texts go where the whole name is told."""
    await _told(bench)
    await bench.remember("u-1", text, known=False)
    view = await bench.forget(ADA)
    assert (view.state, view.counts.get("doubtful", 0), bench.small.texts()) == ("complete", 0, [])


@pytest.mark.parametrize("text", STRANGERS.values(), ids=STRANGERS)
async def test_who_asks_may_say_that_they_go(bench: Erasing, text: str) -> None:
    """What stays in doubt goes where it is chosen."""
    await _told(bench)
    await bench.remember("u-2", text, known=False)
    plan = await _plan(bench)
    plan = await bench.service.clarify(
        bench.tenant_id, plan.id, choices={"doubtful": "delete"}, actor=OPERATOR
    )
    assert (plan.state, plan.counts["to_delete"]) == ("planned", 2)
    view = await bench.service.confirm(
        bench.tenant_id, plan.id, word="confirmed", token=plan.token, actor=OPERATOR
    )
    view = await bench.service.run(bench.tenant_id, view.id)
    assert (view.state, bench.small.texts()) == ("complete", [])


async def test_a_namesakes_short_name_goes_where_it_is_chosen(bench: Erasing) -> None:
    """So does what an owner keeps who knows two of the name."""
    await _told(bench)
    await bench.remember("u-1", "Ada Voss rows", mentions=[_person("Ada Voss")])
    await bench.remember("u-1", "Ada likes tea", known=False)
    view = await bench.forget(ADA, choices={"doubtful": "delete"})
    assert (view.state, bench.small.texts()) == ("complete", ["Ada Voss rows"])


async def test_who_is_only_called_so_goes_everywhere(bench: Erasing) -> None:
    """Asked for by the bare name itself, whoever bears it is meant."""
    for owner in ("u-1", "u-2"):
        await bench.remember(owner, "Ada likes tea", mentions=[_person("Ada")])
    await bench.remember("u-3", "Ada rows", known=False)
    await bench.forget(Target(kind="entity", values=("Ada",), entity_type="PERSON"))
    assert bench.small.texts() == []


async def test_an_alias_that_is_asked_for_goes_everywhere(bench: Erasing) -> None:
    """A bare name given beside the whole one is no short form that Expunge thought of."""
    await _told(bench)
    await bench.remember("u-2", "Ada likes tea", known=False)
    target = Target(kind="entity", values=("Ada Lovren", "Ada"), entity_type="PERSON")
    assert (await bench.forget(target)).state == "complete"
    assert bench.small.texts() == []


async def test_within_one_owner_the_bare_name_is_meant(bench: Erasing) -> None:
    """Who limits the search to one owner says whose Ada it is."""
    await _told(bench)
    await bench.remember("u-2", "Ada likes tea", mentions=[_person("Ada")])
    target = Target(kind="entity", values=("Ada Lovren",), entity_type="PERSON", owner="u-2")
    await bench.forget(target)
    assert bench.small.texts() == [TOLD]


async def test_her_own_owner_goes_whatever_it_calls_her(bench: Erasing) -> None:
    """Under the subject's own id the bare name goes with the rest."""
    await _told(bench)
    await bench.remember("u-9", "Ada likes tea", known=False)
    await bench.remember("u-2", "Ada likes rye bread", known=False)
    target = Target(kind="subject", values=("Ada Lovren",), owner="u-9", entity_type="PERSON")
    assert (await bench.forget(target)).state == "complete"
    assert bench.small.texts() == ["Ada likes rye bread"]


@pytest.mark.parametrize(
    ("first", "second", "goes"),
    [
        pytest.param("run-1", "run-1", True, id="the same run"),
        pytest.param("run-1", "run-2", False, id="twin: another run"),
    ],
)
async def test_a_run_is_one_conversation(
    bench: Erasing, first: str, second: str, goes: bool
) -> None:
    """Where one speaker tells the whole name, another one's bare name means her."""
    for owner, run, text in (("u-1", first, TOLD), ("u-2", second, "Ada likes tea")):
        place = {"user": await bench.upstream_id(owner), "run": await bench.upstream_id(run, "run")}
        await bench.ledger.write(lambda tx, owner=owner: bench.owner(tx, owner))
        await bench.store.add(place, text, {})
    await _told(bench, "u-3")
    assert (await bench.forget(ADA)).state == "complete"
    assert bench.small.texts() == ([] if goes else ["Ada likes tea"])


async def test_an_agent_serves_many(bench: Erasing) -> None:
    """That the same agent wrote down both says nothing of whom the other user means."""
    agent = await bench.upstream_id("helper", "agent")
    for owner, text in (("u-1", TOLD), ("u-2", "Ada likes tea")):
        await bench.ledger.write(lambda tx, owner=owner: bench.owner(tx, owner))
        place = {"user": await bench.upstream_id(owner), "agent": agent}
        await bench.store.add(place, text, {})
    await _told(bench, "u-3")
    assert (await bench.forget(ADA)).state == "complete"
    assert bench.small.texts() == ["Ada likes tea"]


@pytest.mark.parametrize("link", ["source", "made of the same", "twin: none"])
async def test_provenance_shows_whom_it_means(bench: Erasing, link: str) -> None:
    """What she is told from, and what was made of the same source, speak of her."""
    source = {"source": ("bare",), "made of the same": ("talk",), "twin: none": ()}[link]
    made = ("talk",) if link == "made of the same" else ()
    await bench.remember("u-2", "Ada likes tea", name="bare", derived_from=made, mentions=[])
    await bench.remember("u-2", "A talk at the pier", name="talk", mentions=[])
    names = [_person("Ada Lovren")]
    # Names of provenance are an owner's own: the whole name is told under another user's id too.
    await bench.remember("u-2", "At the pier", mentions=[])
    memory = await bench.remember("u-1", TOLD, mentions=names)
    if source:
        await _derive(bench, memory, "u-2", source[0])
    await bench.forget(ADA, choices={"include": "direct"})
    gone = "Ada likes tea" not in bench.small.texts()
    assert gone is (link != "twin: none")


async def _derive(bench: Erasing, memory_id: str, owner: str, name: str) -> None:
    """Record that a memory was made of one of another owner."""
    from proxy.ledger import memories, provenance, reach

    names = await bench.means.keyring.tenant(bench.tenant_id)
    ref = memories.ref(names, bench.store.name, memory_id)

    async def unit(tx: Any) -> None:
        rows = await reach.recorded(tx, bench.tenant_id, bench.store.name, [ref])
        source = (provenance.named_ref(names, "user", owner, name), "primary")
        await provenance.insert(
            tx, bench.tenant_id, rows[ref].id, [source], bench.means.clock.now()
        )

    await bench.ledger.write(unit)
