"""Finds personal data in texts, in this process: patterns, names, categories."""

from collections.abc import Sequence

from detectors.detection import Analysis, Detection
from detectors.isolation import isolate
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
            from detectors.people import PeopleFinder

            self._people = PeopleFinder(self.settings)

    def analyse(self, texts: Sequence[str]) -> list[Analysis]:
        """Analyse texts as one batch.

        Args:
            texts: any strings, of any length; none is refused.

        Returns:
            one analysis per text, spans in code points of the text as given.
        """
        found = [self._structured.find(text) for text in texts]
        if self._people:
            for spans, people in zip(found, self._people.find(texts), strict=True):
                spans.extend(people)
        return [self._finish(text, spans) for text, spans in zip(texts, found, strict=True)]

    def _finish(self, text: str, found: list[Detection]) -> Analysis:
        kept = [item for item in found if item.score >= self.settings.minimum_score]
        return Analysis(detections=resolve(text, kept))
