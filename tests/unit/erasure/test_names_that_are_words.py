"""Names that are words too: the person goes, ordinary texts stay."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from proxy.erasure.search import judge
from proxy.erasure.search.found import Found
from proxy.erasure.search.resolve import Aim
from proxy.erasure.search.target import Asked, Target
from proxy.erasure.texts.mentions import Needles
from proxy.pseudonyms import Pseudonyms
from proxy.tokens.vault import Mention
from tests.support.erasing import Erasing, InProcessDetectors

CASES = Path(__file__).parents[2] / "cases"
PERSON, WORD = "p", "w"


async def wrong(file: str) -> dict[str, list[str]]:
    """Sentences judged otherwise than they are meant, of persons and of words."""
    rows = [line.split("|") for line in (CASES / file).read_text().splitlines() if line[0] != "#"]
    means = cast("Any", SimpleNamespace(detectors=InProcessDetectors()))
    failed: dict[str, list[str]] = {PERSON: [], WORD: []}
    for name, kind, text in rows:
        target = Target(kind="entity", values=(name,), entity_type="PERSON")
        needles = Needles.build([name], entity_type="PERSON")
        aim = Aim("ten_1", cast("Pseudonyms", None), Asked(target), needles=needles)
        one = Found("mem0", "m-1", b"ref", text=text)
        await judge.mark(means, aim, [one])
        if one.direct is not (kind == PERSON):
            failed[kind].append(text)
    return failed


@pytest.mark.parametrize(
    ("file", "missed", "lost"),
    [
        pytest.param("names_that_are_words.txt", 2, 2, id="held out: 66 persons, 67 words"),
        pytest.param("names_that_are_words_tuned.txt", 0, 4, id="tuned on: 135 and 166"),
    ],
)
async def test_few_sentences_are_misjudged(file: str, missed: int, lost: int) -> None:
    """At most three in a hundred of either kind, in seven languages."""
    failed = await wrong(file)
    assert len(failed[PERSON]) <= missed, failed[PERSON]
    assert len(failed[WORD]) <= lost, failed[WORD]


ORDINARY = [
    "Reads about modern art",
    "Art is expensive",
    "Studies Art History",
    "Collects art from the coast",
]


@pytest.mark.parametrize("known", [True, False], ids=["by the whole name", "by this name alone"])
async def test_with_somebody_called_so(bench: Erasing, known: bool) -> None:
    """Art goes, and what he is told of with; art stays."""
    name = "Art Lovren" if known else "Art"
    theirs = [f"{name} moved to Turku", "Art drives a truck.", "Dinner with Art and his wife"]
    for text in theirs:
        mentioned = [Mention("PERSON", name)] if name in text else []
        await bench.remember("u-1", text, mentions=mentioned)
    for text in ORDINARY:
        await bench.remember("u-1", text, mentions=[])
    view = await bench.forget(Target(kind="entity", values=(name,), entity_type="PERSON"))
    assert view.state == "complete", view.body()
    assert bench.small is not None
    assert bench.small.texts() == ORDINARY


async def test_the_person_goes_and_the_word_stays(bench: Erasing) -> None:
    """Of one text the name is taken, not the word."""
    needles = Needles.build(["Grace"], entity_type="PERSON")
    assert [(span.start, span.end) for span in needles.find("Grace said grace")] == [(0, 5)]
    await bench.remember("u-1", "Grace said grace", mentions=[Mention("PERSON", "Grace")])
    await bench.remember("u-1", "Somebody said grace", mentions=[])
    await bench.forget(Target(kind="entity", values=("Grace",), entity_type="PERSON"))
    assert bench.small is not None
    assert bench.small.texts() == ["Somebody said grace"]
