"""The small store behind a port, for workers in other processes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from proxy.upstreams.transport import UpstreamRequest
from tests.support.small_store import SmallStore


@asynccontextmanager
async def served(small: SmallStore) -> AsyncIterator[str]:
    """The address at which the store answers."""

    async def handle(request: web.BaseRequest) -> web.Response:
        body = await request.read()
        found = await small.send(UpstreamRequest(request.method, request.raw_path, (), body))
        return web.Response(status=found.status, body=found.body, content_type="application/json")

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=1)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
