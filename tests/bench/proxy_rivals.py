"""The least that aiohttp can do as a reverse proxy: no checks, no policy, no ledger.

Run as ``python -m tests.bench.proxy_rivals PORT UPSTREAM``.
"""

import asyncio
import sys

import aiohttp
from aiohttp import web
from yarl import URL


async def serve(port: int, upstream: str) -> None:
    """Pass everything on until the process ends."""
    async with aiohttp.ClientSession(auto_decompress=False) as session:

        async def hop(request: web.BaseRequest) -> web.StreamResponse:
            target = URL(upstream + request.raw_path, encoded=True)
            body = await request.read()
            headers = {"Content-Type": request.content_type}
            async with session.request(
                request.method, target, data=body or None, headers=headers
            ) as reply:
                return web.Response(
                    status=reply.status,
                    body=await reply.read(),
                    headers={"Content-Type": reply.headers["Content-Type"]},
                )

        runner = web.ServerRunner(web.Server(hop, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
