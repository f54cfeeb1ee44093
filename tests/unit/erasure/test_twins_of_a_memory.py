"""A memory named by its id takes with it what says the same; a store's client takes only that."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.erasure.proof.certificate import OTHER_WORDS
from proxy.erasure.search.meaning import encode
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from tests.support.erasing import OPERATOR, Erasing

TEA = "Likes jasmine tea"
MOVE = "Moved to the flat above the bakery in Lund last spring"


async def _memory(bench: Erasing, text: str = TEA) -> Target:
    memory_id = await bench.remember("u-1", text, mentions=[])
    return Target(kind="memory", values=(memory_id,))


def _left(bench: Erasing) -> list[str]:
    assert bench.small is not None
    return bench.small.texts()


SAME = {
    # id: what is erased, and what says nothing beyond it
    "case": (TEA, "likes Jasmine TEA"),
    "punctuation": (TEA, "Likes jasmine-tea!"),
    "order": (TEA, "Jasmine tea likes"),
    "stop words": (TEA, "She likes the jasmine tea"),
    "the very words": (TEA, TEA),
    "longer": (MOVE, "To the flat above the bakery in Lund moved last spring"),
}
OTHERWISE = {
    "another word": (TEA, "Likes jasmine rice"),
    "one word more": (TEA, "Likes cold jasmine tea"),
    "one word less": (TEA, "Likes tea"),
    "denied": (TEA, "Does not like jasmine tea"),
    "denied in the same words": ("Drinks coffee at night", "Drinks no coffee at night"),
    "turned round": ("Moved to Lund", "Moved from Lund"),
    "who does what": ("Anna owes Tom money", "Tom owes Anna money"),
    "a number": ("Pays 500 euro rent", "Pays 600 euro rent"),
}


@pytest.mark.parametrize(("text", "again"), SAME.values(), ids=SAME)
async def test_what_says_the_same_goes_too(bench: Erasing, text: str, again: str) -> None:
    """It is in the plan as indirect, for itself, and goes."""
    target = await _memory(bench, text)
    await bench.remember("u-1", again, mentions=[])
    await bench.remember("u-1", "Waters the tomatoes in the evening", mentions=[])
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR, dry_run=True)
    assert (plan.counts["direct"], plan.counts["indirect"]) == (1, 1)
    assert {item["relation"] for item in plan.items} == {"direct", "near_duplicate"}
    view = await bench.forget(target)
    assert (view.state, view.deleted, view.cascaded) == ("complete", 1, 1)
    assert _left(bench) == ["Waters the tomatoes in the evening"]


@pytest.mark.parametrize(("text", "other"), OTHERWISE.values(), ids=OTHERWISE)
async def test_what_says_something_else_stays(bench: Erasing, text: str, other: str) -> None:
    """A single word, a number, a denial or another direction is enough."""
    target = await _memory(bench, text)
    await bench.remember("u-1", other, mentions=[])
    view = await bench.forget(target)
    assert (view.state, view.cascaded, _left(bench)) == ("complete", 0, [other])


async def test_what_another_owner_says_stays(bench: Erasing) -> None:
    """It is theirs."""
    target = await _memory(bench)
    await bench.remember("u-2", TEA, mentions=[])
    assert (await bench.forget(target)).state == "complete"
    assert _left(bench) == [TEA]


@pytest.mark.parametrize("origin", ["client", "sweeper"])
async def test_clients_and_retention_mean_the_very_memory(bench: Erasing, origin: Any) -> None:
    """A store's client that deletes one of two equal memories keeps the other one."""
    target = await _memory(bench)
    await bench.remember("u-1", TEA, mentions=[])
    view = await bench.forget(target, origin=origin)
    assert (view.state, _left(bench)) == ("complete", [TEA])


async def test_who_asks_may_mean_the_very_memory(bench: Erasing) -> None:
    """``include: direct`` takes nothing else."""
    target = await _memory(bench)
    await bench.remember("u-1", TEA, mentions=[])
    await bench.forget(target, choices={"include": "direct"})
    assert _left(bench) == [TEA]


async def test_what_was_made_of_a_twin_goes_with_it(bench: Erasing) -> None:
    """Provenance is followed from there."""
    target = await _memory(bench)
    await bench.remember("u-1", "She likes jasmine tea", name="twin", mentions=[])
    await bench.remember("u-1", "A friend of tea", derived_from=["twin"], mentions=[])
    view = await bench.forget(target)
    assert (view.state, view.cascaded, _left(bench)) == ("complete", 2, [])


AGAIN = "Lives in a flat over the bakery in Lund since moving last spring"


@pytest.mark.parametrize(
    ("again", "doubtful"),
    [
        pytest.param(AGAIN, 1, id="in other words"),
        pytest.param(f"Summary: has a dog. {MOVE}. Likes tea.", 1, id="quoted beside more"),
        pytest.param(f'Has a dog; "{MOVE}", as the user told me.', 1, id="within a sentence"),
        pytest.param("Summary: has a dog. Moved last spring. Likes tea.", 0,
                     id="twin: quoted in part"),
        pytest.param("Never moved to the flat above the bakery in Lund last spring", 0,
                     id="twin: denied"),
        pytest.param("Buys bread at the bakery in Lund", 0, id="twin: on the same things"),
    ],
)  # fmt: skip
async def test_what_only_means_the_same_is_offered(
    bench: Erasing, again: str, doubtful: int
) -> None:
    """It stays, is counted as doubtful, and goes where whoever asks says so."""
    bench.service = ErasureService(replace(bench.means, encode=encode))
    target = await _memory(bench, MOVE)
    await bench.remember("u-1", again, mentions=[])
    plan = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    assert (plan.counts["found"], plan.counts.get("doubtful", 0)) == (1, doubtful)
    wider = await bench.service.clarify(
        bench.tenant_id, plan.id, actor=OPERATOR, choices={"doubtful": "delete"}
    )
    assert wider.counts["found"] == 1 + doubtful
    assert [item["reason"] for item in wider.items if item["reason"]] == ["same_meaning"] * doubtful
    view = await bench.forget(target)
    assert (view.state, view.cascaded, _left(bench)) == ("complete", 0, [again])
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    signed = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert signed["doubtful_mentions"] == doubtful
    assert (OTHER_WORDS in signed["claim"]["not_covered"]) is bool(doubtful)


DIFFERENT_FACTS = {
    "My brother is allergic to peanuts and carries an adrenaline pen": [
        "My brother is not allergic to peanuts and carries no adrenaline pen",
        "My sister is allergic to peanuts and carries an adrenaline pen",
        "My brother is allergic to walnuts and carries an adrenaline pen",
    ],
    "The dentist appointment moved from Monday morning to Tuesday evening": [
        "The dentist appointment moved from Tuesday evening to Monday morning",
        "The dentist appointment moved from Monday morning to Friday evening",
    ],
    "The spare house key lies under the left flower pot outside": [
        "The spare house key lies under the right flower pot outside",
        "The spare garage key lies under the left flower pot outside",
        "The spare house key no longer lies under the left flower pot outside",
    ],
}


@pytest.mark.parametrize("choices", [{}, {"doubtful": "delete"}], ids=["as it is", "wider"])
@pytest.mark.parametrize("text", DIFFERENT_FACTS)
async def test_other_facts_in_nearly_the_same_words_stay(
    bench: Erasing, text: str, choices: dict[str, str]
) -> None:
    """One telling word is another fact, whatever the encoder says; it is not even offered."""
    bench.service = ErasureService(replace(bench.means, encode=encode))
    target = await _memory(bench, text)
    for other in DIFFERENT_FACTS[text]:
        await bench.remember("u-1", other, mentions=[])
    view = await bench.forget(target, choices=choices)
    assert (view.state, view.cascaded) == ("complete", 0)
    assert view.counts.get("doubtful", 0) == 0
    assert sorted(_left(bench)) == sorted(DIFFERENT_FACTS[text])


@pytest.mark.parametrize(
    ("own", "goes"),
    [
        pytest.param({}, True, id="without metadata"),
        pytest.param({"topic": "drinks"}, True, id="with the same"),
        pytest.param({"topic": "presents"}, False, id="twin: with its own"),
    ],
)
async def test_metadata_speaks_too(bench: Erasing, own: dict[str, str], goes: bool) -> None:
    """A memory whose metadata say more than those of the erased one stays."""
    erased = await bench.remember("u-1", TEA, metadata={"topic": "drinks"}, mentions=[])
    await bench.remember("u-1", TEA, metadata=own, mentions=[])
    await bench.forget(Target(kind="memory", values=(erased,)))
    assert _left(bench) == ([] if goes else [TEA])


async def test_a_policy_that_asks_is_asked(build: Any) -> None:
    """With ``derived: ask`` nothing goes for its words without a question."""
    bench = await build(derived="ask")
    target = await _memory(bench)
    await bench.remember("u-1", TEA, mentions=[])
    view = await bench.forget(target)
    assert view.state == "needs_clarification"
    assert [(each["relation"], each["items"]) for each in view.questions] == [("derived", 1)]
    assert len(_left(bench)) == 2
