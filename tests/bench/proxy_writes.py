"""Writes beside detection alone: equal texts, in turn, in one run, so that a slow moment hits both.

Two kinds of text: one in which nobody is named, and one that tells a phone number nobody has told
before, for which a key, an entity and a token are made. Detection alone is asked as Expunge asks
its own: one worker process, no text twice. What else a request holds (its keys, its owner) Expunge
has scanned before and knows.
"""

import asyncio
import http.client
import json
import statistics
import time
from collections.abc import Mapping
from typing import Any

from detectors.settings import DetectorSettings
from detectors.workers.pool import DetectorPool

SENTENCE = (
    "Round {n}: the ferry to the north leaves at eight, the window seat is taken and the "
    "carriage with the green door is the quiet one, as was said in plan {n}."
)
TOLD = f"{SENTENCE} Call me at {{p}}."
TEXTS = {"write": SENTENCE, "told": TOLD}
FIRST, NUMBERS = 100_000, 900_000  # six digits: more of them would be a phone number by chance
WARM = 20  # calls before the clock counts


def text(kind: str, number: int) -> str:
    """A text of a kind, another for each number.

    Args:
        kind: ``write`` or ``told``.
        number: below a million, to be new.
    """
    phone = f"+1 212 {200 + number // 10_000 % 800} {number % 10_000:04}"
    return TEXTS[kind].replace("{n}", str(FIRST + number % NUMBERS)).replace("{p}", phone)


def beside_detection(
    front: int, store: int, headers: Mapping[str, str], tier: Any, calls: int
) -> dict[str, dict[str, float]]:
    """Medians in microseconds of a write through Expunge, of its like at the store, of detection.

    ``added_to_detection`` is what Expunge adds to a write over the time of detection alone.

    Args:
        front: Expunge's port.
        store: the store's port.
        headers: for both.
        calls: writes of each kind.
    """
    return asyncio.run(_measure(front, store, headers, tier, calls))


async def _measure(
    front: int, store: int, headers: Mapping[str, str], tier: Any, calls: int
) -> dict[str, dict[str, float]]:
    pool = DetectorPool(DetectorSettings(tier=tier), workers=1, deadline=10, queue_limit=64)
    await pool.start()
    ends = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in (front, store)]
    start = time.monotonic_ns() // 1000 % NUMBERS
    try:
        return {
            kind: _plain([await _round(pool, ends, headers, text(kind, start + n)) for n in
                          range(WARM + calls)][WARM:])
            for kind in TEXTS
        }  # fmt: skip
    finally:
        for end in ends:
            end.close()
        await pool.stop()


async def _round(
    pool: DetectorPool,
    ends: list[http.client.HTTPConnection],
    headers: Mapping[str, str],
    said: str,
) -> list[float]:
    """Seconds of the write through Expunge, of the write at the store, and of detection."""
    taken = [_write(end, headers, said) for end in ends]
    start = time.perf_counter()
    await pool.analyse([said])
    return [*taken, time.perf_counter() - start]


def _write(end: http.client.HTTPConnection, headers: Mapping[str, str], said: str) -> float:
    body = {"messages": [{"role": "user", "content": said}], "user_id": "u-w", "infer": False}
    start = time.perf_counter()
    end.request("POST", "/memories", json.dumps(body), dict(headers))
    reply = end.getresponse()
    reply.read()
    taken = time.perf_counter() - start
    if reply.status != 200:
        raise SystemExit(f"a write was answered with {reply.status}")
    return taken


def _plain(rounds: list[list[float]]) -> dict[str, float]:
    through, bare, detection = (
        statistics.median(column) * 1e6 for column in zip(*rounds, strict=True)
    )
    return {
        "write_p50_us": round(through, 1),
        "store_p50_us": round(bare, 1),
        "detection_p50_us": round(detection, 1),
        "added_p50_us": round(through - bare, 1),
        "added_to_detection": round((through - bare) / detection, 3),
    }
