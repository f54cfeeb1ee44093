"""The listener: both dialects on one loopback address, until a signal ends it."""

import asyncio
import json
import os
import signal
import sys

from aiohttp import web

from proxy.clock import Clock, SystemClock
from proxy.embedded.engine import Engine
from proxy.embedded.events import Events
from proxy.embedded.oss import OssRoutes
from proxy.embedded.platform import PlatformRoutes
from proxy.embedded.replies import answer_failures, authenticated
from proxy.embedded.settings import StoreSettings

BODY_LIMIT = 64 * 1024 * 1024


def build_app(engine: Engine, api_key: str, clock: Clock) -> web.Application:
    """The application over an opened engine."""
    app = web.Application(
        middlewares=[answer_failures, authenticated(api_key)], client_max_size=BODY_LIMIT
    )
    PlatformRoutes(engine, Events(clock)).register(app)
    OssRoutes(engine).register(app)
    return app


async def serve(settings: StoreSettings, *, stop_with_input: bool = False) -> None:
    """Serve until SIGTERM or SIGINT; print one JSON line when ready.

    Args:
        settings: where the data is, where to listen.
        stop_with_input: also stop when standard input ends, as it does when a parent dies.

    Raises:
        StoreLocked: another process holds the data directory.
        OSError: the address cannot be bound.
    """
    stopped = _stop_event(stop_with_input=stop_with_input)
    engine = Engine(settings)
    await engine.open()
    runner = web.AppRunner(
        build_app(engine, settings.api_key, SystemClock()), access_log=None, shutdown_timeout=10
    )
    try:
        await runner.setup()
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        _announce(runner, settings)
        await stopped.wait()
    finally:
        await runner.cleanup()
        await engine.close()


def _announce(runner: web.AppRunner, settings: StoreSettings) -> None:
    host, port = runner.addresses[0][:2]
    shown = f"[{host}]" if ":" in host else host
    ready = {"url": f"http://{shown}:{port}", "pid": os.getpid(), "api_key": settings.api_key}
    sys.stdout.write(json.dumps(ready) + "\n")
    sys.stdout.flush()


def _stop_event(*, stop_with_input: bool) -> asyncio.Event:
    """Set by a signal or the end of input, from now on: before anybody is told of this process."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    if stop_with_input:
        loop.add_reader(sys.stdin.fileno(), _read_input, stopped)
    return stopped


def _read_input(stopped: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stopped.set()
