"""The routes of Mem0's open-source server, over the library."""

from collections.abc import Mapping
from typing import Any, Literal

import orjson
from aiohttp import web
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from proxy.embedded.engine import Engine, StoreFailed, StoreRefused
from proxy.embedded.filters import LIBRARY_IDENTITIES
from proxy.embedded.replies import Refusal, reply
from proxy.embedded.rows import OWNER_FIELDS, all_rows, oss_row, owners
from proxy.embedded.writes import require_model

LIST_LIMIT = 1000
ENTITY_SCAN_LIMIT = 10_000
_KINDS = ("user", "agent", "run")
_UNSERVED = (
    "/configure", "/configure/providers", "/generate-instructions", "/requests", "/api-keys",
    "/api-keys/{rest:.*}", "/auth/{rest:.*}",
)  # fmt: skip


class Message(BaseModel):
    """One turn; other content than text is not valid here."""

    role: str
    content: str


class NewMemories(BaseModel):
    """Body of a create call."""

    messages: list[Message]
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    metadata: dict[str, Any] | None = None
    expiration_date: str | None = None
    infer: bool | None = None
    memory_type: str | None = None
    prompt: str | None = None


class Change(BaseModel):
    """Body of an update call."""

    text: str | None = None
    metadata: dict[str, Any] | None = None
    expiration_date: str | None = None


class Query(BaseModel):
    """Body of a search call."""

    query: str
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    filters: dict[str, Any] | None = None
    top_k: int | None = None
    threshold: float | None = None
    explain: bool | None = None
    show_expired: bool | None = None


class Listing(BaseModel):
    """Query of a list call."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    top_k: int | None = Field(None, ge=0, le=LIST_LIMIT)
    show_expired: bool = False


class OssRoutes:
    """Handlers of the server's dialect.

    Args:
        engine: the library.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def register(self, app: web.Application) -> None:
        """Add the routes."""
        add = app.router.add_route
        for path in _UNSERVED:
            add("*", path, _unserved)
        add("POST", "/memories", self.add)
        add("GET", "/memories", self.list_memories)
        add("DELETE", "/memories", self.delete_all)
        add("GET", "/memories/{memory_id}", self.get)
        add("PUT", "/memories/{memory_id}", self.update)
        add("DELETE", "/memories/{memory_id}", self.delete)
        add("GET", "/memories/{memory_id}/history", self.history)
        add("POST", "/search", self.search)
        add("GET", "/entities", self.list_owners)
        add("DELETE", "/entities/{kind}/{name}", self.delete_owner)
        add("POST", "/reset", self.reset)

    async def add(self, request: web.Request) -> web.Response:
        """Store messages and wait for the result."""
        new = await _body(request, NewMemories)
        arguments = new.model_dump(exclude_none=True, exclude={"messages"})
        if not any(arguments.get(key) for key in LIBRARY_IDENTITIES):
            raise Refusal(400, "At least one identifier (user_id, agent_id, run_id) is required.")
        if new.infer is not False or new.memory_type is not None:
            require_model(self._engine)
        messages = [message.model_dump() for message in new.messages]
        return reply(await self._engine.call(lambda memory: memory.add(messages, **arguments)))

    async def list_memories(self, request: web.Request) -> web.Response:
        """Up to 1000 memories of the given identities, or of everybody."""
        listing = _validated(Listing, dict(request.query), "query")
        filters = _identities(listing)
        if not filters:
            limit = LIST_LIMIT if listing.top_k is None else listing.top_k
            rows = await self._engine.call(lambda memory: all_rows(memory, limit))
            return reply({"results": [oss_row(row) for row in rows]})
        arguments = {"filters": filters, "show_expired": listing.show_expired}
        if listing.top_k is not None:
            arguments["top_k"] = listing.top_k
        try:
            return reply(await self._engine.call(lambda memory: memory.get_all(**arguments)))
        except StoreRefused as refused:
            raise StoreFailed from refused

    async def get(self, request: web.Request) -> web.Response:
        """One memory; ``null`` with status 200 where there is none."""
        memory_id = request.match_info["memory_id"]
        return reply(await self._engine.call(lambda memory: memory.get(memory_id)))

    async def update(self, request: web.Request) -> web.Response:
        """Change text, metadata or expiry of one memory, whoever it belongs to."""
        memory_id = request.match_info["memory_id"]
        arguments = (await _body(request, Change)).model_dump(exclude_unset=True)
        return reply(await self._engine.call(lambda memory: memory.update(memory_id, **arguments)))

    async def delete(self, request: web.Request) -> web.Response:
        """Delete one memory, whoever it belongs to."""
        memory_id = request.match_info["memory_id"]
        await self._engine.call(lambda memory: memory.delete(memory_id))
        return reply({"message": "Memory deleted successfully"})

    async def history(self, request: web.Request) -> web.Response:
        """Every version of a memory, deleted ones too; empty for an unknown id."""
        memory_id = request.match_info["memory_id"]
        return reply(await self._engine.call(lambda memory: memory.history(memory_id)))

    async def delete_all(self, request: web.Request) -> web.Response:
        """Delete what belongs to the given identities; the same answer if there is nothing."""
        identities = _identities(_validated(Listing, dict(request.query), "query"))
        if not identities:
            raise Refusal(400, "At least one identifier is required.")
        await self._delete_all(identities)
        return reply({"message": "All relevant memories deleted"})

    async def _delete_all(self, identities: Mapping[str, str]) -> None:
        try:
            await self._engine.call(lambda memory: memory.delete_all(**identities))
        except StoreRefused as refused:
            raise StoreFailed from refused

    async def search(self, request: web.Request) -> web.Response:
        """Memories by meaning; identities beside the filters overwrite those inside."""
        query = await _body(request, Query)
        filters = {**(query.filters or {}), **_identities(query)}
        arguments = query.model_dump(
            exclude_none=True, include={"top_k", "threshold", "explain", "show_expired"}
        )
        return reply(
            await self._engine.call(
                lambda memory: memory.search(query.query, filters=filters, **arguments)
            )
        )

    async def list_owners(self, _: web.Request) -> web.Response:
        """Users, agents and runs among the first 10 000 memories."""
        rows = await self._engine.call(lambda memory: all_rows(memory, ENTITY_SCAN_LIMIT))
        return reply(
            [
                {
                    "id": owner.name,
                    "type": owner.kind,
                    "total_memories": owner.total,
                    "created_at": owner.created_at,
                    "updated_at": owner.updated_at,
                }
                for owner in owners(rows, _KINDS)
            ]
        )

    async def delete_owner(self, request: web.Request) -> web.Response:
        """Delete everything of one user, agent or run."""
        kind = _validated(
            TypeAdapter(Literal["user", "agent", "run"]), request.match_info["kind"], "path"
        )
        await self._delete_all({OWNER_FIELDS[kind]: request.match_info["name"]})
        return reply({"message": "Entity deleted"})

    async def reset(self, _: web.Request) -> web.Response:
        """Delete everything of everybody."""
        await self._engine.call(lambda memory: memory.reset())
        return reply({"message": "All memories reset"})


async def _unserved(_: web.Request) -> web.Response:
    raise Refusal(501, "The embedded store does not offer this operation.")


def _identities(given: Any) -> dict[str, str]:
    return {key: getattr(given, key) for key in LIBRARY_IDENTITIES if getattr(given, key)}


async def _body(request: web.Request, model: type[Any]) -> Any:
    try:
        content = orjson.loads(await request.read())
    except orjson.JSONDecodeError as failure:
        place = ["body", failure.pos]
        raise Refusal(422, [{"type": "json_invalid", "loc": place, "msg": "JSON decode error",
                             "input": {}}]) from None  # fmt: skip
    return _validated(model, content, "body")


def _validated(model: Any, value: Any, place: str) -> Any:
    """Validate as the server does: its refusal echoes the input."""
    adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    try:
        return adapter.validate_python(value)
    except ValidationError as failure:
        errors = failure.errors(include_url=False, include_context=False)
        detail = [{**error, "loc": [place, *error["loc"]]} for error in errors]
        raise Refusal(422, detail) from None
