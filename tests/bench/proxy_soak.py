"""Whether the hop stays the size it is: many requests or writes, idle connections, a day at once.

Run with ``python -m tests.bench.proxy_soak requests|writes|idle|day``; needs ``wrk`` for the first.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.bench.proxy_throughput import (
    HEADERS,
    ITEMS,
    KEY,
    OWNERS,
    Route,
    expunge,
    fill,
    free_port,
    machine,
    routes,
    running,
    wrk,
)

RESULTS = Path(__file__).parent / "results" / "proxy_soak.json"
DAY = 86_400  # requests: one a second for a day
PAGE = os.sysconf("SC_PAGE_SIZE")
MINUTES = {"requests": 2, "writes": 3, "idle": 1}  # on two quiet cores


def resident(pid: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def processor(pid: int) -> float:
    """Processor seconds of a process, its own threads included."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def descriptors(pid: int) -> int:
    """Open files and sockets of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def slope(samples: list[tuple[int, int]]) -> float:
    """Bytes a request that the second half of the samples grows by."""
    late = samples[len(samples) // 2 :]
    counts, sizes = [n for n, _ in late], [size for _, size in late]
    return statistics.linear_regression(counts, sizes).slope if len(late) > 1 else 0.0


@contextmanager
def hop(folder: Path) -> Iterator[tuple[int, int]]:
    """Expunge in front of a store that holds memories; its port and process id."""
    store, front = free_port(), free_port()
    with ExitStack() as opened:
        command = (sys.executable, "-m", "tests.bench.proxy_upstream", str(store))
        opened.enter_context(running(*command, port=store))
        pid = opened.enter_context(
            expunge(folder, "soak", store, front, tier="structured", more={})
        )
        fill(front, store)
        yield front, pid


def many_requests(folder: Path, wanted: int) -> dict[str, Any]:
    """Memory over many requests of every reading kind, sampled between pieces."""
    samples: list[tuple[int, int]] = []
    with hop(folder) as (front, pid):
        names = ("pass", "list", "read")
        done = errors = 0
        while done < wanted:
            for name in names:
                rate, _, _, failed = wrk(folder, front, routes()[name], 32, 3)
                done, errors = done + int(rate * 3), errors + int(failed)
            samples.append((done, resident(pid)))
        first, last = samples[0], samples[-1]
        return {
            "requests": done, "errors": errors, "resident_mib_first": mib(first[1]),
            "resident_mib_last": mib(last[1]), "samples": len(samples),
            "bytes_a_request": round(slope(samples), 3), "descriptors": descriptors(pid),
        }  # fmt: skip


def many_writes(folder: Path, count: int) -> dict[str, Any]:
    """Memory over writes of as many texts, eight at once, with a list after every fourth."""
    with hop(folder) as (front, pid):
        return asyncio.run(_writes(front, pid, count))


async def _writes(front: int, pid: int, count: int) -> dict[str, Any]:
    samples, failed, start = [(0, resident(pid))], 0, processor(pid)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{front}", headers=HEADERS) as http:
        for first in range(0, count, 8):
            numbers = [*range(first, first + 8)]
            asked = [_write(http, n) for n in numbers] + [
                _one(http, n * 10 + 1) for n in numbers[:2]
            ]
            failed += sum(status != 200 for status in await asyncio.gather(*asked))
            if first + 8 >= len(samples) * count / 20:
                samples.append((first + 8, resident(pid)))
    half = samples[len(samples) // 2][1]
    return {
        "writes": samples[-1][0], "failed": failed, "resident_mib": [mib(s) for _, s in samples],
        "second_half_mib": mib(samples[-1][1] - half), "bytes_a_write": round(slope(samples)),
        "cpu_ms_a_write": round((processor(pid) - start) * 1000 / count, 2),
    }  # fmt: skip


async def _write(http: aiohttp.ClientSession, number: int) -> int:
    text = f"Parcel {10**6 + number} waits for alva.brenn.{number}@example.org in shelf {number}."
    body = {"messages": [{"role": "user", "content": text}], "infer": False,
            "user_id": f"w-{number % 500}"}  # fmt: skip
    async with http.post("/memories", json=body) as reply:
        await reply.read()
        return reply.status


def idle_connections(folder: Path, count: int) -> dict[str, Any]:
    """Connections that ask once, wait, and ask again."""
    with hop(folder) as (front, pid):
        return asyncio.run(_idle(front, pid, count))


async def _idle(front: int, pid: int, count: int) -> dict[str, Any]:
    before = resident(pid)
    pairs = [await asyncio.open_connection("127.0.0.1", front) for _ in range(count)]
    first = [await _ask(*pair) for pair in pairs]
    held = resident(pid)
    await asyncio.sleep(10)
    again = [await _ask(*pair) for pair in pairs]
    for _, writer in pairs:
        writer.close()
    return {
        "connections": count, "answered_first": sum(first), "answered_after_10_s": sum(again),
        "resident_mib_before": mib(before), "resident_mib_held": mib(held),
        "kib_a_connection": round((held - before) / count / 1024, 1),
    }  # fmt: skip


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    writer.write(f"GET /v1/ping/ HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {KEY}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if b"content-length" in line)
    await reader.readexactly(int(length.partition(b":")[2]))
    return head.startswith(b"HTTP/1.1 200")


def a_day(folder: Path, minutes: float) -> dict[str, Any]:
    """A day's requests, writes and new connections among them, in some minutes."""
    with hop(folder) as (front, pid):
        return asyncio.run(_day(front, pid, minutes * 60))


async def _day(front: int, pid: int, seconds: float) -> dict[str, Any]:
    samples: list[tuple[int, int]] = []
    statuses: dict[int, int] = {}
    start, sent = time.monotonic(), 0
    while (spent := time.monotonic() - start) < seconds:
        due = int(DAY * spent / seconds) - sent
        async with aiohttp.ClientSession(f"http://127.0.0.1:{front}", headers=HEADERS) as http:
            for status in await asyncio.gather(
                *(_one(http, sent + n) for n in range(min(due, 64)))
            ):
                statuses[status] = statuses.get(status, 0) + 1
        sent += min(due, 64)
        if len(samples) < spent / seconds * 60:
            samples.append((sent, resident(pid)))
        if due <= 0:
            await asyncio.sleep(0.01)
    return {
        "requests": sent, "seconds": round(seconds), "statuses": statuses,
        "resident_mib_first": mib(samples[0][1]), "resident_mib_last": mib(samples[-1][1]),
        "bytes_a_request": round(slope(samples), 3), "descriptors": descriptors(pid),
    }  # fmt: skip


async def _one(http: aiohttp.ClientSession, number: int) -> int:
    """Every tenth request writes, the others read."""
    route: Route = routes()[("write", *("list", "read", "pass") * 3)[number % 10]]
    body = route.bodies[0].replace("{n}", str(number)) if route.bodies else None
    target = route.targets[number % len(route.targets)]
    async with http.request(route.method, target, data=body) as reply:
        await reply.read()
        return reply.status


def mib(size: int) -> float:
    """Mebibytes."""
    return round(size / 2**20, 1)


def main() -> None:
    """Run one kind, print it and keep it beside the others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("requests", "writes", "idle", "day"))
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--writes", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    if options.kind == "requests" and shutil.which("wrk") is None:
        print("skipped: wrk is not installed (apt-get install wrk)")
        return
    print(f"takes about {MINUTES.get(options.kind, options.minutes + 1):.0f} minutes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.kind == "requests":
            found = many_requests(folder, options.requests)
        elif options.kind == "writes":
            found = many_writes(folder, options.writes)
        elif options.kind == "idle":
            found = idle_connections(folder, options.connections)
        else:
            found = a_day(folder, options.minutes)
    print(json.dumps(found, indent=1))
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept |= {options.kind: found, "machine": machine(), "owners": OWNERS, "items": ITEMS}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
