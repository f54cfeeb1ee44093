"""One of several workers: ``python -m proxy.app.worker``, started and watched by the supervisor.

The first one has the control plane and all work beside the requests; the others serve the data
plane only and follow the policies by themselves.
"""

import argparse
import asyncio
import os
import socket
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from proxy import telemetry
from proxy.app.build import Services, build
from proxy.app.listeners import Listener, context
from proxy.app.loop import event_loop, settle_heap
from proxy.app.peers import address, answer
from proxy.app.serve import serve, stop_on_signals
from proxy.app.workers import Workers
from proxy.clock import SystemClock
from proxy.config import Config, load
from proxy.gateway.server import Gateway, data_runner
from proxy.problems import Problem

READY = "ready"
_EVERYWHERE = frozenset({"policies"})


def main() -> None:
    """Serve as one of several until a signal, or until the supervisor is gone."""
    asked = argparse.ArgumentParser(prog="python -m proxy.app.worker")
    for name, kind in (("config", Path), ("number", int), ("count", int), ("folder", Path)):
        asked.add_argument(f"--{name}", type=kind, required=True)
    asked.add_argument("--data", type=int, required=True)
    asked.add_argument("--control", type=int)
    given = asked.parse_args()
    config = load(given.config, os.environ).config
    level, form = config.telemetry.level, config.telemetry.format
    telemetry.configure(level=level, pretty=form == "console")
    try:
        with asyncio.Runner(loop_factory=event_loop) as runner:
            runner.run(_run(config, given))
    except Problem as problem:  # of the ledger or the keys, before it serves
        sys.stderr.write(f"{problem.kind.title}: {problem.detail}\n  {problem.hint}\n")
        raise SystemExit(problem.exit_code) from None


async def _run(config: Config, given: argparse.Namespace) -> None:
    stop = stop_on_signals()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _end_with_supervisor, stop)
    data = socket.socket(fileno=given.data)
    if given.control is not None:
        sockets = (data, socket.socket(fileno=given.control))
        await serve(config, lambda _: _say_ready(), stop=stop, sockets=sockets,
                    fleet=(given.folder, given.count))  # fmt: skip
        return
    async with build(config, SystemClock()) as services:
        await _serve_data(config, services, Listener(data, context(config.listen.tls)),
                          address(given.folder, given.number), stop)  # fmt: skip


async def _serve_data(
    config: Config, services: Services, data: Listener, path: Path, stop: asyncio.Event
) -> None:
    drain = config.limits.drain.total_seconds()
    tasks = tuple(task for task in services.tasks if task.name in _EVERYWHERE)
    peer = await answer(path, partial(services.readiness.report, proves=False))
    try:
        async with Workers(replace(services, tasks=tasks)):
            gateway, kind = Gateway(services.gateway), config.listen.server
            await data.serve(data_runner(gateway, kind, shutdown_timeout=drain))
            settle_heap()
            _say_ready()
            await stop.wait()
            services.readiness.draining = True
            await asyncio.sleep(config.limits.grace.total_seconds())
            await data.close()
    finally:
        await peer.cleanup()


def _say_ready() -> None:
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()


def _end_with_supervisor(stop: asyncio.Event) -> None:
    """Its end of our standard input closes when it ends, however it ends."""
    if not os.read(sys.stdin.fileno(), 1):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stop.set()


if __name__ == "__main__":
    main()
