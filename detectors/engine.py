"""Finds personal data in texts, in this process: patterns, names, categories."""

from collections.abc import Iterable, Sequence

from detectors.detection import Analysis, Detection
from detectors.isolation import isolate
from detectors.normalise import readings
from detectors.overlaps import resolve
from detectors.settings import DetectorSettings
from detectors.structured import StructuredFinder

isolate()


class Detector:
    """Detection in the calling process; it blocks, so servers use a pool of them."""

    def __init__(self, settings: DetectorSettings | None = None) -> None:
        self.settings = settings or DetectorSettings()
        self._structured = StructuredFinder(self.settings)
        self._people = None
        if self.settings.tier != "structured":
            from detectors.people import PeopleFinder  # the structured tier loads no model

            self._people = PeopleFinder(self.settings)

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
            for spans, people in zip(found, self._people.find(read), strict=True):
                spans.extend(people)
        return [self._finish(text, spans) for text, spans in zip(texts, found, strict=True)]

    def _finish(self, text: str, found: Iterable[Detection]) -> Analysis:
        kept = (item for item in found if item.score >= self.settings.minimum_score)
        return Analysis(detections=resolve(text, kept))
