"""The server below the requests: no HTTP, no echo; connections are counted."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.http import SERVER_SOFTWARE
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from aiohttp.web_protocol import RequestHandler

from proxy import ids
from proxy.gateway.errors import problem_reply
from proxy.problems import Problem
from proxy.telemetry import get_logger, metrics

_LOG = get_logger("gateway")
_MANY = "Too many headers"
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Unsigned(web.Response):
    """A response on which our server does not put its name; the store's own name passes."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        if self.headers.get("Server") == SERVER_SOFTWARE:
            del self.headers["Server"]


class UnsignedStream(web.StreamResponse):
    """As ``Unsigned``, for an answer that is sent while it arrives."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        if self.headers.get("Server") == SERVER_SOFTWARE:
            del self.headers["Server"]


class _Connection(RequestHandler):
    """One connection; it is closed at once if there are too many."""

    __slots__ = ()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        server = self._manager
        if isinstance(server, _Server) and len(server.connections) > server.most:
            _LOG.warning("gateway.connections_full", count=server.most)
            transport.abort()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # it quotes the bytes
    ) -> web.StreamResponse:
        """Answer what the parser refused, or a failure below the handler; then close."""
        if request.writer.output_size > 0:
            raise ConnectionError("a part of the answer is sent already")
        problem = _problem(status, exc)
        _LOG.warning(
            "gateway.malformed", slug=problem.slug, exc_info=exc if status >= 500 else None
        )
        metrics.REFUSALS.labels(problem.slug).inc()
        reply = problem_reply(problem, ids.new("req"), None)
        response = Unsigned(status=reply.status, headers=dict(reply.headers), body=reply.body)
        response.force_close()
        return response


def _problem(status: int, failure: BaseException | None) -> Problem:
    if status >= 500:
        return Problem("internal", "Something went wrong.", upstream="unknown")
    if isinstance(failure, LineTooLong):
        return Problem(
            "too-large", "The request line or a header is too long.", hint="See limits.line."
        )
    if isinstance(failure, BadHttpMessage) and failure.message.startswith(_MANY):
        return Problem("too-large", "The request has too many headers.", hint="See limits.headers.")
    return Problem(
        "invalid-request",
        "The bytes are not a well-formed HTTP/1.1 request.",
        hint="Check the client's framing; the connection is closed.",
    )


class _Server(web.Server):
    most = 0

    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


async def meet(request: web.BaseRequest) -> None:
    """Ask for the body that a client holds back (RFC 9110 §10.1.1).

    Raises:
        HTTPExpectationFailed: it expects anything else.
    """
    if request.version != HttpVersion11:
        return
    if request.headers["Expect"].lower() != "100-continue":
        raise web.HTTPExpectationFailed
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # nothing of the answer is sent yet


class DataRunner(web.BaseRunner):
    """Serves a handler over connections of ours.

    Args:
        connections: how many clients may be connected at once.
        options: as ``aiohttp.web.Server`` and ``aiohttp.web.BaseRunner`` take them.
    """

    def __init__(self, handler: Handler, *, connections: int, **options: Any) -> None:
        super().__init__(**options)
        self._handler, self._most = handler, connections

    async def shutdown(self) -> None:
        """Nothing but the connections has to end."""

    async def _make_server(self) -> web.Server:
        server = _Server(self._handler, **self._kwargs)
        server.most = self._most
        return server

    async def _cleanup_server(self) -> None:
        """Nothing was opened beside the server."""
