"""Gives Presidio a spaCy pipeline that was loaded elsewhere and runs nothing but its NER."""

from collections.abc import Iterable, Iterator, Sequence

from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
from spacy.language import Language
from spacy.tokens import Doc, Span

from detectors.people.network import NameNetwork

# Labels of the OntoNotes scheme; the rest (quantities, works of art) is no personal data.
ENTITY_TYPES = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "LOCATION": "LOCATION",
    "ORG": "ORGANIZATION",
    "ORGANIZATION": "ORGANIZATION",
    "NORP": "NRP",
    "NRP": "NRP",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
    "DATE_TIME": "DATE_TIME",
}
MODEL_SCORE = 0.85  # what Presidio gives a model that reports no confidence


class LoadedNlpEngine(NlpEngine):  # type: ignore[misc]
    """Presidio's view of an already loaded pipeline.

    Lemmas, keywords and token offsets stay empty: our recognisers score their own context, which
    saves the tagger, the parser and the lemmatiser.
    """

    engine_name = "loaded"
    is_available = True

    def __init__(self, pipeline: Language) -> None:
        self.pipeline = pipeline
        self._network = NameNetwork(pipeline)

    def load(self) -> None:
        """Nothing to do: the pipeline came loaded."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        return next(self.process_batch([text], language))[1]

    def process_batch(
        self,
        texts: Iterable[str],
        language: str,
        batch_size: int = 32,
        n_process: int = 1,
        **kwargs: object,
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        given = list(texts)  # a document would put its text together again, word by word
        for start in range(0, len(given), batch_size):
            some = given[start : start + batch_size]
            docs = [self.pipeline.make_doc(text) for text in some]
            for text, doc, found in zip(some, docs, self._network.find(docs), strict=True):
                yield text, artifacts(doc, found, language)

    def is_stopword(self, word: str, language: str) -> bool:
        return bool(self.pipeline.vocab[word].is_stop)

    def is_punct(self, word: str, language: str) -> bool:
        return bool(self.pipeline.vocab[word].is_punct)

    def get_supported_entities(self) -> list[str]:
        return sorted(set(ENTITY_TYPES.values()))

    def get_supported_languages(self) -> list[str]:
        return ["en"]


def artifacts(doc: Doc, found: Sequence[Span], language: str) -> NlpArtifacts:
    """Presidio's artifacts with entities relabelled to its names."""
    entities = [entity for entity in found if entity.label_ in ENTITY_TYPES]
    return NlpArtifacts(
        entities=entities,
        tokens=doc,
        tokens_indices=[],
        lemmas=[],
        nlp_engine=None,
        language=language,
        scores=[MODEL_SCORE] * len(entities),
    )
