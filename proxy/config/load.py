"""From YAML text and environment to a checked Config, with the origin of every value."""

import difflib
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from proxy.config.errors import ConfigError, ConfigIssue
from proxy.config.schema import Config

API_VERSION, KIND = "expunge/v1", "Config"
PREFIX = "EXPUNGE_"
_LARGEST = 1 << 20
Path_ = tuple[str | int, ...]


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
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise ConfigError([ConfigIssue(path.name, 0, "", "the file cannot be read")]) from None
    return loads(text, environ, source=path.name, base=path.parent.absolute())


def loads(
    text: str, environ: Mapping[str, str], *, source: str = "config", base: Path | None = None
) -> Loaded:
    """As ``load``, from text; relative paths start at ``base``."""
    document = _parse(text, source)
    lines = dict(_lines(document, ()))
    head = _header(document, source)
    data = _plain(document)
    data.pop("apiVersion", None)
    data.pop("kind", None)
    overrides, unknown = _overrides(environ)
    for place, (_, value) in overrides.items():
        _put(data, place, value)
    issues = [*head, *unknown]
    try:
        config = Config.model_validate(data, context={"base": base or Path.cwd()})
    except ValidationError as error:
        issues.extend(_issues(error, source, lines, overrides))
        raise ConfigError(issues) from None
    if issues:
        raise ConfigError(issues)
    return Loaded(config, dict(_origins(config, (), source, lines, overrides)))


def _parse(text: str, source: str) -> CommentedMap:
    if len(text) > _LARGEST:
        raise ConfigError([ConfigIssue(source, 0, "", "the file is larger than 1 MiB")])
    try:
        document = YAML(typ="rt").load(io.StringIO(text))
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        message = "a key stands twice" if "duplicate" in str(error.problem) else "is not valid YAML"
        raise ConfigError([ConfigIssue(source, line, "", message)]) from None
    except YAMLError:
        raise ConfigError([ConfigIssue(source, 0, "", "is not valid YAML")]) from None
    if not isinstance(document, CommentedMap):
        raise ConfigError([ConfigIssue(source, 1, "", "is a mapping of settings")])
    return document


def _header(document: CommentedMap, source: str) -> list[ConfigIssue]:
    wanted = {"apiVersion": API_VERSION, "kind": KIND}
    return [
        ConfigIssue(source, 1, key, f"must be '{value}'")
        for key, value in wanted.items()
        if document.get(key) != value
    ]


def _plain(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {key: _plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return node


def _lines(node: Any, path: Path_) -> Iterator[tuple[Path_, int]]:
    if isinstance(node, CommentedMap):
        items: Iterable[tuple[str | int, Any, int]] = (
            (key, value, node.lc.key(key)[0]) for key, value in node.items()
        )
    elif isinstance(node, CommentedSeq):
        items = ((i, value, node.lc.item(i)[0]) for i, value in enumerate(node))
    else:
        return
    for key, value, line in items:
        yield (*path, key), line + 1
        yield from _lines(value, (*path, key))


def _overrides(
    environ: Mapping[str, str],
) -> tuple[dict[Path_, tuple[str, Any]], list[ConfigIssue]]:
    found: dict[Path_, tuple[str, Any]] = {}
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
    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return text


def _put(data: Any, place: Path_, value: Any) -> None:
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
    source: str,
    lines: Mapping[Path_, int],
    overrides: Mapping[Path_, tuple[str, Any]],
) -> Iterator[ConfigIssue]:
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        place = item["loc"]
        extra = item["type"] == "extra_forbidden"
        near = _nearest(str(place[-1]), _fields(place[:-1])) if extra else ""
        message = "unknown key" if extra else item["msg"].removeprefix("Value error, ")
        name = next((env for at, (env, _) in overrides.items() if at == place), "")
        where = (f"env {name}", 0) if name else (source, _line(place, lines))
        yield ConfigIssue(*where, ".".join(map(str, place)), message, near)


def _line(place: Path_, lines: Mapping[Path_, int]) -> int:
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _nearest(key: str, valid: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(key, list(valid), 1, 0.6)), "")


def _fields(place: Path_) -> list[str]:
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
    path: Path_,
    source: str,
    lines: Mapping[Path_, int],
    overrides: Mapping[Path_, tuple[str, Any]],
) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel) and type(value).__name__ not in {"Address", "Secret"}:
        for name in type(value).model_fields:
            yield from _origins(getattr(value, name), (*path, name), source, lines, overrides)
    elif isinstance(value, tuple) and any(isinstance(item, BaseModel) for item in value):
        for index, item in enumerate(value):
            yield from _origins(item, (*path, index), source, lines, overrides)
    else:
        yield ".".join(map(str, path)), _origin(path, source, lines, overrides)


def _origin(
    path: Path_,
    source: str,
    lines: Mapping[Path_, int],
    overrides: Mapping[Path_, tuple[str, Any]],
) -> str:
    for place, (name, _) in overrides.items():
        if path[: len(place)] == place:
            return f"env {name}"
    return f"{source}:{lines[path]}" if path in lines else "default"
