"""The generators behind the committed models: seeded, labelled exactly, varied."""

import re

import pytest

from detectors.categories.heads import CATEGORIES
from detectors.training.grammar import LABELS, SLOT, read_sections, read_slots
from detectors.training.names import NameTexts
from detectors.training.sentences import LETTERS, CategoryTexts

GRAMMARS = ("names_en.txt", "names_other.txt", "neutral_en.txt")
CATEGORY_GRAMMARS = (
    "categories_en.txt",
    "categories_more.txt",
    "categories_other.txt",
    "categories_free.txt",
)


def test_the_same_seed_gives_the_same_names() -> None:
    """Training can be repeated."""
    first, again, other = (list(NameTexts(seed).sentences(40)) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_the_same_seed_gives_the_same_categories() -> None:
    """Training can be repeated."""
    first, again = (list(CategoryTexts(5).free()) for _ in range(2))
    assert first == again


def test_spans_of_names_are_exact() -> None:
    """No entity is empty, padded, out of order or outside its text."""
    for sentence in NameTexts(9).sentences(600):
        end = 0
        for start, stop, label in sorted(sentence.entities):
            part = sentence.text[start:stop]
            assert part
            assert part == part.strip()
            assert start >= end
            assert label in LABELS.values()
            end = stop


def test_names_come_in_both_cases_and_neutral_texts_are_many() -> None:
    """What stock models lack is there: lower case, and sentences without anybody."""
    sentences = list(NameTexts(3).sentences(800))
    people = [any(label == "PERSON" for *_, label in one.entities) for one in sentences]
    lower = [one.text.islower() for one in sentences]
    assert 0.25 < sum(lower) / len(lower) < 0.6
    assert 0.45 < sum(people) / len(people) < 0.85


def test_every_category_is_trained_on() -> None:
    """Each category and none at all have hundreds of sentences among some thousands."""
    sentences = [*CategoryTexts(3).examples(100), *CategoryTexts(3).free()]
    for name in CATEGORIES:
        assert sum(name in one.categories for one in sentences) > 100
    assert sum(not one.categories for one in sentences) > 400


@pytest.mark.parametrize("name", [*GRAMMARS, *CATEGORY_GRAMMARS])
def test_every_slot_has_fillers(name: str) -> None:
    """A template that names an unknown slot would fail in the middle of a training."""
    known = {*read_slots(), *"PFAM"}
    for lines in read_sections(name).values():
        for line in lines:
            assert set(SLOT.findall(line)) <= known, line
            assert not re.search(r"\{[^A-Z]|\{[A-Z][^}]", line), line


@pytest.mark.parametrize("name", CATEGORY_GRAMMARS)
def test_every_template_says_its_categories(name: str) -> None:
    """Labels are letters before the bar, and nothing else."""
    for line in read_sections(name)["sentences"]:
        labels, bar, text = line.partition("|")
        assert bar
        assert text
        assert set(labels) <= set(LETTERS)
