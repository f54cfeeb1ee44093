"""A small store that speaks the platform's routes from memory; it exists to inject faults."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import orjson

from proxy.upstreams.layers.base import LayerScope, LayerUnavailable
from proxy.upstreams.transport import UpstreamReply, UpstreamRequest

KINDS = {"user_id": "user", "agent_id": "agent", "run_id": "run", "app_id": "app"}

Fault = Callable[[str, str], UpstreamReply | Exception | None]


def reply(body: Any = None, status: int = 200, **headers: str) -> UpstreamReply:
    """A JSON answer."""
    listed = (
        ("Content-Type", "application/json"),
        *((k.replace("_", "-"), v) for k, v in headers.items()),
    )
    return UpstreamReply(status, listed, orjson.dumps(body))


@dataclass
class SmallStore:
    """Memories by id. ``fault`` may answer a call instead, by verb and memory id or path."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    history: dict[str, list[str]] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    fault: Fault = field(default=lambda verb, subject: None)
    keeps_history: bool = False
    lagging: set[str] = field(default_factory=set)  # deleted, and still shown
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    def plant(self, text: str, metadata: dict[str, Any] | None = None, **owners: str) -> str:
        """Put a memory in behind everybody's back."""
        memory_id = f"00000000-0000-4000-8000-{next(self.numbers):012d}"
        self.rows[memory_id] = {
            "id": memory_id, "memory": text, "metadata": metadata or {}, **owners,
            "created_at": "2026-01-04T00:00:00+00:00",
        }  # fmt: skip
        if self.keeps_history:
            self.history[memory_id] = [text]
        return memory_id

    def texts(self, **owners: str) -> list[str]:
        """What is stored, in order."""
        return [
            row["memory"]
            for row in self.rows.values()
            if all(row.get(key) == value for key, value in owners.items())
        ]

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        """Answer one call."""
        parts = urlsplit(request.target)
        verb, subject = self._named(request.method, parts.path)
        self.calls.append((verb, subject))
        fault = self.fault(verb, subject)
        if isinstance(fault, Exception):
            raise fault
        if fault is not None:
            return fault
        body = orjson.loads(request.body) if request.body else {}
        return self._answer(verb, subject, body, parse_qs(parts.query))

    async def close(self) -> None:
        """Nothing is open."""

    def _named(self, method: str, path: str) -> tuple[str, str]:
        segments = [unquote(part) for part in path.strip("/").split("/")]
        match method, segments:
            case "POST", ["v3", "memories", "add"]:
                return "add", ""
            case "POST", ["v3", "memories", "search"]:
                return "search", ""
            case "POST", ["v3", "memories"]:
                return "list", ""
            case "GET", ["v1", "entities"]:
                return "owners", ""
            case "GET", ["v1", "memories", memory_id, "history"]:
                return "history", memory_id
            case _, ["v1", "memories", memory_id]:
                return method.lower(), memory_id
            case _:
                raise AssertionError("the small store does not know this route")

    def _answer(self, verb: str, subject: str, body: Any, query: Any) -> UpstreamReply:
        if verb in ("search", "list") and not body.get("filters"):
            return reply({"error": "Filters are required and cannot be empty."}, 400)
        match verb:
            case "add":
                owners = {key: body[key] for key in KINDS if key in body}
                text = body["messages"][0]["content"]
                memory_id = self.plant(text, body.get("metadata"), **owners)
                return reply({"results": [{"id": memory_id, "memory": text, "event": "ADD"}]})
            case "search":
                words = {word.lower().strip(".,!?") for word in body["query"].split()}
                found = [row for row in self._scoped(body) if self._shares(row, words)]
                return reply({"results": found[: body.get("top_k", 10)]})
            case "list":
                page, size = int(query["page"][0]), int(query["page_size"][0])
                found = self._scoped(body)
                shown = found[(page - 1) * size : page * size]
                return reply({"count": len(found), "next": None, "results": shown})
            case "owners":
                pairs = {
                    (KINDS[key], row[key])
                    for row in self.rows.values()
                    for key in KINDS
                    if key in row
                }
                listed = [{"type": kind, "name": name} for kind, name in sorted(pairs)]
                return reply({"count": len(listed), "results": listed})
            case "history":
                texts = self.history.get(subject, [])
                return reply(
                    [{"memory_id": subject, "old_memory": None, "new_memory": t} for t in texts]
                )
            case "get":
                row = self.rows.get(subject)
                return reply(row) if row else reply({"error": "Memory not found!"}, 404)
            case _:
                return self._delete(subject)

    def _delete(self, memory_id: str) -> UpstreamReply:
        if memory_id not in self.rows:
            return reply({"error": "Memory not found!"}, 404)
        if memory_id not in self.lagging:
            del self.rows[memory_id]
        return reply({"message": "Memory deleted successfully!"})

    def _scoped(self, body: Any) -> list[dict[str, Any]]:
        wanted = body.get("filters", {})
        return [
            row for row in self.rows.values() if all(row.get(k) == v for k, v in wanted.items())
        ]

    @staticmethod
    def _shares(row: dict[str, Any], words: set[str]) -> bool:
        return bool(words & {word.lower().strip(".,!?'s") for word in row["memory"].split()})


@dataclass
class SmallLayer:
    """A side layer of the small store: texts by memory id."""

    name: str
    rows: dict[str, str] = field(default_factory=dict)
    away: bool = False
    stubborn: bool = False
    reach: Any = "side:sqlite"
    note: str = "held in memory"

    async def count(self, scope: LayerScope) -> int | None:
        """Rows of the scope."""
        if self.away:
            raise LayerUnavailable("unreachable")
        return len(self._matching(scope))

    async def delete(self, scope: LayerScope) -> int:
        """Delete them, unless told not to."""
        if self.away:
            raise LayerUnavailable("unreachable")
        matching = [] if self.stubborn else self._matching(scope)
        for memory_id in matching:
            del self.rows[memory_id]
        return len(matching)

    def _matching(self, scope: LayerScope) -> list[str]:
        return [memory_id for memory_id in self.rows if memory_id in scope.memory_ids]
