"""Workers of one service among themselves: each says on a private socket how it is."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import orjson
from aiohttp import web

from proxy.telemetry.exposition import exposition, merged

_SECONDS = 2.0
Report = Callable[[], Awaitable[Mapping[str, Any]]]


def address(folder: Path, number: int) -> Path:
    """The private socket of a worker; the folder is ours alone."""
    return folder / f"{number}.sock"


async def answer(path: Path, report: Report) -> web.AppRunner:
    """Answer the first worker on a private socket: readiness and instruments."""

    async def ready(_: web.Request) -> web.Response:
        return web.Response(body=orjson.dumps(await report()))

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=await exposition())

    app = web.Application()
    app.router.add_get("/readyz", ready)
    app.router.add_get("/metrics", metrics)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await asyncio.to_thread(path.unlink, missing_ok=True)
    await web.UnixSite(runner, str(path)).start()
    return runner


@dataclass(slots=True)
class Peers:
    """The other workers, as the first one sees them.

    Args:
        folder: where their private sockets are.
        count: workers of the service, the first one included.
        own: readiness of this worker.
    """

    folder: Path
    count: int
    own: Report
    _ready: bool = field(default=False)

    def ready(self) -> bool:
        """Whether all of them were ready under our policies when we last looked."""
        return self._ready

    async def look(self) -> None:
        """Ask each for its readiness and the digests of its policies."""
        ours = _digests(await self.own())
        found = [await self._ask(number, "/readyz") for number in range(1, self.count)]
        reports = [orjson.loads(text) for text in found if text]
        good = [one["ready"] and _digests(one) == ours for one in reports]
        self._ready = len(good) == self.count - 1 and all(good)

    async def metrics(self) -> bytes:
        """The instruments of all workers that answer."""
        texts = {0: (await exposition()).decode()}
        for number in range(1, self.count):
            if text := await self._ask(number, "/metrics"):
                texts[number] = text
        return merged(texts)

    async def _ask(self, number: int, path: str) -> str:
        connector = aiohttp.UnixConnector(str(address(self.folder, number)))
        limit = aiohttp.ClientTimeout(total=_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(connector=connector, timeout=limit) as session,
                session.get(f"http://worker{path}") as reply,
            ):
                return await reply.text()
        except (aiohttp.ClientError, OSError):
            return ""


def _digests(report: Mapping[str, Any]) -> dict[str, str]:
    return {source: entry["digest"] for source, entry in report["policies"].items()}
