"""Every field of the language, walked from the schema itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from policies.durations import Duration
from policies.schema import Document


@dataclass(frozen=True, slots=True)
class FieldFact:
    """One field: where it stands, what it takes, and where it has its effect."""

    path: str
    kind: str
    default: str
    description: str
    effect: str


def every_field() -> Iterator[FieldFact]:
    """All fields that hold a value, in the order of the schema; sections are walked into."""
    yield from _walk(Document, "")


def _walk(model: type[BaseModel], path: str) -> Iterator[FieldFact]:
    for name, info in model.model_fields.items():
        here = f"{path}.{info.alias or name}" if path else info.alias or name
        inner, suffix = _section(info.annotation)
        if inner is None:
            yield _fact(here, info)
        else:
            yield from _walk(inner, here + suffix)


def _section(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """The section a field holds, if it does, and how its path goes on."""
    if get_origin(annotation) is Annotated:
        return _section(get_args(annotation)[0])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    for part in get_args(annotation):
        found = _section(part)[0]
        if found is not None:
            return found, _SUFFIXES.get(get_origin(annotation), "")
    return None, ""


_SUFFIXES: dict[Any, str] = {dict: ".NAME", tuple: "[]"}


def _fact(path: str, info: FieldInfo) -> FieldFact:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    effect = str(extra.get("effect", "load()"))
    default = (
        "required" if info.is_required() else _shown(info.get_default(call_default_factory=True))
    )
    kind = _kind(info.annotation, tuple(info.metadata))
    return FieldFact(path, kind, default, info.description or "", effect)


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "{}" if value == {} else str(value)


def _kind(annotation: Any, metadata: tuple[Any, ...] = ()) -> str:
    """What a field takes, in words."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(parts[0], parts[1:])
    if origin is Literal:
        return ", ".join(map(str, parts))
    if origin is tuple:
        return f"list of {_kind(parts[0])}"
    if origin is dict:
        return f"mapping of name to {_kind(parts[1])}"
    if origin in (Union, type(int | None)):
        return " or ".join(_kind(part, metadata) for part in parts)
    if annotation is Duration:
        names = {getattr(item, "func", None) for item in metadata}
        return "duration" if len(names) > 1 else "duration, session or indefinite"
    return _NAMES.get(annotation, "value")


_NAMES = {str: "word", int: "number", float: "number", bool: "true, false", type(None): "none"}
