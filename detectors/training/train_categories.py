"""Trains the category heads: ``PYTHONHASHSEED=0 python -m detectors.training.train_categories``.

The order in which Faker's sets are read is part of the seed.

One kernel machine per category over labelled examples: every template of the grammar, the freely
worded sentences, and the tuning half of tests/bench/data/names_eval.jsonl, with detections as the
structured tier and the name model give them; the half held out is never read here. Thresholds are
chosen by cross-validation on the freely worded ones and the tuning half, since whoever writes a
grammar writes like it.
"""

import hashlib
import io
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.svm import SVC

from detectors.categories.encoder import Encoder, Floats
from detectors.categories.encoder_words import WordVectors
from detectors.categories.heads import (
    CATEGORIES,
    MODEL_DIR,
    STORED,
    Heads,
    build_features,
    kernel,
    probabilities,
    quantise,
)
from detectors.detection import Detection
from detectors.engine import Detector
from detectors.people.corrections import refine_people
from detectors.people.ner import build_nlp
from detectors.people.nlp import ENTITY_TYPES
from detectors.settings import DetectorSettings
from detectors.training.sentences import CategoryTexts, Labelled

SEED = 20261128
VERSION = "2.2.0"
SLACK = 3.0  # inverse of the regularisation
# How much more recall counts than precision. The special categories need recall: a false alarm
# only costs a stricter tier.
RECALL_WEIGHTS = dict.fromkeys(("financial", "biometric", "political_religious"), 2.0)
RECALL_WEIGHTS["health"] = 3.0  # has the most words, and so the most that nobody has seen
OTHER_WEIGHT = 1.0
TUNING_WEIGHT = 4.0  # of the tuning half, which is like what is remembered, in thresholds
BREADTH = 6  # steps on each side over which quality is averaged: one sentence decides nothing
TUNING_FILE = Path("tests/bench/data/names_eval.jsonl")
FOLDS = 5
PLAIN_EXAMPLES = 400
STEPS = np.arange(0.1, 0.7, 0.01)


@dataclass(frozen=True, slots=True)
class Material:
    """Features and labels of sentences."""

    meanings: Floats
    hints: Floats
    labels: Floats

    def rows(self, chosen: npt.NDArray[np.bool_]) -> "Material":
        """Some of the sentences."""
        return Material(self.meanings[chosen], self.hints[chosen], self.labels[chosen])

    def __add__(self, other: "Material") -> "Material":
        return Material(
            np.vstack([self.meanings, other.meanings]),
            np.vstack([self.hints, other.hints]),
            np.vstack([self.labels, other.labels]),
        )


def main() -> None:
    """Train both tiers and write the heads with their manifest."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        sys.exit("Set PYTHONHASHSEED=0: otherwise no two runs train on the same names.")
    texts = CategoryTexts(SEED)
    labelled = {
        "grammar": _pairs(texts.examples(PLAIN_EXAMPLES)),
        "worded": [*_pairs(texts.free()), *_tuning()],
    }
    found = {name: detect([text for text, _ in rows]) for name, rows in labelled.items()}
    arrays: dict[str, Any] = {}
    tiers = (("fast", WordVectors().encode), ("full", Encoder(batch_size=8).encode))
    for tier, meaning in tiers:
        material = {
            name: Material(
                *build_features([text for text, _ in rows], found[name], meaning),
                _matrix([names for _, names in rows]),
            )
            for name, rows in labelled.items()
        }
        weights = np.ones(len(labelled["worded"]), dtype=np.float32)
        weights[-len(_tuning()) :] = TUNING_WEIGHT
        heads = train(material["grammar"], material["worded"], weights)
        arrays |= {f"{tier}_{name}": getattr(heads, name) for name in STORED}
        for name in ("meanings", "hints"):
            arrays[f"{tier}_{name}"] = quantise(getattr(heads, name))
        for name in ("labels", "weights"):
            arrays[f"{tier}_{name}"] = getattr(heads, name).astype(np.float16)
    _write(arrays, sum(map(len, labelled.values())))


def train(grammar: Material, worded: Material, weights: Floats) -> Heads:
    """Fit on everything, with thresholds of machines that did not see what they were tried on.

    Args:
        weights: how much each of the worded sentences counts for the thresholds.
    """
    order = np.random.default_rng(SEED).permutation(len(worded.labels))
    scores, truths, counts = [], [], []
    for fold in range(FOLDS):
        unseen = order % FOLDS == fold
        heads, tried = fit(grammar + worded.rows(~unseen)), worded.rows(unseen)
        scores.append(probabilities(tried.meanings, tried.hints, heads))
        truths.append(tried.labels)
        counts.append(weights[unseen])
    found, true = np.vstack(scores), np.vstack(truths) > 0
    thresholds = choose(found, true, np.concatenate(counts))
    said = found >= thresholds
    quality = 2 * (said & true).sum() / (said.sum() + true.sum())
    sys.stdout.write(f"cross-validated micro-F1 {quality:.3f}, thresholds {thresholds}\n")
    return replace(fit(grammar + worded), thresholds=thresholds)


def choose(scores: Floats, truths: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """The threshold of each category with the best weighted mean of precision and recall."""
    chosen = []
    for column, name in enumerate(CATEGORIES):
        weight = RECALL_WEIGHTS.get(name, OTHER_WEIGHT) ** 2
        said = (scores[:, column, None] >= STEPS) * weights[:, None]
        true = truths[:, column]
        hits = said[true].sum(axis=0)
        quality = (1 + weight) * hits / (weight * weights[true].sum() + said.sum(axis=0))
        chosen.append(STEPS[int(_even(quality).argmax())])
    return np.array(chosen, dtype=np.float32)


def _even(values: Floats) -> Floats:
    """Each value averaged with its neighbours."""
    around = np.ones(2 * BREADTH + 1) / (2 * BREADTH + 1)
    smooth = np.convolve(np.pad(values, BREADTH, mode="edge"), around, "valid")
    return np.asarray(smooth, dtype=np.float32)


def detect(texts: list[str]) -> list[list[Detection]]:
    """Structured detections and people, places and firms, as at run time."""
    structured = Detector(DetectorSettings(tier="structured")).analyse(texts)
    found = []
    for analysis, doc in zip(structured, build_nlp().pipe(texts, batch_size=64), strict=True):
        spans = [
            Detection(
                ENTITY_TYPES[one.label_], one.start_char, one.end_char, 1.0, "model", one.text
            )
            for one in doc.ents
            if one.label_ in ENTITY_TYPES
        ]
        found.append([*analysis.detections, *refine_people(doc.text, spans)])
    return found


def fit(material: Material) -> Heads:
    """Fit one machine per category; the examples are all that it saw."""
    empty = np.zeros((len(material.labels), len(CATEGORIES)), dtype=np.float32)
    heads = Heads(
        material.meanings, material.hints, material.labels, empty, empty[0], empty[0] + 0.5
    )
    near = kernel(material.meanings, material.hints, heads, material.meanings @ material.meanings.T)
    weights, biases = empty.copy(), np.zeros(len(CATEGORIES), dtype=np.float32)
    for column in range(len(CATEGORIES)):
        machine = SVC(C=SLACK, kernel="precomputed").fit(near, material.labels[:, column])
        weights[machine.support_, column] = machine.dual_coef_[0]
        biases[column] = machine.intercept_[0]
    return replace(heads, weights=weights, biases=biases)


def _pairs(labelled: Iterable[Labelled]) -> list[tuple[str, frozenset[str]]]:
    return [(one.text, one.categories) for one in labelled]


def _tuning() -> list[tuple[str, frozenset[str]]]:
    rows = map(json.loads, TUNING_FILE.read_text("utf-8").splitlines())
    return [(row["text"], frozenset(row["categories"])) for row in rows if row["part"] == "tune"]


def _matrix(sets: list[frozenset[str]]) -> Floats:
    return np.array([[name in names for name in CATEGORIES] for names in sets], dtype=np.float32)


def _write(arrays: dict[str, Any], texts: int) -> None:
    stored = io.BytesIO()
    np.savez_compressed(stored, **arrays)
    content = stored.getvalue()
    MODEL_DIR.mkdir(parents=True, exist_ok=True)
    (MODEL_DIR / "heads.npz").write_bytes(content)
    manifest = {
        "version": VERSION,
        "sha256": {"heads.npz": hashlib.sha256(content).hexdigest()},
        "seed": SEED,
        "texts": texts,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }
    path = MODEL_DIR / "manifest.json"
    path.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
