"""Puts texts of any length into categories, piece by piece."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from detectors.categories.encoder import Encoder
from detectors.categories.encoder_words import WordVectors
from detectors.categories.heads import CATEGORIES, COUNTS, CategoryClassifier
from detectors.categories.hints import hinted, is_of_things, named, numbered, stated
from detectors.categories.told import tells, told
from detectors.categories.whereabouts import allows_whereabouts, tells_whereabouts
from detectors.chunks import Chunk, chunks, clauses, sentences
from detectors.detection import CategoryScore, Detection
from detectors.settings import Tier
from detectors.structured import shifted
from detectors.words.folding import UNSPACED, WORD

PIECE = 1_000  # code points; about the tokens that the encoder reads before it stops
OVERLAP = 100
SENTENCES = 160  # code points, at least: the meaning of a whole page is nobody's
ENCODED_TOGETHER = 8
SPECIAL = frozenset({"health", "biometric", "political_religious"})
LIKELY = 0.6  # the score from which a special category counts beside one that is spoken of
LIKENED = 0.58  # the score that a likeness needs in a language that has its own words for it
SURE = 0.7  # the score from which a clause counts by itself: out of its sentence it says less
TOLD = 0.75  # the score of a category that the own words or numbers of a text tell
# The score that one, two or three words need for what none of them speaks of: "high", "en", "low
# battery" are like some example or other, and so is a name alone.
FEW: Mapping[int, float] = {0: 2.0, 1: 0.75, 2: 0.75, 3: 0.65}
# One or two words mean nothing together to the fast tier: their vectors are near to anything.
FEW_FAST: Mapping[int, float] = {**FEW, 1: 2.0, 2: 2.0, 3: 0.75}
UNSPOKEN_FAST = 0.55  # the score that health needs there where no word speaks of it
# What a likeness has at most, below what a policy asks a consent for (0.75): a feature of a device
# is like a measurement of somebody, and only words tell which it is (GDPR Art. 4(14)).
AT_MOST = {"biometric": 0.74}
LEAST = 0.18  # the score that is enough where a detection states it of somebody

_WORD, _UNSPACED = re.compile(WORD), re.compile(f"[{UNSPACED}]")


class TopicFinder:
    """Categories of texts: those of their pieces and clauses, each with its highest score."""

    def __init__(self, tier: Tier, words: WordVectors | None = None) -> None:
        encoder = Encoder(batch_size=ENCODED_TOGETHER) if tier == "full" else None
        self._classifier = CategoryClassifier(encoder, words)
        self._few = FEW if encoder else FEW_FAST
        self._unspoken = COUNTS if encoder else UNSPOKEN_FAST

    def find(
        self, texts: Sequence[str], found: Sequence[Sequence[Detection]]
    ) -> list[tuple[CategoryScore, ...]]:
        """Categories per text, strongest first.

        Args:
            texts: without lone surrogates.
            found: the detections of each text.
        """
        gathered: list[list[CategoryScore]] = [[] for _ in texts]
        wholes = _wholes(texts, found)
        for part in self._judged(wholes, COUNTS):
            gathered[part.index] += part.shown
            gathered[part.index] += [CategoryScore(name, TOLD) for name in _told(part)]
        for part in self._judged(_hidden(wholes, gathered), SURE):
            gathered[part.index] += part.shown
        return [strongest(categories) for categories in gathered]

    def _judged(self, parts: Sequence["Part"], needed: float) -> Sequence["Part"]:
        """The same parts with what they show; a category needs less where it is stated."""
        scored = self._classifier.classify(
            [part.text for part in parts], [part.found for part in parts], LEAST
        )
        for part, scores in zip(parts, scored, strict=True):
            said = _stated(part)
            part.shown = [
                replace(each, score=_bounded(each))
                for each in scores
                if each.name in part.asked
                and (each.name in said or self._is_near(each, part, needed))
            ]
            part.shown = [each for each in _without_echoes(part) if _is_borne_out(each, part)]
        return parts

    def _is_near(self, scored: CategoryScore, part: "Part", needed: float) -> bool:
        """Whether the likeness of a part to a category is enough."""
        name, score = scored.name, scored.score
        if part.few is not None and name not in named(part.text, part.found):
            return score >= self._few[part.few]
        if score >= max(needed, LIKENED):
            return True
        spoken = name != "health" or name in hinted(part.text, part.found)
        least = needed if spoken else max(needed, self._unspoken)
        return score >= least and name not in tells(part.text)


@dataclass(slots=True)
class Part:
    """A part of one of the texts, and the categories it is asked about."""

    index: int
    text: str
    found: Sequence[Detection]
    asked: frozenset[str] = frozenset(CATEGORIES)
    few: int | None = None  # words of a whole text that has no more than a label
    shown: list[CategoryScore] = field(default_factory=list)


def _wholes(texts: Sequence[str], found: Sequence[Sequence[Detection]]) -> list[Part]:
    return [
        Part(
            index, piece.text, inside(piece, found[index]),
            few=_few(text, found[index]) if piece.text == text else None,
        )
        for index, text in enumerate(texts)
        for piece in _pieces(text)
    ]  # fmt: skip


def _few(text: str, found: Sequence[Detection]) -> int | None:
    """How many words a text has beside what was detected, if they are few."""
    if _UNSPACED.search(text):
        return None
    rest, at = [], 0
    for each in sorted(found, key=lambda one: one.start):
        rest.append(text[at : each.start])
        at = max(at, each.end)
    count = len(_WORD.findall(" ".join([*rest, text[at:]])))
    return count if count in FEW else None


def _bounded(scored: CategoryScore) -> float:
    return min(max(scored.score, COUNTS), AT_MOST.get(scored.name, 1.0))


def _is_borne_out(scored: CategoryScore, part: Part) -> bool:
    """Whether the words allow what the meaning is like: a place or an ache may be nobody's."""
    if scored.name == "location":
        return allows_whereabouts(part.text, part.found)
    return scored.name != "health" or not is_of_things(part.text, part.found)


def _told(part: Part) -> frozenset[str]:
    """What its words and numbers tell by themselves."""
    there = {"location"} if tells_whereabouts(part.text, part.found) else frozenset[str]()
    return told(part.text) | numbered(part.found) | there


def _stated(part: Part) -> frozenset[str]:
    """What its clauses state: somebody in one is not whom another is about."""
    split = ((each.text, inside(each, part.found)) for each in clauses(part.text))
    return frozenset[str]().union(*(stated(text, found) for text, found in split))


def _without_echoes(part: Part) -> list[CategoryScore]:
    """Without special categories (GDPR Art. 9) that nothing but a likeness speaks for.

    ``My employer is Norvane`` is near to sentences about doctors; its own word says what it is of.
    """
    spoken = hinted(part.text, part.found)
    if not part.shown or part.shown[0].name not in spoken:
        return part.shown
    return [
        each for each in part.shown
        if each.score >= LIKELY or each.name in spoken or each.name not in SPECIAL
    ]  # fmt: skip


def _hidden(wholes: Sequence[Part], shown: Sequence[Sequence[CategoryScore]]) -> list[Part]:
    """Clauses that hint at what their text does not show: a stronger topic may hide theirs."""
    parts: list[Part] = []
    known = [{category.name for category in categories} for categories in shown]
    for whole in wholes:
        for clause in clauses(whole.text):
            within = inside(clause, whole.found)
            asked = hinted(clause.text, within).intersection(CATEGORIES) - known[whole.index]
            if asked and len(clause.text) < len(whole.text):
                parts.append(Part(whole.index, clause.text, within, asked))
    return parts


def _pieces(text: str) -> Iterator[Chunk]:
    for piece in chunks(text, PIECE, OVERLAP):
        for part in sentences(piece.text, SENTENCES):
            yield Chunk(piece.start + part.start, part.text)


def inside(piece: Chunk, found: Sequence[Detection]) -> list[Detection]:
    """The detections that lie in a piece, with offsets into it."""
    end = piece.start + len(piece.text)
    lying = (one for one in found if one.start >= piece.start and one.end <= end)
    return [shifted(one, -piece.start) for one in lying]


def strongest(categories: Iterable[CategoryScore]) -> tuple[CategoryScore, ...]:
    """One score per category, the highest, strongest category first."""
    best: dict[str, CategoryScore] = {}
    for category in categories:
        if category.name not in best or category.score > best[category.name].score:
            best[category.name] = category
    return tuple(sorted(best.values(), key=lambda category: (-category.score, category.name)))
