"""Trains the category heads: ``python -m detectors.training.train_categories``.

Logistic regression per category on generated and freely worded sentences, with detections as the
structured tier and the name model give them, and on the tuning half of
tests/bench/data/names_eval.jsonl; the half held out is never read here. Thresholds are chosen by
cross-validation on the freely worded ones, since whoever writes a grammar writes like it.
"""

import hashlib
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression

from detectors import encoder, encoder_words
from detectors.categories import (
    CATEGORIES,
    MODEL_DIR,
    Heads,
    build_features,
    probabilities,
    quantise,
)
from detectors.detection import Detection
from detectors.encoder import Encoder, Floats
from detectors.encoder_words import WordVectors
from detectors.engine import Detector
from detectors.names import refine_people
from detectors.ner import build_nlp
from detectors.nlp import ENTITY_TYPES
from detectors.settings import DetectorSettings
from detectors.training.sentences import CategoryTexts, Labelled

SEED = 20261127
GENERATED = 10_000
VERSION = "1.2.0"
STRENGTH = 4.0  # inverse of the regularisation
# How much more recall counts than precision. The special categories need recall: a false alarm
# only costs a stricter tier.
RECALL_WEIGHTS = dict.fromkeys(("health", "financial", "biometric", "political_religious"), 2.0)
OTHER_WEIGHT = 1.25  # the freely worded sentences hold more traps than ordinary text does
TUNING_FILE = Path("tests/bench/data/names_eval.jsonl")
REPEATS = 4  # of the tuning half among the generated sentences
FREE_COPIES, FREE_REPEATS = 2, 3
FOLDS = 3
COPIES = 1
PLAIN_EXAMPLES = 400
STEPS = np.arange(0.1, 0.7, 0.01)
WIDTHS = {"fast": encoder_words.DIMENSIONS, "full": encoder.DIMENSIONS}


@dataclass(frozen=True, slots=True)
class Material:
    """Features and labels of one source of sentences."""

    features: Floats
    labels: Floats

    def rows(self, chosen: npt.NDArray[np.bool_]) -> "Material":
        """Some of the sentences."""
        return Material(self.features[chosen], self.labels[chosen])


def main() -> None:
    """Train both tiers and write the heads with their manifest."""
    texts = CategoryTexts(SEED + 1)
    labelled = {
        "generated": _pairs(CategoryTexts(SEED).sentences(GENERATED)),
        "examples": _pairs(texts.examples(COPIES, PLAIN_EXAMPLES)),
        "free": _pairs(texts.free(FREE_COPIES)),
        "tuning": _tuning(),
    }
    found = {name: detect([text for text, _ in rows]) for name, rows in labelled.items()}
    words, sentences = WordVectors(), Encoder(batch_size=8)
    arrays: dict[str, Any] = {}
    for tier, used in (("fast", None), ("full", sentences)):
        material = {
            name: Material(
                build_features([text for text, _ in rows], found[name], words, used),
                _matrix([names for _, names in rows]),
            )
            for name, rows in labelled.items()
        }
        heads = train(material, WIDTHS[tier])
        arrays |= {f"{tier}_{name}": getattr(heads, name) for name in Heads.__slots__}
        arrays[f"{tier}_examples"] = quantise(heads.examples)
    _write(arrays)


def train(material: dict[str, Material], width: int) -> Heads:
    """Fit on everything, with thresholds of models that did not see what they were tried on."""
    free = material["free"]
    sentence = np.arange(len(free.labels)) % (len(free.labels) // FREE_COPIES)
    scores, truths = [], []
    for fold in range(FOLDS):
        unseen = sentence % FOLDS == fold
        heads = fit(material | {"free": free.rows(~unseen)}, width)
        scores.append(probabilities(free.rows(unseen).features, heads))
        truths.append(free.rows(unseen).labels)
    thresholds = choose(np.vstack(scores), np.vstack(truths) > 0)
    return replace(fit(material, width), thresholds=thresholds)


def choose(scores: Floats, truths: npt.NDArray[np.bool_]) -> Floats:
    """The threshold of each category with the best weighted mean of precision and recall."""
    chosen = []
    for column, name in enumerate(CATEGORIES):
        weight = RECALL_WEIGHTS.get(name, OTHER_WEIGHT) ** 2
        said = scores[:, column, None] >= STEPS
        true = truths[:, column, None]
        hits = (said & true).sum(axis=0)
        quality = (1 + weight) * hits / (weight * true.sum() + said.sum(axis=0))
        chosen.append(STEPS[int(quality.argmax())])
    return np.array(chosen, dtype=np.float32)


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


def fit(material: dict[str, Material], width: int) -> Heads:
    """Fit one head per category and add the examples."""
    repeats = {"generated": 1, "free": FREE_REPEATS, "tuning": REPEATS}
    features = np.vstack([material[name].features for name, n in repeats.items() for _ in range(n)])
    labels = np.vstack([material[name].labels for name, n in repeats.items() for _ in range(n)])
    models = [
        LogisticRegression(C=STRENGTH, max_iter=300).fit(features, labels[:, column])
        for column in range(len(CATEGORIES))
    ]
    free = material["free"]
    once = free.rows(np.arange(len(free.labels)) < len(free.labels) // FREE_COPIES)
    shown = [material["examples"], material["tuning"], once]
    return Heads(
        np.array([model.coef_[0] for model in models], dtype=np.float32).T,
        np.array([model.intercept_[0] for model in models], dtype=np.float32),
        np.vstack([one.features[:, :width] for one in shown]),
        np.vstack([one.labels for one in shown]),
        np.full(len(CATEGORIES), 0.5, dtype=np.float32),
    )


def _pairs(labelled: Iterable[Labelled]) -> list[tuple[str, frozenset[str]]]:
    return [(one.text, one.categories) for one in labelled]


def _tuning() -> list[tuple[str, frozenset[str]]]:
    rows = map(json.loads, TUNING_FILE.read_text("utf-8").splitlines())
    return [(row["text"], frozenset(row["categories"])) for row in rows if row["part"] == "tune"]


def _matrix(sets: list[frozenset[str]]) -> Floats:
    return np.array([[name in names for name in CATEGORIES] for names in sets], dtype=np.float32)


def _write(arrays: dict[str, Any]) -> None:
    stored = io.BytesIO()
    np.savez(stored, **arrays)
    content = stored.getvalue()
    MODEL_DIR.mkdir(parents=True, exist_ok=True)
    (MODEL_DIR / "heads.npz").write_bytes(content)
    manifest = {
        "version": VERSION,
        "sha256": {"heads.npz": hashlib.sha256(content).hexdigest()},
        "seed": SEED,
        "texts": GENERATED,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
    }
    path = MODEL_DIR / "manifest.json"
    path.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
