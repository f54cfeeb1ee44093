"""Sentence and word vectors: shape, order, meaning, bad input, damaged files."""

import numpy as np
import pytest

import detectors.categories.encoder
from detectors.categories.encoder import Encoder
from detectors.categories.encoder_words import WordVectors
from detectors.errors import DetectionUnavailable


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    """One encoder for the module: loading takes a moment."""
    return Encoder(batch_size=4)


def test_vectors_have_length_one(encoder: Encoder) -> None:
    """Every text has a unit vector, even an empty one or one of odd characters."""
    texts = ["has asthma", "", "\x00\x07", "\ud800", "😀", "長い文章", "word " * 900]
    vectors = encoder.encode(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_no_texts_give_no_vectors(encoder: Encoder) -> None:
    """An empty batch is no error."""
    assert encoder.encode([]).shape == (0, 384)


def test_order_and_batches_do_not_matter(encoder: Encoder) -> None:
    """A text has (nearly) the same vector alone and among longer ones."""
    texts = ["I have diabetes", "the build failed again " * 6, "lives in Lisbon", "a", "b", "c"]
    together = encoder.encode(texts)
    for text, vector in zip(texts, together, strict=True):
        assert float(encoder.encode([text])[0] @ vector) > 0.97


def test_meaning_is_near(encoder: Encoder) -> None:
    """Two sentences on one topic are nearer than two on different ones."""
    ill, sugar, build = encoder.encode(
        ["I have diabetes", "my blood sugar is high", "the build failed"]
    )
    assert ill @ sugar > ill @ build + 0.2


def test_a_changed_tokeniser_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A tokeniser other than the tested one would give silently wrong vectors."""
    changed = tmp_path_factory.mktemp("minilm") / "tokenizer.json"
    changed.write_bytes(detectors.categories.encoder.TOKENISER_PATH.read_bytes() + b" ")
    monkeypatch.setattr(detectors.categories.encoder, "TOKENISER_PATH", changed)
    with pytest.raises(DetectionUnavailable):
        Encoder()


def test_a_changed_graph_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """So is a graph other than the one that the manifest names."""
    changed = tmp_path_factory.mktemp("minilm")
    for name in ("graph.onnx", "weights.json"):
        (changed / name).write_bytes((detectors.categories.encoder.MODEL_DIR / name).read_bytes())
    monkeypatch.setattr(detectors.categories.encoder, "MODEL_DIR", changed)
    Encoder()
    (changed / "graph.onnx").write_bytes((changed / "graph.onnx").read_bytes() + b"\n")
    with pytest.raises(DetectionUnavailable):
        Encoder()


def test_quick_vectors_are_the_packaged_ones(encoder: Encoder) -> None:
    """Multiplying in eight bits changes vectors by little."""
    texts = ["I have diabetes", "lives in Lisbon with two sons", "the build failed again " * 6]
    for quick, exact in zip(encoder.encode(texts), Encoder(quick=False).encode(texts), strict=True):
        assert float(quick @ exact) > 0.97


def test_a_processor_that_errs_gets_the_packaged_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where eight-bit products come out wrong, the exact model is used."""
    exact = Encoder(quick=False).encode(["I have diabetes"])
    monkeypatch.setattr(detectors.categories.encoder, "LEAST_LIKENESS", 1.1)
    assert np.array_equal(Encoder().encode(["I have diabetes"]), exact)


def test_word_vectors_know_words_and_ignore_the_rest() -> None:
    """Content words count, function words and unknown ones do not."""
    words = WordVectors()
    illness, disease, engine, nothing = words.encode(["illness", "disease", "engine", "the xqzzt"])
    assert illness @ disease > illness @ engine + 0.2
    assert not nothing.any()
    assert words.encode([]).shape == (0, 300)
