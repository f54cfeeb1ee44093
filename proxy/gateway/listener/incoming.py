"""One request over a connection of ours, and the way its answer takes."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple

from proxy.gateway.listener import heads
from proxy.gateway.listener.body import Body
from proxy.gateway.listener.call import Answer
from proxy.gateway.listener.line import Line
from proxy.upstreams.transport import Headers

_BODILESS = frozenset({204, 304})


class Head(NamedTuple):
    """What the head of a request says.

    Args:
        named: headers by names in lower case.
        length: of the body.
        stays: whether the client wants to keep the connection.
    """

    method: str
    target: str
    version: str
    headers: Headers
    named: Mapping[str, str]
    length: int
    stays: bool


class Incoming:
    """A request as the gateway asks for it (``Call``)."""

    __slots__ = ("_chunked", "_line", "_mute", "begun", "body", "headers", "length", "method",
                 "named", "stays", "target", "version")  # fmt: skip

    def __init__(self, line: Line, body: Body, head: Head) -> None:
        self._line, self.body = line, body
        (self.method, self.target, self.version, self.headers, self.named, self.length,
         self.stays) = head  # fmt: skip
        self.begun = False

    @property
    def scheme(self) -> str:
        return self._line.scheme

    @property
    def peer(self) -> str:
        return self._line.peer

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        return self._line.certificate

    @property
    def arrived(self) -> bool:
        return self.body.arrived

    def taken(self) -> bytes:
        return self.body.taken()

    def pieces(self) -> AsyncIterator[bytes]:
        return self.body.pieces()

    async def go_on(self) -> None:
        self._line.send(heads.CONTINUE)

    async def answer(self, answer: Answer) -> None:
        """Send an answer in one piece.

        Raises:
            ConnectionError: the client has left, or has a part of another answer.
            ValueError: a header holds a line break.
        """
        if self.begun:
            raise ConnectionAbortedError
        self.stays = self.stays and not answer.closes
        old = self.version < "1.1"
        self._line.send(heads.whole(answer, self.method, old=old, stays=self.stays))
        await self._line.drained()

    async def begin(self, status: int, headers: Headers) -> None:
        old = self.version < "1.1"
        sized = any(name.lower() == "content-length" for name, _ in headers)
        self._mute = self.method == "HEAD" or status in _BODILESS
        self._chunked = not (sized or self._mute or old)
        if old and not sized:
            self.stays = False  # the end of the connection is the end of the body
        more = ("Transfer-Encoding: chunked",) if self._chunked else ()
        sent = heads.head(status, headers, more, old=old, stays=self.stays)
        self.begun = True
        self._line.send(sent)

    async def write(self, piece: bytes) -> None:
        if not piece or self._mute:
            return
        self._line.send(b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece)
        await self._line.drained()

    async def end(self) -> None:
        if self._chunked:
            self._line.send(b"0\r\n\r\n")

    def cut(self) -> None:
        self.stays = False
        self._line.close()
