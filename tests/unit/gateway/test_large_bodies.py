"""Large bodies are read beside the event loop, within bounds: nobody else waits for them."""

import asyncio
import gzip
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import brotli
import orjson
import pytest
import zstandard

from proxy.gateway.answers import restore
from proxy.gateway.hop import decode, refusals
from proxy.gateway.hop.decode import unpack
from proxy.gateway.request import texts
from proxy.gateway.wire import document
from proxy.gateway.wire.aside import CROWDED, HEAVY, is_heavy
from proxy.gateway.wire.decoding_limits import DecodeLimits
from proxy.problems import Problem
from proxy.upstreams import plain_json
from tests.support.fault_store import FaultStore, added, answer
from tests.support.gateway import Plane

ADD, LIST = "/v3/memories/add/", "/v3/memories/"
SMALL = {"messages": [{"role": "user", "content": "hi"}], "user_id": "u-1", "infer": False}
LARGE = {**SMALL, "metadata": {"notes": ["word"] * (CROWDED + 1)}}
MINE, OTHERS = {"filters": {"user_id": "u-1"}}, {"filters": {"user_id": "u-2"}}
PATIENCE = 120.0


class Gate:
    """Work in a thread that goes on when it is let to; on the event loop it is just done."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, *args: Any, **options: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            self.reached.set()
            self.opened.wait(PATIENCE)
        return self._work(*args, **options)


def packed(value: Any) -> bytes:
    """More than is unpacked at once, packed."""
    noise = [zlib.crc32(b"%d" % n) for n in range(4000)]
    return gzip.compress(orjson.dumps({**value, "metadata": {"n": noise}}))


READINGS = [
    pytest.param(decode, "unpack", "packed", id="unpacking-a-request"),
    pytest.param(plain_json, "parse", "large", id="parsing-a-request"),
    pytest.param(document, "check_size", "large", id="counting-a-request"),
    pytest.param(texts, "collect", "large", id="walking-a-request"),
    pytest.param(plain_json, "parse", "answer", id="parsing-an-answer"),
    pytest.param(decode, "unpack", "packed answer", id="unpacking-an-answer"),
    pytest.param(restore, "_survey", "answer", id="walking-an-answer"),
    pytest.param(refusals, "is_plain", "error", id="judging-an-error"),
]


def script_for(kind: str, owner: str) -> Callable[..., Any]:
    """What the store says to a list."""
    items = [{"id": f"{n:08d}-1111-4111-8111-111111111111", "memory": "a", "user_id": owner}
             for n in range(2)]  # fmt: skip
    large = {"results": [{**each, "metadata": {"n": [1] * CROWDED}} for each in items]}
    if kind == "packed answer":
        body = packed({"results": items})
        return lambda _: answer_packed(body)
    if kind == "error":
        return lambda _: answer({"detail": ["no"] * (CROWDED + 1)}, 422)
    return lambda _: answer(large if kind == "answer" else {"results": []})


async def asking(plane: Plane, kind: str) -> tuple[int, Any]:
    """The large call."""
    if kind == "large":
        return await plane.call("POST", ADD, LARGE)
    if kind == "packed":
        headers = {"Content-Encoding": "gzip"}
        return await plane.call("POST", ADD, raw=packed(SMALL), headers=headers)
    return await plane.call("POST", LIST, MINE)


def answer_packed(body: bytes) -> Any:
    from aiohttp import web

    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return web.Response(body=body, headers=headers)


@pytest.mark.parametrize(("module", "name", "kind"), READINGS)
async def test_small_calls_are_answered_while_a_large_body_is_read(
    faulty: Plane, faults: FaultStore, monkeypatch: pytest.MonkeyPatch,
    module: Any, name: str, kind: str,
) -> None:  # fmt: skip
    """The reading waits for the small calls, not they for it."""
    faults.script = lambda _: added()
    assert (await faulty.call("POST", ADD, SMALL))[0] == 200  # the owner is known
    faults.script = script_for(kind, faults.requests[-1].json()["user_id"])
    gate = Gate(getattr(module, name))
    monkeypatch.setattr(module, name, gate)
    async with asyncio.TaskGroup() as group:
        large = group.create_task(asking(faulty, kind))
        reached = group.create_task(asyncio.to_thread(gate.reached.wait, PATIENCE))
        try:
            await asyncio.wait({large, reached}, return_when=asyncio.FIRST_COMPLETED)
            assert not large.done(), "it was read on the event loop"
            faults.script = lambda _: answer({"results": []})
            for _ in range(3):
                assert (await faulty.call("POST", LIST, OTHERS))[0] == 200
            assert not large.done()
        finally:
            gate.reached.set()
            gate.opened.set()
    assert large.result()[0] == (422 if kind == "error" else 200)


@pytest.mark.parametrize(
    ("body", "heavy"),
    [
        (b"{}", False),
        (orjson.dumps(SMALL), False),
        (orjson.dumps({"a": "x, " * 20_000})[:HEAVY], True),
        (b'"' + b"x" * (HEAVY - 2) + b'"', False),
        (b'"' + b"x" * HEAVY + b'"', True),
        (orjson.dumps([1] * (CROWDED - 1)), False),
        (orjson.dumps([1] * CROWDED), True),
    ],
)
def test_what_is_small_is_read_at_once(body: bytes, heavy: bool) -> None:
    """A thread costs more than it saves there; values count, not only bytes."""
    assert is_heavy(body) is heavy


BOMBS = [
    pytest.param("zstd", zstandard.compress, id="zstd"),
    pytest.param("br", lambda data: brotli.compress(data, quality=3), id="br"),
    pytest.param("gzip", gzip.compress, id="gzip"),
    pytest.param("deflate", zlib.compress, id="deflate"),
    pytest.param("zstd, gzip", lambda data: gzip.compress(zstandard.compress(data)), id="chain"),
]


@pytest.mark.parametrize(("codings", "pack"), BOMBS)
def test_a_bomb_unpacks_no_further_than_allowed(
    codings: str, pack: Callable[[bytes], bytes]
) -> None:
    """The limit is looked at before the next piece is made, whatever one step could make."""
    body, limits = pack(bytes(64 << 20)), DecodeLimits()
    allowed = min(limits.size, max(limits.free, len(body) * limits.ratio))
    tracemalloc.start()
    try:
        with pytest.raises(Problem, match="too-large"):
            unpack(body, codings, limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * allowed + (1 << 20)


PACKINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress),
    ("zstd", zstandard.compress),
]  # fmt: skip
SKIPPED = b"\x50\x2a\x4d\x18\x04\x00\x00\x00name"  # RFC 8878 §3.1.2
BEYOND = [
    pytest.param(coding, before, after, id=f"{coding}-{name}")
    for coding, _ in PACKINGS
    for name, before, after in (
        ("words-behind", b"", b"Ida Falk"),
        ("zeros-behind", b"", bytes(8)),
        ("words-before", b"Ida Falk", b""),
        ("skipped-before", SKIPPED, b""),
        ("skipped-behind", b"", SKIPPED),
    )
]


@pytest.mark.parametrize(("coding", "before", "after"), BEYOND)
def test_what_stands_beside_a_packed_body_is_refused(
    coding: str, before: bytes, after: bytes
) -> None:
    """Nobody would look at it."""
    body = dict(PACKINGS)[coding](b'{"a":1}')
    assert unpack(body, coding, DecodeLimits()).plain == b'{"a":1}'
    with pytest.raises(Problem, match="malformed-body"):
        unpack(before + body + after, coding, DecodeLimits())


@pytest.mark.parametrize(
    "size", [0, 1, 3, 4, 5, 1023, 1024, 1025, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, 3 << 20]
)
@pytest.mark.parametrize(("coding", "pack"), PACKINGS)
def test_every_size_comes_out_whole(coding: str, pack: Callable[[bytes], bytes], size: int) -> None:
    """The negative twin: what may be unpacked is, whatever its steps."""
    for data in (bytes(size), bytes(n * n % 251 for n in range(min(size, 70_000)))):
        limits = DecodeLimits(ratio=1 << 20)
        assert unpack(pack(data), coding, limits).plain == data


def gzip_named(data: bytes) -> bytes:
    """A gzip member that names its file and has a comment."""
    plain = gzip.compress(data)
    return plain[:3] + b"\x18" + plain[4:10] + b"Ida Falk.json\0ida.falk@example.org\0" + plain[10:]


async def test_names_in_the_head_of_a_packing_do_not_reach_the_store(
    faulty: Plane, faults: FaultStore
) -> None:
    """The store gets the body unpacked and written anew."""
    faults.script = lambda _: added()
    headers = {"Content-Encoding": "gzip"}
    status, _ = await faulty.call("POST", ADD, raw=gzip_named(orjson.dumps(SMALL)), headers=headers)
    (sent,) = faults.requests
    assert status == 200
    assert b"falk" not in sent.body.lower()
    assert sent.values("content-encoding") == []
    assert sent.json()["messages"] == SMALL["messages"]


HARD = [
    pytest.param(b'["' + (b"1" * 1000 + b"x") * 8000 + b'"]', id="digits-in-a-string"),
    pytest.param(b"[" + b'"",' * 2_600_000 + b"1]", id="empty-strings"),
    pytest.param(b'["' + b'\\"' * 4_000_000 + b'"]', id="escaped-quotes"),
    pytest.param(b'["' + b"\\\\" * 4_000_000 + b'"]', id="escaped-strokes"),
    pytest.param(b'["' + b"[{," * 2_600_000 + b'"]', id="signs-in-a-string"),
]


@pytest.mark.parametrize("body", HARD)
def test_counting_takes_no_longer_than_reading(body: bytes) -> None:
    """Processor time of the worst bodies: a pattern took up to 24 seconds for one of them."""
    start = time.process_time()
    try:
        document.check_size(body, 50_000)
        refused = False
    except Problem:
        refused = True
    assert time.process_time() - start < 3
    assert refused is body.startswith(b'["",')


COUNTED = [
    pytest.param(rb'["\\", "\\\"", ",,,,,,,,,,,,,"]', 4, True, id="strokes-before-quotes"),
    pytest.param(rb'["\\\\", 1, 2]', 4, True, id="two-strokes"),
    pytest.param(rb'["\\\",", 1, 2, 3]', 4, False, id="one-too-many"),
    pytest.param(b'["' + b"7" * 2000 + b'"]', 4, True, id="digits-of-a-string"),
    pytest.param(b"[" + b"7" * 1001 + b"]", 4, False, id="digits-of-a-number"),
    pytest.param(b"[" + b"7" * 1000 + b"]", 4, True, id="just-as-many"),
    pytest.param(b'[1, "' + b"7" * 999 + b'", 2]', 4, True, id="not-joined-over-a-string"),
]


@pytest.mark.parametrize(("body", "most", "fits"), COUNTED)
def test_signs_within_strings_are_not_counted(body: bytes, most: int, fits: bool) -> None:
    """Values are counted as a parser would see them."""
    if fits:
        document.check_size(body, most)
    else:
        with pytest.raises(Problem, match="too-large"):
            document.check_size(body, most)
