"""Validation errors in the words of somebody who edits a policy."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from policies import suggest
from policies.yaml_tree import Path

Fault = tuple[Path, str, str]


def faults(model: type[BaseModel], error: ValidationError) -> Iterator[Fault]:
    """Path, message and suggestion of each error."""
    found = error.errors(include_url=False)
    for item in found:
        here = item["loc"]
        inside = any(other["loc"][: len(here)] == here != other["loc"] for other in found)
        if item["type"] != "too_short" or not inside:  # wrong members are not missing ones
            yield _fault(model, dict(item))


def _fault(model: type[BaseModel], item: dict[str, Any]) -> Fault:
    path = tuple(step for step in item["loc"] if step != "[key]")
    kind, value, context = item["type"], item.get("input"), item.get("ctx", {})
    if kind == "extra_forbidden":
        known = keys_at(model, path[:-1])
        hint = suggest.nearest(str(path[-1]), known) or f"known here: {', '.join(sorted(known))}"
        return path, "unknown key", hint
    if kind == "missing":
        return path, f"the key {path[-1]} is missing", "add it"
    message, hint = _described(kind, value, context)
    return path, message, hint


def _described(kind: str, value: Any, context: dict[str, Any]) -> tuple[str, str]:
    found = suggest.described(value)
    if kind.startswith("duration_"):
        why = context.get("why") or _DURATIONS.get(kind, "")
        if kind == "duration_type":
            why = f"a duration is needed, found {found}"
        return why, suggest.duration(value)
    if kind == "literal_error":
        words = [word.strip("' ") for word in context["expected"].replace(" or ", ",").split(",")]
        return f"must be one of {', '.join(words)}", suggest.nearest(str(value), words)
    if kind == "bool_type":
        return f"must be true or false, found {found}", suggest.truth(value)
    if kind == "string_type":
        quotes = "put it in quotes" if isinstance(value, bool | int | float) else ""
        return f"must be a word, found {found}", quotes
    return _shaped(kind, found, context)


def _shaped(kind: str, found: str, context: dict[str, Any]) -> tuple[str, str]:
    for beginning, needed in _KINDS.items():
        if kind.startswith(beginning):
            return f"must be {needed}, found {found}", ""
    for name, words in _LIMITS.items():
        if name in context:
            return f"{words} {context[name]}", ""
    return "the value does not fit here", ""


_DURATIONS = {
    "duration_span": "a span of time is needed here",
    "duration_none": "no time at all makes no sense here",
}
_KINDS = {
    "int_": "a whole number",
    "float_": "a number",
    "model_": "a mapping",
    "dict_": "a mapping",
    "tuple_": "a list",
}
_LIMITS = {
    "ge": "must be at least",
    "le": "must be at most",
    "min_length": "too short; the least is",
    "max_length": "too long; the most is",
    "pattern": "is not written as it must be, which is",
    "why": "wrong:",
}


def keys_at(model: type[BaseModel], path: Path) -> list[str]:
    """The keys the schema knows at a path."""
    found = model_at(model, path)
    return [f.alias or name for name, f in found.model_fields.items()] if found else []


def model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The section at a path, or None if something else stands there."""
    current: Any = model
    for step in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(str(step))
            current = field.annotation if field else None
        else:
            current = _inner(current)
        current = _strip(current)
    return current if isinstance(current, type) and issubclass(current, BaseModel) else None


def _strip(annotation: Any) -> Any:
    """A section behind `| None`."""
    sections = [a for a in get_args(annotation) if isinstance(a, type) and issubclass(a, BaseModel)]
    return sections[0] if len(sections) == 1 and type(None) in get_args(annotation) else annotation


def _inner(annotation: Any) -> Any:
    """What a list or a mapping holds."""
    parts = [part for part in get_args(annotation) if part is not Ellipsis]
    return parts[-1] if parts else None
