"""Averages of static word vectors: what the fast tier knows of a text's meaning."""

import io
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from spacy.strings import get_string_id

from detectors.categories.encoder import Floats
from detectors.people.ner import model_file
from detectors.words.folding import WORD
from detectors.words.namelists import stop_words

DIMENSIONS = 300
_WORD = re.compile(WORD)


class WordVectors:
    """The name model's word vectors, looked up without building a pipeline.

    Raises:
        DetectionUnavailable: the vectors are missing or were changed.
    """

    def __init__(self) -> None:
        with np.load(io.BytesIO(model_file("vectors.npz")), allow_pickle=False) as stored:
            self._keys: npt.NDArray[np.uint64] = stored["keys"]
            self._targets: npt.NDArray[np.uint16] = stored["targets"]
            self._rows: npt.NDArray[np.int8] = stored["rows"]
            self._scales: Floats = stored["scales"]

    def encode(self, texts: Sequence[str]) -> Floats:
        """The mean vector of each text's content words, of length one, or zero without any."""
        return np.stack([self._mean(text) for text in texts]) if texts else _nothing()

    def _mean(self, text: str) -> Floats:
        words = [word for word in _WORD.findall(text) if word.lower() not in stop_words()]
        rows = [row for word in words for row in self._row(word)]
        if not rows:
            return np.zeros(DIMENSIONS, dtype=np.float32)
        chosen = self._rows[rows].astype(np.float32) * self._scales[rows][:, None]
        mean = (chosen / np.linalg.norm(chosen, axis=1, keepdims=True)).mean(axis=0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)

    def _row(self, word: str) -> list[int]:
        for form in (word.lower(), word):
            key = np.uint64(get_string_id(form))
            place = int(np.searchsorted(self._keys, key))
            if place < len(self._keys) and self._keys[place] == key:
                return [int(self._targets[place])]
        return []


def _nothing() -> Floats:
    return np.zeros((0, DIMENSIONS), dtype=np.float32)
