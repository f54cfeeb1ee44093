"""What a listener does beside parsing: order, turns, waiting, leaving and ending; both alike."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from proxy.background import spawn
from proxy.gateway.exchange import Reply
from proxy.gateway.listener.body import HELD
from proxy.gateway.listener.call import Answer, Call
from proxy.gateway.listener.connection import WAITING
from proxy.gateway.listener.over_aiohttp import AiohttpRunner
from proxy.gateway.listener.over_httptools import HttptoolsRunner
from proxy.gateway.wire.limits import Limits

RUNNERS: dict[str, Callable[..., web.BaseRunner]] = {
    "aiohttp": AiohttpRunner, "httptools": HttptoolsRunner
}  # fmt: skip
GET = b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
both = pytest.mark.parametrize("kind", sorted(RUNNERS))


@dataclass
class Gate:
    """A handler that waits for leave and answers with the target and what it read."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    ended: list[str] = field(default_factory=list)
    reads: bool = True
    size: int = 0  # bytes of an answer

    async def __call__(self, call: Call) -> Answer | None:
        """Answer."""
        self.begun.release()
        try:
            await self.open.wait()
            read = [piece async for piece in call.pieces()] if self.reads else []
        except BaseException as failure:
            self.ended.append(type(failure).__name__)
            raise
        body = call.target.encode() + b"=%d" % len(b"".join(read)) + b"." * self.size
        self.ended.append(call.target)
        return Answer(Reply(200, (), body))


@asynccontextmanager
async def serving(
    kind: str, gate: Callable[..., object], limits: Limits | None = None, *, patience: float = 60
) -> AsyncIterator[tuple[web.BaseRunner, int]]:
    """A listener with this handler, and its port."""
    runner = RUNNERS[kind](gate, limits or Limits(), 0.2, shutdown_timeout=patience)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner, runner.addresses[0][1]
    await runner.cleanup()


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side ends."""
    async with asyncio.timeout(60):
        return await reader.read()


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something is so."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  (nothing tells of it)
            await asyncio.sleep(0.005)


@both
async def test_many_requests_at_once_are_answered_in_order(kind: str) -> None:
    """More than may wait, written before the first is answered; each once."""
    gate, count = Gate(), WAITING * 5
    async with serving(kind, gate) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"".join(GET % n for n in range(count)))
        await gate.begun.acquire()
        gate.open.set()
        for n in range(count):
            async with asyncio.timeout(60):
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200 OK\r\n")
                assert await reader.readexactly(len(b"/%d=0" % n)) == b"/%d=0" % n
        writer.close()
    assert gate.ended == [f"/{n}" for n in range(count)]


async def test_no_more_requests_are_kept_than_may_wait() -> None:
    """The rest stays as bytes, and the client waits."""
    gate = Gate()
    async with serving("httptools", gate) as (runner, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"".join(GET % n for n in range(20_000)))
        await gate.begun.acquire()
        (connection,) = runner._server._open  # type: ignore[union-attr]
        await until(lambda: connection._rest != b"")
        assert len(connection._requests.found) < WAITING + 8192 // len(GET)
        assert not connection._reads
        writer.transport.abort()
        gate.open.set()
        await until(lambda: not runner._server._open)  # type: ignore[union-attr]


@both
async def test_a_large_body_waits_until_it_is_read(kind: str) -> None:
    """A client that sends on and on before anybody reads has to wait; nothing is lost."""
    gate, size = Gate(), 30 * HELD
    async with serving(kind, gate) as (runner, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST % (1, size) + b"x" * size)
        await gate.begun.acquire()
        if kind == "httptools":
            (connection,) = runner._server._open  # type: ignore[union-attr]
            await until(lambda: connection._requests.full)
            assert len(connection._requests.arriving.body._held) < HELD + (1 << 18) + 1
        gate.open.set()
        assert b"/1=%d" % size in await reader.readuntil(b"=%d" % size)
        writer.close()


@both
async def test_a_client_that_does_not_read_gets_no_more(kind: str) -> None:
    """Answers wait for it; the next request is not begun."""
    gate = Gate(size=4 << 20)
    gate.open.set()
    async with serving(kind, gate) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 10)
        writer.write(GET % 1 + GET % 2 + GET % 3)
        await until(lambda: len(gate.ended) == 1)
        await asyncio.sleep(0.05)
        assert gate.ended == ["/1"]
        left = 3
        while left:
            async with asyncio.timeout(60):
                chunk = await reader.read(1 << 20)
            left -= chunk.count(b"HTTP/1.1 200")
        writer.transport.abort()
    assert gate.ended == ["/1", "/2", "/3"]


@both
async def test_a_request_is_ended_though_its_client_left(kind: str) -> None:
    """What was begun at the store and in the ledger ends consistently."""
    gate = Gate()
    async with serving(kind, gate) as (_, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET % 1)
        await gate.begun.acquire()
        writer.transport.abort()
        await asyncio.sleep(0.05)
        gate.open.set()
        await until(lambda: gate.ended == ["/1"])


@both
async def test_who_leaves_before_the_body_is_whole_is_not_waited_for(kind: str) -> None:
    """Whoever reads it hears of it."""
    gate = Gate()
    gate.open.set()
    async with serving(kind, gate) as (_, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST % (1, 100) + b"x")
        await gate.begun.acquire()
        writer.transport.abort()
        await until(lambda: len(gate.ended) == 1)
    assert "Connection" in gate.ended[0]


@both
async def test_the_end_waits_for_requests_and_for_nobody_else(kind: str) -> None:
    """Idle connections end at once, one at work with its answer; what waits behind it is left."""
    gate = Gate()
    async with serving(kind, gate) as (runner, port):
        idle, _ = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET % 1 + GET % 2)
        await gate.begun.acquire()
        ending = spawn(runner.cleanup(), name="end")
        assert await rest_of(idle) == b""
        assert not ending.done()
        gate.open.set()
        found = await rest_of(reader)
        await ending
        assert found.count(b"HTTP/1.1 200") == 1
        assert gate.ended == ["/1"]


@both
async def test_the_end_does_not_wait_for_ever(kind: str) -> None:
    """A request that outlasts the time is cancelled and its connection cut."""
    gate = Gate()
    async with serving(kind, gate, patience=0.05) as (runner, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET % 1)
        await gate.begun.acquire()
        await runner.cleanup()
        assert await rest_of(reader) == b""
        await until(lambda: gate.ended == ["CancelledError"])


@both
async def test_an_idle_connection_is_closed(kind: str) -> None:
    """After an answer too, and not while a request is at work, however long that takes."""
    gate = Gate()
    async with serving(kind, gate, Limits(idle_seconds=0.05)) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET % 1)
        await gate.begun.acquire()
        await asyncio.sleep(0.2)
        gate.open.set()
        assert (await rest_of(reader)).endswith(b"/1=0")


@both
async def test_the_rest_of_an_unread_body_is_thrown_away(kind: str) -> None:
    """The connection goes on in step, if the rest comes soon; else it ends."""
    gate = Gate(reads=False)
    gate.open.set()
    async with serving(kind, gate) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POST % (1, 1000))
        await gate.begun.acquire()
        writer.write(b"GET /9 HTTP/1.1\r\n".ljust(1000) + GET % 2 + POST % (3, 1000) + b"x")
        found = await rest_of(reader)
        assert found.count(b"HTTP/1.1 200") == 3
        assert gate.ended == ["/1", "/2", "/3"]


FLOODS = [
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", b"a" * 4096, id="value"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n", b"a" * 4096, id="name"),
    pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nX-A:", b" " * 4096, id="space"),
    pytest.param(
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a" * 4096,
        id="extension",
    ),
    pytest.param(
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-T: ",
        b"a" * 4096, id="trailer",
    ),
    pytest.param(
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
        b"X-T: 1\r\n" * 90, id="trailers",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("start", "more"), FLOODS)
async def test_a_line_without_end_is_not_kept(start: bytes, more: bytes) -> None:
    """Whatever comes of which nothing can be made is refused at the limit of a line."""

    async def read(call: Call) -> Answer:
        return Answer(Reply(200, (), b"".join([piece async for piece in call.pieces()])))

    async with serving("httptools", read) as (runner, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(start)
        sent = 0
        while runner._server._open and sent < 4 << 20:  # type: ignore[union-attr]
            writer.write(more)
            sent += len(more)
            await asyncio.sleep(0)
            if reader._buffer:  # type: ignore[attr-defined]
                break
        found = await rest_of(reader)
    assert sent < 1 << 20
    assert found[9:12] in (b"400", b"413", b"500"), found[:60]


@both
async def test_a_failure_below_the_gateway_is_a_problem(kind: str) -> None:
    """500 without its words, and the connection ends."""

    async def fail(call: Call) -> Answer:
        raise ValueError("alva brenn")

    async with serving(kind, fail) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(GET % 1 + GET % 2)
        found = await rest_of(reader)
    assert found[8:13] == b" 500 "
    assert found.count(b"HTTP/1.") == 1
    assert b"alva" not in found
