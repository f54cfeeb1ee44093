"""What a request of Mem0's platform may say in front of its open-source server.

Every member of a request is translated, has no effect there and is listed here as such, or is
refused by its name. An unknown one could be a condition: leaving it out would answer with more than
was asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from proxy.problems import Problem
from proxy.upstreams import conditions, plain_json
from proxy.upstreams.conditions import OF_THE_SERVER, OWNERS, Condition, Unsupported
from proxy.upstreams.plain_json import Number
from proxy.upstreams.transport import UpstreamRequest

MAX_TOP_K = 1000
_READ = frozenset({*OWNERS, "filters", "metadata", "show_expired"})
TAKEN: Mapping[str, frozenset[str]] = {  # what is translated, by operation
    "add": frozenset(
        {*OWNERS, "messages", "metadata", "infer", "expiration_date", "memory_type", "prompt",
         "custom_instructions", "filters", "timestamp"}
    ),
    "list": _READ | {"page", "page_size", "start_date", "end_date"},
    "search": _READ | {"query", "top_k", "limit", "threshold", "explain"},
    "update": frozenset({"text", "metadata", "expiration_date"}),
    "batch": frozenset({"memories"}),
    "item": frozenset({"memory_id", "text", "metadata", "expiration_date"}),
}  # fmt: skip
# The server has one project, and one way to write: at once.
WITHOUT_EFFECT = frozenset({"org_id", "project_id", "async_mode"})
_NOTHING: tuple[Any, ...] = (
    None,
    False,
    "",
    "false",
    [],
    {},
)  # switches and lists that ask for nothing
_OUTPUT = "output_format"
STAMP = "expunge_w"  # as in the profiles
MADE = "memory_ids"
_VERSIONS = ("v1", "v2", "v3")
# It keeps metadata beside members of its own: these would be overwritten, or lost.
_NO_METADATA = OF_THE_SERVER | {*OWNERS, "created_at", "updated_at", "memory_type"}


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the platform's dialect, taken apart."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def given(self) -> Mapping[str, Any]:
        """Query and body together: old routes use either."""
        return {**self.query, **self.body}


def taken_apart(request: UpstreamRequest) -> Call:
    """Path, query and body.

    Raises:
        Unsupported: the body is no JSON object, or something is said twice.
    """
    path, _, query = request.target.partition("?")
    try:
        body = plain_json.parse(request.body) if request.body else {}
    except Problem as problem:
        raise Unsupported(problem.detail) from None
    if not isinstance(body, Mapping):
        raise Unsupported("The body must be an object.")
    pairs: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name in pairs or name in body:
            raise Unsupported(f"{name} is given more than once.")
        pairs[name] = value
    return Call(request.method, path, pairs, body)


def check(operation: str, call: Call, given: Mapping[str, Any] | None = None) -> None:
    """Refuse what the operation does not translate.

    Raises:
        Unsupported: naming the first such member.
    """
    for name, value in (call.given if given is None else given).items():
        if name in TAKEN[operation] or name in WITHOUT_EFFECT or _asks_nothing(value):
            continue
        if name == "version" and value in _VERSIONS:
            continue  # it chose between paths once; now the path says it
        if name == _OUTPUT and value == _output(operation, call.path):
            continue
        raise Unsupported(f"The open-source server does not know: {name}.")


def _asks_nothing(value: Any) -> bool:
    return any(value is each or (value == each and type(value) is type(each)) for each in _NOTHING)


def _output(operation: str, path: str) -> str:
    """The form in which the route answers: a list (1.0), or an object that holds it (1.1)."""
    return "v1.1" if operation == "add" or path.startswith("/v3/") else "v1.0"


def wanted(call: Call) -> Condition:
    """All conditions of a search or a list.

    Raises:
        Unsupported: one cannot be evaluated, or they name no owner.
    """
    given = call.given
    beside = {name: given[name] for name in OWNERS if given.get(name) is not None}
    found = conditions.both(
        conditions.condition(beside), conditions.condition(_or_empty(given, "filters"))
    )
    if given.get("metadata") is not None:
        found = conditions.both(found, conditions.condition({"metadata": given["metadata"]}))
    if {"start_date", "end_date"} & given.keys():
        dates = conditions.between(given.get("start_date"), given.get("end_date"))
        found = conditions.both(found, dates)
    if {} in found.scopes:
        raise Unsupported(f"The request must name an owner: {', '.join(OWNERS)}.")
    return found


def _or_empty(given: Mapping[str, Any], name: str) -> Any:
    return {} if given.get(name) is None else given[name]


def new_memories(call: Call) -> dict[str, Any]:
    """The server's body for an add.

    Raises:
        Unsupported: it says something that the server cannot be told.
    """
    check("add", call, call.given)
    body = {
        name: value
        for name, value in call.given.items()
        if name in TAKEN["add"] - {"filters", "timestamp", "custom_instructions"}
        and value is not None
    }
    for name, value in _named_in(_or_empty(call.given, "filters")).items():
        if body.setdefault(name, value) != value:
            raise Unsupported(f"{name} is given more than once.")
    instructions = call.given.get("custom_instructions")
    if instructions is not None and body.setdefault("prompt", instructions) != instructions:
        raise Unsupported("prompt and custom_instructions are given.")
    _check_metadata(body.get("metadata"))
    if (moment := call.given.get("timestamp")) is not None:
        body["metadata"] = {**(body.get("metadata") or {}), "created_at": _created(moment)}
    return body


def stamp_of(call: Call) -> str | None:
    """What the write is known by to whoever sent it on: as good as an event's id."""
    metadata = call.body.get("metadata")
    found = metadata.get(STAMP) if isinstance(metadata, Mapping) else None
    return found if isinstance(found, str) else None


def made_ids(call: Call) -> list[str]:
    """Memories that an event made, as ``own_event`` adds them to the query."""
    return [each for each in call.query.get(MADE, "").split(",") if each]


def _check_metadata(metadata: Any) -> None:
    if metadata is not None and not isinstance(metadata, Mapping):
        raise Unsupported("metadata must be an object.")
    for name in metadata or ():
        if name in _NO_METADATA:
            raise Unsupported(f"The open-source server cannot store metadata named {name}.")


def _named_in(filters: Any) -> Mapping[str, str]:
    """Owners, where an add names them in its filters."""
    found = conditions.condition(filters)
    if not found.whole or found.equal or len(found.scopes) != 1:
        raise Unsupported("The filters of an add may only name owners.")
    return found.scopes[0]


def _created(timestamp: Any) -> str:
    """The server takes the time of a memory from its metadata."""
    if not isinstance(timestamp, Number):
        raise Unsupported("timestamp must be a number of seconds.")
    try:
        return datetime.fromtimestamp(timestamp.value, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        raise Unsupported("timestamp must be a number of seconds.") from None


def change(given: Mapping[str, Any]) -> dict[str, Any]:
    """The server's body for an update: an expiry that is null clears it.

    Raises:
        Unsupported: metadata that the server cannot store.
    """
    _check_metadata(given.get("metadata"))
    return {
        name: value
        for name, value in given.items()
        if name in TAKEN["update"] and (value is not None or name == "expiration_date")
    }


def number_of(call: Call, name: str, default: int, maximum: int) -> int:
    """A positive number that may stand as text.

    Raises:
        Unsupported: it is something else.
    """
    text = str(call.given.get(name) if call.given.get(name) is not None else default)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= maximum):
        raise Unsupported(f"{name} must be a number from 1 to {maximum}.")
    return int(text)


def switch(call: Call, name: str) -> bool:
    """A switch that may stand as text.

    Raises:
        Unsupported: it is something else.
    """
    text = str(call.given.get(name) if call.given.get(name) is not None else False).lower()
    if text not in ("true", "false"):
        raise Unsupported(f"{name} must be true or false.")
    return text == "true"


def threshold(call: Call) -> Number | float:
    """The lowest score.

    Raises:
        Unsupported: it is no number from 0 to 1.
    """
    value = call.given.get("threshold")
    if value is None:
        return 0.1
    if not isinstance(value, Number) or not 0 <= value.value <= 1:
        raise Unsupported("threshold must be a number from 0 to 1.")
    return value
