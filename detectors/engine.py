"""Finds personal data in texts, in this process: patterns, known words, names, categories."""

from collections.abc import Iterable, Sequence

from detectors.categories.encoder_words import WordVectors
from detectors.categories.topics import TopicFinder
from detectors.detection import Analysis, CategoryScore, Detection
from detectors.errors import DetectionUnavailable
from detectors.isolation import isolate
from detectors.lookups import find_known
from detectors.overlaps import resolve
from detectors.people.finder import PeopleFinder
from detectors.readings.normalise import Readings, readings
from detectors.settings import TIERS, DetectorSettings, Tier, holds
from detectors.structured import StructuredFinder
from detectors.words.language import by_script, by_words

isolate()


class Detector:
    """Detection in the calling process; it blocks, so servers use a pool of them.

    Raises:
        DetectionError: the operator's recognisers are not valid.
        DetectionUnavailable: a model is missing or was changed.
    """

    def __init__(self, settings: DetectorSettings | None = None) -> None:
        self.settings = settings or DetectorSettings()
        self._structured = StructuredFinder(self.settings)
        self._people: PeopleFinder | None = None
        self._topics: dict[Tier, TopicFinder] = {}
        if self.settings.tier != "structured":
            words = WordVectors()
            self._people = PeopleFinder(self.settings)
            held = (tier for tier in TIERS[1:] if holds(self.settings.tier, tier))
            self._topics = {tier: TopicFinder(tier, words) for tier in held}

    def analyse(self, texts: Sequence[str], *, tier: Tier | None = None) -> list[Analysis]:
        """Analyse texts as one batch.

        Args:
            texts: any strings, of any length; none is refused.
            tier: how much is done; without it, all that the settings say.

        Returns:
            one analysis per text, spans in code points of the text as given.

        Raises:
            DetectionTimeout: one of the operator's patterns took too long on a text.
            DetectionUnavailable: the tier needs models that this detector did not load.
        """
        tier = tier or self.settings.tier
        if not holds(self.settings.tier, tier):
            raise DetectionUnavailable("the tier that is asked for is not loaded")
        people = self._people if tier != "structured" else None
        read = [readings(text) for text in texts]
        found = [list(self._structured.find(each)) for each in read]
        if people:
            for spans, each, named in zip(found, read, people.find(read), strict=True):
                spans.extend(find_known(each))
                spans.extend(named)
        resolved = [self._resolve(text, each) for text, each in zip(texts, found, strict=True)]
        return [
            Analysis(spans, categories, self._language(each, by_word=people is not None))
            for spans, categories, each in zip(
                resolved, self._categories(read, resolved, tier), read, strict=True
            )
        ]

    def _resolve(self, text: str, found: Iterable[Detection]) -> tuple[Detection, ...]:
        kept = (item for item in found if item.score >= self.settings.minimum_score)
        return resolve(text, kept)

    def _categories(
        self, read: Sequence[Readings], found: Sequence[tuple[Detection, ...]], tier: Tier
    ) -> Sequence[tuple[CategoryScore, ...]]:
        if tier not in self._topics:
            return [()] * len(read)
        return self._topics[tier].find([each.plain.text for each in read], found)

    def _language(self, read: Readings, *, by_word: bool) -> str:
        """By script in every tier; by words, which costs as much as all patterns, with models."""
        script = by_script(read.plain.text)
        if script or not by_word:
            return script or self.settings.languages[0]
        return by_words(read.plain.text, self.settings.languages)
