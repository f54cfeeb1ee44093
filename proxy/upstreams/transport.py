"""Transport: one request to a store and its whole answer; no redirects, no hidden retries."""

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from proxy.problems import Problem, Upstream

Headers = tuple[tuple[str, str], ...]
EMPTY = frozenset({204, 304})  # statuses of answers without a body, whatever length they state


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """What is sent: ``target`` is the raw path and query, byte for byte."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""
    credential: tuple[str, str] | None = field(default=None, repr=False)  # a client's; None: ours
    heads: dict[object, bytes] = field(default_factory=dict, repr=False, compare=False)  # as sent


class UpstreamReply(NamedTuple):
    """What came back; the body is as coded by the store."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """All values of a header, joined as RFC 9110 §5.2 allows; empty if absent."""
        wanted = name.lower()
        return ", ".join(value for key, value in self.headers if key.lower() == wanted)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds for each phase of one call."""

    connect: float = 5.0
    read: float = 60.0
    total: float = 300.0


class Transport(Protocol):
    """The way to one store."""

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        """Send once.

        Raises:
            Problem: ``upstream-unreachable``, ``upstream-timeout`` or ``upstream-garbled``, each
                saying whether anything reached the store.
        """
        ...

    async def close(self) -> None:
        """Give the connections back."""
        ...


class AiohttpTransport:
    """Transport over aiohttp's client.

    Args:
        base_url: where the store is; a path in it is put before each target.
        credential: header name and value that the store wants; the only secret it ever sees,
            but for those that requests have of their own.
        timeouts: seconds for each phase.
        tls: how to speak TLS; None: as the system does.
        http_proxy: URL of a proxy on the way; the environment's are never used.
        limit: connections at most.
        max_reply: bytes of an answer at most.
    """

    def __init__(
        self,
        base_url: str,
        credential: tuple[str, str] | None = None,
        timeouts: Timeouts = Timeouts(),
        *,
        tls: ssl.SSLContext | None = None,
        http_proxy: str | None = None,
        limit: int = 100,
        max_reply: int = 64 * 1024 * 1024,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._credential = credential
        self._timeouts, self._limit, self._max_reply = timeouts, limit, max_reply
        self._tls, self._http_proxy = tls, http_proxy
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        session = self._open()
        with _translated():
            return await self._exchange(session, request)

    async def stream(self, request: UpstreamRequest) -> "UpstreamStream":
        """Send once; the answer is read while it arrives, for as long as something does.

        Raises:
            Problem: as ``send``.
        """
        waits = aiohttp.ClientTimeout(
            sock_connect=self._timeouts.connect, sock_read=self._timeouts.read
        )
        with _translated():
            return UpstreamStream(await self._request(self._open(), request, timeout=waits))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._limit),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                skip_auto_headers=("User-Agent", "Content-Type", "Accept", "Accept-Encoding"),
                timeout=aiohttp.ClientTimeout(
                    total=self._timeouts.total,
                    sock_connect=self._timeouts.connect,
                    sock_read=self._timeouts.read,
                ),
            )
            # aiohttp repeats GET, PUT and DELETE by itself on a reused connection.
            self._session._retry_connection = False  # noqa: SLF001
        return self._session

    async def _exchange(
        self, session: aiohttp.ClientSession, request: UpstreamRequest
    ) -> UpstreamReply:
        async with self._request(session, request) as response:
            body = await self._body(response)
            return UpstreamReply(response.status, _pairs(response), body)

    def _request(
        self, session: aiohttp.ClientSession, request: UpstreamRequest, **options: Any
    ) -> Any:
        return session.request(
            request.method,
            URL(self._base + request.target, encoded=True),
            headers=self._headers(request),
            data=request.body or None,
            allow_redirects=False,
            ssl=True if self._tls is None else self._tls,
            proxy=self._http_proxy,
            **options,
        )

    def _headers(self, request: UpstreamRequest) -> Mapping[str, str]:
        headers = CIMultiDict(request.headers)
        if credential := request.credential or self._credential:
            headers[credential[0]] = credential[1]
        if not request.body and request.method in ("POST", "PUT", "PATCH"):
            headers["Content-Length"] = "0"
        return headers

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        chunks: list[bytes] = []
        size = 0
        if _stated(response) > self._max_reply:
            raise failure("upstream-garbled", "sent")
        async for chunk in response.content.iter_chunked(1 << 16):
            size += len(chunk)
            if size > self._max_reply:
                raise failure("upstream-garbled", "sent")
            chunks.append(chunk)
        return b"".join(chunks)


class UpstreamStream:
    """An answer whose body is still on its way."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status, self.headers = response.status, _pairs(response)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives.

        Raises:
            Problem: as ``AiohttpTransport.send``; the store broke off or fell silent.
        """
        with _translated():
            async for chunk in self._response.content.iter_any():
                yield chunk

    async def whole(self, limit: int) -> bytes:
        """The body, at most ``limit`` bytes; raises as ``chunks``."""
        found = b""
        if _stated(self._response) > limit:
            raise failure("upstream-garbled", "sent")
        async for chunk in self.chunks():
            found += chunk
            if len(found) > limit:
                raise failure("upstream-garbled", "sent")
        return found

    def close(self) -> None:
        """Give the connection back; an answer that is not at its end is broken off."""
        self._response.close()


@runtime_checkable
class Streaming(Protocol):
    """A transport that can hand an answer on while it arrives."""

    async def stream(self, request: UpstreamRequest) -> UpstreamStream:
        """As ``AiohttpTransport.stream``."""
        ...


@contextmanager
def _translated() -> Iterator[None]:
    """Failures of the client as problems."""
    try:
        yield
    except (aiohttp.ServerTimeoutError, TimeoutError) as error:
        raise _timeout(error) from None
    except aiohttp.ClientSSLError:
        raise tls_failure() from None
    except aiohttp.ClientConnectorError:
        raise failure("upstream-unreachable", "not_sent") from None
    except (aiohttp.ClientPayloadError, aiohttp.ClientResponseError, ValueError):
        raise failure("upstream-garbled", "sent") from None
    except (aiohttp.ClientError, OSError):
        raise failure("upstream-unreachable", "unknown") from None


def _stated(response: aiohttp.ClientResponse) -> int:
    """The length of the body that comes, as it was stated; 0 if it was not, or none comes."""
    bodiless = response.method == "HEAD" or response.status in EMPTY
    return 0 if bodiless else response.content_length or 0


def _pairs(response: aiohttp.ClientResponse) -> Headers:
    return tuple((key.decode(), header_text(value)) for key, value in response.raw_headers)


def header_text(value: bytes) -> str:
    """A header's value as text from which its bytes can be made again."""
    return value.decode("utf-8", "surrogateescape")


def _timeout(error: BaseException) -> Problem:
    unsent = isinstance(error, aiohttp.ConnectionTimeoutError)
    return failure("upstream-timeout", "not_sent" if unsent else "unknown")


_DETAILS = {
    "upstream-unreachable": "The store could not be reached.",
    "upstream-timeout": "The store did not answer in time.",
    "upstream-garbled": "The store's answer could not be read.",
}


def failure(slug: str, sent: Upstream) -> Problem:
    """The problem of a call that failed; ``sent`` says whether anything reached the store."""
    return Problem(slug, _DETAILS[slug], upstream=sent)


def tls_failure() -> Problem:
    """The problem of a store that did not come to terms on TLS: nothing was sent."""
    return Problem(
        "upstream-unreachable", "The TLS handshake with the store failed.", upstream="not_sent",
        hint="Check upstreams[].tls: the authority, and the certificate that is shown.",
    )  # fmt: skip
