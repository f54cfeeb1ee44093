"""Finds personal data in texts, in this process: patterns, known words, names, categories."""

from collections.abc import Iterable, Sequence

from detectors.detection import Analysis, CategoryScore, Detection
from detectors.isolation import isolate
from detectors.language import by_script, by_words
from detectors.lookups import find_known
from detectors.normalise import Readings, readings
from detectors.overlaps import resolve
from detectors.people import PeopleFinder
from detectors.settings import DetectorSettings
from detectors.structured import StructuredFinder
from detectors.topics import TopicFinder

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
        self._topics: TopicFinder | None = None
        if self.settings.tier != "structured":
            self._people = PeopleFinder(self.settings)
            self._topics = TopicFinder(self.settings)

    def analyse(self, texts: Sequence[str]) -> list[Analysis]:
        """Analyse texts as one batch.

        Args:
            texts: any strings, of any length; none is refused.

        Returns:
            one analysis per text, spans in code points of the text as given.

        Raises:
            DetectionTimeout: one of the operator's patterns took too long on a text.
        """
        read = [readings(text) for text in texts]
        found = [list(self._structured.find(each)) for each in read]
        if self._people:
            for spans, each, people in zip(found, read, self._people.find(read), strict=True):
                spans.extend(find_known(each))
                spans.extend(people)
        resolved = [self._resolve(text, each) for text, each in zip(texts, found, strict=True)]
        return [
            Analysis(spans, categories, self._language(each))
            for spans, categories, each in zip(
                resolved, self._categories(read, resolved), read, strict=True
            )
        ]

    def _resolve(self, text: str, found: Iterable[Detection]) -> tuple[Detection, ...]:
        kept = (item for item in found if item.score >= self.settings.minimum_score)
        return resolve(text, kept)

    def _categories(
        self, read: Sequence[Readings], found: Sequence[tuple[Detection, ...]]
    ) -> Sequence[tuple[CategoryScore, ...]]:
        if self._topics is None:
            return [()] * len(read)
        return self._topics.find([each.plain.text for each in read], found)

    def _language(self, read: Readings) -> str:
        """By script in every tier; by words, which costs as much as all patterns, with models."""
        script = by_script(read.plain.text)
        if script or self._people is None:
            return script or self.settings.languages[0]
        return by_words(read.plain.text, self.settings.languages)
