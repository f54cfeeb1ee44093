"""The two listeners: whatever bytes come, the same status, and the same end of the connection."""

import asyncio
import re
from urllib.parse import urlsplit

import pytest

from tests.support.fault_store import FaultStore, added
from tests.support.gateway import LISTENERS, Plane
from tests.unit.gateway.test_request_smuggling import BODY, CHUNKED, TE, head, keyed, length

PING = b"GET /v1/ping/ HTTP/1.1\r\nHost: x\r\n"


def ping(*lines: bytes, version: bytes = b"HTTP/1.1") -> bytes:
    return b"\r\n".join([b"GET /v1/ping/ " + version, b"Host: x", *lines]) + b"\r\n\r\n"


def chunks(raw: bytes) -> bytes:
    return head(TE) + raw


REFUSED = [
    pytest.param(ping(b"Connection: close").replace(b"GET ", b"GET  "), id="two-spaces"),
    pytest.param(ping(b"Connection: close").replace(b" HTTP", b"  HTTP"), id="two-before-version"),
    pytest.param(PING.replace(b"\r\n", b"\n") + b"\n", id="bare-lf"),
    pytest.param(b"GET /v1/ping/ HTTP/1.1\nHost: x\r\n\r\n", id="bare-lf-after-start"),
    pytest.param(PING + b"X-A: 1\n\r\n", id="bare-lf-after-value"),
    pytest.param(PING + b"\n", id="bare-lf-at-end"),
    pytest.param(PING + b"X-A: 1\r\r\n", id="cr-before-line-end"),
    pytest.param(ping(b"X-A : 1"), id="space-before-colon"),
    pytest.param(ping(b"X-A\t: 1"), id="tab-before-colon"),
    pytest.param(PING + b" X-A: 1\r\n\r\n", id="space-before-name"),
    pytest.param(ping(b"X-A"), id="no-colon"),
    pytest.param(ping(b"X-\xc3\xa4: 1"), id="utf-8-name"),
    pytest.param(ping(b"X(A): 1"), id="brackets-in-name"),
    pytest.param(ping(b"X-A\x00: 1"), id="nul-in-name"),
    pytest.param(ping(b"X-A: a\x01b"), id="control-in-value"),
    pytest.param(ping(b"X-A: a\x7fb"), id="delete-in-value"),
    pytest.param(ping(b"X-A: a\x0bb"), id="vertical-tab-in-value"),
    pytest.param(ping(b"X-A: \xff"), id="value-no-utf-8"),
    pytest.param(ping(b"Host: y"), id="two-hosts"),
    pytest.param(b"GET /v1/ping/ HTTP/1.1\r\n\r\n", id="no-host"),
    pytest.param(head(length(), b"Content-Type: text/plain") + BODY, id="two-types"),
    pytest.param(ping(b"User-Agent: a", b"User-Agent: b"), id="two-agents"),
    pytest.param(ping(b"Sec-WebSocket-Key1: a"), id="old-websocket"),
    pytest.param(head(length(), length()) + BODY, id="same-length-twice"),
    pytest.param(head(b"Content-Length: " + b"9" * 30) + BODY, id="length-without-end"),
    pytest.param(head(b"Content-Length: ") + BODY, id="empty-length"),
    pytest.param(head(b"Content-Length: 1 1") + BODY, id="length-with-a-space"),
    pytest.param(head(TE, TE) + CHUNKED, id="chunked-twice"),
    pytest.param(head(b"Transfer-Encoding: chunked, chunked") + CHUNKED, id="chunked-in-a-list"),
    pytest.param(head(b"Transfer-Encoding: identity") + CHUNKED, id="identity"),
    pytest.param(head(b"Transfer-Encoding: chunked, identity") + CHUNKED, id="then-identity"),
    pytest.param(head(b"Transfer-Encoding: identity, chunked") + CHUNKED, id="identity-first"),
    pytest.param(head(b"Transfer-Encoding: \"chunked\"") + CHUNKED, id="quoted-coding"),
    pytest.param(head(b"Transfer-Encoding: chunked;q=1") + CHUNKED, id="coding-with-parameter"),
    pytest.param(head(TE, version=b"HTTP/1.0") + CHUNKED, id="chunked-in-1.0"),
    pytest.param(chunks(b"2\rxx\r\n0\r\n\r\n"), id="bare-cr-after-size"),
    pytest.param(chunks(b"2\r\rxx\r\n0\r\n\r\n"), id="two-crs-after-size"),
    pytest.param(chunks(b"2\nxx\r\n0\r\n\r\n"), id="bare-lf-after-size"),
    pytest.param(chunks(b"2\r\nxx\n0\r\n\r\n"), id="bare-lf-after-chunk"),
    pytest.param(chunks(b"2\r\nxx0\r\n\r\n"), id="nothing-after-chunk"),
    pytest.param(chunks(b"2 \r\nxx\r\n0\r\n\r\n"), id="space-after-size"),
    pytest.param(chunks(b" 2\r\nxx\r\n0\r\n\r\n"), id="space-before-size"),
    pytest.param(chunks(b"2_0\r\nxx\r\n0\r\n\r\n"), id="underscore-in-size"),
    pytest.param(chunks(b"-2\r\nxx\r\n0\r\n\r\n"), id="negative-size"),
    pytest.param(chunks(b"g\r\nxx\r\n0\r\n\r\n"), id="no-hexadecimal"),
    pytest.param(chunks(b"1" + b"0" * 16 + b"\r\nxx\r\n0\r\n\r\n"), id="size-over-64-bits"),
    pytest.param(chunks(b'2;a="b"\r\nxx\r\n0\r\n\r\n'), id="extension"),
    pytest.param(chunks(b"2;a\x00\r\nxx\r\n0\r\n\r\n"), id="nul-in-extension"),
    pytest.param(chunks(b"2\r\nxx\r\n0\r\nX A: 1\r\n\r\n"), id="space-in-trailer"),
    pytest.param(chunks(b"2\r\nxx\r\n0\r\nX-A: 1\n\r\n"), id="bare-lf-in-trailer"),
    pytest.param(ping(version=b"HTTP/1.2"), id="version-1.2"),
    pytest.param(ping(version=b"HTTP/1.1 "), id="space-after-version"),
    pytest.param(ping(version=b"HTTP/01.1"), id="long-version"),
    pytest.param(ping(version=b"http/1.1"), id="small-version"),
    pytest.param(ping(version=b"ICE/1.0"), id="another-protocol"),
    pytest.param(b"GET /v1/ping/\r\n\r\n", id="no-version"),
    pytest.param(b"get /v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="small-method"),
    pytest.param(b"BREW /v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="unknown-method"),
    pytest.param(b" GET /v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="space-before-method"),
    pytest.param(b"GET\t/v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="tab-after-method"),
    pytest.param(b"GET v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="path-without-slash"),
    pytest.param(b"GET * HTTP/1.1\r\nHost: x\r\n\r\n", id="asterisk"),
    pytest.param(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", id="asterisk-of-options"),
    pytest.param(b"GET http:/v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="url-without-host"),
    pytest.param(b"GET http:///v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="url-with-empty-host"),
    pytest.param(b"GET http://x/v1/ping/ HTTP/1.1\r\nHost: x\r\n\r\n", id="whole-url"),
    pytest.param(b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", id="connect"),
    pytest.param(b"GET /v1/ping/\xff HTTP/1.1\r\nHost: x\r\n\r\n", id="target-no-utf-8"),
    pytest.param(b"GET /v1/ping/\x7f HTTP/1.1\r\nHost: x\r\n\r\n", id="delete-in-target"),
    pytest.param(ping(b"Upgrade: h2c", b"Connection: Upgrade, HTTP2-Settings"), id="h2c"),
    pytest.param(ping(b"Upgrade: websocket"), id="upgrade-without-connection"),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="http-2"),
    pytest.param(ping(*[b"X-%d: 1" % n for n in range(101)]), id="a-header-too-many"),
    pytest.param(ping(b"X-A: " + b"a" * (16 * 1024 + 1)), id="a-header-too-long"),
    pytest.param(ping(b"A" * (16 * 1024 + 1) + b": 1"), id="a-name-too-long"),
    pytest.param(PING + b"X-A: " + b"a" * 40_000, id="a-header-without-end"),
    pytest.param(b"GET /" + b"a" * 40_000, id="a-target-without-end"),
    pytest.param(b"\x00" * 40, id="nuls"),
]  # fmt: skip
TAKEN = [
    pytest.param(ping(b"Connection: close"), id="plain"),
    pytest.param(b"\r\n" + ping(b"Connection: close"), id="empty-line-before"),
    pytest.param(ping(b"X-A:", b"Connection: close"), id="empty-value"),
    pytest.param(ping(b"X-A:  \t ", b"Connection: close"), id="blank-value"),
    pytest.param(ping(b"X-A: a\tb", b"Connection: close"), id="tab-in-value"),
    pytest.param(ping(b"X-A:b \t", b"Connection: close"), id="space-after-value"),
    pytest.param(ping(b"x_a: 1", b"Connection: close"), id="underscore-in-name"),
    pytest.param(ping(b"X-A: \xc3\xa4", b"Connection: close"), id="utf-8-value"),
    pytest.param(ping(b"Accept: a", b"Accept: b", b"Connection: close"), id="a-list-in-two-lines"),
    pytest.param(ping(version=b"HTTP/1.0"), id="version-1.0"),
    pytest.param(b"GET /v1/ping/ HTTP/1.0\r\nAuthorization: Token KEY\r\n\r\n", id="1.0-no-host"),
    pytest.param(ping(b"X-A: " + b"a" * 8000, b"Connection: close"), id="long-header"),
    pytest.param(ping(*[b"X-%d: 1" % n for n in range(97)], b"Connection: close"), id="headers"),
    pytest.param(head(length(), b"Connection: close") + BODY, id="a-body"),
    pytest.param(head(b"Content-Length: %03d" % len(BODY), b"Connection: close") + BODY,
                 id="zeros-before-length"),
    pytest.param(head(TE, b"Connection: close") + CHUNKED, id="chunks"),
    pytest.param(head(b"transfer-encoding:CHUNKED", b"Connection: close") + CHUNKED, id="capitals"),
    pytest.param(
        head(TE, b"Connection: close")
        + b"0%X\r\n%s\r\n000\r\nX-T: 1;2\r\n\r\n" % (len(BODY), BODY),
        id="zeros-and-trailer",
    ),
    pytest.param(ping(b"Connection: close", b"Content-Length: 0"), id="no-body-of-length-0"),
]  # fmt: skip


async def said(url: str, sent: bytes, pieces: int = 1) -> tuple[list[bytes], bool]:
    """The statuses that come back, and whether the other side ended the connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        size = -(-len(sent) // pieces)
        for at in range(0, len(sent), size):
            writer.write(sent[at : at + size])
            await writer.drain()
            await asyncio.sleep(0)
        async with asyncio.timeout(60):
            found = await reader.read()
    finally:
        writer.close()
    return re.findall(rb"HTTP/1\.\d (\d{3}) ", found), b"\r\n\r\n" in found


async def both(plane: Plane, sent: bytes) -> list[bytes]:
    """The statuses, which are the same from both listeners, however the bytes are cut."""
    sent = keyed(plane, sent).replace(b"Token KEY", f"Token {plane.keys['acme']}".encode())
    plane.services.throttle._buckets.clear()
    found = {kind: await said(plane.urls[kind], sent) for kind in LISTENERS}
    assert found["httptools"] == found["aiohttp"]
    assert await said(plane.urls["httptools"], sent, 7) == found["httptools"]
    return found["httptools"][0]


@pytest.mark.parametrize("sent", REFUSED)
async def test_both_refuse_the_same(faulty: Plane, faults: FaultStore, sent: bytes) -> None:
    """One problem, the connection ends, nothing is at the store."""
    faults.script = lambda _: added()
    (status,) = await both(faulty, sent)
    assert status in (b"400", b"403", b"413", b"415")
    assert faults.requests == []


@pytest.mark.parametrize("coding", [TE, b"Transfer-Encoding: gzip", b"Transfer-Encoding: identity"])
async def test_a_transfer_coding_in_http_1_0_is_malformed(
    faulty: Plane, faults: FaultStore, coding: bytes
) -> None:
    """That version knows none (RFC 9112 §6.1): two ends could see its end in two places."""
    assert await both(faulty, head(coding, version=b"HTTP/1.0") + CHUNKED) == [b"400"]
    assert faults.requests == []


async def test_a_trailer_is_no_header_of_the_next(faulty: Plane, faults: FaultStore) -> None:
    """One connection, and heads that are the same but for what was a trailer before.

    aiohttp's parser takes the last trailer for a header of what comes next: nothing comes next.
    """
    faults.script = lambda _: added()
    trailed = b"%x\r\n%s\r\n0\r\nX-Note: 7\r\n\r\n" % (len(BODY), BODY)
    first = keyed(faulty, head(TE) + trailed)
    second = keyed(faulty, head(TE, b"X-Note: 7") + CHUNKED)
    last = keyed(faulty, head(TE, b"Connection: close") + CHUNKED)
    for kind, notes in {"httptools": [[], ["7"], [], []], "aiohttp": [[]]}.items():
        faults.requests.clear()
        statuses, _ = await said(faulty.urls[kind], first + second + first + last)
        assert statuses == [b"200"] * len(notes)
        assert [each.values("x-note") for each in faults.requests] == notes


@pytest.mark.parametrize("sent", TAKEN)
async def test_both_take_the_same(faulty: Plane, faults: FaultStore, sent: bytes) -> None:
    """The negative twins: odd, but with one meaning; the store gets the same from both."""
    faults.script = lambda _: added()
    assert await both(faulty, sent) == [b"200"]
    heads = [{pair for pair in each.headers if pair[0] != "Host"} for each in faults.requests]
    assert heads[0] == heads[1] == heads[2]
