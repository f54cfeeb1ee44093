"""Start, serve, drain: the life of the process."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from aiohttp import web

from proxy.app.build import Services, Task, build
from proxy.app.claim import claimed
from proxy.app.listeners import Listener, bind, context, url, waiting_runner
from proxy.app.loop import settle_heap
from proxy.app.peers import Peers
from proxy.app.workers import Workers
from proxy.clock import Clock, SystemClock
from proxy.config import Config
from proxy.control.routes import ROUTES
from proxy.control.server import build_control_app
from proxy.gateway.server import Gateway, data_runner
from proxy.telemetry import get_logger

_log = get_logger("app")
_LOOK_EVERY = timedelta(seconds=1)
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the two planes are reached."""

    data_url: str
    control_url: str


Announce = Callable[[Addresses], None]
Fleet = tuple[Path, int]


async def run(config: Config, announce: Announce) -> None:
    """Serve until SIGTERM or SIGINT."""
    await serve(config, announce, stop=stop_on_signals())


async def serve(
    config: Config,
    announce: Announce,
    *,
    clock: Clock | None = None,
    stop: asyncio.Event,
    after: Awaitable[object] | None = None,
    beside: Mapping[str, Callable[[], bool]] | None = None,
    sockets: tuple[socket.socket, socket.socket] | None = None,
    fleet: Fleet | None = None,
) -> None:
    """Serve both planes until ``stop`` is set, then drain.

    Args:
        config: the checked configuration.
        announce: called once everything is loaded and both planes answer in earnest.
        clock: the machine's when absent.
        stop: set by a signal or a test.
        after: awaited before ``announce``; may run while models load.
        beside: parts of readiness that the caller looks after, by name.
        sockets: of the data plane and the control plane, bound already.
        fleet: the other workers' private sockets and how many workers there are, this included.

    Raises:
        Problem: something could not be loaded; both listeners are closed again.
        OSError: an address cannot be bound.
    """
    sockets = sockets or (bind(config.listen.data), bind(config.listen.control))
    tls = config.listen.tls
    data = Listener(sockets[0], context(tls))
    control = Listener(sockets[1], context(tls, asks=tls is not None and tls.control_asks))
    try:
        await _wait_on(config, data, control)
        claim = claimed(config) if fleet is None else nullcontext()  # the supervisor has it
        async with claim, build(config, clock or SystemClock()) as services:
            services.readiness.beside = beside or {}
            services.gateway.ledger.alone = fleet is None
            if fleet is not None:
                own = partial(services.readiness.report, proves=False)
                services = _leading(services, Peers(*fleet, own))
            if after is not None:
                await after
            await _serve(config, services, data, control, sockets, announce, stop)
    finally:
        await data.close()
        await control.close()


def _leading(services: Services, peers: Peers) -> Services:
    """The same, speaking for the other workers as well."""
    services.readiness.beside = {**services.readiness.beside, "workers": peers.ready}
    front = replace(services.control.front, metrics=peers.metrics)
    look = Task("peers", _LOOK_EVERY, peers.look)
    return replace(
        services,
        control=replace(services.control, front=front),
        tasks=(*services.tasks, look),
    )


async def _wait_on(config: Config, data: Listener, control: Listener) -> None:
    await data.serve(waiting_runner(lambda _: False))
    alive = f"{config.listen.base_path}/healthz"
    await control.serve(waiting_runner(lambda path: path == alive))


async def _serve(
    config: Config,
    services: Services,
    data: Listener,
    control: Listener,
    sockets: tuple[socket.socket, socket.socket],
    announce: Announce,
    stop: asyncio.Event,
) -> None:
    control_app = build_control_app(services.control, ROUTES)
    drain = config.limits.drain.total_seconds()
    await control.serve(web.AppRunner(control_app, access_log=None, shutdown_timeout=drain))
    gateway, kind = Gateway(services.gateway), config.listen.server
    await data.serve(data_runner(gateway, kind, shutdown_timeout=drain))
    async with Workers(services):
        tls = config.listen.tls is not None
        data_url, control_url = (url(bound, tls=tls) for bound in sockets)
        settle_heap()
        announce(Addresses(data_url, control_url + config.listen.base_path))
        _log.info("service.started")
        await stop.wait()
        services.readiness.draining = True
        _log.info("service.draining")
        await asyncio.sleep(config.limits.grace.total_seconds())  # whoever sends here learns of it
        await data.close()


def stop_on_signals() -> asyncio.Event:
    """An event that SIGTERM and SIGINT set."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop.set)
    return stop
