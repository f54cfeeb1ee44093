"""The training texts of the category heads: generated, seeded, labelled with their categories."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from detectors.training.grammar import Filler, read_sections

LETTERS = {
    "h": "health",
    "f": "financial",
    "b": "biometric",
    "l": "location",
    "r": "relationships",
    "p": "professional",
    "o": "political_religious",
    "e": "preferences",
}
GRAMMARS = ("en", "more", "other")
# People who do something of no category, so that a name alone means nothing.
PLAIN_SUBJECTS = ("{F}", "{F}", "{P}", "{F} and {F}", "User", "")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, its categories, and the spans of people, places, firms and sums in it."""

    text: str
    categories: frozenset[str]
    entities: tuple[tuple[int, int, str], ...]


class CategoryTexts:
    """A seeded source of labelled sentences."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # choices of a generator, no secret
        self._filler = Filler(self._chance)

    def examples(self, plain: int) -> Iterator[Labelled]:
        """Yield every template of the grammar, and ``plain`` actions of no category."""
        for name in GRAMMARS:
            yield from self._from(name)
        for labels, template in self._chance.sample(_plain_actions(), plain):
            yield self._filled(labels, template)

    def free(self) -> Iterator[Labelled]:
        """The freely worded sentences."""
        return self._from("free")

    def _from(self, name: str) -> Iterator[Labelled]:
        for line in read_sections(f"categories_{name}.txt")["sentences"]:
            labels, template = line.split("|", 1)
            yield self._filled(frozenset(map(LETTERS.__getitem__, labels)), template)

    def _filled(self, labels: frozenset[str], template: str) -> Labelled:
        filled = self._filler.fill(template)
        draw = self._chance.random()
        text = filled.text.lower() if draw < 0.25 else filled.text[:1].upper() + filled.text[1:]
        if len(text) != len(filled.text):
            text = filled.text
        return Labelled(text, labels, filled.entities)


def _plain_actions() -> list[tuple[frozenset[str], str]]:
    names = read_sections("names_en.txt")
    objects = [
        text.replace("{X}", "{E}")
        for text in names["objects"]
        if not any(slot in text for slot in ("{L}", "{O}", "{Q}"))
    ]
    return [
        (frozenset(), f"{subject} {verb} {thing}".strip())
        for subject in PLAIN_SUBJECTS
        for verb in names["verbs"]
        for thing in objects
    ]
