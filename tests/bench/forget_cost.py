"""What forgetting costs: our own work per memory, beside the bare store calls of the same run.

And what a plan costs on stores of growing size, of a person anywhere and within one owner.

Run: ``.venv/bin/python -m tests.bench.forget_cost [memories,…] [largest store] [planned,…]``.
Writes results/forget_cost.json; of what is 0 the figures in it stay as they are. ``planned`` are
the sizes at which a plan's memory is measured, which no load of the machine changes.
"""

import asyncio
import gc
import json
import resource
import sys
import tempfile
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Actor, Target
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.telemetry import configure
from proxy.upstreams.transport import UpstreamReply, UpstreamRequest
from tests.support.erasing import OPERATOR, Erasing, erasing, small_binding
from tests.support.small_store import SmallStore

RESULTS = Path(__file__).parent / "results" / "forget_cost.json"
STORE_LATENCY_S = 0.005
PER_OWNER = 100
NAMED = 20
CONCURRENCY = 8
APP = Actor("app", "client")


class OwnedStore(SmallStore):
    """The small store with its rows by owner: a list or a search costs what it shows.

    It keeps count of its own processor time, and may take as long as a real one to answer.
    """

    latency_s = 0.0
    spent_s = 0.0

    @cached_property
    def asked(self) -> Counter[str]:
        """How often each of its routes was called."""
        return Counter()

    async def send(self, request: UpstreamRequest) -> UpstreamReply:
        """Answer one call."""
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        started = time.thread_time()
        answer = await super().send(request)
        self.asked.update(verb for verb, _ in self.calls)
        self.calls.clear()
        self.spent_s += time.thread_time() - started
        return answer

    @cached_property
    def by_owner(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Rows by owner and id."""
        return defaultdict(dict)

    def plant(self, text: str, metadata: dict[str, Any] | None = None, **owners: str) -> str:
        """Put a memory in behind everybody's back."""
        memory_id = super().plant(text, metadata, **owners)
        self.by_owner[owners["user_id"]][memory_id] = self.rows[memory_id]
        return memory_id

    def fill(self, owners: Sequence[str]) -> None:
        """Rows for each owner; a few owners have one that names the person."""
        for number, owner in enumerate(owners):
            for n in range(PER_OWNER):
                named = number % (max(len(owners) // NAMED, 1)) == 0 and n == 0
                text = "Rowed with Alva Brenn" if named else f"Note {number}-{n} on the lighthouse"
                self.plant(text, user_id=owner)

    def _delete(self, memory_id: str) -> UpstreamReply:
        row = self.rows.get(memory_id)
        if row is not None:
            self.by_owner[row["user_id"]].pop(memory_id)
        return super()._delete(memory_id)

    def _scoped(self, body: Any) -> list[dict[str, Any]]:
        return list(self.by_owner[body.get("filters", {}).get("user_id")].values())


async def bench(folder: Path) -> tuple[Erasing, Ledger, OwnedStore]:
    """A service over the small store on SQLite."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder}/ledger.db")
    clock = FrozenClock(datetime(2026, 1, 5, tzinfo=UTC))
    keyring = await KeyRing.open(ledger, FileKek(folder / "kek.json"), clock)
    tenant_id = await ledger.write(lambda tx: keyring.create_tenant(tx, "acme"))
    store, _ = small_binding()
    store._transport = small = OwnedStore()
    made = await erasing(ledger, keyring, tenant_id, clock, folder, [store], small=small)
    return made, ledger, small


async def one_memory(made: Erasing, small: OwnedStore, rounds: int = 100) -> dict[str, float]:
    """Milliseconds of one client delete, start to certificate; the store's own are left out."""
    times, busy = [], []
    for n in range(rounds):
        memory_id = await made.remember("single", f"Note {n} on the harbour", mentions=[])
        spent, started, worked = small.spent_s, time.perf_counter(), time.process_time()
        view = await made.service.forget(
            made.tenant_id, Target(kind="memory", values=(memory_id,)), actor=APP
        )
        theirs = small.spent_s - spent
        times.append(1000 * (time.perf_counter() - started - theirs))
        busy.append(1000 * (time.process_time() - worked - theirs))
        assert view.state == "complete"
    times.sort()
    busy.sort()
    middle = len(times) // 2
    return {"p50_ms": times[middle], "p99_ms": times[-2], "processor_p50_ms": busy[middle]}


async def many_memories(made: Erasing, small: OwnedStore, count: int) -> dict[str, float]:
    """An owner's memories against the bare calls: every call takes as long, eight at a time."""
    for n in range(count):
        await made.remember("many", f"Note {n} on the lighthouse", mentions=[])
    ids = list(small.rows)
    small.latency_s = STORE_LATENCY_S
    earlier = await bare_calls(made, ids, count)
    small.asked.clear()
    gc.collect()
    gc.freeze()  # the detectors' models, which elsewhere live in processes of their own
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent, started, worked = small.spent_s, time.perf_counter(), time.process_time()
    view = await made.service.forget(
        made.tenant_id, Target(kind="owner", values=("many",)), actor=APP
    )
    took, busy = time.perf_counter() - started, time.process_time() - worked
    theirs = small.spent_s - spent
    assert (view.state, view.deleted) == ("complete", count)
    calls = small.asked.total()
    later = await bare_calls(made, ids, calls)
    bare = (earlier * calls / count + later) / 2
    return {
        "memories": count, "seconds": took, "bare_seconds": bare, "overhead": took / bare - 1,
        "calls_per_memory": calls / count,
        "processor_ms_per_memory": 1000 * (busy - theirs) / count,
        "memory_growth_mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    }  # fmt: skip


async def planning_peak(made: Erasing, count: int) -> float:
    """MiB of our own objects at the most while a plan is made; SQLite's page cache is bounded."""
    for n in range(count):
        await made.remember("many", f"Note {n} on the lighthouse", mentions=[])
    tracemalloc.start()
    target = Target(kind="owner", values=("many",))
    await made.service.request(made.tenant_id, target, actor=OPERATOR, dry_run=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 2**20


async def bare_calls(made: Erasing, ids: list[str], calls: int) -> float:
    """Seconds that the same number of calls takes without us."""
    gate = asyncio.Semaphore(CONCURRENCY)

    async def one(memory_id: str) -> None:
        async with gate:
            await made.store.get(memory_id)

    started = time.perf_counter()
    await asyncio.gather(*(one(ids[n % len(ids)]) for n in range(calls)))
    return time.perf_counter() - started


# -- plans -----------------------------------------------------------------------------------------


async def plans(sizes: Sequence[int]) -> dict[str, Any]:
    """Seconds and list calls of a plan, everywhere and within one owner, at each size."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            made, ledger, large = await bench(Path(folder))
            names = [await made.upstream_id(f"u-{n}") for n in range(size // PER_OWNER)]
            large.fill(names)
            rows.append({"items": size} | await _planned(made, large))
            await ledger.close()
    first, last = rows[0], rows[-1]
    return {
        "sizes": rows,
        "items_factor": last["items"] / first["items"],
        "pages_factor": last["pages"] / first["pages"],
        "processor_factor": last["processor_seconds"] / first["processor_seconds"],
        "within_one_owner_processor_factor": last["owner_processor_seconds"]
        / first["owner_processor_seconds"],
    }


async def _planned(made: Erasing, large: OwnedStore) -> dict[str, float]:
    target = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON")
    within = Target(kind="entity", values=("Alva Brenn",), entity_type="PERSON", owner="u-0")
    found = {}
    await made.means.detectors.analyse(["Rowed with Alva Brenn"])  # its models are loaded once
    for prefix, each in (("", target), ("owner_", within)):
        times, busy = [], []
        for _ in range(1 if each is target else 9):
            large.asked.clear()
            started, worked = time.perf_counter(), time.process_time()
            view = await made.service.request(made.tenant_id, each, actor=OPERATOR, dry_run=True)
            times.append(time.perf_counter() - started)
            busy.append(time.process_time() - worked)
        found |= {
            f"{prefix}seconds": sorted(times)[len(times) // 2],
            f"{prefix}processor_seconds": sorted(busy)[len(busy) // 2],
            f"{prefix}pages": large.asked["list"],
            f"{prefix}found": view.counts["found"],
        }
    assert found["owner_found"] == 1
    return found


async def main(counts: Sequence[int], largest: int, planned: Sequence[int]) -> None:
    """Measure all and write it."""
    configure(level="error")
    outcome = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    many = []
    for count in filter(None, counts):
        with tempfile.TemporaryDirectory() as folder:
            made, ledger, small = await bench(Path(folder))
            if not many:
                outcome["one_memory"] = await one_memory(made, small)
            many.append(await many_memories(made, small, count))
            await ledger.close()
    peaks = []
    for count in filter(None, planned):
        with tempfile.TemporaryDirectory() as folder:
            made, ledger, _ = await bench(Path(folder))
            peaks.append({"memories": count, "peak_mib": await planning_peak(made, count)})
            await ledger.close()
    outcome |= {name: rows for name, rows in (("owner", many), ("planning", peaks)) if rows}
    if largest:
        outcome["plan"] = await plans([largest // 10, largest // 2, largest])
    RESULTS.write_text(json.dumps(outcome, indent=2) + "\n")
    print(json.dumps(outcome, indent=2))


if __name__ == "__main__":
    defaults = ("1000,2000,5000,10000", "100000", "1000,10000")
    given = [*sys.argv[1:], *defaults[len(sys.argv) - 1 :]]
    forgotten, store, planned_sizes = ([int(size) for size in each.split(",")] for each in given)
    asyncio.run(main(forgotten, store[0], planned_sizes))
