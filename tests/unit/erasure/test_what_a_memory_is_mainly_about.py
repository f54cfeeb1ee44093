"""``scope: primary``: whom a text is mainly about, and whom it mentions in passing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.erasure.search.target import Target
from proxy.erasure.texts.mentions import Needles
from proxy.erasure.texts.topic import is_mainly_about
from tests.support.erasing import Erasing

CASES = Path(__file__).parents[2] / "cases" / "mainly_about.txt"
OTHERS = re.compile(r"\b(?:Karl Otter|Mia Falk|Jonas|Petra)\b")
MISSED = {"Every Sunday Ines Harrow bakes bread."}


def _cases() -> Iterator[tuple[str, str, bool]]:
    name = ""
    for line in CASES.read_text("utf-8").splitlines():
        if line.startswith("= "):
            name = line[2:]
        elif line[:2] in ("+ ", "- "):
            yield name, line[2:], line[0] == "+"


def _is_mainly_about(name: str, text: str) -> bool:
    spans = Needles.build([name], entity_type="PERSON").find(text)
    people = [match.span() for match in OTHERS.finditer(text)]
    return is_mainly_about(text, [(each.start, each.end) for each in spans], people)


@pytest.mark.parametrize(("name", "text", "main"), [*_cases()])
def test_each_sentence(name: str, text: str, main: bool) -> None:
    """As a person labelled it; one that is known to be missed stays, which deletes nothing."""
    assert _is_mainly_about(name, text) is (main and text not in MISSED)


@pytest.mark.parametrize(
    ("text", "main"),
    [
        ("Ines Harrow is a judge. She lives in Ghent. I like tea.", True),
        ("I like tea. I live in Ghent. Ines Harrow is a judge.", False),
        ("Ines Harrow is a judge. I like tea.", True),
        ("I like tea. Ines Harrow is a judge.", False),
        ("I like tea. She does not. Ines Harrow agrees.", False),
        ("I like Dr. Ines Harrow.", True),
        ("Ines Harrow", True),
    ],
)
def test_several_sentences(text: str, main: bool) -> None:
    """Most of them count; of two the first."""
    assert _is_mainly_about("Ines Harrow", text) is main


MAIN = (
    "Ines Harrow sings alto", "My sister Ines Harrow was born in May", "I met Ines Harrow in Ghent",
)  # fmt: skip
PASSING = (
    "I hate coriander, unlike Ines Harrow", "I booked a hotel that Ines Harrow recommended",
    "I broke my leg skiing; Ines Harrow drove me home",
)  # fmt: skip


async def test_only_what_is_mainly_about_them_goes(bench: Erasing) -> None:
    """What is beside a text in its metadata decides nothing."""
    for text in (*MAIN, *PASSING):
        await bench.remember("u-1", text, metadata={"topic": "notes", "place": "Ghent harbour"})
    target = Target(kind="entity", values=("Ines Harrow",), entity_type="PERSON", scope="primary")
    view = await bench.forget(target)
    assert view.state == "complete", view.body()
    assert sorted(await bench.texts("u-1")) == sorted(PASSING)
