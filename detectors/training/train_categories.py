"""Trains the category heads: ``python -m detectors.training.train_categories``.

Logistic regression per category on generated sentences, with detections as the structured tier and
the name model give them, and on the tuning half of tests/bench/data/names_eval.jsonl, on which
strength, neighbours and thresholds were chosen before; the half held out is never read here.
"""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

from detectors import encoder, encoder_words
from detectors.categories import (
    CATEGORIES,
    MODEL_DIR,
    Heads,
    build_features,
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
from detectors.training.sentences import CategoryTexts

SEED = 20261127
GENERATED = 10_000
VERSION = "1.0.0"
STRENGTH = 2.0  # inverse of the regularisation
# The special categories need recall: a false alarm only costs a stricter tier.
SENSITIVE = frozenset({"health", "financial", "biometric", "political_religious"})
TUNING_FILE = Path("tests/bench/data/names_eval.jsonl")
REPEATS = 4  # of the tuning half among the generated sentences
COPIES = 2
PLAIN_EXAMPLES = 400
WIDTHS = {"fast": encoder_words.DIMENSIONS, "full": encoder.DIMENSIONS}


def main() -> None:
    """Train both tiers and write the heads with their manifest."""
    generated = list(CategoryTexts(SEED).sentences(GENERATED))
    examples = list(CategoryTexts(SEED + 1).examples(COPIES, PLAIN_EXAMPLES))
    tuning = _tuning()
    labelled = [(item.text, item.categories) for item in [*generated, *examples]] + tuning
    texts = [text for text, _ in labelled]
    labels = _matrix([names for _, names in labelled])
    found = detect(texts)
    words, sentences = WordVectors(), Encoder()
    arrays: dict[str, Any] = {}
    for tier, used in (("fast", None), ("full", sentences)):
        features = build_features(texts, found, words, used)
        parts = np.split(features, [len(generated), len(generated) + len(examples)])
        truths = np.split(labels, [len(generated), len(generated) + len(examples)])
        shown = np.vstack([parts[1], parts[2]])[:, : WIDTHS[tier]]
        heads = fit(
            np.vstack([parts[0], *[parts[2]] * REPEATS]),
            np.vstack([truths[0], *[truths[2]] * REPEATS]),
            shown,
            np.vstack([truths[1], truths[2]]),
        )
        arrays |= {f"{tier}_{name}": getattr(heads, name) for name in Heads.__slots__}
    _write(arrays)


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


def fit(features: Floats, labels: Floats, examples: Floats, example_labels: Floats) -> Heads:
    """Fit one head per category and add the examples."""
    columns, biases = [], []
    for column in range(len(CATEGORIES)):
        model = LogisticRegression(C=STRENGTH, max_iter=300)
        model.fit(features, labels[:, column])
        columns.append(model.coef_[0])
        biases.append(model.intercept_[0])
    thresholds = [0.27 if name in SENSITIVE else 0.4 for name in CATEGORIES]
    return Heads(
        np.array(columns, dtype=np.float32).T,
        np.array(biases, dtype=np.float32),
        quantise(examples),
        example_labels,
        np.array(thresholds, dtype=np.float32),
    )


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
