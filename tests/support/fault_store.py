"""A store that only injects faults: it counts what reaches it and answers as it is told to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def json(self) -> Any:
        """The body, parsed."""
        return orjson.loads(self.body)

    def values(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


Script = Callable[[Received], web.StreamResponse | Awaitable[web.StreamResponse]]


def answer(body: Any = None, status: int = 200, **headers: str) -> web.Response:
    """A JSON answer."""
    return web.Response(
        body=orjson.dumps(body),
        status=status,
        headers={"Content-Type": "application/json", **headers},
    )


MEMORY_ID = "11111111-1111-4111-8111-111111111111"


def added(memory_id: str = MEMORY_ID, text: str = "kept") -> web.Response:
    """What the platform says after an add."""
    item = {"id": memory_id, "data": {"memory": text}, "event": "ADD"}
    return answer({"results": [item], "status": "SUCCEEDED"})


ADDS = ("/v3/memories/add/", "/v1/memories/", "/memories")


@dataclass
class FaultStore:
    """Counts requests; ``script`` answers them.

    What it says that it added it shows when asked for it by id (not counted, nor scripted), under
    the owners and with the metadata of the request that first made it.
    """

    url: str = ""
    requests: list[Received] = field(default_factory=list)
    script: Script = field(default=lambda _: answer({"results": []}))
    cut: bool = False  # read the request, then close the connection
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    keeps: Callable[[str], bool] = field(default=lambda _: True)  # whether it did add what it says
    read_backs: list[str] = field(default_factory=list)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Record, then do as told."""
        headers = tuple((k.decode(), v.decode()) for k, v in request.raw_headers)
        received = Received(request.method, request.raw_path, headers, await request.read())
        memory_id = received.target.strip("/").rpartition("/")[2]
        own = request.method == "GET" and not received.values("Via")  # not a client's request
        if own and memory_id in self.kept and not self.cut:
            self.read_backs.append(memory_id)
            return answer(self.kept[memory_id])
        self.requests.append(received)
        if self.cut:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        found = self.script(received)
        said: web.StreamResponse = await found if asyncio.iscoroutine(found) else found  # type: ignore[assignment]
        if received.method == "POST" and received.target in ADDS:
            self._keep(received, said)
        return said

    def _keep(self, received: Received, said: web.StreamResponse) -> None:
        body = getattr(said, "body", None)
        try:
            made, asked = orjson.loads(body or b""), received.json()
        except (orjson.JSONDecodeError, TypeError):
            return
        for item in made.get("results") or [] if isinstance(made, dict) else []:
            text = item.get("memory") or (item.get("data") or {}).get("memory")
            owned = {k: v for k, v in asked.items() if k.endswith("_id")}
            shown = {"id": item.get("id"), "memory": text, "metadata": asked.get("metadata")}
            if self.keeps(str(item.get("id"))):
                self.kept.setdefault(str(item.get("id")), shown | owned)


@asynccontextmanager
async def fault_store() -> AsyncIterator[FaultStore]:
    """A running fault store."""
    store = FaultStore()
    runner = web.ServerRunner(web.Server(store.handle, auto_decompress=False), shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    store.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield store
    finally:
        await runner.cleanup()
