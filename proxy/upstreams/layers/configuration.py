"""Layers from configuration; a layer that is not configured says what an operator can do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from proxy.config.types import Secret
from proxy.problems import Problem
from proxy.upstreams.layers.base import Layer, LayerScope, Unreached
from proxy.upstreams.layers.files import FilesLayer
from proxy.upstreams.layers.history import HistoryLayer
from proxy.upstreams.layers.matching import EntityJudge, Judge, memory_judge
from proxy.upstreams.layers.messages import MessagesLayer
from proxy.upstreams.layers.pgvector import PgvectorLayer
from proxy.upstreams.layers.qdrant_local import QdrantLocalLayer

_OPERATOR = {
    "history": (
        "Mem0 keeps every version of a deleted memory. Give Expunge the path of history.db "
        "(reach: side:sqlite), or run Mem0 with history_db_path ':memory:'."
    ),
    "messages": (
        "Mem0 keeps the last ten raw messages of each scope and sends them to the model again. "
        "Give Expunge the path of history.db (reach: side:sqlite)."
    ),
    "entities": (
        "Mem0 keeps names in an entity collection and forgets to clean it after a restart. Give "
        "Expunge the collection (reach: side:qdrant-local or side:pgvector)."
    ),
    "vectors": (
        "Deleted over the API and looked for there. Give Expunge the collection to look at its "
        "rows (reach: side:qdrant-local or side:pgvector)."
    ),
    "files": "Give Expunge the store's directory to look through its bytes (reach: side:files).",
}
LAYER_NAMES = tuple(_OPERATOR)
_COLLECTIONS = {"entities": "memories_entities", "vectors": "memories"}
_JUDGES: Mapping[str, Callable[[LayerScope], Judge]] = {
    "entities": EntityJudge,
    "vectors": memory_judge,
}


def from_config(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Layer]:
    """All layers of a Mem0 store by name, in the order in which they are erased.

    Args:
        mapping: per layer ``reach`` and ``path``, ``dsn`` or ``collection``, such as
            ``{"history": {"reach": "side:sqlite", "path": "/data/history.db"}}``; a ``dsn``
            may be given by reference: ``{"env": NAME}`` or ``{"file": PATH}``.

    Raises:
        Problem: ``invalid-config``, with every mistake.
    """
    errors = [_error(name, "is not a layer") for name in mapping.keys() - _OPERATOR.keys()]
    layers: dict[str, Layer] = {}
    for name in LAYER_NAMES:
        try:
            layers[name] = _layer(name, dict(mapping.get(name, {"reach": "none"})))
        except ValueError as mistake:
            errors.append(_error(name, str(mistake)))
    if errors:
        raise Problem("invalid-config", "A layer of a store is not valid.", errors=errors)
    return layers


def _layer(name: str, given: dict[str, Any]) -> Layer:
    reach = given.pop("reach", None)
    if reach == "none":
        _finish(given)
        return Unreached(name, _OPERATOR[name])
    makers: dict[tuple[str, str], Callable[[dict[str, Any]], Layer]] = {
        ("history", "side:sqlite"): lambda rest: HistoryLayer(_path(rest)),
        ("messages", "side:sqlite"): lambda rest: MessagesLayer(_path(rest)),
        ("files", "side:files"): lambda rest: FilesLayer(_path(rest)),
    }
    for kind in _COLLECTIONS:
        makers[kind, "side:qdrant-local"] = lambda rest: _qdrant(name, rest)
        makers[kind, "side:pgvector"] = lambda rest: _pgvector(name, rest)
    maker = makers.get((name, reach))
    if maker is None:
        usable = [known for layer, known in makers if layer == name]
        raise ValueError(f"reach must be none or {' or '.join(usable)}")
    layer = maker(given)
    _finish(given)
    return layer


def _qdrant(name: str, given: dict[str, Any]) -> Layer:
    collection = _text(given, "collection", _COLLECTIONS[name])
    return QdrantLocalLayer(_path(given), collection, _JUDGES[name], name)


def _pgvector(name: str, given: dict[str, Any]) -> Layer:
    collection = _text(given, "collection", _COLLECTIONS[name])
    return PgvectorLayer(_dsn(given), collection, _JUDGES[name], name)


def _dsn(given: dict[str, Any]) -> str:
    """The address as text, or by reference where it holds a password."""
    if not isinstance(given.get("dsn"), Mapping):
        return _text(given, "dsn")
    try:
        return Secret.model_validate(given.pop("dsn")).read()
    except (ValueError, LookupError):
        raise ValueError("dsn must name a variable (env) or a file that holds it") from None


def _path(given: dict[str, Any]) -> Path:
    value = given.pop("path", None)
    if not isinstance(value, str | Path) or not str(value):
        raise ValueError("path is required")
    return Path(value)


def _text(given: dict[str, Any], key: str, default: str | None = None) -> str:
    value = given.pop(key, default)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key} is required")
    return value


def _finish(given: Mapping[str, Any]) -> None:
    if given:
        raise ValueError(f"unknown keys: {', '.join(sorted(given))}")


def _error(name: str, detail: str) -> dict[str, str]:
    return {"pointer": f"/layers/{name}", "detail": detail}
