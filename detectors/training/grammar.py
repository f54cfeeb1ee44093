"""Reads the grammar files and fills their slots; every choice comes from a seeded generator."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

from detectors.training.people import People

GRAMMAR_DIR = Path(__file__).parent / "grammar"
SLOT = re.compile(r"\{([A-Z])\}")
LABELS = {"P": "PERSON", "F": "PERSON", "L": "GPE", "O": "ORG", "D": "DATE", "A": "FAC"}
LABELS |= {"N": "NORP", "M": "MONEY"}
LEADING = re.compile(r"(?:on|in|at|since|every|the) ")
TITLE = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? |(?:Miss|Aunt|Uncle) ")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A generated text with its entities as ``(start, end, label)``."""

    text: str
    entities: tuple[tuple[int, int, str], ...] = ()
    word_name: bool = False  # a name in it is also an ordinary word


def read_sections(name: str) -> dict[str, list[str]]:
    """Read a grammar file: ``[section]`` headings, one template a line, ``#`` comments."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (GRAMMAR_DIR / name).read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


def read_slots(name: str = "slots.txt") -> dict[str, list[str]]:
    """Read the fillers: each section is one ``|``-separated line or several."""
    return {key: "|".join(lines).split("|") for key, lines in read_sections(name).items()}


class Filler:
    """Fills templates with names, places and things.

    Args:
        chance: the source of every choice.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._slots = read_slots()
        self._people = People(chance, self._slots)

    def fill(self, template: str) -> Sentence:
        """Fill every slot and note where the entities came to lie."""
        text, position = "", 0
        entities: list[tuple[int, int, str]] = []
        word_name = False
        for match in SLOT.finditer(template):
            text += template[position : match.start()]
            value = self._value(match[1])
            entities += _entities(len(text), value, match[1])
            word_name |= match[1] in "PF" and self._people.is_word(value)
            text += value
            position = match.end()
        return Sentence(text + template[position:], tuple(entities), word_name)

    def _value(self, slot: str) -> str:
        match slot:
            case "P":
                return self._people.person()
            case "F":
                return self._people.given()
            case "A":
                return self._people.address()
            case "O" if self._chance.random() < 0.6:
                return self._people.company()
            case "L" if self._chance.random() < 0.3:
                return self._people.city()
            case "M":
                return self._money()
            case _:
                return self._chance.choice(self._slots[slot])

    def _money(self) -> str:
        amount = self._chance.randint(5, 900) * self._chance.choice([1, 10, 100])
        sign = self._chance.choice("$€£")
        return self._chance.choice([f"{sign}{amount:,}", f"{amount} euros", f"{amount} dollars"])


def _entities(start: int, value: str, slot: str) -> list[tuple[int, int, str]]:
    label = LABELS.get(slot)
    if label is None:
        return []
    skipped = TITLE.match(value) if label == "PERSON" else LEADING.match(value)
    inner = start + (skipped.end() if skipped and slot not in "OL" else 0)
    return [(inner, start + len(value), label)]


def join(first: Sentence, glue: str, second: Sentence) -> Sentence:
    """Put two sentences into one text."""
    shift = len(first.text) + len(glue)
    moved = tuple((start + shift, end + shift, label) for start, end, label in second.entities)
    return Sentence(
        first.text + glue + second.text,
        first.entities + moved,
        first.word_name or second.word_name,
    )


def recase(sentence: Sentence, text: str) -> Sentence:
    """The same sentence in other letters, unless the length changed with the case."""
    if len(text) != len(sentence.text):
        return sentence
    return Sentence(text, sentence.entities, sentence.word_name)
