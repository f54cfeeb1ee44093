"""HTTP/1.1 to a store over bare connections: the transport for those who count microseconds.

What goes out is written in one piece; what comes back is read by llhttp in its strict mode. A
connection is used again only after a whole answer with nothing behind it, and nothing is ever sent
twice.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import httptools
from yarl import URL

from proxy.problems import Problem
from proxy.upstreams.places import Places
from proxy.upstreams.transport import (
    EMPTY,
    Timeouts,
    UpstreamReply,
    UpstreamRequest,
    failure,
    header_text,
    tls_failure,
)

IDLE_SECONDS = 15.0
MAX_HEAD = 64 * 1024
MAX_KNOWN = 4 * 1024  # bytes of a head that is compared with the next one
_END = b"\r\n\r\n"
_BODILESS = frozenset({"HEAD"})
_EXPECTS_LENGTH = frozenset({"POST", "PUT", "PATCH"})
_DEFAULT_WAITS = Timeouts()
_FRAMING = frozenset({"content-length", "transfer-encoding"})
_SET_HERE = frozenset({"host", "content-length", "transfer-encoding", "connection"})


class WireTransport:
    """Transport over kept connections of our own; arguments as for ``AiohttpTransport``."""

    def __init__(
        self,
        base_url: str,
        credential: tuple[str, str] | None = None,
        timeouts: Timeouts = _DEFAULT_WAITS,
        *,
        tls: ssl.SSLContext | None = None,
        limit: int = 100,
        max_reply: int = 64 * 1024 * 1024,
    ) -> None:
        self._base = URL(base_url.rstrip("/"))
        self._prefix = self._base.raw_path.rstrip("/")
        self._host = f"HTTP/1.1\r\nHost: {_host(self._base)}"
        self._credential, self._timeouts = credential, timeouts
        self._max_reply, self._tls = max_reply, tls
        self._idle: deque[Connection] = deque()
        self._places = Places(limit)
        self._closed = False

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        head = request.heads.get(self)  # it was sent before
        if head is None:
            start = f"{request.method} {self._prefix}{request.target} {self._host}"
            head = request.heads[self] = _head(
                start, request, request.credential or self._credential
            )
        if not self._places.take():
            await self._wait_for_a_place()
        try:
            connection = self._take() or await self._connect()
            try:
                return await connection.exchange(request, head)
            finally:
                self._give_back(connection)
        finally:
            self._places.give()

    async def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().abandon()

    async def _wait_for_a_place(self) -> None:
        try:
            async with asyncio.timeout(self._timeouts.total):
                await self._places.wait()
        except TimeoutError:
            raise failure("upstream-timeout", "not_sent") from None

    def _take(self) -> "Connection | None":
        """The connection that was used last, if it is still good."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and connection.idle <= IDLE_SECONDS:
                return connection
            connection.abandon()
        return None

    def _give_back(self, connection: "Connection") -> None:
        if not connection.usable or self._closed:
            connection.abandon()
            return
        self._idle.append(connection)
        oldest = connection.since - IDLE_SECONDS
        while self._idle[0].since < oldest or not self._idle[0].usable:
            self._idle.popleft().abandon()

    async def _connect(self) -> "Connection":
        loop, base = asyncio.get_running_loop(), self._base
        tls = (self._tls or _system_tls()) if base.scheme == "https" else None
        try:
            async with asyncio.timeout(self._timeouts.connect):
                _, connection = await loop.create_connection(
                    lambda: Connection(loop, self._timeouts, self._max_reply),
                    base.raw_host or "", base.port or 80, ssl=tls,
                )  # fmt: skip
        except TimeoutError:
            raise failure("upstream-timeout", "not_sent") from None
        except ssl.SSLError:
            raise tls_failure() from None
        except (OSError, ValueError):  # ValueError: no such host name
            raise failure("upstream-unreachable", "not_sent") from None
        return connection


class _Head:
    """Headers of an answer, and what they say of its end.

    Attributes:
        length: of the body as it was stated; 0 if it was not.
        sized: whether a length was stated.
        open: whether the body ends with the connection.
        clear: whether its end can be understood in one way only.
    """

    __slots__ = ("clear", "headers", "length", "open", "said", "sized")

    def __init__(self, said: list[tuple[bytes, bytes]]) -> None:
        self.said = said
        self.headers = tuple((name.decode("latin-1"), header_text(value)) for name, value in said)
        framing = [pair for pair in self.headers if pair[0].lower() in _FRAMING]
        self.open = not framing
        self.clear = len(framing) < 2 and all(map(_is_understood, framing))
        lengths = [value for name, value in framing if name.lower() == "content-length"]
        self.sized = bool(lengths)
        self.length = max(map(_whole, lengths), default=0)


class Connection(asyncio.Protocol):
    """One connection; one exchange at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, timeouts: Timeouts, max_reply: int) -> None:
        self._loop, self._timeouts, self._max_reply = loop, timeouts, max_reply
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[UpstreamReply] | None = None
        self._clock: asyncio.TimerHandle | None = None
        self.since = loop.time()  # of the last byte or, for an idle one, of the last answer
        self.usable = True
        self._bodiless = False
        self._ends = 0.0
        self._head = _Head([])
        self._fresh = True  # nothing of the answer has come
        self._known: tuple[bytes, int] | None = None  # the latest head as it came, and its status
        self._renew()

    @property
    def idle(self) -> float:
        """Seconds since something came or went."""
        return self._loop.time() - self.since

    async def exchange(self, request: UpstreamRequest, head: bytes) -> UpstreamReply:
        """Send once; raises as ``Transport.send``."""
        transport = self._transport
        if transport is None or transport.is_closing():
            self.usable = False
            raise failure("upstream-unreachable", "not_sent")
        self._bodiless, self._fresh = request.method in _BODILESS, True
        self._answer = self._loop.create_future()
        self.since = self._loop.time()
        self._ends = self.since + self._timeouts.total
        if self._clock is None:
            self._watch()
        transport.write(head + request.body if request.body else head)
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.usable = False
            raise
        finally:
            self._answer = None

    def abandon(self) -> None:
        """Cut it off."""
        self.usable = False
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        if self._transport is not None:
            self._transport.abort()

    # -- what the loop calls -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self.since = self._loop.time()
        if self._answer is None or self._answer.done():
            self.abandon()  # nobody asked
            return
        first, self._fresh = self._fresh, False
        if first and self._is_known(data):
            return
        self._known = None
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            if not self._answer.done():
                self._fail(failure("upstream-garbled", "sent"))
            self.usable = False
        if first and self.usable and self._answer.done():
            self._learn(data, self._answer.result().status)

    def connection_lost(self, error: Exception | None) -> None:
        self.usable = False
        self._transport = None
        if self._answer is None or self._answer.done():
            return
        if self._headed and self._head.open and error is None:
            self._complete()
        elif self._headed:
            self._fail(failure("upstream-garbled", "sent"))
        else:
            self._fail(failure("upstream-unreachable", "unknown"))

    # -- what the parser calls ---------------------------------------------------------------------

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._headed:
            return  # a trailer: it ends at this hop
        self._size += len(name) + len(value)
        if self._size > MAX_HEAD:
            self._fail(failure("upstream-garbled", "sent"))
        self._said.append((name, value))

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        if self._status < 200:
            return
        self._headed, self._size = True, 0
        if self._said != self._head.said:  # a store says mostly the same each time
            self._head = _Head(self._said)
        if not self._head.clear or self._is_oversized():
            self._fail(failure("upstream-garbled", "sent"))
        elif self._bodiless:
            self.usable = False  # the parser waits for a body that does not come
            self._complete()
        elif not self._parser.should_keep_alive():
            self.usable = False

    def on_body(self, body: bytes) -> None:
        self._size += len(body)
        if self._size > self._max_reply:
            self._fail(failure("upstream-garbled", "sent"))
        else:
            self._chunks.append(body)

    def on_message_complete(self) -> None:
        if self._status < 200:
            self._renew(parser=self._parser)
        else:
            self._complete()

    def on_message_begin(self) -> None:
        if self._answer is not None and self._answer.done():
            self.usable = False  # a second answer to one request

    # -- inside ------------------------------------------------------------------------------------

    def _is_known(self, data: bytes) -> bool:
        """Answer with what came, if it is an answer whose head says what the latest one said.

        A store that is asked the same again says mostly the same, but for its body.
        """
        if self._known is None or self._answer is None or not data.startswith(self._known[0]):
            return False
        raw, status = self._known
        if self._bodiless or len(data) != len(raw) + self._head.length:
            return False
        self._answer.set_result(UpstreamReply(status, self._head.headers, data[len(raw) :]))
        return True

    def _learn(self, data: bytes, status: int) -> None:
        """Know the head of an answer that came in one piece, if its length says its end."""
        raw = data[: data.find(_END) + len(_END)]
        alike = raw.count(b"\r\n") == len(self._head.said) + 2 and len(raw) <= MAX_KNOWN
        whole = len(data) == len(raw) + self._head.length
        if alike and whole and self._head.sized and status not in EMPTY and not self._bodiless:
            self._known = raw, status

    def _is_oversized(self) -> bool:
        """Whether a body comes that says at once that it is too large."""
        bodiless = self._bodiless or self._status in EMPTY
        return not bodiless and self._head.length > self._max_reply

    def _complete(self) -> None:
        if self._answer is not None and not self._answer.done():
            body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
            self._answer.set_result(UpstreamReply(self._status, self._head.headers, body))
        self._renew(parser=self._parser)

    def _fail(self, problem: Problem) -> None:
        self.abandon()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(problem)

    def _renew(self, parser: Any = None) -> None:
        """Ready for the next answer."""
        self._parser = parser or httptools.HttpResponseParser(self)
        self._said: list[tuple[bytes, bytes]] = []
        self._chunks: list[bytes] = []
        self._status = self._size = 0
        self._headed = False

    def _watch(self) -> None:
        """One timer for both limits and for all exchanges; when it is due it looks again."""
        due = min(self.since + self._timeouts.read, self._ends)
        self._clock = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        self._clock = None
        if self._answer is None:
            return  # the next exchange starts it again
        if self._loop.time() >= min(self.since + self._timeouts.read, self._ends):
            self._fail(failure("upstream-timeout", "unknown"))
        else:
            self._watch()


def _is_understood(framing: tuple[str, str]) -> bool:
    """A length, or chunks and no other transfer coding."""
    name, value = framing
    return name.lower() == "content-length" or value.strip().lower() == "chunked"


def _whole(length: str) -> int:
    """A length; what is none, the parser refuses."""
    return int(length) if length.isascii() and length.isdigit() else 0


@cache
def _system_tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _head(start: str, request: UpstreamRequest, credential: tuple[str, str] | None) -> bytes:
    """The request line and the headers.

    Args:
        start: the request line and the host's.

    Raises:
        Problem: ``invalid-request`` if a line would end where it should not.
    """
    lines = [start, *(f"{name}: {value}" for name, value in _headers(request, credential))]
    if request.body or request.method in _EXPECTS_LENGTH:
        lines.append(f"Content-Length: {len(request.body)}")
    head = "\r\n".join(lines)
    breaks = len(lines)  # the start has one
    if head.count("\r") != breaks or head.count("\n") != breaks or "\0" in head:
        raise Problem("invalid-request", "A header holds a line break.")
    return f"{head}\r\n\r\n".encode("utf-8", "surrogateescape")


def _headers(
    request: UpstreamRequest, credential: tuple[str, str] | None
) -> Iterator[tuple[str, str]]:
    ours = credential[0].lower() if credential else ""
    for name, value in request.headers:
        lower = name.lower()
        if lower not in _SET_HERE and lower != ours:
            yield name, value
    if credential is not None:
        yield credential


def _host(base: URL) -> str:
    return base.host_port_subcomponent or ""
