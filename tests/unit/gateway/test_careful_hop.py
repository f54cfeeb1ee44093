"""The hop itself: what HTTP/1.1 asks of an intermediary (RFC 9110 §7, RFC 9112)."""

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest
import pytest_asyncio
import zstandard

from proxy.clock import FrozenClock
from proxy.upstreams.transport import AiohttpTransport, Timeouts
from proxy.upstreams.wire import WireTransport
from tests.support.fault_store import FaultStore
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START

PING = "/v1/ping/"
NOTE = b'{"messages":[{"role":"user","content":"held back"}],"user_id":"u-1","infer":false}'
Reply = Callable[[bytes], list[bytes]]


class RawStore:
    """A store that answers with bytes as they are given, and keeps those it was sent."""

    def __init__(self) -> None:
        self.url = ""
        self.heads: list[bytes] = []
        self.answer: list[bytes] = []
        self.hold: asyncio.Event | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: each request gets the prepared bytes."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                for line in head.split(b"\r\n"):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        head += await reader.readexactly(int(value))
                self.heads.append(head)
                for part in self.answer:
                    writer.write(part)
                    await writer.drain()
                if self.hold is not None:
                    await self.hold.wait()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def profile(folder: Path) -> str:
    """The platform's profile with a route that also takes HEAD."""
    text = resources.files("proxy.upstreams").joinpath("profiles/mem0-platform.yaml").read_text()
    path = folder / "hop.yaml"
    path.write_text(text.replace("match: GET /v1/ping/", "match: GET|HEAD /v1/ping/"))
    return str(path)


@pytest_asyncio.fixture(loop_scope="session")
async def store() -> AsyncIterator[RawStore]:
    """A running store of bytes."""
    made = RawStore()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()


def behind(
    store: RawStore, folder: Path, sqlite_template: Path
) -> AbstractAsyncContextManager[Plane]:
    """A data plane in front of a store of bytes."""
    return data_plane(
        folder / "h", store.url, "store-key", sqlite_template, FrozenClock(START),
        profiles=[profile(folder)],
    )  # fmt: skip


WAYS = {"httptools": WireTransport, "aiohttp": AiohttpTransport}


@pytest_asyncio.fixture(loop_scope="session", params=sorted(WAYS))
async def hop(
    store: RawStore, tmp_path: Path, sqlite_template: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Plane]:
    """A data plane in front of it, through each listener and over each transport."""
    async with behind(store, tmp_path, sqlite_template) as plane:
        use(plane, request.param, store.url)
        yield plane.through(request.param)


PATIENT = Timeouts(connect=30, read=60, total=90)
HASTY = Timeouts(connect=30, read=0.5, total=60)


def use(plane: Plane, way: str, url: str, waits: Timeouts = PATIENT) -> None:
    """Speak to a store at this address over this transport."""
    made = WAYS[way](url, ("Authorization", "Token k"), waits)
    for dialect in plane.services.stores["mem0"].dialects:
        object.__setattr__(dialect, "transport", made)


@pytest_asyncio.fixture(loop_scope="session", params=sorted(WAYS))
async def hasty(
    store: RawStore, tmp_path: Path, sqlite_template: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Plane]:
    """The same, soon out of patience."""
    async with behind(store, tmp_path, sqlite_template) as plane:
        use(plane, request.param, store.url, HASTY)
        yield plane.through(request.param)


async def exchange(plane: Plane, sent: bytes) -> bytes:
    """What comes back until the other side closes."""
    parts = urlsplit(plane.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(sent)
    async with asyncio.timeout(120):
        found = await reader.read()
    writer.close()
    return found


def get(
    plane: Plane, *lines: str, method: str = "GET", target: str = PING, body: str = ""
) -> bytes:
    key = plane.keys["acme"]
    head = [f"{method} {target} HTTP/1.1", "Host: x", "Connection: close", *lines]
    return "\r\n".join([*head, f"Authorization: Token {key}", "", body]).encode()


def ok(body: bytes = b"{}", *lines: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", "Content-Type: application/json", *lines]
    return "\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body


def status_of(found: bytes) -> int:
    return int(found.split(b" ", 2)[1])


async def test_the_target_passes_byte_for_byte(hop: Plane, store: RawStore) -> None:
    """Order, doubled and empty parameters, odd escapes: as they came."""
    store.answer = [ok()]
    for query in ("b=1&a=2&b=3", "a=%7e&b=~", "a&&b=&=c", "a=%e2%82%ac", "a=1+2&b=1%202"):
        assert status_of(await exchange(hop, get(hop, target=f"{PING}?{query}"))) == 200
        assert store.heads[-1].startswith(f"GET {PING}?{query} HTTP/1.1\r\n".encode())


async def test_informational_answers_do_not_count(hop: Plane, store: RawStore) -> None:
    """1xx before the answer: the client gets the answer (and its own 100 only if it asked)."""
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    store.answer = [b"HTTP/1.1 100 Continue\r\n\r\n" + early + ok(b'{"a":1}')]
    found = await exchange(hop, get(hop))
    assert status_of(found) == 200
    assert found.endswith(b'{"a":1}')


async def test_expect_is_answered_here(hop: Plane, store: RawStore) -> None:
    """100-continue is met by the proxy and not sent on; another expectation is 417."""
    store.answer = [ok()]
    lines = ("Expect: 100-continue", "Content-Type: application/json", "Content-Length: 2")
    found = await exchange(hop, get(hop, *lines, body="{}"))
    assert found.startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert b"expect" not in store.heads[-1].lower()
    sent = len(store.heads)
    found = await exchange(hop, get(hop, "Expect: a-miracle"))
    assert status_of(found) == 417
    assert b"urn:expunge:problem:expectation-failed" in found
    assert b"a-miracle" not in found
    assert len(store.heads) == sent


async def test_head_has_a_head_only(hop: Plane, store: RawStore) -> None:
    """The length is the store's, no body follows, and the connection stays in step."""
    store.answer = [ok(b'{"a":1}').partition(b"\r\n\r\n")[0] + b"\r\n\r\n"]
    found = await exchange(hop, get(hop, method="HEAD"))
    assert status_of(found) == 200
    assert found.endswith(b"\r\n\r\n")
    assert b"content-length: 7\r\n" in found.lower()
    store.answer = [ok(b'{"b":2}')]
    assert (await exchange(hop, get(hop))).endswith(b'{"b":2}')


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
async def test_statuses_without_a_body(hop: Plane, store: RawStore, status: str) -> None:
    """No body, no length of one, whatever the store's head says; the next answer is in step."""
    head = f'HTTP/1.1 {status}\r\nETag: "v1"\r\n\r\n'
    store.answer = [head.encode()]
    found = await exchange(hop, get(hop))
    assert status_of(found) == int(status[:3])
    assert found.endswith(b"\r\n\r\n")
    assert b'"v1"' in found
    assert b"transfer-encoding" not in found.lower()
    store.answer = [ok(b'{"b":2}')]
    assert (await exchange(hop, get(hop))).endswith(b'{"b":2}')


async def test_trailers_end_here(hop: Plane, store: RawStore) -> None:
    """Chunks and trailers of the store are read; the body is whole, the trailer is not sent on."""
    store.answer = [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        b'Trailer: X-Sum\r\n\r\n3\r\n{"a\r\n5;x=y\r\n":12}\r\n0\r\nX-Sum: 9\r\n\r\n'
    ]
    found = await exchange(hop, get(hop))
    assert found.endswith(b'{"a":12}')
    assert b"x-sum" not in found.lower().replace(b"trailer: x-sum", b"")
    assert b"transfer-encoding" not in found.lower()


async def test_a_body_that_ends_with_the_connection_is_whole(hop: Plane) -> None:
    """HTTP/1.0 style: no length, no chunks."""

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"a":1}')
        writer.close()

    server = await asyncio.start_server(close, "127.0.0.1", 0)
    way = type(hop.services.stores["mem0"].dialects[0].transport)
    name = next(each for each, kind in WAYS.items() if kind is way)
    use(hop, name, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    found = await exchange(hop, get(hop))
    server.close()
    assert found.endswith(b'{"a":1}')


TRUNCATED = [
    pytest.param(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"a":1}', id="short-body"),
    pytest.param(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}", id="short-chunk"
    ),
    pytest.param(b"HTTP/1.1 200 OK\r\nContent-", id="short-head"),
    pytest.param(b"garbage\r\n\r\n", id="no-http"),
    pytest.param(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", id="two-lengths"
    ),
]


@pytest.mark.parametrize("answer", TRUNCATED)
async def test_half_an_answer_is_none(hasty: Plane, store: RawStore, answer: bytes) -> None:
    """502 or 504 that says what is known; the request was sent once."""
    store.answer = [answer]
    found = await exchange(hasty, get(hasty))
    assert status_of(found) in (502, 504)
    body = json.loads(found.partition(b"\r\n\r\n")[2])
    assert body["upstream"] in ("sent", "unknown")
    assert len(store.heads) == 1


async def test_each_phase_has_its_time(hasty: Plane, store: RawStore) -> None:
    """A store that falls silent in its head, and one that drips for ever, both end in 504."""
    store.hold = asyncio.Event()
    store.answer = [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n"]
    found = await exchange(hasty, get(hasty))
    assert status_of(found) == 504
    store.hold.set()


async def test_two_answers_to_one_question_are_not_mixed_up(hop: Plane, store: RawStore) -> None:
    """Bytes behind an answer never become the next one's (response splitting)."""
    store.answer = [ok(b'{"a":1}') + ok(b'{"evil":1}')]
    assert (await exchange(hop, get(hop))).endswith(b'{"a":1}')
    store.answer = [ok(b'{"b":2}')]
    found = await exchange(hop, get(hop))
    assert b"evil" not in found


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress,
    "zstd": zstandard.compress,
}  # fmt: skip


@pytest.mark.parametrize("outer", PACKERS)
@pytest.mark.parametrize("inner", PACKERS)
async def test_chained_codings_are_undone_in_order(
    faulty: Plane, faults: FaultStore, inner: str, outer: str
) -> None:
    """Any two codings, in and out: understood, and labelled as they are."""
    from aiohttp import web

    plain = b'{"feedback": "POSITIVE", "note": "mail ines.falk@example.org"}'
    body = PACKERS[outer](PACKERS[inner](plain))
    coding = f"{inner}, {outer}"
    reply = b'{"user_email": "x", "status": "ok"}'
    faults.script = lambda _: web.Response(
        body=PACKERS[outer](PACKERS[inner](reply)),
        headers={"Content-Encoding": coding, "Content-Type": "application/json"},
    )
    status, found = await faulty.call("GET", PING, raw=body, headers={"Content-Encoding": coding})
    assert (status, found) == (200, {"status": "ok"})
    sent: Any = faults.requests[-1]
    assert sent.values("content-encoding") == []
    assert "falk" not in sent.body.decode()
    assert json.loads(sent.body)["feedback"] == "POSITIVE"


EARLY = [
    pytest.param({"key": "exk_nobody"}, 401, id="unknown-key"),
    pytest.param({"key": ""}, 401, id="no-key"),
    pytest.param({"length": "Content-Length: 99999999"}, 413, id="too-long"),
    pytest.param({"target": "/v1/exports/"}, 403, id="unknown-route"),
    pytest.param({"target": "/v3/memories/add/../x"}, 403, id="dot-segments"),
    pytest.param({"purpose": "expunge-purpose: two words"}, 400, id="purpose"),
]


def holding(plane: Plane, said: dict[str, str]) -> bytes:
    """The head of a write whose body the client holds back."""
    lines = [
        f"POST {said.get('target', '/v3/memories/add/')} HTTP/1.1", "Host: x",
        "Expect: 100-continue", "Content-Type: application/json", "Connection: close",
        said.get("length", f"Content-Length: {len(NOTE)}"), said.get("purpose", "X-Request-Id: 1"),
    ]  # fmt: skip
    if key := said.get("key", plane.keys["acme"]):
        lines.append(f"Authorization: Token {key}")
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize(("said", "status"), EARLY)
async def test_a_body_is_not_asked_for_from_whom_it_is_not_taken(
    hop: Plane, store: RawStore, said: dict[str, str], status: int
) -> None:
    """Route, credential and size are judged before 100 Continue."""
    found = await exchange(hop, holding(hop, said))
    assert b"100 Continue" not in found
    assert status_of(found) == status
    assert store.heads == []


async def test_a_body_is_asked_for_once_all_that_is_known(hop: Plane, store: RawStore) -> None:
    """The negative twin: the client sends it when it is asked to, and no sooner."""
    store.answer = [ok(b'{"results":[]}')]
    parts = urlsplit(hop.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    async with asyncio.timeout(120):
        writer.write(holding(hop, {}))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert store.heads == []
        writer.write(NOTE)
        assert status_of(await reader.read()) == 200
    writer.close()
    assert b"held back" in store.heads[0]


async def test_a_client_that_has_said_all_gets_its_answer(hop: Plane, store: RawStore) -> None:
    """It shut its side after the request; the store is slower than that."""
    store.answer = [ok(b'{"results":[]}')]
    sent = get(hop).replace(b"Connection: close\r\n", b"")
    parts = urlsplit(hop.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(sent)
    writer.write_eof()
    async with asyncio.timeout(120):
        found = await reader.read()
    writer.close()
    assert status_of(found) == 200
    assert found.endswith(b'{"results":[]}')


async def test_half_a_request_is_no_request(hop: Plane, store: RawStore) -> None:
    """The negative twin: who shuts within a body gets nothing, and the store nothing."""
    lines = ("Content-Type: application/json", "Content-Length: 99")
    sent = get(hop, *lines, method="POST", target="/v3/memories/add/", body="{")
    parts = urlsplit(hop.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(sent)
    writer.write_eof()
    async with asyncio.timeout(120):
        assert b" 200 " not in await reader.read()
    writer.close()
    assert store.heads == []


LEADS = [
    pytest.param("Location: http://inner.example.org:8000/v1/ping", "http://x/v1/ping", id="inner"),
    pytest.param("Location: /v1/ping", "http://x/v1/ping", id="path"),
    pytest.param("Location: //inner.example.org/v1/ping", "http://x/v1/ping", id="no-scheme"),
    pytest.param("Location: ftp://inner.example.org/v1/ping", None, id="another-scheme"),
    pytest.param("Location: ping", None, id="relative"),
    pytest.param("Location: http://inner.example.org", None, id="no-path"),
    pytest.param("Location: /v1/memories/?query=alva+brenn", None, id="words-of-others"),
    pytest.param("Content-Location: http://inner.example.org/v1/ping", "http://x/v1/ping",
                 id="content"),
    pytest.param("Refresh: 0; url=http://inner.example.org/", None, id="refresh"),
    pytest.param("Link: <http://inner.example.org/v1/ping?page=2>; rel=next",
                 "<http://x/v1/ping?page=2>; rel=next", id="link"),
    pytest.param("Link: </v1/ping>; rel=next; title=\"Alva Brenn called\"", None, id="link-title"),
    pytest.param("Link: </v1/ping?q=Alva+Brenn>; rel=next", None, id="link-words-of-others"),
    pytest.param("Link: </v1/ping>; rel=next, </v1/ping?q=Alva>; rel=last", None, id="one-link"),
    pytest.param("Link: </v1/ping?page=555-0134>; rel=next", None, id="link-telephone"),
]  # fmt: skip


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "201 Created", "200 OK"])
@pytest.mark.parametrize(("line", "expected"), LEADS)
async def test_addresses_of_a_store_lead_through_us(
    hop: Plane, store: RawStore, line: str, expected: str | None, status: str
) -> None:
    """A client never learns where the store is; redirects are not followed here."""
    store.answer = [ok(b"{}", line, status=status)]
    found = await exchange(hop, get(hop))
    name = line.partition(":")[0].lower()
    values = [
        value.strip()
        for key, _, value in (each.partition(":") for each in found.decode().split("\r\n"))
        if key.lower() == name
    ]
    assert values == ([] if expected is None else [expected])
    assert b"inner" not in found
    assert len(store.heads) == 1


@pytest.mark.parametrize("lines", [("Upgrade: websocket", "Connection: Upgrade"), ()])
async def test_another_protocol_nobody_asked_for_is_refused(
    hop: Plane, store: RawStore, lines: tuple[str, ...]
) -> None:
    """101 of a store is no answer to a request without Upgrade."""
    head = "\r\n".join(["HTTP/1.1 101 Switching Protocols", *lines, "", ""])
    store.answer = [head.encode() + b"\x81\x05words"]
    found = await exchange(hop, get(hop))
    assert status_of(found) == 502
    assert b"words" not in found
