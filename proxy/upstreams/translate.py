"""Mem0's platform dialect spoken in front of its open-source server.

A transport that takes what ``MemoryClient`` sends, asks the server in its own routes, and answers
as the platform would. What the server cannot do is refused with a reason, never approximated:
filters are evaluated here (``conditions``), what cannot be translated is named (``asked``).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

from proxy.clock import SystemClock
from proxy.problems import Problem
from proxy.upstreams import asked, plain_json
from proxy.upstreams.asked import MAX_TOP_K, Call
from proxy.upstreams.conditions import Condition, Scope, Unsupported
from proxy.upstreams.plain_json import Number
from proxy.upstreams.shown import page_of, platform_error, platform_item, refusal, reply
from proxy.upstreams.transport import Headers, Transport, UpstreamReply, UpstreamRequest

NAME = "mem0-platform-over-oss"
LIST_LIMIT = 1000
CANDIDATES = 1000  # of a search whose filter the server cannot evaluate
PAGE_SIZE = 100
_CLOCK = SystemClock()  # the server judges by the time of day too
_KINDS = ("user", "agent", "run")
_PROBE = "/memories/00000000-0000-4000-8000-000000000000"
_JSON: Headers = (("Content-Type", "application/json"), ("Accept", "application/json"))
_TRACED = frozenset({"x-request-id", "traceparent", "tracestate"})  # by which logs are joined


class _Answered(Exception):
    """The server (or this translation) has said what the client will hear."""

    def __init__(self, said: UpstreamReply) -> None:
        super().__init__(said.status)
        self.reply = said


Handler = Callable[[Call], Awaitable[UpstreamReply]]


class PlatformOverOss:
    """Speaks the platform's dialect on top of a transport to the open-source server."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        """Translate, ask, translate back; raises what the inner transport raises."""
        traced = tuple(pair for pair in request.headers if pair[0].lower() in _TRACED)
        return await _Translation(self._inner, (*_JSON, *traced), request.credential).answer(
            request
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._inner.close()


class _Translation:
    """One request of the platform's dialect, and all that the server is asked for it."""

    def __init__(
        self, inner: Transport, headers: Headers, credential: tuple[str, str] | None
    ) -> None:
        self._inner = inner
        self._headers, self._credential = headers, credential

    async def answer(self, request: UpstreamRequest) -> UpstreamReply:
        try:
            call = asked.taken_apart(request)
            return await self._handler(call)(call)
        except Unsupported as problem:
            return refusal(400, str(problem))
        except _Answered as answered:
            return answered.reply

    def _handler(self, call: Call) -> Handler:
        path, method = call.path, call.method
        fixed: dict[tuple[str, str], Handler] = {
            ("GET", "/v1/ping/"): self._ping,
            ("POST", "/v3/memories/add/"): self._add,
            ("POST", "/v1/memories/"): self._add,
            ("POST", "/v3/memories/"): self._list,
            ("POST", "/v2/memories/"): self._list,
            ("GET", "/v1/memories/"): self._list,
            ("GET", "/v1/entities/"): self._owners,
            ("PUT", "/v1/batch/"): self._update_batch,
        }
        if (method, path) in fixed:
            return fixed[(method, path)]
        if method == "GET" and path.startswith("/v1/event/"):
            return self._event
        if path.endswith("/memories/search/"):
            return self._search
        if path.endswith("/history/"):
            return self._history
        by_id = {"GET": self._get, "PUT": self._update}
        if path.startswith("/v1/memories/") and method in by_id:
            return by_id[method]
        raise Unsupported(f"The open-source server does not offer this operation: {path}")

    async def _ask(self, method: str, target: str, body: Any = None) -> Any:
        """The server's answer, parsed; its errors end the translation."""
        content = b"" if body is None else plain_json.dump(body)
        said = await self._inner.send(
            UpstreamRequest(method, target, self._headers, content, self._credential)
        )
        if said.status >= 300:
            raise _Answered(platform_error(said))
        try:
            return plain_json.parse(said.body)
        except Problem:
            raise _Answered(said) from None

    async def _items(self, method: str, target: str, body: Any = None) -> list[dict[str, Any]]:
        """Memories in the server's answer."""
        said = await self._ask(method, target, body)
        found = said.get("results") if isinstance(said, dict) else None
        return _objects(found)

    async def _ping(self, _: Call) -> UpstreamReply:
        await self._ask("GET", _PROBE)
        return reply({"status": "ok", "org_id": "self-hosted", "project_id": "self-hosted"})

    async def _add(self, call: Call) -> UpstreamReply:
        made = await self._items("POST", "/memories", asked.new_memories(call))
        results = [
            {
                "id": item.get("id"),
                "data": {"memory": item.get("memory")},
                "event": item.get("event"),
            }
            for item in made
        ]
        stamp = asked.stamp_of(call)
        event = {} if stamp is None else {"event_id": stamp}
        return reply({"status": "SUCCEEDED", **event, "results": results})

    async def _event(self, call: Call) -> UpstreamReply:
        """An add that was done at once; which memories it made is said by whoever knows it."""
        found = [await self._ask("GET", f"/memories/{each}") for each in asked.made_ids(call)]
        results = [
            {"id": item.get("id"), "data": {"memory": item.get("memory")}, "event": "ADD"}
            for item in found
            if isinstance(item, dict)
        ]
        return reply({"id": _id(call), "event_type": "ADD", "status": "SUCCEEDED",
                      "results": results, "error": None})  # fmt: skip

    async def _get(self, call: Call) -> UpstreamReply:
        return reply(await self._item(_id(call)))

    async def _item(self, memory_id: str) -> dict[str, Any]:
        found = await self._ask("GET", f"/memories/{memory_id}")
        if not isinstance(found, dict):
            raise _Answered(refusal(404, "Memory not found!"))
        return platform_item(found, "session_id")

    async def _update(self, call: Call) -> UpstreamReply:
        asked.check("update", call)
        memory_id = _id(call)
        await self._ask("PUT", f"/memories/{memory_id}", asked.change(call.body))
        return reply(await self._item(memory_id))

    async def _update_batch(self, call: Call) -> UpstreamReply:
        """One by one; absent ones are passed over, as the platform does."""
        asked.check("batch", call)
        parts: Sequence[Mapping[str, Any]] = call.body.get("memories") or []
        changes = []
        for part in parts:
            asked.check("item", call, part)
            changes.append((part["memory_id"], asked.change(part)))
        done = 0
        for memory_id, change in changes:
            done += await self._updated(memory_id, change, first=done == 0)
        return reply({"message": f"Successfully updated {done} memories"})

    async def _updated(self, memory_id: str, change: Any, *, first: bool) -> bool:
        try:
            await self._ask("PUT", f"/memories/{memory_id}", change)
        except _Answered as answered:
            if answered.reply.status == 404:
                return False
            if first:
                raise
            # The others were changed: an answer that says "refused" would not be true.
            raise _Answered(refusal(502, "The batch was updated in part.")) from None
        return True

    async def _history(self, call: Call) -> UpstreamReply:
        rows = _objects(await self._ask("GET", f"/memories/{_id(call)}/history"))
        return reply([{**row, "input": [], "metadata": None} for row in rows])

    async def _list(self, call: Call) -> UpstreamReply:
        asked.check("list", call)
        wanted, expired = asked.wanted(call), asked.switch(call, "show_expired")
        number = asked.number_of(call, "page", 1, 100_000)
        size = asked.number_of(call, "page_size", PAGE_SIZE, LIST_LIMIT)
        found: dict[Any, dict[str, Any]] = {}
        for scope in wanted.scopes:
            for item in await self._owned(scope, expired=expired):
                if wanted.test(item):
                    found.setdefault(item.get("id"), item)
        items = [platform_item(item, "session_id") for item in found.values()]
        items.sort(key=lambda item: (str(item["created_at"]), str(item.get("id"))), reverse=True)
        paged = call.path.startswith("/v3/") or "page" in call.given
        shown = page_of(items, call.path, call.query, number, size) if paged else items
        return refusal(404, "Invalid page.") if shown is None else reply(shown)

    async def _owned(self, scope: Scope, *, expired: bool) -> list[dict[str, Any]]:
        """Every memory of some owners.

        The server drops expired ones after it has cut its list, so that a short list of it need not
        be all there is: they are asked for, and dropped here.
        """
        query = {**scope, "top_k": str(LIST_LIMIT), "show_expired": "true"}
        found = await self._items("GET", f"/memories?{urlencode(query)}")
        if len(found) >= LIST_LIMIT:
            raise Unsupported(f"The server lists at most {LIST_LIMIT} memories; narrow the owner.")
        return [item for item in found if expired or not _is_expired(item)]

    async def _search(self, call: Call) -> UpstreamReply:
        asked.check("search", call)
        wanted, body, top_k = asked.wanted(call), _search_body(call), _number(call)
        if not asked.switch(call, "show_expired"):
            test = wanted.test
            wanted = replace(wanted, test=lambda item: not _is_expired(item) and test(item))
        found: dict[Any, dict[str, Any]] = {}
        for scope in wanted.scopes:
            for item in await self._meeting(wanted, scope, body, top_k):
                found.setdefault(item.get("id"), item)
        best = sorted(found.values(), key=_score, reverse=True)[:top_k]
        items = [platform_item(item, "run_id") for item in best]
        return reply({"results": items} if call.path.startswith("/v3/") else items)

    async def _meeting(
        self, wanted: Condition, scope: Scope, body: Mapping[str, Any], top_k: int
    ) -> list[dict[str, Any]]:
        """The best that meet the filter: more is asked for until they are, or nothing is left."""
        filters = {**(wanted.equal or {}), **scope}
        number = top_k if wanted.whole else min(8 * top_k, CANDIDATES)
        while True:
            asking = {**body, "filters": filters, "top_k": number}
            found = await self._items("POST", "/search", asking)
            meeting = [item for item in found if wanted.test(item)]
            if len(found) < number or len(meeting) >= top_k:
                return meeting
            if number >= CANDIDATES:
                raise Unsupported(
                    f"More than {CANDIDATES} memories must be read for this filter; narrow it."
                )
            number = CANDIDATES

    async def _owners(self, _: Call) -> UpstreamReply:
        rows = _objects(await self._ask("GET", "/entities"))
        results = [{**row, "name": row.get("id"), "metadata": None} for row in rows]
        totals = {f"total_{kind}s": sum(r.get("type") == kind for r in rows) for kind in _KINDS}
        page = {"count": len(results), "next": None, "previous": None, "results": results}
        return reply({**page, **totals})


def _objects(found: Any) -> list[dict[str, Any]]:
    """A list of objects, as the server's version that is spoken here gives it.

    Raises:
        Problem: ``upstream-garbled``.
    """
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Problem(
            "upstream-garbled", "The store's answer has another shape than expected.",
            upstream="sent",
        )  # fmt: skip
    return found


def _id(call: Call) -> str:
    return call.path.split("/")[3]


def _score(item: Mapping[str, Any]) -> float:
    score = item.get("score")
    return score.value if isinstance(score, Number) else 0.0


def _search_body(call: Call) -> dict[str, Any]:
    if not isinstance(call.body.get("query"), str):
        raise Unsupported("query must be a string.")
    return {
        "query": call.body["query"],
        "threshold": asked.threshold(call),
        **({"explain": True} if asked.switch(call, "explain") else {}),
        "show_expired": True,  # as for lists
    }


def _number(call: Call) -> int:
    """How many hits are wanted, by either of its names."""
    names = [name for name in ("top_k", "limit") if call.given.get(name) is not None]
    numbers = {asked.number_of(call, name, 10, MAX_TOP_K) for name in names} or {10}
    if len(numbers) > 1:
        raise Unsupported("top_k and limit are different.")
    return numbers.pop()


def _is_expired(item: Mapping[str, Any]) -> bool:
    """As the server decides it: the last day is over, in UTC; what is no date never ends."""
    try:
        return date.fromisoformat(str(item.get("expiration_date"))) < _CLOCK.now().date()
    except ValueError:
        return False
