"""A store for measurements: answers like open-source Mem0, keeps its memories in memory.

Run as ``python -m tests.bench.proxy_upstream PORT``. It scans nothing and ranks nothing, so that
what is measured in front of it is the front.
"""

import asyncio
import json
import sys
import uuid
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httptools

PAGE = 10
MOST = 1000  # memories of one owner
ONE = "/memories/"


class Store:
    """Memories by owner, the latest first, and by id."""

    def __init__(self) -> None:
        self._kept: dict[str, list[dict[str, Any]]] = {}
        self._by_id: dict[str, dict[str, Any]] = {}

    def answer(self, method: bytes, target: bytes, body: bytes) -> Any:
        """What Mem0's server would say."""
        path = urlsplit(target.decode())
        if path.path == "/owners":
            return list(self._kept)
        if (method, path.path) == (b"POST", "/memories"):
            return self._add(json.loads(body))
        if (method, path.path) == (b"POST", "/search"):
            return {"results": self._of(json.loads(body)["filters"]["user_id"], score=0.8113)}
        if (method, path.path) == (b"GET", "/memories"):
            return {"results": self._of(parse_qs(path.query)["user_id"][0])}
        if method == b"GET" and path.path.startswith(ONE):
            return self._by_id.get(path.path.removeprefix(ONE))
        return {"status": "ok", "version": "1"}

    def _add(self, body: dict[str, Any]) -> Any:
        text, owner = body["messages"][0]["content"], body["user_id"]
        memory = {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{owner}{text}{len(self._kept)}")),
            "memory": text,
            "hash": "9e107d9d372bb6826bd81d3542a419d6",
            "metadata": body.get("metadata"),
            "created_at": "2026-01-01T08:00:00.000000+00:00",
            "updated_at": "2026-01-01T08:00:00.000000+00:00",
            "user_id": owner,
        }
        kept = self._kept.setdefault(owner, [])
        kept.insert(0, memory)
        self._by_id[memory["id"]] = memory
        for oldest in kept[MOST:]:
            self._by_id.pop(oldest["id"], None)
        del kept[MOST:]
        return {"results": [{"id": memory["id"], "memory": text, "event": "ADD"}]}

    def _of(self, owner: str, **more: Any) -> list[dict[str, Any]]:
        return [memory | more for memory in self._kept.get(owner, ())[:PAGE]]


class Speaker(asyncio.Protocol):
    """One connection."""

    def __init__(self, store: Store) -> None:
        self._store, self._body, self._target = store, b"", b""
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self._target, self._body = url, b""

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        said = self._store.answer(self._parser.get_method(), self._target, self._body)
        body = json.dumps(said).encode()
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self._transport.write(head % len(body) + body)


async def serve(port: int) -> None:
    """Answer until the process ends."""
    store = Store()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Speaker(store), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
