"""Runs the name model over texts, in one batch, cut into windows it can hold."""

from collections.abc import Iterator, Sequence

from presidio_analyzer.nlp_engine import NlpArtifacts

from detectors.chunks import Chunk, chunks
from detectors.detection import Detection
from detectors.people.code import without_code
from detectors.people.corrections import refine_people
from detectors.people.glued import separated
from detectors.people.ner import build_nlp
from detectors.people.nlp import ENTITY_TYPES, LoadedNlpEngine
from detectors.people.scripts import with_scripts
from detectors.people.things import without_things
from detectors.people.told import told_only
from detectors.people.written import with_written
from detectors.readings.normalise import Readings
from detectors.readings.views import View
from detectors.settings import DetectorSettings
from detectors.structured import located, shifted

BATCH = 64


class PeopleFinder:
    """Names, places, organisations, groups and dates, by a model and by rules."""

    def __init__(self, settings: DetectorSettings) -> None:
        self._engine = LoadedNlpEngine(build_nlp())
        self._settings = settings

    def find(self, read: Sequence[Readings]) -> list[list[Detection]]:
        """Detections per text, overlapping and unsorted, in code points of the original."""
        found: list[list[Detection]] = [[] for _ in read]
        pieces = list(self._pieces(read))
        batch = self._engine.process_batch([piece.text for _, _, piece in pieces], "en", BATCH)
        for (index, view, piece), (_, artifacts) in zip(pieces, batch, strict=True):
            people = refine_people(piece.text, list(detections(artifacts)))
            people = without_things(piece.text, without_code(piece.text, people))
            people = told_only(piece.text, people)
            people = with_written(piece.text, with_scripts(piece.text, people))
            found[index].extend(located(view, shifted(one, piece.start)) for one in people)
        return found

    def _pieces(self, read: Sequence[Readings]) -> Iterator[tuple[int, View, Chunk]]:
        size, overlap = self._settings.model_window, self._settings.model_overlap
        for index, readings in enumerate(read):
            for view in map(separated, (readings.plain, *readings.disguised)):
                for piece in chunks(view.text, size, overlap):
                    if any(map(str.isalpha, piece.text)):
                        yield index, view, piece


def detections(artifacts: NlpArtifacts) -> Iterator[Detection]:
    """A model's entities as detections; digits alone are never a person or a place."""
    for entity, score in zip(artifacts.entities, artifacts.scores, strict=True):
        entity_type = ENTITY_TYPES[entity.label_]
        if entity_type == "DATE_TIME" or any(map(str.isalpha, entity.text)):
            span = entity.start_char, entity.end_char
            yield Detection(entity_type, *span, score, "model", entity.text)
