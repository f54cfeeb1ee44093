"""In which order the layers of a store are cleared: what points at a memory goes before it."""

from collections.abc import Iterable

RANKS = {
    "cache": 0, "log": 1, "event": 1, "graph_edge": 2, "graph_node": 3, "graph": 3, "entity": 4,
    "entities": 4, "embedding": 5, "vectors": 5, "history": 6, "messages": 6, "memory": 7,
}  # fmt: skip
MEMORY = "memory"


def deletion_order(layers: Iterable[str], declared: Iterable[str] = ()) -> list[str]:
    """Layers by the profile's own order where it declares one, else by what points at what.

    Unknown layers go first: whatever they are, they hang on the memories.
    """
    given = {name: rank for rank, name in enumerate(declared)}
    return sorted(layers, key=lambda name: (given.get(name, -1), RANKS.get(name, -1), name))
