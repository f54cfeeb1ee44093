"""Profiles: one store's routes, shapes and layers, read from YAML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from proxy.problems import Problem
from proxy.upstreams import selectors
from proxy.upstreams.selectors import Selector

SCHEMA = "expunge.profile/1"
OPERATIONS = frozenset(
    {
        "write", "search", "list", "get", "update", "delete", "delete_owner", "history", "owners",
        "batch_update", "batch_delete", "event", "annotate", "pass", "reset", "deny",
    }
)  # fmt: skip
STREAMS: Mapping[str, frozenset[str]] = {  # how an answer may stream → its media types
    "sse": frozenset({"text/event-stream"}),
    "ndjson": frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl"}),
    "bytes": frozenset(),
}
_STREAMING = frozenset({"search", "list", "get", "history", "pass"})
_VARIABLE = re.compile(r"\{([a-z]+)\}")
SEGMENTS = {"id": r"[A-Za-z0-9_-]{1,128}", "event": r"[A-Za-z0-9_-]{1,128}", "owner": r"[^/?#]+"}


@dataclass(frozen=True, slots=True)
class OwnerPlace:
    """Where an owner id stands; ``kind`` is None if a path variable names it."""

    kind: str | None
    selector: Selector


@dataclass(frozen=True, slots=True)
class Inward:
    """Where things are in a request."""

    content: tuple[Selector, ...] = ()
    query: tuple[Selector, ...] = ()
    owner: tuple[OwnerPlace, ...] = ()
    ids: tuple[Selector, ...] = ()
    meta: Selector | None = None
    filters: Selector | None = None
    narrow: tuple[Selector, ...] = ()  # further conditions, which name no owner
    expiry: Selector | None = None
    infer: Selector | None = None
    items: Selector | None = None
    deny: tuple[Selector, ...] = ()
    drop: tuple[Selector, ...] = ()


@dataclass(frozen=True, slots=True)
class Outward:
    """Where things are in a response."""

    items: Selector | None = None
    id: tuple[Selector, ...] = ()
    content: tuple[Selector, ...] = ()
    owner: tuple[tuple[str, tuple[Selector, ...]], ...] = ()
    meta: tuple[Selector, ...] = ()
    expiry: tuple[Selector, ...] = ()
    created: tuple[Selector, ...] = ()
    name: tuple[Selector, ...] = ()  # of an owner, in a list of owners
    kind: tuple[Selector, ...] = ()
    count: tuple[Selector, ...] = ()
    total: tuple[Selector, ...] = ()  # memories of an owner, in a list of owners
    links: tuple[Selector, ...] = ()  # absolute URLs of other pages
    drop: tuple[Selector, ...] = ()  # vectors and what the client must not see
    text: tuple[Selector, ...] = ()  # of an event: a text that goes on in the next one


@dataclass(frozen=True, slots=True)
class Page:
    """How a list is paged: by page number, or only by a cap."""

    limit: Selector
    maximum: int
    number: Selector | None = None
    expired: Selector | None = None  # the switch that also lists what the store calls expired
    usual: int | None = None  # the size of a page if the request does not say it


@dataclass(frozen=True, slots=True)
class Hits:
    """How many items a search shows: where the request says it, and what the store does if not."""

    limit: tuple[Selector, ...]  # each may say it
    usual: int  # if none does
    maximum: int  # that it is asked for
    unless: Selector | None = None  # a switch with which each item costs more


@dataclass(frozen=True, slots=True)
class Later:
    """How a store says that it will finish later."""

    when: Selector
    equals: str
    handle: Selector
    poll: str
    done: tuple[str, ...]
    failed: tuple[str, ...]
    state: Selector
    items: Selector


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a JSON body that the store would give."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the profile."""

    match: str
    methods: frozenset[str]
    pattern: re.Pattern[str]
    template: str
    op: str
    inward: Inward
    outward: Outward
    page: Page | None = None
    hits: Hits | None = None
    later: Later | None = None
    absent: Answer | None = None
    reply: Answer | None = None
    reason: str = ""
    streams: str = ""  # "sse", "ndjson", or "bytes" that nobody looks at

    def path(self, **variables: str) -> str:
        """The path with its variables filled in (values must already be encoded)."""
        return _VARIABLE.sub(lambda found: variables[found[1]], self.template)


@dataclass(frozen=True)
class Profile:
    """All that is known of one store's wire."""

    name: str
    auth_header: str
    auth_scheme: str
    owner_form: str
    owner_fields: Mapping[str, str]  # kind → the store's field name
    kind_words: Mapping[str, str]  # the store's word in paths and lists → kind
    ids: re.Pattern[str]  # what an id of the store looks like
    stamp: str
    reserved: frozenset[str]
    protocol_words: frozenset[str]
    known_keys: frozenset[str]
    error_field: str
    routes: tuple[Route, ...]
    use: Mapping[str, Route]  # purpose → route, for erasure and retention
    layers: Mapping[str, Mapping[str, Any]]
    erase_item: tuple[str, ...]
    erase_owner: tuple[str, ...]
    prime: str = ""
    empty_metadata: Any = field(default_factory=dict)  # how the store shows that there is none

    @cached_property
    def fields_to_kinds(self) -> dict[str, str]:
        """The store's owner field name → kind."""
        return {name: kind for kind, name in self.owner_fields.items()}

    @cached_property
    def streaming(self) -> bool:
        """Whether any route's answer may come as a stream."""
        return any(route.streams for route in self.routes)

    @cached_property
    def filter_fields(self) -> frozenset[str]:
        """Names under which some route takes a filter."""
        found = (route.inward.filters for route in self.routes)
        return frozenset(selector.name for selector in found if selector is not None)

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The first route for a raw path, with its variables still encoded."""
        for route in self.routes:
            if method in route.methods and (found := route.pattern.fullmatch(path)):
                return route, found.groupdict()
        return None


def load_profile(source: str | Path) -> Profile:
    """Read a shipped profile by name, or any profile by path.

    Raises:
        Problem: ``invalid-config`` if it cannot be read or is not valid.
    """
    try:
        data = YAML(typ="safe").load(_text(source))
        return _profile(data)
    except Problem:
        raise
    except Exception as error:  # noqa: BLE001  (any malformed profile is one problem)
        raise Problem("invalid-config", f"The profile is not valid: {_why(error)}") from None


def _why(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the key {error.args[0]!s} is missing"
    return str(error) if isinstance(error, selectors.SelectorError | ValueError) else "not readable"


def _text(source: str | Path) -> str:
    name = str(source)
    if re.fullmatch(r"[a-z0-9-]+", name):
        folder = resources.files("proxy.upstreams").joinpath("profiles")
        return folder.joinpath(f"{name}.yaml").read_text("utf-8")
    return Path(source).read_text("utf-8")


def _profile(data: Mapping[str, Any]) -> Profile:
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema is not {SCHEMA}")
    owner, erase = data["owner"], data["erase"]
    routes = tuple(_route(entry, data) for entry in data["routes"])
    return Profile(
        name=data["name"],
        auth_header=data["auth"]["header"],
        auth_scheme=data["auth"].get("scheme", ""),
        owner_form=owner["form"],
        owner_fields=dict(owner["kinds"]),
        kind_words=dict(owner["words"]),
        ids=re.compile(data["ids"]),
        stamp=data["stamp"],
        reserved=frozenset(data.get("reserved", ())),
        protocol_words=frozenset(data.get("protocol_words", ())),
        known_keys=frozenset(data.get("known_keys", ())),
        error_field=data["error_field"],
        routes=routes,
        use={purpose: _used(routes, match) for purpose, match in data["use"].items()},
        layers=data["layers"],
        erase_item=tuple(erase["item"]),
        erase_owner=tuple(erase["owner"]),
        prime=data.get("prime", ""),
        empty_metadata=data.get("empty_metadata", {}),
    )


def _used(routes: Sequence[Route], match: str) -> Route:
    for route in routes:
        if route.match == match:
            return route
    raise ValueError("`use` names a route that is not listed")


_ROUTE_KEYS = {
    "match", "op", "in", "out", "page", "hits", "later", "absent", "reply", "reason", "streams",
}  # fmt: skip


def _route(entry: Mapping[str, Any], data: Mapping[str, Any]) -> Route:
    if unknown := set(entry) - _ROUTE_KEYS:
        raise ValueError(f"unknown key {min(unknown)}")
    if entry["op"] not in OPERATIONS:
        raise ValueError("unknown op")
    streams = _streams(entry)
    inward = _inward(entry.get("in", {}), data["owner"]["kinds"])
    if entry["op"] in ("batch_update", "batch_delete"):
        _check_batch(entry["op"], inward)
    methods, template = entry["match"].split(" ", 1)
    return Route(
        match=entry["match"],
        methods=frozenset(methods.split("|")),
        pattern=_pattern(template, data["owner"]["words"]),
        template=template,
        op=entry["op"],
        inward=inward,
        outward=_outward(entry.get("out", {})),
        page=_page(entry.get("page")),
        hits=_hits(entry),
        later=_later(entry.get("later")),
        absent=_answer(entry.get("absent")),
        reply=_answer(entry.get("reply")),
        reason=entry.get("reason", ""),
        streams=streams,
    )


def _check_batch(op: str, inward: Inward) -> None:
    """A batch says where its memories are named, in places that can be looked at one by one."""
    named = [*inward.ids, *([inward.items] if inward.items is not None else [])]
    lists = [each for each in named if None in each.steps]
    if not inward.ids or not lists or (op == "batch_update" and inward.items is None):
        raise ValueError("a batch has in.id, and in.items if it changes memories")
    if any(each.source != "body" or any(isinstance(s, int) for s in each.steps) for each in named):
        raise ValueError("a batch names its memories in lists of the body")
    if any(each.relative != (inward.items is not None) for each in inward.ids):
        raise ValueError("in.id of a batch starts with @ where there is in.items, else with $")


def _streams(entry: Mapping[str, Any]) -> str:
    found = str(entry.get("streams", ""))
    if found and found not in STREAMS:
        raise ValueError("streams is sse, ndjson or bytes")
    if found and entry["op"] not in (_STREAMING if found != "bytes" else {"pass"}):
        raise ValueError(f"a route of op {entry['op']} cannot stream {found}")
    return found


def _pattern(template: str, words: Mapping[str, str]) -> re.Pattern[str]:
    if template.endswith("/**"):
        return re.compile(re.escape(template[:-2]) + ".*")
    kinds = "|".join(re.escape(word) for word in words)
    known = {**SEGMENTS, "kind": f"(?:{kinds})"}
    parts = _VARIABLE.split(template)
    names = parts[1::2]
    literal = [re.escape(part) for part in parts[::2]]
    groups = [f"(?P<{name}>{known.get(name, '[^/?#]+')})" for name in names] + [""]
    return re.compile("".join(a + b for a, b in zip(literal, groups, strict=True)))


_INWARD_KEYS = {
    "content", "query", "owner", "id", "meta", "filter", "narrow", "expiry", "infer", "items",
    "deny", "drop",
}  # fmt: skip


def _inward(entry: Mapping[str, Any], kinds: Mapping[str, str]) -> Inward:
    if unknown := set(entry) - _INWARD_KEYS:
        raise ValueError(f"unknown key in.{min(unknown)}")
    return Inward(
        content=_many(entry, "content"),
        query=_many(entry, "query"),
        owner=tuple(_owner_places(entry.get("owner", ()), kinds)),
        ids=_many(entry, "id"),
        meta=_one(entry, "meta"),
        filters=_one(entry, "filter"),
        narrow=_many(entry, "narrow"),
        expiry=_one(entry, "expiry"),
        infer=_one(entry, "infer"),
        items=_one(entry, "items"),
        deny=_many(entry, "deny"),
        drop=_many(entry, "drop"),
    )


def _owner_places(texts: Sequence[str], kinds: Mapping[str, str]) -> Iterator[OwnerPlace]:
    by_field = {name: kind for kind, name in kinds.items()}
    for text in texts:
        selector = selectors.parse(text)
        yield OwnerPlace(by_field.get(selector.name), selector)


_OUTWARD_KEYS = {
    "items", "id", "content", "owner", "meta", "expiry", "created", "name", "kind", "count",
    "links", "drop", "text", "total",
}  # fmt: skip


def _outward(entry: Mapping[str, Any]) -> Outward:
    if unknown := set(entry) - _OUTWARD_KEYS:
        raise ValueError(f"unknown key out.{min(unknown)}")
    owner = tuple(
        (kind, selectors.parse_any(text)) for kind, text in entry.get("owner", {}).items()
    )
    return Outward(
        items=_one(entry, "items"),
        owner=owner,
        **{
            name: _alternatives(entry, name)
            for name in ("id", "expiry", "created", "name", "kind", "count", "total")
        },
        **{name: _many(entry, name) for name in ("content", "meta", "links", "drop", "text")},
    )


def _page(entry: Mapping[str, Any] | None) -> Page | None:
    if entry is None:
        return None
    return Page(
        selectors.parse(entry["limit"]),
        int(entry["maximum"]),
        _one(entry, "number"),
        _one(entry, "expired"),
        int(entry["usual"]) if "usual" in entry else None,
    )


def _hits(entry: Mapping[str, Any]) -> Hits | None:
    said = entry.get("hits")
    if said is None:
        return None
    if entry["op"] != "search" or "streams" in entry:
        raise ValueError("hits are of a search whose answer comes as a whole")
    limit = selectors.parse_any(said["limit"])
    if any(each.source != "body" or len(each.members) != 1 for each in limit):
        raise ValueError("hits.limit names members of the body")
    return Hits(limit, int(said["usual"]), int(said["maximum"]), _one(said, "unless"))


def _later(entry: Mapping[str, Any] | None) -> Later | None:
    if entry is None:
        return None
    return Later(
        when=selectors.parse(entry["when"]),
        equals=entry["equals"],
        handle=selectors.parse(entry["handle"]),
        poll=entry["poll"],
        done=tuple(entry["done"]),
        failed=tuple(entry["failed"]),
        state=selectors.parse(entry["state"]),
        items=selectors.parse(entry["items"]),
    )


def _answer(entry: Mapping[str, Any] | None) -> Answer | None:
    return None if entry is None else Answer(int(entry["status"]), entry["body"])


def _one(entry: Mapping[str, Any], key: str) -> Selector | None:
    return selectors.parse(entry[key]) if key in entry else None


def _many(entry: Mapping[str, Any], key: str) -> tuple[Selector, ...]:
    value = entry.get(key, ())
    texts = [value] if isinstance(value, str) else value
    return tuple(selectors.parse(text) for text in texts)


def _alternatives(entry: Mapping[str, Any], key: str) -> tuple[Selector, ...]:
    return selectors.parse_any(cast("str", entry[key])) if key in entry else ()
