"""A policy with its wrong values replaced, so that the rest of it can be checked as well.

What comes out is never loaded; it only serves to show every fault at once.
"""

import copy
from typing import Any

from pydantic import ValidationError

from policies.schema import Document
from policies.yaml_tree import Path

_ROUNDS = 4
# Values that are required and say as little as possible.
_STAND_INS: dict[str, Any] = {
    "apiVersion": "expunge/v1",
    "kind": "Policy",
    "name": "unnamed",
    "action": "tag",
    "duration": "P1D",
    "maximum": "indefinite",
}
_GONE = object()


def mended(data: Any, error: ValidationError) -> tuple[Document, list[Path]] | None:
    """A valid document as near as possible, and the paths that were changed; None: hopeless."""
    trial, touched = copy.deepcopy(data), list[Path]()
    for _ in range(_ROUNDS):
        for item in error.errors(include_url=False):
            path = tuple(step for step in item["loc"] if step != "[key]")
            touched.append(path)
            _mend(trial, path)
        try:
            return Document.model_validate(trial), touched
        except ValidationError as next_error:
            error = next_error
    return None


def _mend(data: Any, path: Path) -> None:
    holder = _at(data, path[:-1])
    key = path[-1] if path else None
    if isinstance(holder, dict) and isinstance(key, str):
        if key in _STAND_INS:
            holder[key] = _STAND_INS[key]
        elif key == "id":
            holder[key] = f"x{id(holder)}"
        else:
            holder.pop(key, None)
    elif isinstance(holder, list) and isinstance(key, int) and key < len(holder):
        del holder[key]


def _at(data: Any, path: Path) -> Any:
    for step in path:
        inside = isinstance(data, dict) and step in data
        inside = inside or (isinstance(data, list) and isinstance(step, int) and step < len(data))
        if not inside:
            return _GONE
        data = data[step]
    return data
