"""The name recogniser: a spaCy pipeline with nothing but NER, built from hashed weights."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly  # type: ignore[import-untyped]
from spacy.language import Language
from spacy.vectors import Vectors
from thinc.api import NumpyOps

from detectors.errors import DetectionUnavailable

MODEL_DIR = Path(__file__).parents[1] / "models" / "ner"
MANIFEST = "manifest.json"
FILES = ("config.json", "ner.msgpack", "vectors.npz")


def build_nlp(directory: Path = MODEL_DIR) -> Language:
    """Build the pipeline: tokeniser and NER, word vectors included, no other component.

    Args:
        directory: where the three model files and their manifest lie.

    Raises:
        DetectionUnavailable: a file is missing or its SHA-256 is not the manifest's.
    """
    files = {name: model_file(name, directory) for name in FILES}
    nlp = spacy.blank("en")
    nlp.vocab.vectors = load_vectors(nlp, files["vectors.npz"])
    config = json.loads(files["config.json"])
    nlp.add_pipe("ner", config=config)
    nlp.get_pipe("ner").from_bytes(widen(files["ner.msgpack"]), exclude=["vocab"])
    ops = NumpyOps(use_blis=False)  # numpy's own library multiplies these sizes twice as fast
    for layer in nlp.get_pipe("ner").model.walk():
        layer.ops = ops
    nlp.meta["name"] = "expunge_names"
    return nlp


def model_version(directory: Path = MODEL_DIR) -> str:
    """The version that the manifest states."""
    return str(_manifest(directory)["version"])


def _manifest(directory: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((directory / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        raise DetectionUnavailable("The manifest of the model is missing.") from None
    return manifest


def model_file(name: str, directory: Path = MODEL_DIR) -> bytes:
    """Read one model file and check it against the manifest.

    Raises:
        DetectionUnavailable: the file is missing or its SHA-256 is not the manifest's.
    """
    try:
        content = (directory / name).read_bytes()
    except OSError:
        raise DetectionUnavailable(f"The model lacks its file {name}.") from None
    if hashlib.sha256(content).hexdigest() != _manifest(directory)["sha256"].get(name):
        raise DetectionUnavailable(f"The model's file {name} was changed.")
    return content


def load_vectors(nlp: Language, content: bytes) -> Vectors:
    """Read the vectors: int8 rows with one scale each, and sorted keys with their rows."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        rows = stored["rows"].astype(np.float32) * stored["scales"][:, None]
        keys, targets = stored["keys"], stored["targets"]
    vectors = Vectors(strings=nlp.vocab.strings, data=rows, name="expunge_names_vectors")
    vectors.key2row = dict(zip(keys.tolist(), targets.tolist(), strict=True))
    vectors._sync_unset()  # noqa: SLF001  # spaCy's own loader does the same
    return vectors


def widen(content: bytes) -> bytes:
    """Turn stored half-precision parameters into the single precision that thinc computes in."""
    return _convert(content, np.float32)


def narrow(content: bytes) -> bytes:
    """Turn a component's bytes into half precision: half the size, the same entities."""
    return _convert(content, np.float16)


def _convert(content: bytes, dtype: type[np.floating[Any]]) -> bytes:
    component = srsly.msgpack_loads(content)
    model = srsly.msgpack_loads(component["model"])
    for parameters in model["params"]:
        for name, value in parameters.items():
            if value is not None:
                parameters[name] = value.astype(dtype)
    component["model"] = srsly.msgpack_dumps(model)
    converted: bytes = srsly.msgpack_dumps(component)
    return converted
