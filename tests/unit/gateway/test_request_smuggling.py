"""Requests that two parsers could read differently: refused, and the connection ends."""

import asyncio
import json
import re
from urllib.parse import urlsplit

import pytest

from proxy.gateway.listener.chunks import Chunks
from tests.support.fault_store import FaultStore, added
from tests.support.gateway import LISTENERS, Plane

BODY = json.dumps(
    {"messages": [{"role": "user", "content": "x"}], "user_id": "u-1", "infer": False}
).encode()
HIDDEN = b"DELETE /v1/memories/?user_id=victim HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)


def head(
    *lines: bytes, target: bytes = b"/v3/memories/add/", version: bytes = b"HTTP/1.1"
) -> bytes:
    start = b"POST " + target + b" " + version
    return (
        b"\r\n".join([start, b"Host: x", b"Content-Type: application/json", *lines]) + b"\r\n\r\n"
    )


def length(size: int = len(BODY)) -> bytes:
    return b"Content-Length: %d" % size


TE = b"Transfer-Encoding: chunked"
CASES = [
    pytest.param(head(length(), TE) + CHUNKED + HIDDEN, id="length-and-chunked"),
    pytest.param(head(TE, length(6)) + CHUNKED + HIDDEN, id="chunked-and-length"),
    pytest.param(head(length(), length(5)) + BODY + HIDDEN, id="two-lengths"),
    pytest.param(head(b"Content-Length: %d, 5" % len(BODY)) + BODY + HIDDEN, id="length-list"),
    pytest.param(head(b"Content-Length: +%d" % len(BODY)) + BODY, id="signed-length"),
    pytest.param(head(b"Content-Length: -1") + BODY, id="negative-length"),
    pytest.param(head(b"Content-Length: 0x10") + BODY, id="hexadecimal-length"),
    pytest.param(head(b"Content-Length : %d" % len(BODY)) + BODY, id="space-before-colon"),
    pytest.param(head(b"Transfer-Encoding: xchunked") + CHUNKED, id="unknown-transfer-coding"),
    pytest.param(head(b"Transfer-Encoding: chunked, identity") + CHUNKED, id="chunked-not-last"),
    pytest.param(head(b"Transfer-Encoding: gzip, chunked") + CHUNKED, id="packed-and-chunked"),
    pytest.param(head(b"Transfer-Encoding : chunked") + CHUNKED, id="space-in-transfer-coding"),
    pytest.param(head(b"Transfer-Encoding:\x0bchunked") + CHUNKED, id="vertical-tab"),
    pytest.param(head(length(), b"X-A: 1\r\n folded") + BODY, id="obs-fold"),
    pytest.param(head(length(), b"X-A: 1\rX-B: 2") + BODY, id="bare-cr"),
    pytest.param(head(TE) + b"\r\r\n" + BODY + b"\r\n0\r\n\r\n", id="size-of-bare-cr"),
    pytest.param(
        head(TE) + b"%x\r\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), id="bare-cr-behind-size"
    ),
    pytest.param(head(length(), b"X-A: a\x00b") + BODY, id="nul"),
    pytest.param(head(length(), b"X A: 1") + BODY, id="space-in-name"),
    pytest.param(head(length(), b": empty") + BODY, id="no-name"),
    pytest.param(head(TE) + b"2;a\nb\r\nxx\r\n0\r\n\r\n", id="newline-in-extension"),
    pytest.param(head(TE) + b"%x;a=b\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), id="extension"),
    pytest.param(head(TE) + b"%x;\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), id="semicolon"),
    pytest.param(
        head(TE) + b"%x ;a\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), id="space-before-extension"
    ),
    pytest.param(
        head(TE) + b'%x;a="b"\r\n%s\r\n0\r\n\r\n' % (len(BODY), BODY), id="quoted-extension"
    ),
    pytest.param(head(TE) + CHUNKED[:-5] + b"0;a=b\r\n\r\n", id="extension-of-the-last-chunk"),
    pytest.param(
        head(TE) + b"5\r\n%s\r\n%x;a=b\r\n%s\r\n0\r\n\r\n" % (BODY[:5], len(BODY) - 5, BODY[5:]),
        id="extension-of-a-later-chunk",
    ),
    pytest.param(head(TE) + b"+2\r\nxx\r\n0\r\n\r\n", id="signed-chunk"),
    pytest.param(head(TE) + b"0x2\r\nxx\r\n0\r\n\r\n", id="prefixed-chunk"),
    pytest.param(head(TE) + b"2\r\nxxx\r\n0\r\n\r\n", id="long-chunk"),
    pytest.param(head(TE) + b"\r\nxx\r\n0\r\n\r\n", id="empty-chunk-size"),
    pytest.param(head(TE) + b"fffffffffffffffff\r\nxx\r\n0\r\n\r\n", id="huge-chunk"),
    pytest.param(head(length(), version=b"HTTP/0.9") + BODY, id="version-0.9"),
    pytest.param(head(length(), version=b"HTTP/2.0") + BODY, id="version-2.0"),
    pytest.param(
        head(length(), b"Upgrade: websocket", b"Connection: Upgrade") + BODY, id="upgrade"
    ),
    pytest.param(head(length(), target=b"/v3/memories/add/ x") + BODY, id="space-in-target"),
    pytest.param(head(length()).replace(b" ", b"  ", 1) + BODY, id="two-spaces-before-target"),
    pytest.param(head(length(), target=b"/v3/memories/add/ ") + BODY, id="two-before-version"),
    pytest.param(head(length()).replace(b" ", b"   ", 1) + BODY + HIDDEN, id="three-spaces"),
    pytest.param(head(length(), version=b"HTTP/1.1 ") + BODY, id="space-after-version"),
    pytest.param(b" " + head(length()) + BODY, id="space-before-method"),
    pytest.param(b"\r\n" + head(length()).replace(b" ", b"  ", 1) + BODY, id="after-empty-line"),
    pytest.param(head(length()).replace(b" ", b"\t", 1) + BODY, id="tab-in-line"),
    pytest.param(head(length()).replace(b" ", b" \t", 1) + BODY, id="space-and-tab"),
    pytest.param(head(length(), target=b"http://evil/v3/memories/add/") + BODY, id="absolute"),
    pytest.param(head(length(), target=b"/v3/memories/add/\x00") + BODY, id="nul-in-target"),
    pytest.param(head(length(), target="/v3/memories/ädd/".encode()) + BODY, id="utf-8-target"),
    pytest.param(head(length(), b"Host: y") + BODY + HIDDEN, id="two-hosts"),
    pytest.param(
        head(length(), b"Content-Type: text/plain") + BODY + HIDDEN, id="two-content-types"
    ),
    pytest.param(b"\x16\x03\x01\x02\x00\x01", id="tls-to-plain"),
    pytest.param(head(*[b"X-%d: 1" % n for n in range(200)], length()) + BODY, id="many-headers"),
    pytest.param(head(length(), b"X-A: " + b"a" * 40_000) + BODY, id="long-header"),
    pytest.param(head(length(), target=b"/" + b"a" * 40_000) + BODY, id="long-target"),
]


async def exchange(url: str, sent: bytes) -> bytes:
    """Everything that comes back until the other side closes."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(sent)
    await writer.drain()
    try:
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()


def keyed(plane: Plane, sent: bytes) -> bytes:
    """The bytes with a valid credential after the Host line."""
    line = f"Host: x\r\nAuthorization: Token {plane.keys['acme']}\r\n".encode()
    return sent.replace(b"Host: x\r\n", line)


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("sent", CASES)
async def test_an_ambiguous_request_is_refused(
    faulty: Plane, faults: FaultStore, sent: bytes, listener: str
) -> None:
    """4xx, nothing at the store, and the connection is closed so that nothing hides behind."""
    faults.script = lambda _: added()
    closing = keyed(faulty, sent)
    found = await exchange(faulty.urls[listener], closing)
    assert re.match(rb"HTTP/\d\.\d (400|403|413|415) ", found), found[:60]
    assert len(re.findall(rb"HTTP/\d\.\d \d{3} ", found)) == 1, (
        "one answer, and nothing that was hidden behind"
    )
    assert b"application/problem+json" in found
    assert faults.requests == []


@pytest.mark.parametrize("listener", LISTENERS)
async def test_well_formed_framing_passes(faulty: Plane, faults: FaultStore, listener: str) -> None:
    """The negative twin: a length, and chunks with leading zeros and a trailer."""
    faults.script = lambda _: added()
    close = b"Connection: close"
    chunks = b"00%x\r\n%s\r\n0\r\nX-Trailer: 1\r\n\r\n" % (len(BODY), BODY)
    for sent in (head(length(), close) + BODY, head(TE, close) + chunks):
        found = await exchange(faulty.urls[listener], keyed(faulty, sent))
        assert found.startswith(b"HTTP/1.1 200"), found[:80]
    assert [request.values("x-trailer") for request in faults.requests] == [[], []]


@pytest.mark.parametrize("listener", LISTENERS)
async def test_two_requests_in_one_write_are_two_requests(
    faulty: Plane, faults: FaultStore, listener: str
) -> None:
    """Pipelining keeps the boundary between them."""
    faults.script = lambda _: added()
    first, second = head(length()) + BODY, head(length(), b"Connection: close") + BODY
    found = await exchange(faulty.urls[listener], keyed(faulty, first + second))
    assert found.count(b"HTTP/1.1 200") == 2
    assert len(faults.requests) == 2


def test_wherever_bytes_are_cut_an_extension_is_seen() -> None:
    """In whatever pieces they come, and behind whatever requests."""
    before = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n" + head(length()) + BODY
    good = before + head(TE) + CHUNKED + head(TE) + b"5\r\nab;cd\r\n0\r\nX: 1;2\r\n\r\n" + before
    bad = good + head(TE) + b"2;a\r\nxx\r\n0\r\n\r\n"
    for size in range(1, len(bad) + 1):
        for sent, offends in ((good, False), (bad, True)):
            follows = Chunks()
            pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
            assert any(follows.offence(piece) >= 0 for piece in pieces) is offends


@pytest.mark.parametrize("listener", LISTENERS)
async def test_what_came_before_an_extension_is_answered(
    faulty: Plane, faults: FaultStore, listener: str
) -> None:
    """Our listener has answered it; aiohttp's parser refuses all of what came at once."""
    faults.script = lambda _: added()
    bad = head(TE) + b"%x;a=b\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    found = await exchange(
        faulty.urls[listener], keyed(faulty, head(length()) + BODY + bad + HIDDEN)
    )
    said = re.findall(rb"HTTP/1.\d (\d{3}) ", found)
    assert said == ([b"200", b"400"] if listener == "httptools" else [b"400"])
    assert len(faults.requests) == len(said) - 1


SPACED = b"GET  /v1/ping/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("at", [1, 4, 5, 10, 24, 27, len(SPACED) - 3, len(SPACED) - 1])
@pytest.mark.parametrize("spaces", [1, 2])
async def test_spaces_are_seen_wherever_the_pieces_end(
    faulty: Plane, faults: FaultStore, listener: str, at: int, spaces: int
) -> None:
    """A head in two pieces is refused like a whole one; with one space it passes."""
    sent = keyed(faulty, SPACED.replace(b"  ", b" " * spaces))
    parts = urlsplit(faulty.urls[listener])
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    at += len(sent) - len(SPACED) if at > 30 else 0
    for piece in (sent[:at], sent[at:]):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    async with asyncio.timeout(60):
        found = await reader.read()
    writer.close()
    assert found.startswith(b"HTTP/1.1 400 " if spaces > 1 else b"HTTP/1.1 200 ")
    assert len(faults.requests) == (0 if spaces > 1 else 1)
