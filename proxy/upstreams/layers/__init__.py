"""Places in a store that its API does not reach: history, messages, entity rows, vectors, files."""

from proxy.upstreams.layers.base import (
    Entry,
    Layer,
    LayerScope,
    LayerUnavailable,
    Legible,
    Reach,
    Row,
    Unreached,
)
from proxy.upstreams.layers.configuration import LAYER_NAMES, from_config

__all__ = [
    "LAYER_NAMES",
    "Entry",
    "Layer",
    "LayerScope",
    "LayerUnavailable",
    "Legible",
    "Reach",
    "Row",
    "Unreached",
    "from_config",
]
