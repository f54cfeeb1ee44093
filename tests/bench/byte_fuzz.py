"""A long run of damaged requests against the real listener: refused or scanned, no crash.

Run with ``python -m tests.bench.byte_fuzz --inputs 100000``. Input ``n`` of a seed is always the
same bytes, so a finding is kept as its number and tried again with ``--only n``.
"""

import argparse
import asyncio
import json
import logging
import random
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from aiohttp import web

from proxy.clock import FrozenClock
from proxy.gateway import server
from proxy.gateway.wire.limits import Limits
from proxy.ledger.engine import Ledger
from tests.fuzz.test_http_bytes_fuzz import BASES, CANARY, SPLICES, damaged
from tests.support.fault_store import FaultStore, Received, added, fault_store
from tests.support.gateway import Plane, data_plane
from tests.support.ledger import START
from tests.support.raw_http import raw_exchange

RESULTS = Path(__file__).parent / "results" / "byte_fuzz.json"
AT_ONCE = 48
WAIT = 20.0  # seconds for an answer on a machine that is busy
_MARK = re.compile(rb"alva\.brenn\.k(\d+)@example\.org")
_HEAD = re.compile(rb"HTTP/\d\.\d ([1-5]\d\d) ")


@dataclass
class Found:
    """What came of the inputs; numbers name the inputs behind a finding."""

    statuses: Counter[str] = field(default_factory=Counter)
    forwarded: int = 0
    crashes: set[int] = field(default_factory=set)
    hung: set[int] = field(default_factory=set)  # no end of the answer came in time
    unscanned: set[int] = field(default_factory=set)
    unhandled: int = 0  # exceptions that nobody answered: the connection just ended
    owners: int = 0  # forwarded bodies with the client's own owner id
    whole: set[int] = field(default_factory=set)  # inputs whose canary the damage left whole

    def body(self) -> dict[str, object]:
        """As it is kept."""
        return {
            "statuses": dict(sorted(self.statuses.items())), "forwarded": self.forwarded,
            "canary_left_whole": len(self.whole), "hung": sorted(self.hung),
            "crashes": sorted(self.crashes), "unhandled": self.unhandled,
            "unscanned_forwards": sorted(self.unscanned), "clear_owner_ids": self.owners,
        }  # fmt: skip


def bytes_of(seed: int, number: int) -> bytes:
    """The damaged request, with a canary that names its number and a place for the key.

    Half of the inputs are damaged in the body alone and keep a fitting length: they get further.
    """
    chance = random.Random(f"{seed}/{number}")
    head, _, body = chance.choice(BASES).partition(b"\r\n\r\n")
    mark = b"alva.brenn.k%d@example.org" % number
    head, body = head.replace(CANARY.encode(), mark), body.replace(CANARY.encode(), mark)
    if b"chunked" in head:
        body = body.split(b"\r\n", 1)[1].removesuffix(b"\r\n0\r\n\r\n")
    inside = bool(body) and chance.random() < 0.5
    body = damaged(body, _damage(chance)) if inside else body
    whole = _framed(head, body)
    return whole if inside else damaged(whole, _damage(chance))


def _damage(chance: random.Random) -> list[tuple[int, int, bytes]]:
    found = []
    for _ in range(chance.randint(1, 4)):
        spliced = chance.random() < 0.7
        put = chance.choice(SPLICES) if spliced else chance.randbytes(chance.randint(0, 4))
        found.append((chance.randint(0, 1 << 16), chance.randint(0, 6), put))
    return found


def _framed(head: bytes, body: bytes) -> bytes:
    if b"chunked" in head:
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head)
    return head + b"\r\n\r\n" + body


def _unhandled(found: Found, told: dict[str, Any]) -> None:
    found.unhandled += 1
    print("unhandled", told["message"], repr(told.get("exception")), flush=True)


def watch(store: FaultStore, found: Found) -> None:
    """The store takes everything, and every request that reaches it is looked at."""

    def script(request: Received) -> web.StreamResponse:
        found.forwarded += 1
        seen = (request.target.encode() + str(request.headers).encode() + request.body).lower()
        found.unscanned |= {int(m) for m in _MARK.findall(seen)} & found.whole
        found.owners += b'"u-1"' in request.body
        store.requests.clear()
        return added(f"11111111-1111-4111-8111-{found.forwarded:012d}")

    store.script = script


async def one(plane: Plane, found: Found, seed: int, number: int) -> None:
    """Send one input and judge what comes back."""
    sent = bytes_of(seed, number)
    if b"alva.brenn.k%d@example.org" % number in sent.lower():
        found.whole.add(number)
    key = plane.keys["acme"].encode()
    try:
        back = await raw_exchange(plane.url, sent.replace(b"Token KEY", b"Token " + key), wait=WAIT)
    except TimeoutError:
        found.hung.add(number)
        return
    head = _HEAD.match(back)
    status = head[1].decode() if head else ("none" if not back else "garbled")
    found.statuses[status] += 1
    if status[0] in "5g" or key in back:
        found.crashes.add(number)


async def run(folder: Path, seed: int, numbers: list[int], minutes: float) -> tuple[Found, int]:
    """Send the inputs, some at once, until all are sent or the time is over; how many were sent."""
    found, server.LINGER = Found(), 0.03
    asyncio.get_running_loop().set_exception_handler(lambda loop, told: _unhandled(found, told))
    template = folder / "template.db"
    await (await Ledger.open(f"sqlite+aiosqlite:///{template}")).close()
    limits = Limits(idle_seconds=0.3, body_seconds=0.3)
    until, left, sent = time.monotonic() + minutes * 60, iter(numbers), Counter[str]()
    async with (
        fault_store() as store,
        data_plane(
            folder / "plane", store.url, "k", template, FrozenClock(START), limits=limits
        ) as plane,
    ):
        watch(store, found)

        async def worker() -> None:
            for number in left:
                plane.services.throttle._buckets.clear()
                sent["inputs"] += 1
                await one(plane, found, seed, number)
                if sent["inputs"] % 5000 == 0:
                    print(sent["inputs"], json.dumps(found.body()), flush=True)
                if time.monotonic() > until:
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(worker())
    return found, sent["inputs"]


def main() -> None:
    """Run, print, keep; ends with 1 if anything was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    only = options.only is not None
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    numbers = [options.only] if only else list(range(options.first, options.first + options.inputs))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        found, sent = asyncio.run(run(Path(name), options.seed, numbers, options.minutes))
    body = {"inputs": sent, "first": numbers[0], "seed": options.seed,
            "seconds": round(time.monotonic() - start), **found.body()}  # fmt: skip
    print(json.dumps(body, indent=1))
    if not only:
        RESULTS.write_text(json.dumps(body, indent=1) + "\n")
    wrong = found.crashes or found.hung or found.unscanned or found.owners or found.unhandled
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
