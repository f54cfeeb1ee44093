"""Layers from configuration."""

from pathlib import Path
from typing import Any

import pytest

from proxy.problems import Problem
from proxy.upstreams.layers import LAYER_NAMES, LayerScope, from_config
from proxy.upstreams.layers.pgvector import PgvectorLayer

DSN = "postgresql://someone:secret-word@localhost/mem0"
ALL: dict[str, dict[str, Any]] = {
    "history": {"reach": "side:sqlite", "path": "/data/history.db"},
    "messages": {"reach": "side:sqlite", "path": "/data/history.db"},
    "entities": {"reach": "side:qdrant-local", "path": "/data/qdrant"},
    "vectors": {"reach": "side:pgvector", "dsn": DSN, "collection": "notes"},
    "files": {"reach": "side:files", "path": Path("/data")},
}


def test_every_layer_configured() -> None:
    """Each name gives its layer with the configured reach."""
    layers = from_config(ALL)
    assert list(layers) == list(LAYER_NAMES)
    assert {name: layer.reach for name, layer in layers.items()} == {
        name: given["reach"] for name, given in ALL.items()
    }
    assert all(layer.name == name for name, layer in layers.items())


async def test_nothing_configured() -> None:
    """Each layer is there, out of reach, with advice; its count is unknown, not zero."""
    for layer in from_config({}).values():
        assert layer.reach == "none"
        assert "reach: side:" in layer.note
        assert await layer.count(LayerScope(needles=("x",))) is None
        assert await layer.delete(LayerScope(needles=("x",))) == 0


def test_a_password_is_not_shown() -> None:
    """A database address with its password is in no representation of the layer."""
    assert "secret-word" not in repr(from_config(ALL)["vectors"])


def test_an_address_by_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database address may stand in the environment instead of the configuration."""
    given = {"vectors": {"reach": "side:pgvector", "dsn": {"env": "MEM0_DSN"}}}
    monkeypatch.setenv("MEM0_DSN", DSN)
    layer = from_config(given)["vectors"]
    assert isinstance(layer, PgvectorLayer)
    assert layer.dsn == DSN
    monkeypatch.delenv("MEM0_DSN")
    with pytest.raises(Problem):
        from_config(given)


@pytest.mark.parametrize(
    ("given", "pointer", "words"),
    [
        pytest.param({"cache": {"reach": "none"}}, "/layers/cache", "not a layer", id="name"),
        pytest.param({"history": {}}, "/layers/history", "side:sqlite", id="no reach"),
        pytest.param(
            {"history": {"reach": "side:pgvector"}}, "/layers/history", "side:sqlite", id="reach"
        ),
        pytest.param({"files": {"reach": "side:files"}}, "/layers/files", "path", id="no path"),
        pytest.param(
            {"vectors": {"reach": "side:pgvector"}}, "/layers/vectors", "dsn", id="no dsn"
        ),
        pytest.param(
            {"files": {"reach": "side:files", "path": "/d", "pth": 1}}, "/layers/files", "pth",
            id="unknown key",
        ),
        pytest.param(
            {"files": {"reach": "none", "path": "/d"}}, "/layers/files", "path", id="none with path"
        ),
    ],
)  # fmt: skip
def test_mistakes_are_named(given: dict[str, Any], pointer: str, words: str) -> None:
    """A mistake is refused with its place."""
    with pytest.raises(Problem) as problem:
        from_config(given)
    assert problem.value.slug == "invalid-config"
    (error,) = problem.value.errors
    assert error["pointer"] == pointer
    assert words in error["detail"]
