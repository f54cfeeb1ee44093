"""Limits hold before anything is read or sent, and each refusal says what to do about it."""

import asyncio
import gzip
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

import brotli
import pytest
import zstandard

from proxy.gateway.hop.decode import unpack
from proxy.gateway.wire import document
from proxy.gateway.wire.decoding_limits import DecodeLimits
from proxy.gateway.wire.limits import Limits
from proxy.problems import Problem
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.index.spelling import Name
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import LISTENERS, Plane

ADD, PING = "/v3/memories/add/", "/v1/ping/"
GOOD: dict[str, Any] = {
    "messages": [{"role": "user", "content": "likes rye bread"}], "user_id": "u-1", "infer": False,
}  # fmt: skip
each_listener = pytest.mark.parametrize("listener", LISTENERS)
Opened = Callable[..., AbstractAsyncContextManager[Plane]]


async def guessed(plane: Plane, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """One request with a credential that is none."""
    status, body = await plane.call("GET", PING, tenant=None, headers=headers or {})
    body.pop("instance")
    return status, body


WRONG = [{}, {"X-API-Key": "wrong"}, {"Authorization": "Token store-key"}, {"X-API-Key": ""}]


async def test_a_valid_key_passes_behind_many_wrong_ones(faulty: Plane, faults: FaultStore) -> None:
    """Whoever shares an address with a guesser is not locked out; the guesser still waits."""
    for _ in range(faulty.services.limits.failed_attempts):
        assert (await guessed(faulty))[0] == 401
    assert (await faulty.call("GET", PING))[0] == 200
    found = [await guessed(faulty, headers) for headers in WRONG]
    assert {status for status, _ in found} == {429}
    assert all(body == found[0][1] for _, body in found), "a wrong key looks like no key"
    assert (await faulty.call("GET", PING))[0] == 200
    assert len(faults.requests) == 2


async def test_a_valid_key_counts_nothing(faulty: Plane) -> None:
    """Only refused credentials take from the address's bucket."""
    for _ in range(faulty.services.limits.failed_attempts + 5):
        assert (await faulty.call("GET", PING))[0] == 200
    assert (await guessed(faulty))[0] == 401


HINTS = [
    pytest.param("POST", "/reset", {}, 403, "erasure.reset", id="reset"),
    pytest.param("POST", ADD, {"x": "a" * 5_000_000}, 413, "limits.body", id="body"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "word"), HINTS)
async def test_a_refusal_names_the_setting(
    faulty: Plane, faults: FaultStore, method: str, path: str, body: Any, status: int, word: str
) -> None:
    """The hint leads to the switch that decides."""
    found, problem = await faulty.call(method, path, body)
    assert found == status
    assert word in problem["hint"]
    assert faults.requests == []


async def test_too_large_says_how_large(faulty: Plane) -> None:
    """Size received and size allowed, with a length and without one."""
    allowed = faulty.services.limits.body
    _, problem = await faulty.call("POST", ADD, raw=b" " * (allowed + 7))
    assert problem["detail"] == f"The body has {allowed + 7} bytes; {allowed} are allowed."
    close = b"Connection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n"
    chunk = b"%x\r\n%s\r\n" % (allowed // 2, b" " * (allowed // 2))
    found = await exchange(faulty, head(faulty, ADD, close) + chunk * 3)
    assert b" 413 " in found.partition(b"\r\n")[0]
    assert f"more than {allowed} bytes".encode() in found


async def test_a_blocked_person_is_refused_with_what_an_operator_can_do(
    faulty: Plane, faults: FaultStore
) -> None:
    """The same hint whoever and whatever is blocked; no name and no owner in it."""
    services, tenant = faulty.services, faulty.tenants["acme"]
    faults.script = lambda _: added()

    async def block(tx: Any) -> None:
        blocklist = services.blocklist
        assert isinstance(blocklist, Blocklist)
        await blocklist.add(tx, tenant, [Name("alva.brenn@example.org", "EMAIL_ADDRESS")])
        await blocklist.add_owner(tx, tenant, "user", "u-9")

    await services.ledger.write(block)
    named = {**GOOD, "messages": [{"role": "user", "content": "alva.brenn@example.org called"}]}
    words = "Tell Tilda Lund in Turku to write to alva.brenn@example.org"
    beside = {**GOOD, "messages": [{"role": "user", "content": words}]}
    refused = [
        await faulty.call("POST", ADD, body) for body in (named, beside, {**GOOD, "user_id": "u-9"})
    ]
    for status, problem in refused:
        del problem["instance"]
        assert status == 422
        assert "expunge blocklist" in problem["hint"]
        assert "agrees to be remembered" in problem["hint"]
        assert not {"alva", "brenn", "u-9"} & set(str(problem).replace(".", " ").split())
    assert refused[0] == refused[1] == refused[2], "however it is found, it looks the same"
    assert (await faulty.call("POST", ADD, GOOD))[0] == 200


async def exchange(plane: Plane, sent: bytes, *, rest: bytes = b"", pause: float = 0) -> bytes:
    """What comes back until the other side closes; ``rest`` follows byte by byte."""
    parts = urlsplit(plane.url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)

    async def read() -> bytes:
        found = b""
        try:
            while chunk := await reader.read(1 << 16):
                found += chunk
        except ConnectionError:
            pass  # what had come is kept
        return found

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        writer.write(sent)
        found = group.create_task(read())
        for byte in rest:
            await asyncio.sleep(pause)
            if found.done():
                break
            writer.write(bytes([byte]))
    writer.close()
    return found.result()


def head(plane: Plane, path: str, *lines: bytes, method: bytes = b"POST") -> bytes:
    key = plane.keys["acme"].encode()
    start = method + b" " + path.encode() + b" HTTP/1.1\r\nHost: x\r\n"
    return start + b"Authorization: Token " + key + b"\r\n" + b"".join(lines) + b"\r\n"


@each_listener
async def test_no_answer_carries_a_name_of_our_server(
    faulty: Plane, faults: FaultStore, listener: str
) -> None:
    """Not when it works, not when it is refused, not when the bytes are no HTTP."""
    faulty = faulty.through(listener)
    faults.script = lambda _: answer({}, Server="their-store/2")
    close = b"Connection: close\r\n"
    bare = head(faulty, PING, close, method=b"GET")
    for sent in (
        bare,
        bare.replace(b"Token", b"Tokem"),
        head(faulty, "/nowhere", close),
        bare.replace(b"HTTP/1.1", b"HTTP/9.9"),
        bare.replace(b"Host: x", b"Host: x\r\nA: 1\rB"),
    ):
        found = await exchange(faulty, sent)
        assert b"HTTP/1." in found
        named = found.lower().count(b"\nserver:")
        assert named == found.count(b"Server: their-store/2")
        assert b"aiohttp" not in found.lower()
    found = await exchange(faulty, bare)
    assert b"Server: their-store/2" in found


@each_listener
async def test_what_is_no_http_is_a_problem_without_an_echo(faulty: Plane, listener: str) -> None:
    """The parser's message quotes the bytes it did not like: the answer does not."""
    faulty = faulty.through(listener)
    sent = head(faulty, PING, b"X-Note: alva brenn\rsecret\r\n", method=b"GET")
    found = await exchange(faulty, sent)
    assert found.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in found
    assert b"urn:expunge:problem:invalid-request" in found
    assert b"alva" not in found
    assert b"secret" not in found


FLOODS = [
    pytest.param([b"X-%d: 1\r\n" % n for n in range(120)], "limits.headers", id="many"),
    pytest.param([b"X-%d: 1\r\n" % n for n in range(5000)], "limits.headers", id="thousands"),
    pytest.param([b"X-A: " + b"a" * 20_000 + b"\r\n"], "limits.line", id="long"),
    pytest.param([b"X-A: " + b"a" * 2_000_000 + b"\r\n"], "limits.line", id="huge"),
]


@each_listener
@pytest.mark.parametrize(("lines", "word"), FLOODS)
async def test_a_flood_of_headers_is_refused(
    faulty: Plane, faults: FaultStore, lines: list[bytes], word: str, listener: str
) -> None:
    """413 with the limit's name, the connection is closed, nothing is sent."""
    faulty = faulty.through(listener)
    found = await exchange(faulty, head(faulty, PING, *lines, method=b"GET"))
    assert not found or (b" 413 " in found.partition(b"\r\n")[0] and word.encode() in found)
    assert faults.requests == []
    few = head(faulty, PING, b"Connection: close\r\n", *lines[:50], method=b"GET")
    if len(lines) > 1:
        assert b" 200 " in (await exchange(faulty, few)).partition(b"\r\n")[0]


WHOLE = 64 * 1024  # bytes of a head


@each_listener
@pytest.mark.parametrize(("more", "status"), [(0, b" 200 "), (1, b" 413 ")])
async def test_a_head_has_a_size_as_a_whole(
    faulty: Plane, faults: FaultStore, more: int, status: bytes, listener: str
) -> None:
    """Each of its headers is short enough: all together are too long, to the byte."""
    faulty = faulty.through(listener)
    lines = [b"X-%d: " % n + b"a" * 8_000 + b"\r\n" for n in range(8)]
    short = head(faulty, PING, b"Connection: close\r\n", *lines, b"X-A: \r\n", method=b"GET")
    left = WHOLE + len(b"\r\n\r\n") - len(short) + more
    sent = short.replace(b"X-A: ", b"X-A: " + b"a" * left)
    found = await exchange(faulty, sent)
    assert status in found.partition(b"\r\n")[0]
    assert (b"64 KiB" in found, len(faults.requests)) == (bool(more), 1 - more)


@each_listener
async def test_what_is_told_at_the_begin_of_a_long_head_is_not_forgotten(
    faulty: Plane, faults: FaultStore, listener: str
) -> None:
    """A head that is cut would hide that chunks follow, and what they say beside their size."""
    faulty = faulty.through(listener)
    lines = [b"X-%d: " % n + b"a b " * 2_000 + b"\r\n" for n in range(12)]
    sent = head(faulty, PING, b"Transfer-Encoding: chunked\r\n", *lines, method=b"POST")
    found = await exchange(faulty, sent + b"2;secret\r\n{}\r\n0\r\n\r\n")
    assert b" 413 " in found.partition(b"\r\n")[0]
    assert faults.requests == []


@each_listener
async def test_a_head_that_trickles_in_is_cut_off(
    opened_plain: Opened, faults: FaultStore, listener: str
) -> None:
    """A byte now and then keeps no connection open (slow loris); nothing is sent."""
    async with opened_plain(limits=Limits(idle_seconds=0.3)) as opened:
        plane = opened.through(listener)
        sent = head(plane, PING, method=b"GET")
        long = b"X-A: " + b"a" * 2_000  # a hundred seconds of them
        assert await exchange(plane, sent[:-2], rest=long, pause=0.05) == b""
        assert faults.requests == []
        await exchange(plane, head(plane, PING, b"Connection: close\r\n", method=b"GET"))
        assert len(faults.requests) == 1


@each_listener
async def test_a_body_that_trickles_in_is_cut_off(
    opened_plain: Opened, faults: FaultStore, listener: str
) -> None:
    """The body has its own time; afterwards the answer names the limit."""
    async with opened_plain(limits=Limits(body_seconds=0.3)) as opened:
        plane = opened.through(listener)
        lines = b"Content-Type: application/json\r\nContent-Length: 1000\r\n"
        found = await exchange(plane, head(plane, ADD, lines), rest=b" " * 400, pause=0.02)
        assert b" 408 " in found.partition(b"\r\n")[0]
        assert b"limits.body_time" in found
        assert b"urn:expunge:problem:request-timeout" in found
        assert faults.requests == []


@each_listener
@pytest.mark.parametrize(
    "framing", [b"Content-Length: 1000\r\n", b"Transfer-Encoding: chunked\r\n"]
)
async def test_nobody_is_waited_for_who_has_no_key(
    opened_plain: Opened, faults: FaultStore, listener: str, framing: bytes
) -> None:
    """401 before the body is here; whoever has a key is waited for."""
    async with opened_plain(limits=Limits(body_seconds=1e6)) as opened:
        plane = opened.through(listener)
        lines = b"Content-Type: application/json\r\n" + framing
        known = head(plane, ADD, lines)
        wrong = known.replace(plane.keys["acme"].encode(), b"no-key-of-anybody")
        assert b" 401 " in (await exchange(plane, wrong)).partition(b"\r\n")[0]
        parts = urlsplit(plane.url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(known)
        await writer.drain()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 0.2)
        writer.close()
        assert faults.requests == []


@each_listener
async def test_connections_are_counted(opened_plain: Opened, listener: str) -> None:
    """One more than allowed is cut off; when one goes, the next is let in."""
    async with opened_plain(limits=Limits(connections=3)) as opened:
        plane = opened.through(listener)
        bare = head(plane, PING, b"Connection: close\r\n", method=b"GET")
        parts = urlsplit(plane.url)
        held = [await asyncio.open_connection(parts.hostname, parts.port) for _ in range(3)]
        assert await exchange(plane, bare) == b""
        held[0][1].close()
        async with asyncio.timeout(60):
            while not (found := await exchange(plane, bare)):  # noqa: ASYNC110  # no event
                await asyncio.sleep(0.05)
        assert b" 200 " in found.partition(b"\r\n")[0]
        for _, writer in held[1:]:
            writer.close()


async def test_requests_at_once_are_counted(opened_plain: Opened, faults: FaultStore) -> None:
    """Beyond the number, 503 with Retry-After and nothing sent."""
    async with opened_plain(limits=Limits(concurrent=2)) as plane:
        arrived, go = asyncio.Semaphore(0), asyncio.Event()

        async def held(_: Any) -> Any:
            arrived.release()
            await go.wait()
            return answer({})

        faults.script = held
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(plane.call("GET", PING))
            for _ in range(2):
                await arrived.acquire()
            status, problem = await plane.call("GET", PING)
            go.set()
        assert (status, problem["type"]) == (503, "urn:expunge:problem:overloaded")
        assert len(faults.requests) == 2


async def test_one_tenant_does_not_take_every_turn(
    opened_plain: Opened, faults: FaultStore
) -> None:
    """Beyond its own number a tenant waits; the others go on."""
    async with opened_plain(limits=Limits(concurrent=9, concurrent_of_tenant=2)) as plane:
        arrived, go = asyncio.Semaphore(0), asyncio.Event()

        async def held(request: Any) -> Any:
            arrived.release()
            if "hold" in request.target:
                await go.wait()
            return answer({})

        faults.script = held
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(plane.call("GET", f"{PING}?zz=hold"))
            for _ in range(2):
                await arrived.acquire()
            status, problem = await plane.call("GET", PING)
            others, _ = await plane.call("GET", PING, tenant="globex")
            go.set()
        assert (status, problem["type"]) == (503, "urn:expunge:problem:overloaded")
        assert "limits.tenant_requests" in problem["hint"]
        assert others == 200
        assert (await plane.call("GET", PING))[0] == 200, "the turns come back"


MIB = 1 << 20
ZEROS = b"\0" * (200 * MIB)
BOMBS = [
    pytest.param(lambda: gzip.compress(ZEROS), "gzip", id="gzip"),
    pytest.param(lambda: brotli.compress(ZEROS, quality=1), "br", id="br"),
    pytest.param(lambda: zstandard.compress(ZEROS), "zstd", id="zstd"),
    pytest.param(lambda: gzip.compress(gzip.compress(ZEROS)), "gzip, gzip", id="twice"),
    pytest.param(lambda: gzip.compress(zstandard.compress(ZEROS)), "zstd, gzip", id="mixed"),
]


@pytest.mark.parametrize(("make", "coding"), BOMBS)
def test_a_bomb_takes_little_memory(make: Callable[[], bytes], coding: str) -> None:
    """Unpacking stops at the limit, not at the end."""
    packed = make()
    tracemalloc.start()
    try:
        with pytest.raises(Problem, match="too-large") as caught:
            unpack(packed, coding, DecodeLimits())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * MIB
    assert "limits.unpacked" in caught.value.hint


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        pytest.param(b"[" + b"1," * 99 + b"1]", True, id="numbers"),
        pytest.param(b"[" + b"1," * 97 + b"1]", False, id="as-many-as-allowed"),
        pytest.param(b"[" + b"[]," * 60 + b"1]", True, id="lists"),
        pytest.param(b"[" + b'{"a":1},' * 60 + b"1]", True, id="objects"),
        pytest.param(b'{"a":"' + b"one, [two] {three}, " * 99 + b'"}', False, id="in-a-text"),
        pytest.param(b'{"a":"' + b'\\"' * 99 + b", " * 99 + b'"}', False, id="behind-quotes"),
        pytest.param(b'{"a":' + b"7" * 1001 + b"}", True, id="digits"),
        pytest.param(b'{"a":' + b"7" * 1000 + b"}", False, id="fewer-digits"),
        pytest.param(b'{"a":"' + b"7" * 1001 + b'"}', False, id="digits-in-a-text"),
        pytest.param(b'{"a":"' + b"," * 200, True, id="a-text-without-end"),
    ],
)
def test_values_are_counted_before_they_are_built(body: bytes, refused: bool) -> None:
    """Signs and digits within strings are none."""
    if not refused:
        document.check_size(body, 99)
        return
    with pytest.raises(Problem, match="too-large"):
        document.check_size(body, 99)


async def test_a_body_of_too_many_values_reaches_no_store(
    faulty: Plane, faults: FaultStore
) -> None:
    """Refused with the name of the limit."""
    many = {"query": "tea", "filters": {"user_id": "u-1"}, "z": [1] * Limits().values}
    status, problem = await faulty.call("POST", "/v3/memories/search/", many)
    assert (status, faults.requests) == (413, [])
    assert "limits.values" in problem["hint"]
