"""The listener over aiohttp's server: no echo of bytes; connections are counted."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import SERVER_SOFTWARE
from aiohttp.http_exceptions import BadHttpMessage, LineTooLong
from aiohttp.web_protocol import RequestHandler
from multidict import CIMultiDict

from proxy.gateway.exchange import by_name
from proxy.gateway.listener import heads, refusal
from proxy.gateway.listener.call import Answer, Handler, text_of
from proxy.gateway.listener.chunks import Chunks
from proxy.gateway.wire.limits import Limits
from proxy.problems import Problem
from proxy.telemetry import get_logger
from proxy.upstreams.transport import Headers

_LOG = get_logger("gateway")
_NEVER = b"\0\r\n"  # wherever it stands but in a body, the parser refuses it
_MANY = "Too many headers"


class AiohttpCall:
    """A request of aiohttp's server as the gateway asks for it (``Call``).

    Raises:
        Problem: ``malformed-body`` if its headers are no text.
    """

    __slots__ = ("_request", "_streamed", "headers", "named")

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self.headers = text_of(request.raw_headers)
        self.named = by_name(self.headers)
        self._streamed: _UnsignedStream | None = None

    @property
    def method(self) -> str:
        return self._request.method

    @property
    def target(self) -> str:
        return self._request.raw_path

    @property
    def version(self) -> str:
        major, minor = self._request.version
        return f"{major}.{minor}"

    @property
    def scheme(self) -> str:
        return self._request.scheme

    @property
    def peer(self) -> str:
        return self._request.remote or ""

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] | None = self._request.get_extra_info("peercert")
        return found

    @property
    def length(self) -> int:
        return self._request.content_length or 0

    @property
    def arrived(self) -> bool:
        return self._request.content.is_eof()

    def taken(self) -> bytes:
        return self._request.content.read_nowait()

    def pieces(self) -> AsyncIterator[bytes]:
        return self._request.content.iter_any()

    async def go_on(self) -> None:
        await self._request.writer.write(heads.CONTINUE)
        self._request.writer.output_size = 0  # nothing of the answer is sent yet

    async def begin(self, status: int, headers: Headers) -> None:
        self._streamed = _UnsignedStream(status=status, headers=CIMultiDict(headers))
        if "transfer-encoding" in self.named:
            self._streamed.force_close()  # as in ``_Whole``
        await self._streamed.prepare(self._request)

    async def write(self, piece: bytes) -> None:
        await self.stream().write(piece)

    async def end(self) -> None:
        await self.stream().write_eof()

    def cut(self) -> None:
        if self._request.transport is not None:
            self._request.transport.close()
        self.stream().force_close()

    @property
    def begun(self) -> bool:
        """Whether a part of the answer is sent."""
        return self._streamed is not None

    def stream(self) -> "_UnsignedStream":
        """What was begun.

        Raises:
            RuntimeError: nothing was.
        """
        if self._streamed is None:
            raise RuntimeError("an answer in pieces has no head")
        return self._streamed


class _Whole(web.StreamResponse):
    """An answer in one piece, with the headers that it has and no server's name.

    It has what the server asks of a response, and none of the rest: that costs half of a request.

    Args:
        last: whether the connection ends with it in any case. After a body in chunks it does:
            aiohttp's parser takes the last trailer for a header of the next request.
        unread: whether the request could not be read; aiohttp calls its version 1.0 then.
    """

    def __init__(self, answer: Answer, *, last: bool = True, unread: bool = False) -> None:
        self._answer, self._last, self._unread = answer, last, unread
        self._keep_alive: bool | None = None

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Take the request that is answered."""
        self._asked = request
        self._keep_alive = request.keep_alive and not (self._answer.closes or self._last)
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Send it."""
        old = self._asked.version < (1, 1) and not self._unread
        sent = heads.whole(self._answer, self._asked.method, old=old, stays=bool(self._keep_alive))
        await self._asked.writer.write(sent)


class _UnsignedStream(web.StreamResponse):
    """A response, sent while it arrives, on which our server does not put its name.

    The store's own name passes.
    """

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        if self.headers.get("Server") == SERVER_SOFTWARE:
            del self.headers["Server"]


class _Connection(RequestHandler):
    """One connection; it is closed at once if there are too many."""

    __slots__ = ("_chunks", "ended")

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._chunks, self.ended = Chunks(), False
        server = self._manager
        if isinstance(server, _Server) and len(server.connections) > server.most:
            _LOG.warning("gateway.connections_full", count=server.most)
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on; what the parser would let pass becomes something that it refuses."""
        offence = self._chunks.offence(data)
        super().data_received(data if offence < 0 else data[:offence] + _NEVER)

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client sends no more; True keeps the connection until it has its answer."""
        idle = self._waiter is not None and not self._messages
        asked = self._current_request
        halved = asked is not None and not asked.content.is_eof()
        self.ended = not (idle or halved or self.ssl_context is not None)
        return self.ended

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
        answer = refusal.refusal(self._problem(status, exc), exc if status >= 500 else None)
        return _Whole(answer, unread=True)

    def _problem(self, status: int, failure: BaseException | None) -> Problem:
        if status >= 500:
            return refusal.failed()
        if isinstance(failure, LineTooLong):
            return refusal.too_long()
        if isinstance(failure, BadHttpMessage) and failure.message.startswith(_MANY):
            return refusal.too_many()
        return refusal.head_too_long() if self._chunks.over else refusal.malformed()


class _Server(web.Server):
    most = 0

    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


class AiohttpRunner(web.BaseRunner):
    """Serves a handler over connections of aiohttp's; bodies stay as they came off the wire.

    There are no routes or middlewares to go through, so it is no ``aiohttp.web.Application``.

    Args:
        linger: seconds in which the rest of a refused body is read and thrown away.
        options: as ``aiohttp.web.BaseRunner`` takes them.
    """

    def __init__(self, handler: Handler, limits: Limits, linger: float, **options: Any) -> None:
        super().__init__(
            access_log=None, auto_decompress=False, lingering_time=linger,
            keepalive_timeout=limits.idle_seconds, max_headers=limits.headers,
            max_line_size=limits.line, max_field_size=limits.line, **options,
        )  # fmt: skip
        self._handler, self._most = handler, limits.connections

    async def shutdown(self) -> None:
        """Nothing but the connections has to end."""

    async def _make_server(self) -> web.Server:
        server = _Server(self._handle, **self._kwargs)
        server.most = self._most
        return server

    async def _cleanup_server(self) -> None:
        """Nothing was opened beside the server."""

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            call = AiohttpCall(request)
        except Problem as problem:
            return _Whole(refusal.refusal(problem))
        answer = await self._handler(call)
        if answer is not None and not call.begun:
            ended = isinstance(request.protocol, _Connection) and request.protocol.ended
            return _Whole(answer, last=ended or "transfer-encoding" in call.named)
        if answer is not None:
            call.cut()  # what was begun cannot be taken back, only not end well
        return call.stream()
