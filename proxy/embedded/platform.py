"""The routes of Mem0's platform that its SDK calls, over the library."""

import uuid
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from proxy.embedded import writes
from proxy.embedded.engine import Engine
from proxy.embedded.events import Events
from proxy.embedded.filters import for_library, from_fields
from proxy.embedded.pages import page_of
from proxy.embedded.replies import Refusal, read_object, reply
from proxy.embedded.rows import OWNER_FIELDS, all_rows, owners, platform_item

EVERYTHING = 1_000_000
BATCH_LIMIT = 1000
_NOT_HERE = (
    "start_date", "end_date", "categories", "keywords", "fields", "reference_date", "rerank",
    "keyword_search", "latest_only", "enable_graph", "filter_memories",
)  # fmt: skip
_UNSERVED = (
    ("POST", "/v1/feedback/"), ("*", "/v1/exports/"), ("*", "/v1/exports/get/"),
    ("*", "/v1/summary/"), ("*", "/v1/stats/"), ("*", "/v1/users/"), ("*", "/v1/agents/"),
    ("*", "/v1/apps/"), ("*", "/v1/runs/"), ("*", "/v1/memories/events/"),
    ("*", "/v1/entities/filters/"), ("*", "/v2/entities/{kind}/{name}/profile/"),
    ("*", "/v2/profiles/{rest:.*}"), ("*", "/api/v1/{rest:.*}"),
)  # fmt: skip


class PlatformRoutes:
    """Handlers of the platform's dialect.

    Args:
        engine: the library.
        events: where asynchronous operations are looked up.
    """

    def __init__(self, engine: Engine, events: Events) -> None:
        self._engine, self._events = engine, events

    def register(self, app: web.Application) -> None:
        """Add the routes."""
        add = app.router.add_route
        for method, path in _UNSERVED:
            add(method, path, _unserved)
        add("GET", "/v1/ping/", self.ping)
        for path in ("/v3/memories/add/", "/v1/memories/"):
            add("POST", path, self.add)
        for path in ("/v3/memories/", "/v2/memories/"):
            add("POST", path, self.list_memories)
        add("GET", "/v1/memories/", self.list_memories)
        add("DELETE", "/v1/memories/", self.delete_all)
        for path in ("/v3/memories/search/", "/v2/memories/search/", "/v1/memories/search/"):
            add("POST", path, self.search)
        add("GET", "/v1/memories/{memory_id}/", self.get)
        add("PUT", "/v1/memories/{memory_id}/", self.update)
        add("DELETE", "/v1/memories/{memory_id}/", self.delete)
        add("GET", "/v1/memories/{memory_id}/history/", self.history)
        add("GET", "/v1/entities/", self.list_owners)
        for version in ("v1", "v2"):
            add("DELETE", f"/{version}/entities/{{kind}}/{{name}}/", self.delete_owner)
        add("PUT", "/v1/batch/", self.batch_update)
        add("DELETE", "/v1/batch/", self.batch_delete)
        add("GET", "/v1/event/{event_id}/", self.event)
        add("GET", "/v1/events/", self.list_events)

    async def ping(self, _: web.Request) -> web.Response:
        """What the SDK asks for when it is constructed."""
        return reply(
            {
                "status": "ok",
                "org_id": "embedded",
                "project_id": "embedded",
                "user_email": "embedded@example.org",
            }
        )

    async def add(self, request: web.Request) -> web.Response:
        """Store messages: at once with ``infer=False``, else accepted and done later."""
        body = await read_object(request)
        messages, arguments = writes.platform_arguments(body)
        if arguments["infer"]:
            writes.require_model(self._engine)
            work = self._engine.submit(
                lambda memory: _ids(memory.add(messages, **arguments)["results"])
            )
            event = self._events.follow("ADD", work)
            return reply({"event_id": event.id, "status": event.status})
        added = await self._engine.call(lambda memory: memory.add(messages, **arguments))
        event = self._events.completed("ADD", _ids(added["results"]))
        results = [_result(item["id"], item["memory"]) for item in added["results"]]
        return reply(
            {
                "message": "Memories added successfully.",
                "status": event.status,
                "event_id": event.id,
                "results": results,
            }
        )

    async def list_memories(self, request: web.Request) -> web.Response:
        """Memories, newest first, in pages; the old routes without pages give a bare array."""
        body = await read_object(request)
        given = {**request.query, **body}
        items = await self._items(
            _filters(given), show_expired=str(given.get("show_expired")).lower() == "true"
        )
        shown = [platform_item(item, run_field="session_id") for item in items]
        paged = request.path.startswith("/v3/") or "page" in request.query
        return reply(page_of(shown, request) if paged else shown)

    async def _items(self, filters: Any, *, show_expired: bool) -> list[dict[str, Any]]:
        found = await self._engine.call(
            lambda memory: memory.get_all(
                filters=filters, top_k=EVERYTHING, show_expired=show_expired
            )
        )
        items: list[dict[str, Any]] = found["results"]
        return sorted(items, key=lambda item: (str(item["created_at"]), item["id"]), reverse=True)

    async def search(self, request: web.Request) -> web.Response:
        """Memories by meaning; version 1 and 2 answer with a bare array."""
        body = await read_object(request)
        arguments = {
            "filters": _filters(body),
            "top_k": body.get("top_k", body.get("limit", 10)),
            "threshold": body.get("threshold", 0.1),
            "show_expired": body.get("show_expired") is True,
        }
        query = body.get("query")
        found = await self._engine.call(lambda memory: memory.search(query, **arguments))
        results = [platform_item(item, run_field="run_id") for item in found["results"]]
        return reply({"results": results} if request.path.startswith("/v3/") else results)

    async def get(self, request: web.Request) -> web.Response:
        """One memory."""
        return reply(await self._shown(_memory_id(request)))

    async def _shown(self, memory_id: str) -> dict[str, Any]:
        item = await self._engine.call(lambda memory: memory.get(memory_id))
        if item is None:
            raise Refusal(404, "Memory not found!", error="Memory not found!")
        return platform_item(item, run_field="session_id")

    async def update(self, request: web.Request) -> web.Response:
        """Change text, metadata or expiry of one memory."""
        memory_id, body = _memory_id(request), await read_object(request)
        arguments = writes.update_arguments(body)
        await self._engine.call(lambda memory: memory.update(memory_id, **arguments))
        return reply(await self._shown(memory_id))

    async def delete(self, request: web.Request) -> web.Response:
        """Delete one memory; the library keeps no chain of superseded ones."""
        memory_id = _memory_id(request)
        await self._engine.call(lambda memory: memory.delete(memory_id))
        linked = request.query.get("delete_linked", "").lower() == "true"
        message = {"message": "Memory deleted successfully!"}
        return reply({**message, "cascade_count": 0} if linked else message)

    async def delete_all(self, request: web.Request) -> web.Response:
        """Delete what belongs to the given identities; done in the background."""
        if {"filters", "metadata"} & request.query.keys():
            raise Refusal(400, "Only user_id, agent_id, app_id and run_id select what is deleted.")
        identities = from_fields(request.query)
        if not identities:
            raise Refusal(400, "At least one of user_id, agent_id, app_id, run_id is required.")
        return self._delete_in_background(identities)

    def _delete_in_background(self, identities: Mapping[str, str]) -> web.Response:
        work = self._engine.submit(lambda memory: writes.delete_matching(memory, identities))
        event = self._events.follow("DELETE", work)
        message = "Delete in progress. This may take some time."
        return reply({"message": message, "event_id": event.id})

    async def history(self, request: web.Request) -> web.Response:
        """Every version of a memory, deleted ones too."""
        memory_id = _memory_id(request)
        entries = await self._engine.call(lambda memory: memory.history(memory_id))
        return reply([{**entry, "input": [], "metadata": None} for entry in entries])

    async def list_owners(self, _: web.Request) -> web.Response:
        """Users, agents, apps and runs that have memories."""
        rows = await self._engine.call(lambda memory: all_rows(memory, EVERYTHING))
        found = owners(rows, OWNER_FIELDS)
        results = [
            {
                "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{owner.kind}:{owner.name}")),
                "name": owner.name,
                "type": owner.kind,
                "total_memories": owner.total,
                "created_at": owner.created_at,
                "updated_at": owner.updated_at,
                "owner": "embedded",
                "metadata": None,
            }
            for owner in found
        ]
        totals = {f"total_{kind}s": sum(owner.kind == kind for owner in found)
                  for kind in OWNER_FIELDS}  # fmt: skip
        page = {"count": len(results), "next": None, "previous": None, "results": results}
        return reply({**page, **totals})

    async def delete_owner(self, request: web.Request) -> web.Response:
        """Delete everything of one user, agent, app or run; the same answer if there is nothing."""
        field = OWNER_FIELDS.get(request.match_info["kind"])
        if field is None:
            raise Refusal(400, "Invalid entity type", message="Invalid entity type")
        return self._delete_in_background({field: request.match_info["name"]})

    async def batch_update(self, request: web.Request) -> web.Response:
        """Change up to 1000 memories; absent ones are passed over."""
        batch = _batch(await read_object(request))
        done = await self._engine.call(lambda memory: writes.update_each(memory, batch))
        return reply({"message": f"Successfully updated {done} memories"})

    async def batch_delete(self, request: web.Request) -> web.Response:
        """Delete up to 1000 memories; absent ones are passed over."""
        batch = _batch(await read_object(request))
        done = await self._engine.call(
            lambda memory: writes.delete_each(memory, [part["memory_id"] for part in batch])
        )
        return reply({"message": f"Successfully deleted {len(done)} memories"})

    async def event(self, request: web.Request) -> web.Response:
        """One asynchronous operation, with those of its results that still exist."""
        event = self._events.get(request.match_info["event_id"])
        if event is None:
            raise Refusal(404, "Event not found.", error="Event not found.")
        shown, ids = event.described(), event.memory_ids
        items = await self._engine.call(lambda memory: [memory.get(each) for each in ids])
        results = [_result(item["id"], item["memory"]) for item in items if item is not None]
        return reply({**shown, "results": results})

    async def list_events(self, request: web.Request) -> web.Response:
        """Asynchronous operations, newest first, without results."""
        return reply(page_of([event.described() for event in self._events.latest()], request))


async def _unserved(_: web.Request) -> web.Response:
    # 501 says it better, but of a 5xx neither the SDK nor a proxy shows the reason.
    raise Refusal(400, "The embedded store does not offer this operation.")


def _filters(given: Mapping[str, Any]) -> dict[str, Any]:
    if unserved := [name for name in _NOT_HERE if given.get(name)]:
        raise Refusal(400, f"The embedded store does not support: {', '.join(unserved)}.")
    filters = given.get("filters") or {}
    if not isinstance(filters, Mapping):
        raise Refusal(400, "Filters must be an object.")
    narrowed = {**from_fields(given), **filters}
    if given.get("metadata"):
        narrowed["metadata"] = given["metadata"]
    return for_library(narrowed)


def _memory_id(request: web.Request) -> str:
    try:
        return str(uuid.UUID(request.match_info["memory_id"]))
    except ValueError:
        wrong = "memory_id should be a valid UUID"
        raise Refusal(400, wrong, error=wrong) from None


def _batch(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    memories = body.get("memories")
    if not isinstance(memories, list) or not all(
        isinstance(part, dict) and isinstance(part.get("memory_id"), str) for part in memories
    ):
        raise Refusal(400, "memories must be a list of objects with a memory_id.")
    if len(memories) > BATCH_LIMIT:
        raise Refusal(400, f"Maximum of {BATCH_LIMIT} memories in a single request")
    return memories


def _ids(items: list[dict[str, Any]]) -> list[str]:
    return [item["id"] for item in items]


def _result(memory_id: str, text: str) -> dict[str, Any]:
    return {"id": memory_id, "data": {"memory": text}, "event": "ADD"}
