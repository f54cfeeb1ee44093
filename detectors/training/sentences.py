"""The training texts of the category heads: generated, seeded, labelled with their categories."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

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
SHARES = {"en": 0.29, "more": 0.45, "other": 0.10}
PLAIN_SHARE = 0.16  # people who do something of no category, so that a name alone means nothing
PLAIN_SUBJECTS = ("{F}", "{F}", "{P}", "{F} and {F}", "User", "")
GLUES = (". ", ", and ", " and ", "; ", ", ", " because ", " but ", "\n")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, its categories, and the spans of people, places, firms and sums in it."""

    text: str
    categories: frozenset[str]
    entities: tuple[tuple[int, int, str], ...]


class CategoryTexts:
    """An endless, seeded source of labelled sentences."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # choices of a generator, no secret
        self._filler = Filler(self._chance)
        self._pools = [
            (_by_labels(read_sections(f"categories_{name}.txt")["sentences"]), share)
            for name, share in SHARES.items()
        ]
        self._pools.append((_plain_actions(), PLAIN_SHARE))

    def sentences(self, count: int) -> Iterator[Labelled]:
        """Yield ``count`` sentences; every seventh or so joins two."""
        for _ in range(count):
            sentence = self._one()
            yield self._joined(sentence) if self._chance.random() < 0.15 else sentence

    def examples(self, copies: int, plain: int) -> Iterator[Labelled]:
        """Yield every template ``copies`` times, and ``plain`` actions of no category."""
        *pools, (actions, _) = self._pools
        for labels, template in [*chain.from_iterable(pool for pool, _ in pools)] * copies:
            yield self._filled(labels, template)
        for labels, template in self._chance.sample(actions, plain):
            yield self._filled(labels, template)

    def free(self, copies: int) -> list[Labelled]:
        """The freely worded sentences, filled ``copies`` times each, in the same order."""
        lines = read_sections("categories_free.txt")["sentences"]
        pairs = (line.split("|", 1) for line in lines * copies)
        return [
            self._filled(frozenset(map(LETTERS.__getitem__, labels)), template)
            for labels, template in pairs
        ]

    def _one(self) -> Labelled:
        pools = [pool for pool, _ in self._pools]
        pool = self._chance.choices(pools, [share for _, share in self._pools])[0]
        return self._filled(*self._chance.choice(pool))

    def _filled(self, labels: frozenset[str], template: str) -> Labelled:
        filled = self._filler.fill(template)
        draw = self._chance.random()
        text = filled.text.lower() if draw < 0.25 else filled.text[:1].upper() + filled.text[1:]
        if len(text) != len(filled.text):
            text = filled.text
        return Labelled(text, labels, filled.entities)

    def _joined(self, first: Labelled) -> Labelled:
        second, glue = self._one(), self._chance.choice(GLUES)
        shift = len(first.text) + len(glue)
        moved = tuple((start + shift, end + shift, kind) for start, end, kind in second.entities)
        return Labelled(
            first.text + glue + second.text,
            first.categories | second.categories,
            first.entities + moved,
        )


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


def _by_labels(lines: list[str]) -> list[tuple[frozenset[str], str]]:
    pairs = (line.split("|", 1) for line in lines)
    return [(frozenset(LETTERS[letter] for letter in labels), text) for labels, text in pairs]
