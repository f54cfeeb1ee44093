"""Places in a store that its API does not reach: history, messages, entity rows, vectors, files."""

from proxy.upstreams.layers.base import Layer, LayerScope, LayerUnavailable, Reach, Unreached
from proxy.upstreams.layers.configuration import LAYER_NAMES, from_config

__all__ = [
    "LAYER_NAMES",
    "Layer",
    "LayerScope",
    "LayerUnavailable",
    "Reach",
    "Unreached",
    "from_config",
]
