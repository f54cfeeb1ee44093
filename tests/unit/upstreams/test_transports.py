"""Both transports to a store keep the same promises, over sockets and byte by byte."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from proxy.problems import Problem
from proxy.upstreams.binding import connect
from proxy.upstreams.transport import (
    AiohttpTransport,
    Timeouts,
    Transport,
    UpstreamReply,
    UpstreamRequest,
)
from proxy.upstreams.wire import WireTransport

GET = UpstreamRequest("GET", "/memories?b=%7e&a=1&a=2&c")
POST = UpstreamRequest("POST", "/memories", (("Content-Type", "application/json"),), b'{"a":1}')
OK = b"HTTP/1.1 200 OK\r\n"
WAITS = Timeouts(connect=30.0, read=60.0, total=90.0)
Way = Callable[..., Transport]


@dataclass
class Wire:
    """A server that sends what it is given, piece by piece, for each request in turn."""

    answers: list[Sequence[bytes | None]] = field(default_factory=list)  # None: close
    received: list[bytes] = field(default_factory=list)
    connections: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # a client hung up
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while request := await _read(reader):
                self.received.append(request)
                self.asked.set()
                for piece in self.answers.pop(0) if self.answers else ():
                    if piece is None:
                        return
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.gone.set()
            writer.close()


async def _read(reader: asyncio.StreamReader) -> bytes:
    """One request with its body; empty at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return head + await reader.readexactly(int(value))
    return head


@asynccontextmanager
async def wire(*answers: Sequence[bytes | None], tls: ssl.SSLContext | None = None) -> Any:
    """A running server and its address."""
    found = Wire(list(answers))
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    found.url = f"{'https' if tls else 'http'}://{'localhost' if tls else '127.0.0.1'}:{port}"
    try:
        yield found
    finally:
        server.close()


@pytest.fixture(params=[AiohttpTransport, WireTransport], ids=["aiohttp", "httptools"])
async def opened(request: pytest.FixtureRequest) -> AsyncIterator[Way]:
    """Makes transports of one kind and closes them."""
    made: list[Transport] = []

    def make(url: str, credential: Any = None, waits: Timeouts = WAITS, **how: Any) -> Transport:
        made.append(request.param(url, credential, waits, **how))
        return made[-1]

    yield make
    for transport in made:
        await transport.close()


def sized(body: bytes, *more: bytes) -> bytes:
    """An answer with a length."""
    lines = b"".join(line + b"\r\n" for line in more)
    return OK + b"Content-Length: %d\r\n%s\r\n%s" % (len(body), lines, body)


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE: list[Any] = [
    pytest.param([sized(b"{}")], 200, b"{}", id="length"),
    pytest.param([sized(b"")], 200, b"", id="nothing"),
    pytest.param([OK, b"Content-Le", b"ngth: 4\r", b"\n\r\n[1", b",2]"[:2]], 200, b"[1,2",
                 id="pieces"),
    pytest.param([CHUNKED, b"2\r\n{}\r\n0\r\n\r\n"], 200, b"{}", id="chunked"),
    pytest.param([CHUNKED, b"1;a=b\r\n{\r\n1\r\n}\r\n0\r\nX-Trailer: 1\r\n\r\n"], 200, b"{}",
                 id="trailers-and-extensions"),
    pytest.param([OK + b"\r\n{", b"}", None], 200, b"{}", id="until-the-end"),
    pytest.param([b"HTTP/1.0 200 OK\r\n\r\n{}", None], 200, b"{}", id="http-1.0"),
    pytest.param([b"HTTP/1.1 204 No Content\r\n\r\n"], 204, b"", id="204"),
    pytest.param([b"HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"], 304, b"", id="304"),
    pytest.param([b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"], 302, b"",
                 id="redirect-not-followed"),
    pytest.param([b"HTTP/1.1 100 Continue\r\n\r\n", sized(b"{}")], 200, b"{}", id="100-before"),
    pytest.param([b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + sized(b"{}")], 200, b"{}",
                 id="103-before"),
    pytest.param([b"HTTP/1.1 599 Odd\r\nContent-Length: 1\r\n\r\nx"], 599, b"x", id="odd-status"),
    pytest.param([OK + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}"], 200, b"{}",
                 id="close"),
    pytest.param([sized(b"\x1f\x8bnot", b"Content-Encoding: gzip")], 200, b"\x1f\x8bnot",
                 id="coding-untouched"),
    pytest.param([sized(b"x" * 700_000)], 200, b"x" * 700_000, id="large"),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "status", "body"), WHOLE)
async def test_a_whole_answer_arrives(
    opened: Way, pieces: Sequence[bytes | None], status: int, body: bytes
) -> None:
    """Every legal framing gives the body as it was coded."""
    async with wire(pieces) as store:
        reply = await opened(store.url).send(GET)
    assert (reply.status, reply.body) == (status, body)


BROKEN: list[Any] = [
    pytest.param([None], "upstream-unreachable", "unknown", id="nothing-at-all"),
    pytest.param([OK, None], "upstream-unreachable", "unknown", id="half-a-head"),
    pytest.param([OK + b"Content-Length: 5\r\n\r\n{}", None], "upstream-garbled", "sent",
                 id="short-of-its-length"),
    pytest.param([CHUNKED, b"2\r\n{}\r\n", None], "upstream-garbled", "sent", id="no-last-chunk"),
    pytest.param([CHUNKED, b"zz\r\n{}\r\n0\r\n\r\n"], "upstream-garbled", "sent", id="chunk-size"),
    pytest.param([b"SSH-2.0-Store\r\n\r\n", None], "upstream-garbled", "sent", id="no-http"),
    pytest.param([OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "], "upstream-garbled",
                 "sent", id="two-lengths"),
    pytest.param([OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
                  b"\r\n"], "upstream-garbled", "sent", id="length-and-chunks"),
    pytest.param([OK + b"X-Bad\x00: 1\r\nContent-Length: 0\r\n\r\n"], "upstream-garbled", "sent",
                 id="bad-name"),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "slug", "sent"), BROKEN)
async def test_a_broken_answer_is_a_problem(
    opened: Way, pieces: Sequence[bytes | None], slug: str, sent: str
) -> None:
    """Never half an answer; the next request takes another connection and is answered."""
    async with wire(pieces, [sized(b"{}")]) as store:
        transport = opened(store.url)
        with pytest.raises(Problem) as raised:
            await transport.send(POST)
        assert (raised.value.slug, raised.value.upstream) == (slug, sent)
        assert (await transport.send(POST)).body == b"{}"
        assert (len(store.received), store.connections) == (2, 2)


async def test_a_head_has_no_body(opened: Way) -> None:
    """Its length is that of a body that does not come; the next answer is not mistaken for it."""
    length = OK + b"Content-Length: 9\r\n\r\n"
    async with wire([length], [length], [sized(b"{}")]) as store:
        transport = opened(store.url)
        for _ in range(2):
            reply = await transport.send(UpstreamRequest("HEAD", "/memories"))
            assert (reply.body, reply.header("content-length")) == (b"", "9")
        assert (await transport.send(GET)).body == b"{}"


async def test_a_connection_is_kept_and_used_again(opened: Way) -> None:
    """Requests in turn share a connection, requests at once do not."""
    async with wire(*[[sized(b"%d" % n)] for n in range(8)]) as store:
        transport = opened(store.url)
        bodies = [(await transport.send(GET)).body for _ in range(5)]
        assert bodies == [b"0", b"1", b"2", b"3", b"4"]
        assert store.connections == 1
        found = await asyncio.gather(*(transport.send(GET) for _ in range(3)))
        assert sorted(reply.body for reply in found) == [b"5", b"6", b"7"]
        assert 1 < store.connections <= 3


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_nothing_is_sent_twice(opened: Way, method: str) -> None:
    """A request on a kept connection that the store drops arrives once, and fails."""
    async with wire([sized(b"{}")], [None], [sized(b"{}")]) as store:
        transport = opened(store.url)
        await transport.send(GET)
        with pytest.raises(Problem) as raised:
            await transport.send(UpstreamRequest(method, "/memories"))
        assert (raised.value.slug, raised.value.upstream) == ("upstream-unreachable", "unknown")
        assert len(store.received) == 2


async def test_a_second_answer_to_one_request_is_nobodys(opened: Way) -> None:
    """Bytes behind an answer are not taken for the answer to what is asked next."""
    following = [[sized(b'"next"')] for _ in range(2)]
    async with wire([sized(b'"mine"') + sized(b'"smuggled"')], *following) as store:
        transport = opened(store.url)
        found = [
            (await asyncio.gather(transport.send(GET), return_exceptions=True))[0] for _ in range(3)
        ]
    bodies = [reply.body for reply in found if isinstance(reply, UpstreamReply)]
    assert b'"smuggled"' not in bodies
    assert bodies[-1] == b'"next"'
    problems = [each.slug for each in found if isinstance(each, Problem)]
    assert problems in ([], ["upstream-garbled"])
    assert len(bodies) + len(problems) == 3


async def test_what_is_sent_is_what_was_given(opened: Way) -> None:
    """The target byte for byte, repeated headers, our credential instead of another's, a length."""
    headers = (("X-A", "1"), ("X-A", "2"), ("X-Api-Key", "theirs"), ("X-Name", "Zoë"))
    async with wire([sized(b"{}")], [sized(b"{}")]) as store:
        transport = opened(store.url + "/base/", ("X-API-Key", "ours"))
        await transport.send(UpstreamRequest("GET", GET.target, headers))
        await transport.send(UpstreamRequest("POST", "/empty"))
    first, second = store.received
    lines = first.split(b"\r\n")
    assert lines[0] == b"GET /base/memories?b=%7e&a=1&a=2&c HTTP/1.1"
    assert [line for line in lines if line.startswith(b"X-A:")] == [b"X-A: 1", b"X-A: 2"]
    assert b"theirs" not in first
    assert b"ours" in first
    assert "X-Name: Zoë".encode() in lines
    assert f"Host: {store.url.partition('//')[2]}".encode() in lines
    assert not any(line.lower().startswith((b"user-agent", b"accept")) for line in lines)
    assert b"content-length: 0" in second.lower()


@pytest.mark.parametrize(("name", "value"), [
    pytest.param("X-A", "1\r\nX-B: 2", id="line-break"),
    pytest.param("X-A", "1\nX-B: 2", id="line-feed"),
    pytest.param("X-A\r\nX-B", "1", id="in-the-name"),
    pytest.param("X-A", "1\0", id="null"),
])  # fmt: skip
async def test_a_header_cannot_become_two(opened: Way, name: str, value: str) -> None:
    """Refused before anything is sent."""
    async with wire([sized(b"{}")]) as store:
        with pytest.raises(Problem):
            await opened(store.url).send(UpstreamRequest("GET", "/memories", ((name, value),)))
    assert store.received == []


async def test_header_values_come_back_as_they_were(opened: Way) -> None:
    """Repeated, in order, and bytes that are no text survive."""
    async with wire([sized(b"{}", b"X-A: 1", b"x-a: 2", b"X-Raw: \xff\xe9")]) as store:
        reply = await opened(store.url).send(GET)
    named = [pair for pair in reply.headers if pair[0].lower() == "x-a"]
    assert named == [("X-A", "1"), ("x-a", "2")]
    raw = next(value for name, value in reply.headers if name == "X-Raw")
    assert raw.encode("utf-8", "surrogateescape") == b"\xff\xe9"


SLOW: list[Any] = [
    pytest.param([], Timeouts(30, 0.1, 60), id="no-answer"),
    pytest.param([OK + b"Content-Length: 5\r\n\r\n{"], Timeouts(30, 0.1, 60), id="half-an-answer"),
    pytest.param([], Timeouts(30, 60, 0.1), id="in-all"),
]


@pytest.mark.parametrize(("pieces", "waits"), SLOW)
async def test_a_slow_store_is_given_up(
    opened: Way, pieces: Sequence[bytes], waits: Timeouts
) -> None:
    """The outcome is unknown, and the connection is not used again."""
    async with wire(pieces, [sized(b"{}")]) as store:
        transport = opened(store.url, None, waits)
        with pytest.raises(Problem) as raised:
            await transport.send(GET)
        assert (raised.value.slug, raised.value.upstream) == ("upstream-timeout", "unknown")
        await asyncio.wait_for(store.gone.wait(), 60)
        assert (await transport.send(GET)).body == b"{}"


async def test_nobody_listens(opened: Way) -> None:
    """Nothing was sent, and that is said."""
    async with wire() as store:
        url = store.url
    with pytest.raises(Problem) as raised:
        await opened(url).send(POST)
    assert (raised.value.slug, raised.value.upstream) == ("upstream-unreachable", "not_sent")


async def test_a_caller_who_leaves_takes_the_connection_along(opened: Way) -> None:
    """The late answer is not given to the next request."""
    async with wire([], [sized(b'"next"')]) as store:
        transport = opened(store.url)
        waiting = asyncio.ensure_future(transport.send(GET))
        await store.asked.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert (await transport.send(GET)).body == b'"next"'
        assert store.connections == 2


async def test_an_answer_has_a_largest_size(opened: Way) -> None:
    """What is larger is cut off."""
    async with wire([sized(b"x" * 5000)], [sized(b"x" * 900)]) as store:
        transport = opened(store.url, max_reply=1000)
        with pytest.raises(Problem) as raised:
            await transport.send(GET)
        assert raised.value.slug == "upstream-garbled"
        assert len((await transport.send(GET)).body) == 900


ANNOUNCED = b"Content-Length: 900000000\r\n\r\n"


async def test_an_answer_that_says_it_is_too_large_is_not_waited_for(opened: Way) -> None:
    """Nothing of its body comes; the next answer is read on a connection of its own."""
    async with wire(
        [OK + ANNOUNCED], [OK + b"Content-Length: 1001\r\n\r\n"], [sized(b"{}")]
    ) as store:
        transport = opened(store.url, max_reply=1000)
        for _ in range(2):
            with pytest.raises(Problem) as raised:
                await transport.send(GET)
            assert (raised.value.slug, raised.value.upstream) == ("upstream-garbled", "sent")
        assert (await transport.send(GET)).body == b"{}"
        assert store.connections == 3


BODILESS = [
    pytest.param("HEAD", OK + ANNOUNCED, 200, id="head"),
    pytest.param("GET", b"HTTP/1.1 304 Not Modified\r\n" + ANNOUNCED, 304, id="304"),
]


@pytest.mark.parametrize(("method", "said", "status"), BODILESS)
async def test_the_length_of_a_body_that_does_not_come_is_no_size(
    opened: Way, method: str, said: bytes, status: int
) -> None:
    """It tells of what another request would get."""
    async with wire([said]) as store:
        found = await opened(store.url, max_reply=1000).send(UpstreamRequest(method, "/x"))
        assert (found.status, found.body) == (status, b"")


async def test_more_requests_than_connections_wait(opened: Way) -> None:
    """The limit of connections holds, and everyone is answered."""
    async with wire(*[[sized(b"{}")] for _ in range(20)]) as store:
        transport = opened(store.url, limit=2)
        await asyncio.gather(*(transport.send(GET) for _ in range(20)))
        assert store.connections == 2


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of localhost that signed itself."""
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", str(key), "-out", str(made), "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True,
    )  # fmt: skip
    return made, key


@pytest.mark.parametrize("trusted", [True, False])
async def test_tls_is_checked(opened: Way, certificate: tuple[Path, Path], trusted: bool) -> None:
    """A store that shows a trusted certificate is spoken to, another is not."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*certificate)
    client = ssl.create_default_context(cafile=str(certificate[0]) if trusted else None)
    async with wire([sized(b"{}")], tls=server) as store:
        transport = opened(store.url, tls=client)
        if trusted:
            assert (await transport.send(GET)).body == b"{}"
            return
        with pytest.raises(Problem) as raised:
            await transport.send(GET)
        assert (raised.value.slug, raised.value.upstream) == ("upstream-unreachable", "not_sent")
        assert store.received == []


@pytest.mark.parametrize(("how", "kind"), [
    pytest.param({}, WireTransport, id="default"),
    pytest.param({"transport": "aiohttp"}, AiohttpTransport, id="aiohttp"),
    pytest.param({"transport": "httptools"}, WireTransport, id="httptools"),
    pytest.param({"http_proxy": "http://127.0.0.1:1"}, AiohttpTransport, id="through-a-proxy"),
])  # fmt: skip
async def test_the_transport_is_chosen(how: Any, kind: type) -> None:
    """By name, or the fastest that can do what is asked."""
    binding = connect("mem0", "http://127.0.0.1:1", profiles=["mem0-oss"], key=None, **how)
    assert isinstance(binding.dialects[0].transport, kind)
    await binding.close()


async def test_httptools_goes_through_no_proxy() -> None:
    """A configuration that asks for both is refused, not half obeyed."""
    with pytest.raises(Problem) as raised:
        connect("mem0", "http://127.0.0.1:1", profiles=["mem0-oss"], key=None,
                transport="httptools", http_proxy="http://127.0.0.1:1")  # fmt: skip
    assert raised.value.slug == "invalid-config"
