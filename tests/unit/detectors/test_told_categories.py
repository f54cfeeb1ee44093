"""Categories in seven other languages than English: what the words tell keeps its floors."""

import re
from collections import Counter
from pathlib import Path

import pytest

from detectors.categories.told import told
from detectors.engine import Detector
from detectors.settings import DetectorSettings
from tests.bench.detection_accuracy import SENSITIVE, analyse

CASES = Path(__file__).parents[2] / "cases" / "categories_by_language.txt"
HEADING = re.compile(r"\[(?P<category>\w+) (?P<language>\w\w)(?P<unseen> unseen)?\]")
FALSE_ALARMS = 18  # of 193: a likeness of meaning alone says little outside English
LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl")

Key = tuple[str, str, bool]  # category, language, whether no word was chosen by it
Scores = Counter[tuple[Key, bool]]


@pytest.fixture(scope="module")
def scores() -> Scores:
    """How many sentences of each part have, and have not, a category that they should have.

    Of those of no category: whether they have a sensitive one.
    """
    rows = _rows()
    found = Detector(DetectorSettings(tier="full")).analyse([text for _, text in rows])
    scores: Scores = Counter()
    for (key, _), analysis in zip(rows, found, strict=True):
        names = {each.name for each in analysis.categories}
        wanted = SENSITIVE if key[0] == "none" else (key[0],)
        scores[key, not names.isdisjoint(wanted)] += 1
    return scores


def _rows() -> list[tuple[Key, str]]:
    rows: list[tuple[Key, str]] = []
    key: Key = ("", "", False)
    for line in CASES.read_text("utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            key = (heading["category"], heading["language"], heading["unseen"] is not None)
        elif line and not line.startswith("#"):
            rows.append((key, line))
    return rows


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("category", "least"),
    [("health", 40), ("financial", 30), ("political_religious", 30), ("biometric", 6)],
)
def test_what_is_said_plainly_is_told(
    scores: Scores, category: str, least: int, language: str
) -> None:
    """Of plain sentences at most one in twenty is missed in any language."""
    key = (category, language, False)
    hits, missed = scores[key, True], scores[key, False]
    assert hits + missed >= least
    assert missed <= (hits + missed) / 20


def test_what_nobody_thought_of_is_often_missed(scores: Scores) -> None:
    """Why a certificate does not call a category erased without saying so: floors as measured."""
    hits, every = Counter[str](), Counter[str]()
    for ((category, _, unseen), hit), number in scores.items():
        if unseen:
            every[category] += number
            hits[category] += number * hit
    assert every == {"health": 42, "financial": 21, "political_religious": 21}
    assert hits["health"] >= 18
    assert hits["financial"] >= 14
    assert hits["political_religious"] >= 3  # one more is at the threshold: its batch decides


def test_words_tell_nothing_of_everyday_sentences() -> None:
    """The words add no false alarm to those that the heads give where there is none.

    The sentences are read by themselves: the scores of a batch shift with what else is in it.
    """
    neutral = [text for (category, _, _), text in _rows() if category == "none"]
    assert len(neutral) >= 190
    assert [text for text in neutral if told(text)] == []
    found = analyse(Detector(DetectorSettings(tier="full")), neutral)
    alarms = sum(any(one.name in SENSITIVE for one in each.categories) for each in found)
    assert alarms <= FALSE_ALARMS


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("Ich habe den Roman über Krebs gelesen.", set()),
        ("Der Server hat Fieber.", set()),
        ("Ich habe seit gestern Fieber.", {"health"}),
        ("Mein Konto ist im Minus.", {"financial"}),
        ("Je me suis cassé le poignet.", {"health"}),
        ("The doctor said my teeth are fine.", set()),  # the heads judge English
        ("我有糖尿病。", set()),
        ("", set()),
    ],
)
def test_words_count_in_their_own_language(text: str, categories: set[str]) -> None:
    """Look-alikes, books about an illness and other languages tell nothing."""
    assert told(text) == categories
