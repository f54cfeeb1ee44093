"""Finds personal data in texts, in this process: patterns, known words, names, categories."""

from collections.abc import Iterable, Sequence

from detectors.detection import Analysis, CategoryScore, Detection
from detectors.encoder import Encoder
from detectors.isolation import isolate
from detectors.language import by_script, by_words
from detectors.lookups import find_known
from detectors.normalise import Readings, readings
from detectors.overlaps import resolve
from detectors.people import PeopleFinder
from detectors.settings import DetectorSettings
from detectors.structured import StructuredFinder

isolate()

try:
    from detectors.categories import CategoryClassifier
except ImportError:
    CategoryClassifier = None
try:
    from detectors.lexicons import find_medical
except ImportError:
    find_medical = lambda text: []


class Detector:
    """Detection in the calling process; it blocks, so servers use a pool of them."""

    def __init__(self, settings: DetectorSettings | None = None) -> None:
        self.settings = settings or DetectorSettings()
        tier = self.settings.tier
        self._structured = StructuredFinder(self.settings)
        self._people = None if tier == "structured" else PeopleFinder(self.settings)
        self._categories = (
            None
            if tier == "structured" or CategoryClassifier is None
            else CategoryClassifier(Encoder() if tier == "full" else None)
        )

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
                spans.extend(find_known(each, find_medical))
                spans.extend(people)
        resolved = [self._resolve(text, each) for text, each in zip(texts, found, strict=True)]
        categories = self._classify(read, resolved)
        return [
            Analysis(spans, scores, self._language(each))
            for spans, scores, each in zip(resolved, categories, read, strict=True)
        ]

    def _resolve(self, text: str, found: Iterable[Detection]) -> tuple[Detection, ...]:
        kept = (item for item in found if item.score >= self.settings.minimum_score)
        return resolve(text, kept)

    def _classify(
        self, read: Sequence[Readings], found: Sequence[tuple[Detection, ...]]
    ) -> Sequence[tuple[CategoryScore, ...]]:
        if not self._categories:
            return [()] * len(read)
        return self._categories.classify([each.plain.text for each in read], found)

    def _language(self, read: Readings) -> str:
        script = by_script(read.plain.text)
        if script or not self._people:
            return script or self.settings.languages[0]
        return by_words(read.plain.text, self.settings.languages)
