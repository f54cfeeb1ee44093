"""The server below the requests: no HTTP, no echo; connections are counted."""

from collections.abc import Awaitable, Callable
from functools import cache
from http import HTTPStatus
from typing import Any

from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from aiohttp.web_protocol import RequestHandler

from proxy import ids
from proxy.gateway.errors import problem_reply
from proxy.gateway.exchange import Reply
from proxy.problems import Problem
from proxy.telemetry import get_logger, metrics

_LOG = get_logger("gateway")
_MANY = "Too many headers"
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Whole(web.StreamResponse):
    """An answer that is sent in one piece, with the headers that it has and no server's name.

    It has what the server asks of a response, and none of the rest: that costs half of a request.

    Args:
        closes: whether the connection ends with it.
        bare: whether there is no body, nor the length of one.
    """

    def __init__(self, reply: Reply, *, closes: bool, bare: bool = False) -> None:
        self._reply, self._closes, self._bare = reply, closes, bare
        self._keep_alive: bool | None = None

    def force_close(self) -> None:
        """Let the connection end with this answer."""
        self._closes = True

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Take the request that is answered."""
        self._asked = request
        self._keep_alive = request.keep_alive and not self._closes
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Send it."""
        length = None if self._bare else len(self._reply.body)
        head = _head(self._reply, self._asked, length, keep_alive=bool(self._keep_alive))
        bodiless = self._bare or self._asked.method == "HEAD"
        await self._asked.writer.write(head if bodiless else head + self._reply.body)


def _head(reply: Reply, request: web.BaseRequest, length: int | None, *, keep_alive: bool) -> bytes:
    """The status line and the headers.

    Raises:
        ValueError: a line would end where it should not.
    """
    old = request.version == HttpVersion10
    lines = [f"HTTP/1.{0 if old else 1} {reply.status} {_phrase(reply.status)}"]
    known = set()
    for name, value in reply.headers:
        known.add(name.lower())
        lines.append(f"{name}: {value}")
    if length is not None:
        lines.append(f"Content-Length: {length}")
    if "date" not in known:
        lines.append(f"Date: {rfc822_formatted_time()}")
    if not keep_alive:
        lines.append("Connection: close")
    elif old:
        lines.append("Connection: keep-alive")
    head = "\r\n".join(lines)
    breaks = len(lines) - 1
    if head.count("\r") != breaks or head.count("\n") != breaks:
        raise ValueError("a header holds a line break")
    return f"{head}\r\n\r\n".encode("utf-8", "surrogateescape")


@cache
def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""


class UnsignedStream(web.StreamResponse):
    """A response, sent while it arrives, on which our server does not put its name.

    The store's own name passes.
    """

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
        return Whole(reply, closes=True)


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
        Problem: ``expectation-failed`` if it expects anything else.
    """
    if request.version != HttpVersion11:
        return
    if request.headers["Expect"].lower() != "100-continue":
        raise Problem("expectation-failed", "The request expects what is not known here.")
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
