"""Random damage to the bytes of requests, against the real listener: refused or scanned, no crash.

The number of inputs is ``EXPUNGE_TEST_FUZZ_EXAMPLES`` (default 300); hypothesis keeps what failed.
"""

import asyncio
import json
import os
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from proxy.clock import FrozenClock
from proxy.gateway import server
from proxy.gateway.wire.limits import Limits
from tests.support.fault_store import FaultStore, added, fault_store
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.raw_http import raw_exchange

EXAMPLES = int(os.environ.get("EXPUNGE_TEST_FUZZ_EXAMPLES", "300"))
CANARY = "alva.brenn@example.org"
BODY = json.dumps({
    "messages": [{"role": "user", "content": f"mail {CANARY} now"}], "user_id": "u-1",
    "infer": False, "metadata": {"note": CANARY, CANARY: [CANARY]},
}).encode()  # fmt: skip
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
HEAD = b"%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Token KEY\r\nConnection: close\r\n"
JSON = b"Content-Type: application/json\r\n"
BASES = [
    HEAD % (b"POST", b"/v3/memories/add/")
    + JSON
    + b"Content-Length: %d\r\n\r\n" % len(BODY)
    + BODY,
    HEAD % (b"POST", b"/memories") + JSON + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    HEAD % (b"GET", b"/memories?user_id=u-1&query=" + CANARY.encode()) + b"\r\n",
    HEAD % (b"GET", b"/v1/ping/") + b"X-Note: " + CANARY.encode() + b"\r\n\r\n",
]
SPLICES = [
    b"\r\n", b"\n", b"\r", b"\x00", b" ", b"\t", b":", b";", b",", b"%", b"%2F", b"..", b"\xff",
    b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n",
    b"Content-Encoding: identity\r\n", b"Expect: 100-continue\r\n", b"Upgrade: websocket\r\n",
    b"GET / HTTP/1.1\r\n\r\n", b"0\r\n\r\n", b"HTTP/1.0", b'"', b"\\", b"{", b"}", b"\\u0040",
    b"*", b"/", b"#", b"\xef\xbb\xbf", b"\xc2\x85", b"1" * 20, b"a" * 300,
]  # fmt: skip
spots = st.tuples(
    st.integers(0, 1 << 16), st.integers(0, 6), st.sampled_from(SPLICES) | st.binary(max_size=4)
)
Damage = list[tuple[int, int, bytes]]


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> Iterator[tuple[asyncio.Runner, Plane, FaultStore]]:
    """A data plane before a store that takes everything."""
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "LINGER", 0.03)
        stack = AsyncExitStack()

        async def start() -> tuple[Plane, FaultStore]:
            store = await stack.enter_async_context(fault_store())
            store.script = lambda _: added()
            plane = await stack.enter_async_context(
                data_plane(
                    tmp_path_factory.mktemp("bytes"), store.url, "k", sqlite_template,
                    FrozenClock(START), limits=Limits(idle_seconds=0.03, body_seconds=0.03),
                )
            )  # fmt: skip
            return plane, store

        plane, store = runner.run(start())
        yield runner, plane, store
        runner.run(stack.aclose())


def damaged(base: bytes, damage: Damage) -> bytes:
    """The request with bytes cut out and others put in, at places counted from its start."""
    for place, cut, put in damage:
        at = place % (len(base) + 1)
        base = base[:at] + put + base[at + cut :]
    return base


@pytest.mark.timeout(300 + EXAMPLES // 10)
@settings(
    max_examples=EXAMPLES, deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(base=st.sampled_from(range(len(BASES))), damage=st.lists(spots, min_size=1, max_size=3))
@example(base=0, damage=[(60, 0, b"Transfer-Encoding: chunked\r\n")])
@example(base=1, damage=[(60, 0, b"Content-Length: 5\r\n")])
@example(base=0, damage=[(17, 0, b"%2F")])
@example(base=2, damage=[(23, 6, b"&:")])  # a parameter's name that is an address
@example(base=3, damage=[(100, 0, b"\rX: 1")])
def test_no_damage_slips_through(
    running: tuple[asyncio.Runner, Plane, FaultStore], base: int, damage: Damage
) -> None:
    """The canary never reaches the store, no answer is a crash, every head is an HTTP head."""
    runner, plane, store = running
    plane.services.throttle._buckets.clear()
    store.requests.clear()
    key = plane.keys["acme"].encode()
    sent = damaged(BASES[base], damage).replace(b"Token KEY", b"Token " + key)
    found = runner.run(raw_exchange(plane.url, sent, wait=30))
    assert not found or re.match(rb"HTTP/\d\.\d [1-4]\d\d ", found), found[:80]
    assert plane.keys["acme"].encode() not in found
    whole = CANARY.encode() in sent.lower()
    for request in store.requests:
        seen = (request.target.encode() + str(request.headers).encode() + request.body).lower()
        assert not (whole and b"alva.brenn@example.org" in seen)
        assert b"u-1" not in request.body
