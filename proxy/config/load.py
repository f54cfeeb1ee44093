"""From YAML text and environment to a checked Config, with the origin of every value."""

import difflib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from policies.yaml_tree import Path as Place
from policies.yaml_tree import Tree, parse
from proxy.config.errors import ConfigError, ConfigIssue
from proxy.config.schema import Config

_HEADER = {"apiVersion": "expunge/v1", "kind": "Config"}
PREFIX = "EXPUNGE_"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration and where each of its values came from.

    Args:
        config: the checked configuration.
        origins: dotted path to ``default``, ``FILE:LINE`` or ``env NAME``.
    """

    config: Config
    origins: Mapping[str, str]


def load(path: Path, environ: Mapping[str, str]) -> Loaded:
    """Read the configuration file and lay the environment over it.

    Args:
        path: a YAML file, ``kind: Config``.
        environ: usually ``os.environ``; only names ``EXPUNGE_SECTION__FIELD`` count.

    Raises:
        ConfigError: with every mistake found.
    """
    try:
        raw = path.read_bytes()
    except OSError:
        raise ConfigError([ConfigIssue(path.name, 0, "", "the file cannot be read")]) from None
    return loads(raw, environ, source=path.name, base=path.parent.absolute())


def loads(
    raw: bytes, environ: Mapping[str, str], *, source: str = "config", base: Path | None = None
) -> Loaded:
    """As ``load``, from bytes; relative paths start at ``base``."""
    tree = parse(raw, source)
    if not isinstance(tree.data, dict):
        issues = _faults(tree) or [ConfigIssue(source, 1, "", "is a mapping of settings")]
        raise ConfigError(issues)
    overrides, unknown = _overrides(environ)
    issues = [*_faults(tree), *_header(tree), *unknown]
    data = {key: value for key, value in tree.data.items() if key not in _HEADER}
    for place, (_, value) in overrides.items():
        _put(data, place, value)
    try:
        config = Config.model_validate(data, context={"base": base or Path.cwd()})
    except ValidationError as error:
        raise ConfigError([*issues, *_issues(error, tree, overrides)]) from None
    if issues:
        raise ConfigError(issues)
    return Loaded(config, dict(_origins(config, (), tree, overrides)))


def _faults(tree: Tree) -> list[ConfigIssue]:
    return [ConfigIssue(tree.file, i.line, i.path, i.message) for i in tree.issues]


def _header(tree: Tree) -> list[ConfigIssue]:
    return [
        ConfigIssue(tree.file, tree.place((key,)).line, key, f"must be '{value}'")
        for key, value in _HEADER.items()
        if tree.data.get(key) != value
    ]


def _overrides(
    environ: Mapping[str, str],
) -> tuple[dict[Place, tuple[str, Any]], list[ConfigIssue]]:
    found: dict[Place, tuple[str, Any]] = {}
    issues = []
    for name in sorted(environ):
        if not name.startswith(PREFIX) or "__" not in name:
            continue
        parts = name.removeprefix(PREFIX).lower().split("__")
        place = tuple(int(part) if part.isdigit() else part for part in parts)
        if place[0] in Config.model_fields:
            found[place] = (name, _scalar(environ[name]))
        else:
            near = _nearest(str(place[0]), Config.model_fields)
            issues.append(ConfigIssue(f"env {name}", 0, str(place[0]), "unknown section", near))
    return found, issues


def _scalar(text: str) -> Any:
    tree = parse(text.encode(), "environment")
    return text if tree.issues else tree.data


def _put(data: Any, place: Place, value: Any) -> None:
    for here, following in itertools.pairwise(place):
        if isinstance(data, list) and isinstance(here, int) and here < len(data):
            data = data[here]
        elif isinstance(data, dict):
            fresh: Any = [] if isinstance(following, int) else {}
            data = data.setdefault(here, fresh)
        else:
            return
    last = place[-1]
    fits = isinstance(data, list) and isinstance(last, int) and last < len(data)
    if isinstance(data, dict) or fits:
        data[last] = value


def _issues(
    error: ValidationError,
    tree: Tree,
    overrides: Mapping[Place, tuple[str, Any]],
) -> Iterator[ConfigIssue]:
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        place = item["loc"]
        extra = item["type"] == "extra_forbidden"
        near = _nearest(str(place[-1]), _fields(place[:-1])) if extra else ""
        message = "unknown key" if extra else item["msg"].removeprefix("Value error, ")
        name = next((env for at, (env, _) in overrides.items() if at == place), "")
        where = (f"env {name}", 0) if name else (tree.file, tree.place(place).line)
        yield ConfigIssue(*where, ".".join(map(str, place)), message, near)


def _nearest(key: str, valid: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(key, list(valid), 1, 0.6)), "")


def _fields(place: Place) -> list[str]:
    model: type[BaseModel] | None = Config
    for part in place:
        if model is None or isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        model = None if field is None else _model_in(field.annotation)
    return [] if model is None else list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in found if model is not None), None)


def _origins(
    value: Any,
    path: Place,
    tree: Tree,
    overrides: Mapping[Place, tuple[str, Any]],
) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel) and type(value).__name__ not in {"Address", "Secret"}:
        for name in type(value).model_fields:
            yield from _origins(getattr(value, name), (*path, name), tree, overrides)
    elif isinstance(value, tuple) and any(isinstance(item, BaseModel) for item in value):
        for index, item in enumerate(value):
            yield from _origins(item, (*path, index), tree, overrides)
    else:
        yield ".".join(map(str, path)), _origin(path, tree, overrides)


def _origin(
    path: Place,
    tree: Tree,
    overrides: Mapping[Place, tuple[str, Any]],
) -> str:
    for place, (name, _) in overrides.items():
        if path[: len(place)] == place:
            return f"env {name}"
    return f"{tree.file}:{tree.places[path].line}" if path in tree.places else "default"
