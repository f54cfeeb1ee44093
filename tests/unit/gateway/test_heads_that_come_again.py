"""The same bytes at the beginning of a request mean the same: a listener reads them once."""

import asyncio
import re
from collections.abc import Callable

import pytest

from proxy.gateway.exchange import Reply
from proxy.gateway.listener import heads
from proxy.gateway.listener.call import Answer, Call
from proxy.gateway.listener.incoming import Head
from proxy.gateway.listener.known_heads import LONGEST, MOST, SECONDS, KnownHeads
from tests.unit.gateway.test_listeners_under_load import rest_of, serving

GET = b"GET /a?q=1 HTTP/1.1\r\nHost: x\r\nX-Mark: one\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
CHUNKS = b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"GET /z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
OLD = b"GET /o HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
PIECE = b"2\r\nhi\r\n0\r\n\r\n"
ANOTHER = GET.replace(b"one", b"two")

TALKS = {
    "the same again": GET * 4 + LAST,
    "another header": GET + ANOTHER + GET + ANOTHER + LAST,
    "another body": POST + b"abc" + POST + b"def" + POST + b"ghi" + LAST,
    "a body like a head": POST + b"\r\n\r" + POST + b"GET" + GET + LAST,
    "chunks": (CHUNKS + PIECE) * 3 + LAST,
    "an older version": OLD * 3 + GET + LAST,
    "empty lines before it": GET + b"\r\n" + GET + b"\r\n\r\n" + GET + LAST,
    "more spaces in the second": GET + GET.replace(b" HTTP", b"  HTTP"),
    "a bare line feed in the second": GET + GET.replace(b"\r\nX", b"\nX"),
    "an end before the others": GET + LAST + GET,
}


ENDS_EARLY = {
    "an end before the others",
    "more spaces in the second",
    "a bare line feed in the second",
}


async def echo(call: Call) -> Answer:
    """All that was understood."""
    body = b"".join([piece async for piece in call.pieces()])
    said = repr((call.method, call.target, call.version, call.headers, body)).encode()
    return Answer(Reply(200, (("Date", "x"),), said))


async def talk(port: int, said: bytes, step: int) -> bytes:
    """What comes back, if so many bytes are sent at a time."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for start in range(0, len(said), step):
        writer.write(said[start : start + step])
        await asyncio.sleep(0)
    writer.write_eof()
    found = await rest_of(reader)
    writer.close()
    return re.sub(rb"req_\w+", b"", found)  # the id of a refusal


@pytest.mark.parametrize("name", sorted(TALKS))
async def test_what_comes_again_means_what_it_meant(name: str) -> None:
    """Whole, in pieces and on other connections, as when it was new."""
    said = TALKS[name]
    async with serving("httptools", echo) as (_, port):
        new = await talk(port, said, len(said))
        for step in (len(said),) if name in ENDS_EARLY else (len(said), 1, 7, 50, len(said)):
            assert await talk(port, said, step) == new
    assert new.count(b"HTTP/1.1 200 OK") + new.count(b"HTTP/1.0 200 OK") >= 1


async def test_a_head_is_read_once_for_all_connections() -> None:
    """What it said is the same object; another one's is not."""
    heard: list[object] = []

    async def listen(call: Call) -> Answer:
        heard.append(call.headers)
        return await echo(call)

    async with serving("httptools", listen) as (_, port):
        for said in (GET, GET, ANOTHER):
            await talk(port, said, len(said))
    assert heard[0] is heard[1]
    assert heard[2] is not heard[1]


def test_an_answer_that_goes_out_again_is_made_once_for_each_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every way has its own bytes, and so has every second."""
    reply = Reply(200, (("A", "b"),), b"body")
    ways = [
        (Answer(reply), "GET", False, True), (Answer(reply), "GET", False, False),
        (Answer(reply), "GET", True, True), (Answer(reply), "HEAD", False, True),
        (Answer(reply, bare=True), "GET", False, True),
    ]  # fmt: skip
    monkeypatch.setattr(heads, "rfc822_formatted_time", lambda: "now")
    made = [heads.whole(answer, how, old=old, stays=stays) for answer, how, old, stays in ways]
    again = [heads.whole(answer, how, old=old, stays=stays) for answer, how, old, stays in ways]
    assert all(one is other for one, other in zip(made, again, strict=True))
    assert len(set(made)) == len(ways)
    monkeypatch.setattr(heads, "rfc822_formatted_time", lambda: "later")
    later = heads.whole(Answer(reply), "GET", old=False, stays=True)
    assert later == made[0].replace(b"Date: now", b"Date: later")


class Timers:
    """A loop that runs nothing by itself."""

    def __init__(self) -> None:
        self.set: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        self.set.append((seconds, call))


def test_heads_are_forgotten_within_a_second_and_only_few_are_kept() -> None:
    """They hold credentials: one timer ends all of them."""
    timers, head = Timers(), Head("GET", "/", "1.1", (), {}, 0, True)
    known = KnownHeads(timers)  # type: ignore[arg-type]
    for number in range(MOST + 5):
        known.keep(b"%d" % number, head)
    known.keep(b"x" * (LONGEST + 1), head)
    assert known.find(b"0") is head
    assert known.find(b"%d" % MOST) is None
    assert known.find(b"x" * (LONGEST + 1)) is None
    ((seconds, forget),) = timers.set
    forget()
    assert seconds == SECONDS == 1.0
    assert known.find(b"0") is None
