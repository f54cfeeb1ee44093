"""Memories that repeat an erased one in other words, without the name: found by what they mean."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from proxy.erasure.search.meaning import encode
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.tokens.vault import Mention
from tests.support.erasing import OPERATOR, Erasing

Build = Callable[..., Awaitable[Erasing]]
ALVA = [Mention("PERSON", "Alva Brenn")]
PERSON = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
ALLERGY = "Alva Brenn has a severe nut allergy and carries an EpiPen"
AGAIN = "The neighbour with the severe allergy to nuts always carries an EpiPen"


@pytest.fixture
def bench(bench: Erasing) -> Erasing:
    """The same service with the packaged sentence encoder."""
    bench.means = replace(bench.means, encode=encode)
    bench.service = ErasureService(bench.means)
    return bench


@pytest.mark.parametrize(
    ("told", "again"),
    [
        pytest.param(ALLERGY, AGAIN,
                     id="a tangential mention"),
        pytest.param("Alva Brenn lost her job at the harbour office in March",
                     "Summary: the friend from the harbour office lost her job in March",
                     id="a summary"),
        pytest.param("Alva Brenn is getting divorced and looks for a flat in Lund",
                     "Looks for a flat in Lund because of the divorce", id="without a subject"),
    ],
)  # fmt: skip
async def test_what_says_the_same_goes_too(bench: Erasing, told: str, again: str) -> None:
    """A paraphrase of the same owner is in the plan as indirect, with its reason, and goes."""
    await bench.remember("u-1", told, mentions=ALVA)
    await bench.remember("u-1", again, mentions=[])
    await bench.remember("u-1", "Waters the tomatoes in the evening", mentions=[])
    plan = await bench.service.request(bench.tenant_id, PERSON, actor=OPERATOR, dry_run=True)
    assert (plan.counts["direct"], plan.counts["indirect"]) == (1, 1)
    assert [item["reason"] for item in plan.items] == [None, "same_meaning"]
    view = await bench.forget(PERSON)
    assert (view.state, view.deleted, view.cascaded) == ("complete", 1, 1)
    assert bench.small.texts() == ["Waters the tomatoes in the evening"]


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        pytest.param("u-2", AGAIN,
                     id="of another owner"),
        pytest.param("u-1", "Tomas Eck has a severe nut allergy and carries an EpiPen",
                     id="about somebody else"),
        pytest.param("u-1", "Has carried an EpiPen for the severe nut allergy since 1987",
                     id="with a number of its own"),
        pytest.param("u-1", "I have a severe nut allergy and I carry an EpiPen",
                     id="the owner about themselves"),
        pytest.param("u-1", "The neighbour with the severe allergy to bees carries an EpiPen",
                     id="another substance"),
        pytest.param("u-1", "The sister with the severe allergy to nuts always carries an EpiPen",
                     id="another relation"),
        pytest.param("u-1", "The user has a severe nut allergy and carries an EpiPen",
                     id="the owner, called the user"),
        pytest.param("u-1", "The neighbour with the severe allergy to nuts never carries an EpiPen",
                     id="denied"),
        pytest.param("u-1", "Bought nuts and a leaflet about carrying an EpiPen",
                     id="on the same things"),
    ],
)  # fmt: skip
async def test_what_says_something_else_stays(bench: Erasing, owner: str, text: str) -> None:
    """Another owner's, another person's, another fact, the owner's own: none is touched."""
    await bench.remember("u-1", ALLERGY, mentions=ALVA)
    await bench.remember(owner, text, mentions=[])
    view = await bench.forget(PERSON)
    assert (view.state, view.deleted, view.cascaded) == ("complete", 1, 0)
    assert bench.small.texts() == [text]


LATER = "moved the dentist appointment from Monday morning to Tuesday evening"


@pytest.mark.parametrize(
    ("again", "goes"),
    [
        pytest.param(f"Has {LATER}", False, id="twin: a small word more"),
        pytest.param(LATER.capitalize(), True, id="without the name"),
        pytest.param(f"I {LATER}", False, id="twin: the owner about themselves"),
        pytest.param("Moved the dentist appointment from Tuesday evening to Monday morning", False,
                     id="twin: turned round"),
        pytest.param("Moved the dentist appointment from Monday morning to Friday evening", False,
                     id="twin: another day"),
    ],
)  # fmt: skip
async def test_the_very_words_without_the_name_go(bench: Erasing, again: str, goes: bool) -> None:
    """Equal words need no model; one telling word or another order is something else."""
    bench.service = ErasureService(replace(bench.means, encode=None))
    await bench.remember("u-1", f"Alva Brenn {LATER}", mentions=ALVA)
    await bench.remember("u-1", again, mentions=[])
    assert (await bench.forget(PERSON)).cascaded == int(goes)
    assert bench.small.texts() == ([] if goes else [again])


async def test_what_others_keep_is_shown_and_stays(bench: Erasing) -> None:
    """Asked for by a data subject, a paraphrase under somebody else's id is named and kept."""
    await bench.remember("u-2", ALLERGY, mentions=ALVA)
    await bench.remember("u-2", AGAIN, mentions=[])
    await bench.remember("alva", "Likes jasmine tea", mentions=[])
    target = Target(kind="subject", values=("Alva Brenn",), owner="alva", entity_type="PERSON")
    view = await bench.forget(target)
    assert (view.state, view.counts["kept"]) == ("complete", 1)
    assert bench.small.texts() == [AGAIN]


async def test_without_a_model_nothing_is_found_by_meaning(bench: Erasing) -> None:
    """Where no model is loaded, what names nobody is left to provenance and to equal words."""
    bench.service = ErasureService(replace(bench.means, encode=None))
    await bench.remember("u-1", ALLERGY, mentions=ALVA)
    await bench.remember("u-1", AGAIN, mentions=[])
    assert (await bench.forget(PERSON)).cascaded == 0
    assert bench.small.texts() == [AGAIN]


async def test_a_policy_that_asks_is_asked(build: Build) -> None:
    """With ``derived: ask`` nothing is found by meaning without a question."""
    made = await build(derived="ask")
    made.service = ErasureService(replace(made.means, encode=encode))
    await made.remember("u-1", ALLERGY, mentions=ALVA)
    await made.remember("u-1", AGAIN, mentions=[])
    view = await made.forget(PERSON)
    assert view.state == "needs_clarification"
    assert [(each["relation"], each["items"]) for each in view.questions] == [("derived", 1)]
    assert len(made.small.texts()) == 2
