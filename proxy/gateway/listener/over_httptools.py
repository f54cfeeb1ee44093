"""The listener over connections of our own, read by httptools (llhttp): the fast one."""

import asyncio
from typing import Any

from aiohttp import web

from proxy.gateway.listener.call import Handler
from proxy.gateway.listener.connection import Connection
from proxy.gateway.listener.known_heads import KnownHeads
from proxy.gateway.wire.limits import Limits
from proxy.telemetry import get_logger

_LOG = get_logger("gateway")


class Server:
    """Makes a connection for each client, counts them and ends them.

    Args:
        linger: seconds in which the rest of a refused body is read and thrown away.
    """

    def __init__(self, handler: Handler, limits: Limits, linger: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.handler, self.limits, self.linger = handler, limits, linger
        self.idle = limits.idle_seconds
        self.heads = KnownHeads(self.loop)
        self._open: set[Connection] = set()

    def __call__(self) -> Connection:
        """One more client."""
        return Connection(self)

    def admit(self, connection: Connection) -> bool:
        """Count a client in; False if there are too many."""
        self._open.add(connection)
        if len(self._open) > self.limits.connections:
            _LOG.warning("gateway.connections_full", count=self.limits.connections)
            return False
        return True

    def leave(self, connection: Connection) -> None:
        """A client is gone and its last request is done."""
        self._open.discard(connection)

    def pre_shutdown(self) -> None:
        """Take no further request."""
        for connection in list(self._open):
            connection.drain()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109  (aiohttp's)
        """Let requests at work end, then end them.

        Args:
            timeout: seconds they get.
        """
        at_work = {each.task: each for each in self._open if each.task is not None}
        if not at_work:
            return
        _, late = await asyncio.wait(at_work, timeout=timeout)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for task in late:
            at_work[task].abort()


class HttptoolsRunner(web.BaseRunner):
    """Serves a handler over connections of ours; sockets and sites are those of aiohttp.

    Args:
        options: as ``aiohttp.web.BaseRunner`` takes them.
    """

    def __init__(self, handler: Handler, limits: Limits, linger: float, **options: Any) -> None:
        super().__init__(**options)
        self._handler, self._limits, self._linger = handler, limits, linger

    async def shutdown(self) -> None:
        """Nothing but the connections has to end."""

    async def _make_server(self) -> Any:
        return Server(self._handler, self._limits, self._linger)

    async def _cleanup_server(self) -> None:
        """Nothing was opened beside the server."""
