"""Runs the patterns over every reading of a text."""

from collections.abc import Iterator
from dataclasses import replace

from detectors.chunks import chunks
from detectors.detection import Detection
from detectors.readings.normalise import Readings
from detectors.readings.views import View
from detectors.recognisers import recognisers
from detectors.recognisers.prefilter import Prefilter
from detectors.settings import DetectorSettings


class StructuredFinder:
    """Everything that is found without a model."""

    def __init__(self, settings: DetectorSettings) -> None:
        self._prefilter = Prefilter(recognisers(settings))
        self._window = settings.window
        self._overlap = settings.window_overlap

    def find(self, readings: Readings) -> Iterator[Detection]:
        """Detections in one text, overlapping and unsorted, in code points of the original.

        Raises:
            DetectionTimeout: one of the operator's patterns took too long.
        """
        for view in (readings.plain, *readings.others):
            for found in self._search(view.text):
                yield located(view, found)

    def _search(self, text: str) -> Iterator[Detection]:
        for piece in chunks(text, self._window, self._overlap):
            for recogniser in self._prefilter.candidates(piece.text):
                for found in recogniser.find(piece.text):
                    yield shifted(found, piece.start)


def shifted(found: Detection, offset: int) -> Detection:
    """The same detection as seen from a text that begins ``offset`` code points earlier."""
    return replace(found, start=found.start + offset, end=found.end + offset) if offset else found


def located(view: View, found: Detection) -> Detection:
    """A detection in a view as one in the original."""
    start, end = view.span(found.start, found.end)
    return Detection(found.entity_type, start, end, found.score, found.recogniser)
