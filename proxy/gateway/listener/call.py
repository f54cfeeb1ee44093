"""What the gateway asks of a listener: one request to read, one answer to give."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from proxy.gateway.exchange import Reply
from proxy.problems import Problem
from proxy.upstreams.transport import Headers


class Answer(NamedTuple):
    """An answer that is sent in one piece.

    Args:
        closes: whether the connection ends with it.
        bare: whether there is no body, nor the length of one.
    """

    reply: Reply
    closes: bool = False
    bare: bool = False


class Call(Protocol):
    """One request as it came off the wire, and the way back to who sent it.

    What is no well-formed HTTP/1 never becomes one: the listener refuses it by itself. Whatever
    goes to a client that has left raises ``ConnectionError``, and so does waiting for its body.
    """

    @property
    def method(self) -> str:
        """In upper case."""
        ...

    @property
    def target(self) -> str:
        """Path and query as they were sent; bytes that are no UTF-8 are surrogates."""
        ...

    @property
    def version(self) -> str:
        """Of HTTP: ``1.0`` or ``1.1``, or another one, which the gateway refuses."""
        ...

    @property
    def headers(self) -> Headers:
        """Names and values in order, without the space around values."""
        ...

    @property
    def named(self) -> Mapping[str, str]:
        """The same by names in lower case, the values of each joined."""
        ...

    @property
    def scheme(self) -> str:
        """``http`` or ``https``."""
        ...

    @property
    def peer(self) -> str:
        """Address of the client; empty if it has none."""
        ...

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The client's, verified by TLS, as ``ssl.getpeercert`` gives it."""
        ...

    @property
    def length(self) -> int:
        """The body's length as it was stated; 0 if it was not."""
        ...

    @property
    def arrived(self) -> bool:
        """Whether all of the body is here."""
        ...

    def taken(self) -> bytes:
        """The part of the body that is here and was not taken before."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """The body in pieces, as they arrive.

        Raises:
            Problem: ``invalid-request`` if what arrives is not well-formed any more.
        """
        ...

    async def go_on(self) -> None:
        """Ask for a body that the client holds back (100 Continue)."""
        ...

    async def begin(self, status: int, headers: Headers) -> None:
        """Send the head of an answer whose body follows in pieces.

        Args:
            headers: a Content-Length, if there is one, is the body's.
        """
        ...

    async def write(self, piece: bytes) -> None:
        """Send a piece of the body; waits while the client does not read."""
        ...

    async def end(self) -> None:
        """Say that the body is complete."""
        ...

    def cut(self) -> None:
        """End the connection without saying that the body is complete."""
        ...


def text_of(raw: Sequence[tuple[bytes, bytes]]) -> Headers:
    """Headers as text.

    Raises:
        Problem: ``malformed-body``.
    """
    try:
        return tuple([(name.decode("ascii"), value.decode()) for name, value in raw])
    except UnicodeDecodeError:
        raise Problem("malformed-body", "A header is not valid UTF-8.") from None


Handler = Callable[[Call], Awaitable[Answer | None]]  # None: it was sent in pieces
