"""A store as erasure and retention see it: items, owners, histories; no HTTP words."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlsplit

import orjson

from proxy.background import spawn
from proxy.ledger.owners import Form
from proxy.problems import Problem
from proxy.upstreams.errors import StoreError, StoreUnavailable, StoreUnknown, of_problem
from proxy.upstreams.profile import Outward, Profile, Route
from proxy.upstreams.seen import Seen
from proxy.upstreams.selectors import Selector, first, slots
from proxy.upstreams.transport import Transport, UpstreamReply, UpstreamRequest

AHEAD = 4  # pages of a list that are asked for at once
TOO_MANY = 429
NOT_NOW = (TOO_MANY, 503)
NOTHING_DONE = (401, 403, *NOT_NOW)
FIRST_PAUSE_S = 0.5  # where a store with too many requests does not say how long; then doubled
PATIENCE_S = 10.0  # how long one request waits in all; who asks may come again later
STAMPS = "expunge_"  # how the members of metadata begin that are ours
SWEEP_SIZE = 100_000
SWEEPS = (
    "the",
    "a person, a name, a place",
    "numbers and dates",
    "not at all",
    "health money work",
)


@dataclass(frozen=True, slots=True)
class Item:
    """One memory as the store shows it; ``owners`` maps kind to the store's own id."""

    memory_id: str
    text: str
    owners: Mapping[str, str]
    metadata: Mapping[str, Any]
    created_at: str | None
    updated_at: str | None = None
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One entry of a memory's history as the store shows it; ``made``: when, if it says so."""

    texts: tuple[str, ...]
    made: str | None = None


def items_of(outward: Outward, body: Any) -> Iterator[Any]:
    """The items of an answer, in order."""
    if outward.items is not None:
        for slot in slots(outward.items, [body], 0):
            if isinstance(slot.value, dict):
                yield slot.value


Known = dict[tuple[tuple[str, str], ...], Mapping[str, str]]


def item_of(outward: Outward, raw: Mapping[str, Any], known: Known | None = None) -> Item | None:
    """An item's parts, or None if it has no id.

    Args:
        known: owners met before: items of the same ones share them in memory.
    """
    memory_id = first(outward.id, raw)
    if memory_id is None:
        return None
    values = ((kind, first(places, raw)) for kind, places in outward.owner)
    pairs = tuple((kind, str(value)) for kind, value in values if value not in (None, ""))
    owners = dict(pairs) if known is None else known.setdefault(pairs, dict(pairs))
    meta = first(outward.meta, raw)
    created, expires = first(outward.created, raw), first(outward.expiry, raw)
    updated = raw.get("updated_at")
    return Item(
        memory_id=str(memory_id),
        text=str(first(outward.content, raw) or ""),
        owners=owners,
        metadata=meta if isinstance(meta, dict) else {},
        created_at=None if created is None else str(created),
        updated_at=None if updated is None else str(updated),
        expires=None if expires is None else str(expires),
    )


def given(outward: Outward, metadata: Any) -> dict[str, Any]:
    """An item's metadata without our stamps and without what the store made of its text."""
    made = {each.name for each in outward.drop if len(each.members) > 1}
    members = metadata.items() if isinstance(metadata, Mapping) else ()
    return {
        name: part for name, part in members if not name.startswith(STAMPS) and name not in made
    }


class Store:
    """Drives one store through its profile.

    Args:
        name: the configured name, as the ledger knows it.
        profile: routes and shapes.
        transport: the way there.
        layers: connectors to the places that hold data, by layer name.
        owner_form: how owner ids are embedded; the profile's default when None.
    """

    def __init__(
        self,
        name: str,
        profile: Profile,
        transport: Transport,
        layers: Mapping[str, Any] | None = None,
        owner_form: Form | None = None,
    ) -> None:
        self.name, self.profile = name, profile
        self.layers: Mapping[str, Any] = dict(layers or {})
        self.owner_form: Form = owner_form or cast("Form", profile.owner_form)
        self._transport = transport

    async def get(self, memory_id: str) -> Item | None:
        """One memory, or None if the store says that it has none of this id.

        Raises:
            StoreUnavailable, StoreUnknown: the store gave no usable answer.
        """
        found = await self.raw(memory_id)
        return None if found is None else item_of(self.profile.use["get"].outward, found)

    async def raw(self, memory_id: str) -> dict[str, Any] | None:
        """All that the store shows of one memory; else as ``get``."""
        route = self.profile.use["get"]
        reply = await self._send(route, path=route.path(id=quote(memory_id, safe="")))
        if reply.status in (400, 404, 410, 422):
            return None
        return next(items_of(route.outward, self._json(reply)), None)

    async def crawl(self, owners: Mapping[str, str] | None) -> AsyncIterator[Item]:
        """Every memory of an owner (or of the store), each once, expired ones too.

        Args:
            owners: kind to the store's id; all of them must hold. None means the whole store.

        Raises:
            StoreUnavailable, StoreUnknown: the list would be incomplete.
        """
        page = self.profile.use["list"].page
        crawled = self._pages if page is not None and page.number is not None else self._sweeps
        if owners is not None:
            async for item in crawled(owners):
                yield item
            return
        seen = Seen()
        for kind, name in await self.list_owners():
            async for item in crawled({kind: name}):
                if seen.add(item.memory_id):
                    yield item

    async def _pages(self, owners: Mapping[str, str]) -> AsyncIterator[Item]:
        """Page after page; once more from the start if the count says that some were missed."""
        seen = Seen()
        for _ in range(3):
            async with aclosing(self._round(owners, seen)) as listed:
                total = 0
                async for found, total in listed:  # noqa: B007  (the last page's count decides)
                    for item in found:
                        yield item
            if len(seen) >= total:
                return

    async def _round(
        self, owners: Mapping[str, str], seen: Seen
    ) -> AsyncGenerator[tuple[list[Item], int], None]:
        """What is new on each page, with the count that it states; the next ones are under way.

        Args:
            seen: ids of what was listed so far; grows.
        """
        route, known = self.profile.use["list"], Known()
        ahead: deque[asyncio.Task[UpstreamReply]] = deque()
        page, asked, last, more = 0, 0, 1, True
        try:
            while more:
                while asked < last and len(ahead) < AHEAD:
                    asked += 1
                    ahead.append(spawn(self._list(owners, asked), name="store-list"))
                page += 1
                reply = await ahead.popleft()
                if page > 1 and reply.status == 404:
                    return
                body = self._json(reply)
                raws = items_of(route.outward, body)
                found = [item for raw in raws if (item := item_of(route.outward, raw, known))]
                new = [item for item in found if seen.add(item.memory_id)]
                total = _number(first(route.outward.count, body))
                linked = _next_link(route, body) is not None
                more = bool(found) and (len(seen) < total or linked)
                expected = -(-total // len(found)) if found and page == 1 else 0
                last = max(last, expected, page + more)
                yield new, total
        finally:
            for task in ahead:
                task.cancel()

    async def _sweeps(self, owners: Mapping[str, str]) -> AsyncIterator[Item]:
        """A list with a cap; beyond it, wide searches until two in a row bring nothing new."""
        route = self.profile.use["list"]
        answer = self._json(await self._list(owners, 1))
        listed = {item.memory_id: item for item in self._items(route, answer)}
        for item in listed.values():
            yield item
        if route.page is None or len(listed) < route.page.maximum:
            return
        seen, idle = {*listed}, 0
        for query in SWEEPS:
            found = await self.search(owners, query, SWEEP_SIZE, threshold=0.0)
            found += self._items(route, self._json(await self._list(owners, 1)))
            fresh = {item.memory_id: item for item in found if item.memory_id not in seen}
            seen |= fresh.keys()
            for item in fresh.values():
                yield item
            idle = 0 if fresh else idle + 1
            if idle == 2:
                return

    async def search(
        self,
        owners: Mapping[str, str],
        query: str,
        limit: int = 50,
        *,
        threshold: float | None = None,
    ) -> list[Item]:
        """Memories of an owner by meaning; a result is evidence, an empty list is none."""
        route = self.profile.use["search"]
        values: dict[str, Any] = {"top_k": limit, "show_expired": True}
        if threshold is not None:
            values["threshold"] = threshold
        body = {route.inward.query[0].name: query, **values}
        self._scope(route, owners, body, {})
        return self._items(route, self._json(await self._send(route, body=body)))

    async def history(self, memory_id: str) -> list[str]:
        """Texts that the store's own history still shows for a memory, deleted or not."""
        return [text for each in await self.versions(memory_id) for text in each.texts]

    async def versions(self, memory_id: str) -> list[Version]:
        """What the store's own history still shows for a memory, entry by entry."""
        route = self.profile.use["history"]
        reply = await self._send(route, path=route.path(id=quote(memory_id, safe="")))
        if reply.status in (400, 404, 410, 422):
            return []
        body = self._json(reply)
        return [_version(route, raw) for raw in items_of(route.outward, body)]

    async def delete(self, memory_id: str) -> bool:
        """Delete one memory; False if it was not there. Neither answer proves anything.

        Raises:
            StoreUnavailable: nothing was done. StoreUnknown: it may have been.
        """
        route = self.profile.use["delete"]
        reply = await self._send(route, path=route.path(id=quote(memory_id, safe="")))
        if reply.status in (404, 410):
            return False
        with _named(self.name):
            _checked(reply)
        return True

    async def add(
        self,
        owners: Mapping[str, str],
        text: str,
        metadata: Mapping[str, Any],
        *,
        infer: bool = False,
    ) -> list[str]:
        """Store a text as it is; gives the ids of what the store made of it."""
        route = self.profile.use["add"]
        body: dict[str, Any] = {"messages": [{"role": "user", "content": text}], "infer": infer}
        body |= self._fields(owners)
        body["metadata"] = dict(metadata)
        answer = self._json(await self._send(route, body=body))
        return [item.memory_id for item in self._items(route, answer)]

    async def list_owners(self) -> list[tuple[str, str]]:
        """Every (kind, store's id) that the store names."""
        route = self.profile.use["owners"]
        found: list[tuple[str, str]] = []
        target: str | None = route.path()
        while target is not None:
            body = self._json(await self._send(route, path=target))
            found += [pair for raw in items_of(route.outward, body) if (pair := self._owner(raw))]
            link = _next_link(route, body)
            target = None if link is None else _relative(link)
        return list(dict.fromkeys(found))

    async def prime(self, owners: Mapping[str, str]) -> None:
        """Make the store open its entity index, so that deletes clean it up."""
        if self.profile.prime and owners:
            await self.search(owners, self.profile.prime, 1)

    def _owner(self, raw: Mapping[str, Any]) -> tuple[str, str] | None:
        outward = self.profile.use["owners"].outward
        kind = self.profile.kind_words.get(str(first(outward.kind, raw)))
        name = first(outward.name, raw)
        return None if kind is None or name is None else (kind, str(name))

    def _items(self, route: Route, body: Any) -> list[Item]:
        found = (item_of(route.outward, raw) for raw in items_of(route.outward, body))
        return [item for item in found if item is not None]

    async def _list(self, owners: Mapping[str, str], number: int) -> UpstreamReply:
        route = self.profile.use["list"]
        body: dict[str, Any] = {}
        query: dict[str, str] = {}
        self._scope(route, owners, body, query)
        page = route.page
        if page is not None:
            _place(page.limit, page.maximum, body, query)
            _place(page.number, number, body, query)
            _place(page.expired, True, body, query)
        return await self._send(route, body=body or None, query=query)

    def _scope(
        self, route: Route, owners: Mapping[str, str], body: dict[str, Any], query: dict[str, str]
    ) -> None:
        fields = self._fields(owners)
        if route.inward.filters is not None:
            body[route.inward.filters.name] = fields
            return
        for place in route.inward.owner:
            if place.kind is not None and place.kind in owners:
                _place(place.selector, owners[place.kind], body, query)

    def _fields(self, owners: Mapping[str, str]) -> dict[str, str]:
        """The store's names and ids of owners; a request without any would mean everybody's."""
        if not owners:
            raise ValueError("a request names no owner")
        return {self.profile.owner_fields[kind]: name for kind, name in owners.items()}

    async def _send(
        self,
        route: Route,
        *,
        path: str | None = None,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> UpstreamReply:
        target = path or route.path()
        if query:
            target += "?" + "&".join(
                f"{key}={quote(value, safe='')}" for key, value in query.items()
            )
        headers = (("Accept", "application/json"), ("Content-Type", "application/json"))
        content = b"" if body is None else orjson.dumps(body)
        request = UpstreamRequest(min(route.methods), target, headers[: 1 + bool(content)], content)
        return await self._sent(request)

    async def _sent(self, request: UpstreamRequest) -> UpstreamReply:
        """The answer; a store that asks to be left alone for a moment is asked again after it."""
        waited, pause = 0.0, FIRST_PAUSE_S
        while True:
            with _named(self.name):
                try:
                    reply = await self._transport.send(request)
                except Problem as problem:
                    raise of_problem(problem) from None
            asked = _pause_asked(reply)
            if asked is None and reply.status != TOO_MANY:
                return reply
            wait = pause if asked is None else max(asked, FIRST_PAUSE_S)
            if waited + wait > PATIENCE_S:
                return reply
            await asyncio.sleep(wait)
            waited, pause = waited + wait, 2 * pause

    def _json(self, reply: UpstreamReply) -> Any:
        """A good answer's body."""
        with _named(self.name):
            return _json(_checked(reply))


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Let a failure say which store it was."""
    try:
        yield
    except StoreError as failure:
        failure.upstream = name
        raise


def _pause_asked(reply: UpstreamReply) -> float | None:
    """Seconds for which a store that did nothing asks to be left alone (RFC 9110, 10.2.3)."""
    after = reply.header("Retry-After") if reply.status in NOT_NOW else ""
    return float(after) if after.isdigit() else None


def _checked(reply: UpstreamReply) -> UpstreamReply:
    if reply.status in NOTHING_DONE:
        raise StoreUnavailable(_pause_asked(reply))
    if reply.status >= 300:
        raise StoreUnknown
    return reply


def _json(reply: UpstreamReply) -> Any:
    try:
        return orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        raise StoreUnknown from None


def _version(route: Route, raw: Mapping[str, Any]) -> Version:
    made = raw.get("updated_at") or raw.get("created_at")
    return Version(tuple(_texts(route, raw)), None if made is None else str(made))


def _texts(route: Route, raw: Mapping[str, Any]) -> Iterator[str]:
    for selector in route.outward.content:
        for slot in slots(selector, [raw], 0):
            yield from _strings(slot.value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _place(
    selector: Selector | None, value: Any, body: dict[str, Any], query: dict[str, str]
) -> None:
    if selector is None:
        return
    if selector.source == "query":
        query[selector.name] = str(value).lower() if isinstance(value, bool) else str(value)
    else:
        body[selector.name] = value


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _next_link(route: Route, body: Any) -> str | None:
    links = route.outward.links
    found = first(links[:1], body)
    return found if isinstance(found, str) else None


def _relative(link: str) -> str:
    parts = urlsplit(link)
    return parts.path + (f"?{parts.query}" if parts.query else "")
