"""Runs the pattern recognisers over a text."""

from detectors.detection import Detection
from detectors.recognisers import builtin
from detectors.recognisers.prefilter import Prefilter
from detectors.settings import DetectorSettings
from detectors.unicode import without_surrogates


class StructuredFinder:
    """Everything that is found without a model."""

    def __init__(self, settings: DetectorSettings) -> None:
        self._prefilter = Prefilter(builtin(settings.countries))

    def find(self, text: str) -> list[Detection]:
        """Detections in one text, overlapping and unsorted."""
        clean = without_surrogates(text)
        return [
            Detection(
                hit.entity_type,
                hit.start,
                hit.end,
                hit.score,
                hit.recogniser,
                text[hit.start : hit.end],
            )
            for recogniser in self._prefilter.candidates(clean)
            for hit in recogniser.find(clean)
        ]
