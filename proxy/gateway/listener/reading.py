"""Bytes to requests: llhttp in its strict mode, and what it would let through.

Whatever two readers could understand differently is refused, and nothing behind it is read.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping

import httptools

from proxy.gateway.exchange import by_name
from proxy.gateway.listener import refusal
from proxy.gateway.listener.body import Body
from proxy.gateway.listener.call import text_of
from proxy.gateway.listener.chunks import Chunks
from proxy.gateway.listener.incoming import Head, Incoming
from proxy.gateway.listener.known_heads import KnownHeads
from proxy.gateway.listener.line import Line
from proxy.gateway.wire.limits import Limits
from proxy.problems import Problem
from proxy.upstreams.transport import Headers

_ONCE = frozenset(
    {"content-length", "content-location", "content-range", "content-type", "etag", "host",
     "max-forwards", "server", "transfer-encoding", "user-agent"}
)  # fmt: skip
_NEVER = "sec-websocket-key1"  # of a protocol before RFC 6455, with a body that has no length
_WHOLE_URL = re.compile(rb"(?i)[a-z][a-z0-9+.-]*://[^/?#]")
_AROUND = 16  # bytes of a line that are neither its name nor its value
_END = b"\r\n\r\n"


class Requests:
    """What one connection asks for, in order.

    Args:
        heads: those that came before, on whatever connection.
        relieved: told when a body that waited is taken.
    """

    def __init__(
        self, line: Line, limits: Limits, heads: KnownHeads, relieved: Callable[[], None]
    ) -> None:
        self._line, self._limits, self._heads, self._relieved = line, limits, heads, relieved
        self._chunks = Chunks()
        self._parser = httptools.HttpRequestParser(self)
        self.found: deque[Incoming | Problem] = deque()
        self.arriving: Incoming | None = None  # its body is not complete
        self.deaf = False  # nothing more is read
        self._silent = 0  # bytes of which nothing came yet
        self._first = b""  # the head that is read next, if it is here as a whole
        self._learnt: tuple[bytes, Head] | None = None
        self._said: list[tuple[bytes, bytes]] = []  # headers of the request before, and as text
        self._text: Headers = ()
        self._named: Mapping[str, str] = {}
        self.on_message_begin()

    @property
    def full(self) -> bool:
        """Whether a body waits to be taken."""
        return self.arriving is not None and self.arriving.body.full

    def feed(self, data: bytes) -> None:
        """Read on; what was found is in ``found``, a problem is the last of it."""
        self._first, self._learnt = b"", None
        if self.arriving is None and self._chunks.between:
            data = self._take_known(data)
        if data:
            self._parse(data)

    def _take_known(self, data: bytes) -> bytes:
        """Take off requests that are here as a whole and whose heads came before; gives the rest.

        The same bytes at the beginning of a message mean the same, so no parser reads them anew.
        """
        while (end := data.find(_END)) >= 0:
            self._first = data[: end + len(_END)]
            head = self._heads.find(self._first)
            if head is None or len(data) < len(self._first) + head.length:
                break
            stop = len(self._first) + head.length
            body = Body(self._relieved)
            body.add(data[len(self._first) : stop])
            body.end()
            self.found.append(Incoming(self._line, body, head))
            data, self._first, self._silent = data[stop:], b"", 0
        return data

    def _parse(self, data: bytes) -> None:
        offence = self._chunks.offence(data)
        if offence >= 0:
            data = data[:offence]
        self._silent += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.deaf = True  # another protocol, which the gateway refuses
            self.on_message_complete()
        except httptools.HttpParserError as error:
            said = error.__context__
            self._refuse(said if isinstance(said, Problem) else refusal.malformed())
        else:
            if self._silent > self._limits.line + _AROUND:
                self._refuse(refusal.too_long())
            elif offence >= 0:
                over = self._chunks.over
                self._refuse(refusal.head_too_long() if over else refusal.malformed())
            elif self._learnt is not None:
                self._heads.keep(*self._learnt)

    def ended(self) -> None:
        """The client sends no more; what is complete is still answered."""
        if self.arriving is not None:
            self.arriving.body.fail(ConnectionResetError())

    def lost(self) -> None:
        """The client has left."""
        self.deaf = True
        self.found.clear()
        if self.arriving is not None:
            self.arriving.body.fail(ConnectionResetError())

    # -- what the parser calls; a problem that is raised comes back from it ------------------------

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._count = 0

    def on_url(self, url: bytes) -> None:
        self._silent = 0
        self._url += url
        if len(self._url) > self._limits.line:
            raise refusal.too_long()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._silent = 0
        value = value.rstrip(b" \t")
        if len(name) + len(value) > self._limits.line:
            raise refusal.too_long()
        self._count += 1
        if self._count > self._limits.headers:
            raise refusal.too_many()
        if self.arriving is None:
            self._headers.append((name, value))  # and no trailer: those end at this hop

    def on_headers_complete(self) -> None:
        self._silent = 0
        parser = self._parser
        method, version = parser.get_method().decode("ascii"), parser.get_http_version()
        if self._headers != self._said:  # a client says mostly the same each time
            self._text = text_of(self._headers)
            self._said, self._named = self._headers, by_name(self._text)
        headers, named = self._text, self._named
        if not (_agree(headers, named, version) and _is_target(self._url, method)):
            raise refusal.malformed()
        head = Head(
            method, self._url.decode("utf-8", "surrogateescape"), version, headers, named,
            int(named.get("content-length", 0)), parser.should_keep_alive(),
        )  # fmt: skip
        self.arriving = Incoming(self._line, Body(self._relieved), head)
        self.found.append(self.arriving)
        if self._is_first(head):
            self._learnt = self._first, head
        self._first = b""

    def on_body(self, body: bytes) -> None:
        self._silent = 0
        if self.arriving is not None:
            self.arriving.body.add(body)

    def on_message_complete(self) -> None:
        self._silent = 0
        if self.arriving is not None:
            self.arriving.body.end()
            self.arriving = None

    # -- inside ------------------------------------------------------------------------------------

    def _is_first(self, head: Head) -> bool:
        """Whether a head is the one at the beginning of what came, and its length says its end."""
        lines = self._first.count(b"\r\n")
        alike = lines == self._count + 2 and lines == self._first.count(b"\n")
        return alike and head.stays and "transfer-encoding" not in head.named

    def _refuse(self, problem: Problem) -> None:
        self.deaf = True
        begun, self.arriving = self.arriving, None
        if begun is None:
            self.found.append(problem)
        elif self.found and self.found[-1] is begun:
            self.found[-1] = problem  # nobody has seen it
        else:
            begun.body.fail(problem)


def _agree(headers: Headers, named: Mapping[str, str], version: str) -> bool:
    """Whether a head names its host, and nothing twice that has one meaning (RFC 9112 §3.2)."""
    if _NEVER in named or (version == "1.1" and "host" not in named):
        return False
    if len(named) == len(headers):
        return True
    names = [name.lower() for name, _ in headers]
    return not any(names.count(each) > 1 for each in _ONCE)


def _is_target(url: bytes, method: str) -> bool:
    """Whether a target is a path, a whole URL, or what its method takes (RFC 9112 §3.2)."""
    if url.startswith(b"/") or method == "CONNECT":
        return True
    return _WHOLE_URL.match(url) is not None or (url == b"*" and method == "OPTIONS")
