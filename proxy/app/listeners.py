"""Two listeners that answer from the first moment: first that we are starting, then in earnest."""

import errno
import socket
import ssl
from collections.abc import Awaitable, Callable

import orjson
from aiohttp import web

from proxy import ids
from proxy.config.errors import AddressTaken
from proxy.config.schema import Tls
from proxy.config.types import Address
from proxy.problems import Problem
from proxy.telemetry.refusals import tell_refusal

_BACKLOG = 512
_RETRY_SECONDS = 2


def bind(address: Address, *, shared: bool = False) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Args:
        shared: bound for one of several processes (SO_REUSEPORT), and not listening yet.

    Raises:
        AddressTaken: something else listens there.
        OSError: the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise AddressTaken(address) from None
        raise OSError(error.errno, f"{error.strerror}: {address}") from None
    if not shared:
        listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


def url(listener: socket.socket, *, tls: bool) -> str:
    """The listener's base URL."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{shown}:{port}"


def context(tls: Tls | None, *, asks: bool = True) -> ssl.SSLContext | None:
    """The TLS settings of a listener; None for plain HTTP.

    Args:
        asks: whether callers show a certificate where ``client_ca`` is set.
    """
    if tls is None:
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(tls.certificate, tls.key)
    if tls.client_ca is not None and asks:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(tls.client_ca)
    return made


class Listener:
    """One bound socket whose application can be exchanged without losing a connection."""

    def __init__(self, bound: socket.socket, tls: ssl.SSLContext | None) -> None:
        self._socket, self._tls = bound, tls
        self._runner: web.BaseRunner | None = None

    async def serve(self, runner: web.BaseRunner) -> None:
        """Serve with this runner from now on; the earlier one is cleaned up."""
        await runner.setup()
        # A copy of the socket: cleaning a runner up closes its socket, not the queue behind it.
        await web.SockSite(runner, self._socket.dup(), ssl_context=self._tls).start()
        earlier, self._runner = self._runner, runner
        if earlier is not None:
            await earlier.cleanup()

    async def close(self) -> None:
        """Refuse new connections, let running requests end, close."""
        self._socket.close()
        if self._runner is not None:
            await self._runner.cleanup()


def waiting_runner(ready_paths: Callable[[str], bool]) -> web.AppRunner:
    """What answers while we start: 503 with Retry-After, but alive.

    Args:
        ready_paths: whether a path asks only for liveness.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        if ready_paths(request.path):
            return web.json_response({"status": "starting"})
        problem = Problem("starting", "Models, keys or policies are still loading.",
                          retry_after=_RETRY_SECONDS)  # fmt: skip
        request_id = ids.new("req")
        tell_refusal(request_id, problem.slug, problem.status, problem.detail)
        response = web.Response(
            status=problem.status,
            body=orjson.dumps(problem.body(request_id)),
            content_type="application/problem+json",
            headers={"Retry-After": str(_RETRY_SECONDS)},
        )
        response.force_close()
        return response

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    return web.AppRunner(app, access_log=None, shutdown_timeout=1)


Stop = Callable[[], Awaitable[None]]
