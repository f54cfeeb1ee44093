"""How the ledger grows: look-ups and bytes from ten thousand to a million memories.

    python -m tests.bench.ledger_growth [--sizes 10000 100000] [--url postgresql+asyncpg://…]

Prints one JSON line per size: write rate, p50 and p99 of three look-ups in milliseconds, bytes.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles
from typing import Any

from sqlalchemy import text

from proxy import ids
from proxy.clock import SystemClock
from proxy.ledger import entities, memories
from proxy.ledger.engine import Ledger, Tx
from proxy.pseudonyms import Pseudonyms

TENANT = "ten_bench"
PER_OWNER = 20
PER_ENTITY = 40
BATCH = 64
LOOKUPS = 300
NAMES = Pseudonyms(b"b" * 32)


async def main(arguments: argparse.Namespace) -> None:
    """Grow one ledger through the sizes and measure at each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        ledger = await Ledger.open(arguments.url or f"sqlite+aiosqlite:///{path}")
        size = 0
        for target in sorted(arguments.sizes):
            started = time.perf_counter()
            await _grow(ledger, size, target)
            rate = (target - size) / (time.perf_counter() - started)
            size = target
            found = {"memories": size, "writes_per_s": round(rate)}
            print(json.dumps(found | await _measure(ledger, size, path)), flush=True)
        await ledger.close()


async def _grow(ledger: Ledger, first: int, end: int) -> None:
    for start in range(first, end, BATCH * 16):
        numbers = range(start, min(start + BATCH * 16, end))
        chunks = [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]
        await asyncio.gather(*(ledger.write(lambda tx, c=c: _record(tx, c)) for c in chunks))


async def _record(tx: Tx, numbers: range) -> None:
    clock = SystemClock()
    for number in numbers:
        memory = memories.Memory(
            ids.new("mem"), TENANT, "bench", memories.ref(NAMES, "bench", str(number)), b"s" * 64,
            f"dek_{number // PER_OWNER}", "write", "live", "medium_term", "sha256:0", clock.now(),
        )  # fmt: skip
        owner, entity = f"own_{number // PER_OWNER}", f"ent_{number // PER_ENTITY}"
        await memories.insert(tx, memory, owner_ids=[owner], entity_ids=[entity])


async def _measure(ledger: Ledger, size: int, path: Path) -> dict[str, Any]:
    lookups: dict[str, Callable[[int], Callable[[Tx], Awaitable[Any]]]] = {
        "by_store_id": lambda n: lambda tx: _by_ref(tx, n),
        "by_owner": lambda n: lambda tx: _by_owner(tx, n // PER_OWNER),
        "by_entity": lambda n: lambda tx: entities.memory_counts(tx, [f"ent_{n // PER_ENTITY}"]),
    }
    found: dict[str, Any] = {}
    for name, lookup in lookups.items():
        times = [await _timed(ledger, lookup(random.randrange(size))) for _ in range(LOOKUPS)]
        cuts = quantiles(times, n=100)
        found[name] = {"p50_ms": round(cuts[49], 3), "p99_ms": round(cuts[98], 3)}
    if ledger.path is not None:
        await ledger.checkpoint()
        found["bytes_per_memory"] = round(os.stat(path).st_size / size)
    return found


async def _timed(ledger: Ledger, unit: Callable[[Tx], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await ledger.read(unit)
    return (time.perf_counter() - started) * 1000


async def _by_ref(tx: Tx, number: int) -> None:
    wanted = memories.ref(NAMES, "bench", str(number))
    query = text("SELECT id FROM memories WHERE tenant_id=:t AND upstream='bench' AND ref=:r")
    assert (await tx.execute(query, {"t": TENANT, "r": wanted})).one()


async def _by_owner(tx: Tx, number: int) -> None:
    query = text("SELECT memory_id FROM memory_owners WHERE owner_id=:o")
    assert len((await tx.execute(query, {"o": f"own_{number}"})).all()) <= PER_OWNER


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--url", help="a PostgreSQL ledger instead of a temporary SQLite file")
    asyncio.run(main(parser.parse_args()))
