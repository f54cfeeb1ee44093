"""The training texts of the name model: generated, seeded, many of them in lower case."""

import random
from collections.abc import Callable, Iterator

from detectors.training.grammar import Filler, Sentence, join, read_sections, recase

GLUES = (", and ", ". ", " because ", " but ", "; ", " and ", " while ", ", ")
CHAT_GLUES = (" ", ", ", " and ", " but ", " lol ", "... ", "! ", " so ", " cuz ", "\n")
OTHER_LANGUAGES = ("de", "fr", "es", "it", "pt", "nl")
LANGUAGE_SHARE = 0.20
NEUTRAL_SHARE = 0.26


class NameTexts:
    """An endless, seeded source of sentences with their entities."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # choices of a generator, no secret
        self._filler = Filler(self._chance)
        self._names = read_sections("names_en.txt")
        self._chat_names = self._names["chat"] + self._names["chat_more"]
        self._neutral = read_sections("neutral_en.txt")
        self._other = read_sections("names_other.txt")

    def sentences(self, count: int) -> Iterator[Sentence]:
        """Yield ``count`` sentences."""
        for _ in range(count):
            yield self._finish(*self._draw())

    def _draw(self) -> tuple[Sentence, bool]:
        draw = self._chance.random()
        if draw < LANGUAGE_SHARE:
            language = self._chance.choice(OTHER_LANGUAGES)
            return self._from(self._other[language]), False
        if draw < LANGUAGE_SHARE + NEUTRAL_SHARE:
            return self._neutral_text()
        if self._chance.random() < 0.42:
            return self._extended(self._chat, CHAT_GLUES), True
        return self._extended(self._fact, GLUES), False

    def _neutral_text(self) -> tuple[Sentence, bool]:
        chat = self._chance.random() < 0.35
        section = self._neutral["chat" if chat else "plain"]
        return self._extended(lambda: self._from(section), CHAT_GLUES if chat else GLUES), chat

    def _extended(self, draw: Callable[[], Sentence], glues: tuple[str, ...]) -> Sentence:
        sentence = draw()
        while self._chance.random() < 0.22:
            sentence = join(sentence, self._chance.choice(glues), draw())
        return sentence

    def _chat(self) -> Sentence:
        kind = self._chance.random()
        if kind < 0.75:
            return self._from(self._chat_names)
        return self._from(self._neutral["chat"]) if kind < 0.85 else self._fact()

    def _fact(self) -> Sentence:
        kind = self._chance.random()
        if kind < 0.3:
            return self._from(self._names["sentences"])
        if kind < 0.45:
            return self._from(self._names["prepositions"])
        return join(self._from(self._names["subjects"]), " ", self._predicate())

    def _predicate(self) -> Sentence:
        if self._chance.random() < 0.6:
            return self._from(self._names["predicates"])
        verb = self._from(self._names["verbs"])
        return join(verb, " ", self._from(self._names["objects"]))

    def _from(self, templates: list[str]) -> Sentence:
        return self._filler.fill(self._chance.choice(templates))

    def _finish(self, sentence: Sentence, chat: bool) -> Sentence:
        draw = self._chance.random()
        lower = 0.72 if chat else 0.22
        if sentence.word_name and self._chance.random() < 0.8:
            lower = 0.0
        if draw < lower:
            return recase(sentence, sentence.text.lower())
        if draw > 0.98:
            return recase(sentence, sentence.text.upper())
        cased = sentence.text[:1].upper() + sentence.text[1:]
        sentence = recase(sentence, cased)
        if self._chance.random() < 0.5:
            return Sentence(f"{sentence.text}.", sentence.entities, sentence.word_name)
        return sentence
