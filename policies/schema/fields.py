"""The kinds of value a policy field can hold."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from policies.durations import Duration, DurationError, parse

K = TypeVar("K")
V = TypeVar("V")


class Section(BaseModel):
    """Base of every section: unknown keys and wrong types are errors, values never change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_default=True)


class FrozenMap(dict[K, V]):
    """A mapping that is never changed after it is built."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise TypeError("a policy does not change after it is loaded")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[K, V]]]:
        return (FrozenMap, (dict(self),))

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def _duration(value: Any) -> Any:
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("duration_type", "a duration is written as text")
    try:
        return parse(value)
    except DurationError as error:
        raise PydanticCustomError("duration_shape", "{why}", {"why": str(error)}) from error


def _span(value: Duration) -> Duration:
    if value.kind != "span":
        raise PydanticCustomError("duration_span", "a span of time is needed here")
    return value


def _lasting(value: Duration) -> Duration:
    if value.rank == 0:
        raise PydanticCustomError("duration_none", "no time at all makes no sense here")
    return value


def _mark(value: str) -> str:
    if "{" in (rest := value.replace("{type}", "")) or "}" in rest:
        raise PydanticCustomError("mark", "{why}", {"why": "the only placeholder is {type}"})
    return value


def _webhook(value: str) -> str:
    """What would never be called is a mistake: docs/erasure.md, Who is told."""
    if wrong := _never_called(value):
        raise PydanticCustomError("webhook", "{why}", {"why": wrong})
    return value


def _never_called(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "this is no URL"
    if parts.scheme != "https":
        return "only https:// is called"
    if not host or any(character.isspace() for character in url):
        return "the URL names no host"
    if parts.username is not None:
        return "a URL with a user in it is not called"
    return "only hosts with a public address are called" if _is_inside(host) else ""


def _is_inside(host: str) -> bool:
    """Whether a host is, as it is written, not on the open internet."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return not address.is_global or address.is_multicast


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _freeze(value: Mapping[K, V]) -> FrozenMap[K, V]:
    return FrozenMap(value)


def _distinct(value: tuple[V, ...]) -> tuple[V, ...]:
    if len(set(value)) != len(value):
        raise PydanticCustomError("repeated", "the same value stands in the list twice")
    return value


SPAN_PATTERN = r"^P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?!$)(\d+H)?(\d+M)?(\d+S)?)?$"
Period = Annotated[
    Duration,
    BeforeValidator(_duration),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "type": "string",
            "anyOf": [{"pattern": SPAN_PATTERN}, {"enum": ["session", "indefinite"]}],
            "examples": ["P30D", "P1Y", "session", "indefinite"],
        }
    ),
]
Span = Annotated[
    Duration,
    BeforeValidator(_duration),
    AfterValidator(_span),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "pattern": SPAN_PATTERN, "examples": ["PT0S", "P7D"]}),
]
LastingSpan = Annotated[Span, AfterValidator(_lasting)]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]
EntityType = Annotated[str, Field(pattern=r"^([A-Z][A-Z0-9_]{0,63}|\*)$")]
Text = Annotated[str, Field(min_length=1, max_length=2000)]
Mark = Annotated[Text, AfterValidator(_mark)]
Webhook = Annotated[
    str,
    Field(max_length=2000),
    AfterValidator(_webhook),
    WithJsonSchema({"type": "string", "pattern": r"^https://\S+$", "maxLength": 2000}),
]
Language = Annotated[str, Field(pattern=r"^([a-z]{2,3}|\*)$")]
OwnerPattern = Annotated[str, Field(pattern=r"^(user|agent|run|app):(\*|.*[^*])$", max_length=2000)]
List = Annotated[tuple[V, ...], BeforeValidator(_tuple), AfterValidator(_distinct)]
Names = List[Identifier]
Words = List[Text]
Score = Annotated[float, Field(ge=0.0, le=1.0)]
Map = Annotated[dict[Identifier, V], AfterValidator(_freeze), PlainSerializer(dict)]


def field(default: Any, description: str, effect: str, **limits: Any) -> Any:
    """A schema field: what it means, and where it has its effect (both go into the reference)."""
    extra: dict[str, Any] = {"effect": effect}
    if default is ...:
        return Field(description=description, json_schema_extra=extra, **limits)
    return Field(default, description=description, json_schema_extra=extra, **limits)


def section(kind: type[Section], description: str) -> Any:
    """A field that holds a whole section; everything in it has a default."""
    return Field(default_factory=kind, description=description)
