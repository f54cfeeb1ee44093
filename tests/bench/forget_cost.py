"""What forgetting costs: our own work per memory, beside the bare store calls of the same run.

Run: ``.venv/bin/python -m tests.bench.forget_cost [memories]``. Prints JSON.
"""

import asyncio
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from proxy.clock import FrozenClock
from proxy.erasure.target import Actor, Target
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.telemetry import configure
from tests.support.erasing import Erasing, erasing, small_binding

STORE_LATENCY_S = 0.005
CONCURRENCY = 8
APP = Actor("app", "client")


async def bench(folder: Path) -> tuple[Erasing, Ledger]:
    """A service over the small store on SQLite."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
    clock = FrozenClock(datetime(2026, 1, 5, tzinfo=UTC))
    keyring = await KeyRing.open(ledger, FileKek(folder / "kek.json"), clock)
    tenant_id = await ledger.write(lambda tx: keyring.create_tenant(tx, "acme"))
    store, small = small_binding()
    return await erasing(ledger, keyring, tenant_id, clock, folder, [store], small=small), ledger


async def one_memory(made: Erasing, rounds: int = 100) -> dict[str, float]:
    """Milliseconds of one client delete, start to certificate."""
    times, busy = [], []
    for n in range(rounds):
        memory_id = await made.remember("single", f"Note {n} on the harbour", mentions=[])
        started, worked = time.perf_counter(), time.process_time()
        view = await made.service.forget(
            made.tenant_id, Target(kind="memory", values=(memory_id,)), actor=APP
        )
        times.append(1000 * (time.perf_counter() - started))
        busy.append(1000 * (time.process_time() - worked))
        assert view.state == "complete"
    times.sort()
    busy.sort()
    middle = len(times) // 2
    return {"p50_ms": times[middle], "p99_ms": times[-2], "processor_p50_ms": busy[middle]}


async def many_memories(made: Erasing, count: int) -> dict[str, float]:
    """An owner's memories against the bare calls: every call takes as long, eight at a time."""
    small, send = made.small, made.small.send  # type: ignore[union-attr]

    async def slow(request):  # type: ignore[no-untyped-def]
        await asyncio.sleep(STORE_LATENCY_S)
        return await send(request)

    for n in range(count):
        await made.remember("many", f"Note {n} on the lighthouse", mentions=[])
    ids = list(small.rows)
    small.send = slow  # type: ignore[union-attr, method-assign]
    small.calls.clear()  # type: ignore[union-attr]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    view = await made.service.forget(
        made.tenant_id, Target(kind="owner", values=("many",)), actor=APP
    )
    took = time.perf_counter() - started
    assert (view.state, view.deleted) == ("complete", count)
    calls = Counter(verb for verb, _ in small.calls)  # type: ignore[union-attr]
    bare = await bare_calls(made, ids, calls.total())
    return {
        "memories": count, "seconds": took, "bare_seconds": bare, "overhead": took / bare - 1,
        "calls_per_memory": calls.total() / count,
        "memory_growth_mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    }  # fmt: skip


async def bare_calls(made: Erasing, ids: list[str], calls: int) -> float:
    """Seconds that the same number of calls takes without us."""
    gate = asyncio.Semaphore(CONCURRENCY)

    async def one(memory_id: str) -> None:
        async with gate:
            await made.store.get(memory_id)

    started = time.perf_counter()
    await asyncio.gather(*(one(ids[n % len(ids)]) for n in range(calls)))
    return time.perf_counter() - started


async def main(count: int) -> None:
    """Print both figures."""
    configure(level="error")
    with tempfile.TemporaryDirectory() as folder:
        made, ledger = await bench(Path(folder))
        single = await one_memory(made)
        many = await many_memories(made, count)
        await ledger.close()
    print(json.dumps({"one_memory": single, "owner": many}, indent=2))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
