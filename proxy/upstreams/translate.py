"""Mem0's platform dialect spoken in front of its open-source server.

A transport that takes what ``MemoryClient`` sends, asks the server in its own routes, and answers
as the platform would. What the server cannot do is refused with a reason, never approximated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson

from proxy.upstreams.transport import Headers, Transport, UpstreamReply, UpstreamRequest

NAME = "mem0-platform-over-oss"
LIST_LIMIT = 1000
PAGE_SIZE = 100
_OWNERS = ("user_id", "agent_id", "run_id")
_KINDS = ("user", "agent", "run")
_PROBE = "/memories/00000000-0000-4000-8000-000000000000"
_JSON: Headers = (("Content-Type", "application/json"), ("Accept", "application/json"))
_ADD = (*_OWNERS, "messages", "metadata", "infer", "expiration_date", "memory_type", "prompt")
_SEARCH = ("query", "top_k", "threshold", "explain", "show_expired")
_CHANGE = ("text", "metadata", "expiration_date")
_TOO_MUCH = ("start_date", "end_date", "categories", "keywords", "fields", "reference_date")


class _Answered(Exception):
    """The server (or this translation) has said what the client will hear."""

    def __init__(self, reply: UpstreamReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class _Call:
    """One request of the platform's dialect, taken apart."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def given(self) -> Mapping[str, Any]:
        """Query and body together: old routes use either."""
        return {**self.query, **self.body}


Handler = Callable[[_Call], Awaitable[UpstreamReply]]


class PlatformOverOss:
    """Speaks the platform's dialect on top of a transport to the open-source server."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        """Translate, ask, translate back; raises what the inner transport raises."""
        call = _taken_apart(request)
        try:
            return await self._handler(call)(call)
        except _Answered as answered:
            return answered.reply

    async def close(self) -> None:
        """Give the connections back."""
        await self._inner.close()

    def _handler(self, call: _Call) -> Handler:
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
        if path.endswith("/memories/search/"):
            return self._search
        if path.endswith("/history/"):
            return self._history
        by_id = {"GET": self._get, "PUT": self._update}
        if path.startswith("/v1/memories/") and method in by_id:
            return by_id[method]
        return self._unserved

    async def _ask(self, method: str, target: str, body: Any = None) -> Any:
        """The server's answer, parsed; its errors end the translation."""
        content = b"" if body is None else orjson.dumps(body)
        reply = await self._inner.send(UpstreamRequest(method, target, _JSON, content))
        if reply.status >= 300:
            raise _Answered(_platform_error(reply))
        try:
            return orjson.loads(reply.body)
        except orjson.JSONDecodeError:
            raise _Answered(reply) from None

    async def _ping(self, _: _Call) -> UpstreamReply:
        await self._ask("GET", _PROBE)
        return _reply({"status": "ok", "org_id": "self-hosted", "project_id": "self-hosted"})

    async def _add(self, call: _Call) -> UpstreamReply:
        _refuse_app(call.body)
        made = await self._ask("POST", "/memories", _only(call.body, _ADD))
        results = [
            {
                "id": item.get("id"),
                "data": {"memory": item.get("memory")},
                "event": item.get("event"),
            }
            for item in made.get("results") or []
        ]
        return _reply({"status": "SUCCEEDED", "results": results})

    async def _get(self, call: _Call) -> UpstreamReply:
        return _reply(await self._item(_id(call)))

    async def _item(self, memory_id: str) -> dict[str, Any]:
        found = await self._ask("GET", f"/memories/{memory_id}")
        if not isinstance(found, dict):
            raise _Answered(_refusal(404, "Memory not found!"))
        return _shown(found, "session_id")

    async def _update(self, call: _Call) -> UpstreamReply:
        memory_id = _id(call)
        await self._ask("PUT", f"/memories/{memory_id}", _only(call.body, _CHANGE))
        return _reply(await self._item(memory_id))

    async def _update_batch(self, call: _Call) -> UpstreamReply:
        parts: Sequence[Mapping[str, Any]] = call.body.get("memories") or []
        for part in parts:
            await self._ask("PUT", f"/memories/{part['memory_id']}", _only(part, _CHANGE))
        return _reply({"message": f"Successfully updated {len(parts)} memories"})

    async def _history(self, call: _Call) -> UpstreamReply:
        rows = await self._ask("GET", f"/memories/{_id(call)}/history")
        return _reply([{**row, "input": [], "metadata": None} for row in rows])

    async def _list(self, call: _Call) -> UpstreamReply:
        owners = _plain_owners(call)
        hidden = {"show_expired": "true"} if _true(call.given.get("show_expired")) else {}
        query = urlencode({**owners, "top_k": str(LIST_LIMIT), **hidden})
        found = (await self._ask("GET", f"/memories?{query}")).get("results") or []
        if len(found) >= LIST_LIMIT:
            raise _Answered(
                _refusal(400, f"The server lists at most {LIST_LIMIT} memories; narrow the owner.")
            )
        items = [_shown(item, "session_id") for item in found]
        items.sort(key=lambda item: (str(item["created_at"]), item["id"]), reverse=True)
        paged = call.path.startswith("/v3/") or "page" in call.query
        return _reply(_page(items, call) if paged else items)

    async def _search(self, call: _Call) -> UpstreamReply:
        _refuse_app(call.body)
        _refuse_extras(call.body)
        filters = {**_only(call.body, _OWNERS), **(call.body.get("filters") or {})}
        body = {"top_k": 10, "threshold": 0.1, **_only(call.body, _SEARCH), "filters": filters}
        found = (await self._ask("POST", "/search", body)).get("results") or []
        items = [_shown(item, "run_id") for item in found]
        return _reply({"results": items} if call.path.startswith("/v3/") else items)

    async def _owners(self, _: _Call) -> UpstreamReply:
        rows = await self._ask("GET", "/entities")
        results = [{**row, "name": row["id"]} for row in rows]
        totals = {f"total_{kind}s": sum(r.get("type") == kind for r in rows) for kind in _KINDS}
        page = {"count": len(results), "next": None, "previous": None, "results": results}
        return _reply({**page, **totals})

    async def _unserved(self, _: _Call) -> UpstreamReply:
        await asyncio.sleep(0)
        return _refusal(400, "The open-source server does not offer this operation.")


def _taken_apart(request: UpstreamRequest) -> _Call:
    path, _, query = request.target.partition("?")
    body = orjson.loads(request.body) if request.body else {}
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    return _Call(request.method, path, pairs, body if isinstance(body, dict) else {})


def _reply(body: Any, status: int = 200) -> UpstreamReply:
    return UpstreamReply(status, (("Content-Type", "application/json"),), orjson.dumps(body))


def _refusal(status: int, reason: str) -> UpstreamReply:
    return _reply({"detail": reason, "error": reason}, status)


def _platform_error(reply: UpstreamReply) -> UpstreamReply:
    """The server's error with the member that the platform's clients read, too."""
    try:
        body = orjson.loads(reply.body)
    except orjson.JSONDecodeError:
        return reply
    if isinstance(body, dict) and "error" not in body:
        body["error"] = body.get("detail")
    return UpstreamReply(reply.status, _without_length(reply.headers), orjson.dumps(body))


def _without_length(headers: Headers) -> Headers:
    drop = ("content-length", "content-encoding", "transfer-encoding")
    return tuple(pair for pair in headers if pair[0].lower() not in drop)


def _only(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name) is not None}


def _id(call: _Call) -> str:
    return call.path.split("/")[3]


def _shown(item: Mapping[str, Any], run_field: str) -> dict[str, Any]:
    """A memory as the platform shows it."""
    kept = {key: value for key, value in item.items() if key not in ("run_id", "hash")}
    return {
        **kept,
        "user_id": item.get("user_id"),
        "agent_id": item.get("agent_id"),
        "app_id": None,
        run_field: item.get("run_id"),
        "metadata": item.get("metadata") or {},
        "created_at": item.get("created_at"),
        "updated_at": item.get("updated_at"),
    }


def _plain_owners(call: _Call) -> dict[str, str]:
    """The owners of a list; the server lists by nothing else.

    Raises:
        _Answered: with a 400 if the filter says more.
    """
    _refuse_app(call.given)
    _refuse_extras(call.given)
    filters = {**_only(call.given, _OWNERS), **(call.body.get("filters") or {})}
    if not all(name in _OWNERS and isinstance(value, str) for name, value in filters.items()):
        raise _Answered(
            _refusal(400, "The open-source server lists by user_id, agent_id and run_id only.")
        )
    return filters


def _refuse_app(given: Mapping[str, Any]) -> None:
    filters = given.get("filters")
    if given.get("app_id") is not None or (isinstance(filters, dict) and "app_id" in filters):
        raise _Answered(_refusal(400, "The open-source server knows no app_id."))


def _refuse_extras(given: Mapping[str, Any]) -> None:
    extra = [name for name in _TOO_MUCH if given.get(name)]
    if extra:
        raise _Answered(_refusal(400, f"The open-source server does not know: {', '.join(extra)}."))


def _true(value: Any) -> bool:
    return str(value).lower() == "true"


def _page(items: Sequence[Any], call: _Call) -> dict[str, Any]:
    number, size = _positive(call.query, "page", 1), _positive(call.query, "page_size", PAGE_SIZE)
    start = (number - 1) * size
    if start and start >= len(items):
        raise _Answered(_refusal(404, "Invalid page."))

    def link(page: int) -> str:
        return f"http://store{call.path}?{urlencode({**call.query, 'page': str(page)})}"

    return {
        "count": len(items),
        "next": link(number + 1) if start + size < len(items) else None,
        "previous": link(number - 1) if number > 1 else None,
        "results": list(items[start : start + size]),
    }


def _positive(query: Mapping[str, str], name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise _Answered(_refusal(400, f"{name} must be a positive number."))
    return int(text)
