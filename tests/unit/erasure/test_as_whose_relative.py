"""Who is known as somebody's relative may be meant where only that is said: it is counted."""

import base64
import json

import pytest

from proxy.erasure.proof.certificate import RELATIVES, SHORT_NAMES
from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.relatives import Relation, describes, spoken_of, stands_before, told_of
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing

NEEDLES = Needles.build(["Karl Moe"], entity_type="PERSON")
KARL = Target(kind="entity", values=("Karl Moe",), entity_type="PERSON")
TOLD = "Judith Kern's ex-husband Karl Moe lives in Riga."
EX = Relation(frozenset({"judith", "kern"}), "ex-husband")
BROTHER = Relation(frozenset({"judiths", "judith"}), "bruder")
MINE = Relation(frozenset({"i"}), "brother")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Judith Kern's ex-husband Karl Moe sails.", {EX}),
        ("Judith Kern's ex husband, Karl Moe, sails.", {EX}),
        ("Karl Moe, Judith Kern’s ex-husband, sails.", {EX}),
        ("Karl Moe is Judith Kern's ex-husband.", {EX}),
        ("Karl Moe (the ex-husband of Judith Kern) sails.", {EX}),
        ("My brother Karl Moe sails.", {MINE}),
        ("My little brother is called Karl Moe.", {MINE}),
        ("Judiths Bruder Karl Moe segelt.", {BROTHER}),
        ("Karl Moe, der Bruder von Judith, segelt.", {Relation(frozenset({"judith"}), "bruder")}),
        ("Karl Moe, le frère de Judith, navigue.", {Relation(frozenset({"judith"}), "frère")}),
        ("Karl Moe met Judith Kern's ex-husband.", set()),
        ("Karl Moe's ex-wife sails.", set()),
        ("My brother met Karl Moe.", set()),
    ],
)
def test_whose_relative_is_told(text: str, expected: set[Relation]) -> None:
    """Directly before or behind the name."""
    assert told_of(text, NEEDLES.sure(text)) == expected


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("Judith's ex-husband has asthma.", True),
        ("The ex-husband of Judith has asthma.", True),
        ("Dined with Judith Kern's ex husband.", True),
        ("My brother has asthma.", True),
        ("My younger brother has asthma.", True),
        ("Judith's ex-husband Otto Reed has asthma.", False),
        ("Otto Reed, Judith's ex-husband, has asthma.", False),
        ("Jutta's ex-husband has asthma.", False),
        ("Judith's husband has asthma.", False),
        ("Judith has asthma.", False),
        ("Her brother has asthma.", False),
    ],
)
def test_who_is_spoken_of(text: str, speaks: bool) -> None:
    """The same relative of the same, with no name beside it."""
    assert spoken_of(text, [EX, MINE]) is speaks


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Judith's ex-husband ", ""),
        ("When Judith's ex-husband, ", "When "),
        ("I met the brother of Jutta Kern, ", "I met "),
        ("Jutta's old flame ", ""),
        ("At Jutta's party ", "At Jutta's party "),
        ("Jutta met ", "Jutta met "),
    ],
)
def test_where_a_description_begins(text: str, left: str) -> None:
    """It ends with the name behind it."""
    assert text[: stands_before(text, len(text))] == left


@pytest.mark.parametrize(
    ("said", "only"),
    [("Judith's ex-husband", True), ("the brother of Jutta Kern.", True),
     ("the brother of Jutta and a smoker", False), ("a brother", False)],
)  # fmt: skip
def test_what_is_nothing_but_a_description(said: str, only: bool) -> None:
    """It says no more than whose relative somebody is."""
    assert describes(said) is only


async def _remember(bench: Erasing) -> None:
    kern = Mention("PERSON", "Judith Kern")
    await bench.remember("u-1", TOLD, mentions=[Mention("PERSON", "Karl Moe"), kern])
    for owner in ("u-1", "u-2"):
        for text in ("Judith's ex-husband has asthma.", "Judith's sister has asthma."):
            await bench.remember(owner, text, mentions=[kern])


async def test_it_stays_counted_and_named(build) -> None:
    """Under the owner who says so; the certificate does not pass it over."""
    bench = await build()
    await _remember(bench)
    view = await bench.forget(KARL)
    assert (view.state, view.deleted) == ("complete", 1)
    assert (view.counts["doubtful"], view.counts["described"]) == (1, 1)
    bundle = await bench.service.certificate(bench.tenant_id, view.id)
    said = json.loads(base64.b64decode(json.loads(bundle.dsse)["payload"]))["predicate"]
    assert said["doubtful_mentions"] == 1
    assert RELATIVES in said["claim"]["not_covered"]
    assert SHORT_NAMES not in said["claim"]["not_covered"]
    assert len(await bench.texts("u-1")) == 2


@pytest.mark.parametrize("mixed", ["delete", "redact", "regenerate"])
async def test_it_goes_where_somebody_says_so(build, mixed: str) -> None:
    """Whole, for no clause of it can be told from the others."""
    bench = await build(mixed=mixed)
    await _remember(bench)
    view = await bench.forget(KARL, choices={"doubtful": "delete"})
    assert (view.state, view.deleted) == ("complete", 2)
    assert await bench.texts("u-1") == ["Judith's sister has asthma."]
    assert len(await bench.texts("u-2")) == 2
