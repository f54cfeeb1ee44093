"""Decides which of eight categories a text belongs to: meaning, words and detections together."""

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from detectors.categories.encoder import Encoder, Floats
from detectors.categories.encoder_words import WordVectors
from detectors.categories.features import flags
from detectors.detection import CategoryScore, Detection
from detectors.errors import DetectionUnavailable

CATEGORIES = (
    "health",
    "financial",
    "biometric",
    "location",
    "political_religious",
    "relationships",
    "professional",
    "preferences",
)
MODEL_DIR = Path(__file__).parents[1] / "models" / "categories"
PLAIN_NAME = "Sam"
FLAG_WEIGHT = 0.4375  # keeps a few flags from outweighing a unit vector; exact in eight bits
COUNTS = 0.5  # the score from which a category counts

NEAREST = 6
SHARPNESS = 12.0  # of the weights among the nearest
NARROWNESS = 1.0  # of the kernel: how fast an example loses its say with distance
STEEPNESS = 2.0  # from a head's margin to a score
EXAMPLE_SCALE = 256.0  # the numbers of a unit vector are well below one half

Tier = Literal["fast", "full"]


@dataclass(frozen=True, slots=True)
class Heads:
    """Labelled examples, what each of them says for each category, and the scores that count.

    Args:
        meanings: unit vectors of the examples' meaning; the file keeps eight bits a number.
        hints: their flags, as weighted in the features.
        labels: which categories each example has.
        weights, biases: of one kernel machine per category over the examples.
        thresholds: the mean of machine and neighbours from which a category counts.
        squares: of the examples' lengths, meaning and flags together.
    """

    meanings: Floats
    hints: Floats
    labels: Floats
    weights: Floats
    biases: Floats
    thresholds: Floats
    squares: Floats = field(init=False)

    def __post_init__(self) -> None:
        squares = (self.meanings**2).sum(axis=1) + (self.hints**2).sum(axis=1)
        object.__setattr__(self, "squares", squares)
        by_column = np.asfortranarray(self.meanings)  # its transpose multiplies twice as fast
        object.__setattr__(self, "meanings", by_column)


STORED = tuple(part.name for part in fields(Heads) if part.init)


class CategoryClassifier:
    """Classifies texts; more than one category, or none, may fit.

    Args:
        encoder: the sentence encoder of the full tier; without it the fast tier's heads are used.
        words: word vectors that were loaded before, to hold them once; the fast tier's meaning.

    Raises:
        DetectionUnavailable: a model file is missing or was changed.
    """

    def __init__(self, encoder: Encoder | None, words: WordVectors | None = None) -> None:
        self._meaning = encoder.encode if encoder else (words or WordVectors()).encode
        self._heads = load_heads("full" if encoder else "fast")

    def classify(
        self,
        texts: Sequence[str],
        detections_per_text: Sequence[Sequence[Detection]],
        least: float = COUNTS,
    ) -> list[tuple[CategoryScore, ...]]:
        """Give each text its categories with scores in [0, 1], strongest first.

        A score is scaled so that every category's threshold lies at 0.5; what is below ``least``
        is left out.
        """
        if not texts:
            return []
        meanings, hints = build_features(texts, detections_per_text, self._meaning)
        scores = scale(probabilities(meanings, hints, self._heads), self._heads.thresholds)
        return [_named(row, least) for row in scores]


def build_features(
    texts: Sequence[str],
    detections_per_text: Sequence[Sequence[Detection]],
    meaning: Callable[[Sequence[str]], Floats],
) -> tuple[Floats, Floats]:
    """One row per text: a unit vector of its meaning, and weighted flags."""
    pairs = list(zip(texts, detections_per_text, strict=True))
    hints = np.stack([flags(text, spans) for text, spans in pairs])
    return meaning([without_names(text, spans) for text, spans in pairs]), hints * FLAG_WEIGHT


def without_names(text: str, spans: Sequence[Detection]) -> str:
    """Put one plain name for every person: what a name sounds like says nothing of the topic."""
    pieces, position = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        person = span.entity_type == "PERSON" and text[span.start : span.end] == span.text
        if person and span.start >= position:
            pieces += [text[position : span.start], PLAIN_NAME]
            position = span.end
    return "".join([*pieces, text[position:]])


def probabilities(meanings: Floats, hints: Floats, heads: Heads) -> Floats:
    """Each category's score, independently of the others: machine and neighbours, averaged.

    The two err on different sentences: the machine on plain ones, the neighbours on mixtures.
    """
    likeness = meanings @ heads.meanings.T
    margins = kernel(meanings, hints, heads, likeness) @ heads.weights + heads.biases
    both = 1.0 / (1.0 + np.exp(-STEEPNESS * margins)) + neighbours(likeness, heads.labels)
    return np.asarray(both / 2, dtype=np.float32)


def kernel(meanings: Floats, hints: Floats, heads: Heads, likeness: Floats) -> Floats:
    """How near each text is to each example, from 0 to 1, by meaning and flags together."""
    products = likeness + hints @ heads.hints.T
    own = (meanings**2).sum(axis=1) + (hints**2).sum(axis=1)
    squares = own[:, None] + heads.squares[None, :] - 2.0 * products
    return np.asarray(np.exp(-NARROWNESS * squares), dtype=np.float32)


def neighbours(likeness: Floats, labels: Floats) -> Floats:
    """Share of each category among the nearest examples, the nearer the weightier."""
    nearest = np.argpartition(-likeness, NEAREST, axis=1)[:, :NEAREST]
    close = np.take_along_axis(likeness, nearest, axis=1)
    weights = np.exp(SHARPNESS * (close - close.max(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("nk,nkc->nc", weights, labels[nearest]), dtype=np.float32)


def quantise(vectors: Floats) -> npt.NDArray[np.int8]:
    """Store the numbers of unit vectors, and flags, in eight bits each."""
    return np.asarray(np.clip(np.rint(vectors * EXAMPLE_SCALE), -127, 127), dtype=np.int8)


def scale(values: Floats, thresholds: Floats) -> Floats:
    """Map [0, threshold, 1] to [0, 0.5, 1], so that one number means "counts" everywhere."""
    below = 0.5 * values / thresholds
    above = 0.5 + 0.5 * (values - thresholds) / (1.0 - thresholds)
    return np.where(values < thresholds, below, above)


def _named(row: Floats, least: float) -> tuple[CategoryScore, ...]:
    ranked = sorted(zip(CATEGORIES, row.tolist(), strict=True), key=lambda item: -item[1])
    return tuple(CategoryScore(name, round(score, 4)) for name, score in ranked if score >= least)


def load_heads(tier: Tier, directory: Path = MODEL_DIR) -> Heads:
    """Load the heads of one tier, checked against the manifest's SHA-256.

    Raises:
        DetectionUnavailable: the file is missing or was changed.
    """
    try:
        manifest = json.loads((directory / "manifest.json").read_text("utf-8"))
        content = (directory / "heads.npz").read_bytes()
    except (OSError, ValueError):
        raise DetectionUnavailable("The category heads are missing.") from None
    if hashlib.sha256(content).hexdigest() != manifest["sha256"]["heads.npz"]:
        raise DetectionUnavailable("The category heads were changed.")
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        parts = {name: stored[f"{tier}_{name}"] for name in STORED}
    return Heads(**{name: widened(part) for name, part in parts.items()})


def widened(stored: npt.NDArray[Any]) -> Floats:
    """Numbers to compute with, of numbers as they are kept."""
    scale = EXAMPLE_SCALE if stored.dtype == np.int8 else 1.0
    return np.asarray(stored.astype(np.float32) / scale, dtype=np.float32)
