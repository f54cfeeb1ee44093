"""kill -9 before and after every commit of an erasure: it always ends complete, once."""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from proxy.clock import FrozenClock
from proxy.erasure.search.target import Target
from proxy.erasure.service import ErasureService
from proxy.keys.ring import KeyRing
from proxy.ledger import audit
from proxy.ledger.engine import Ledger
from tests.support.erasing import OPERATOR, Erasing, erasing, policy_with, small_binding
from tests.support.small_http import served

ERASURE = {"derived": "regenerate", "mixed": "regenerate"}
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Zygote:
    """Forks workers that die where they are told."""

    process: asyncio.subprocess.Process
    task: dict[str, Any] = field(default_factory=dict)

    async def run(self, point: int, **more: Any) -> bool:
        """Run a worker; whether it was killed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps({**self.task, "point": point, **more}) + "\n"
        self.process.stdin.write(line.encode())
        answer = json.loads(await self.process.stdout.readline())
        assert answer["killed"] or answer["exit"] == 0
        return bool(answer["killed"])


@pytest.fixture
async def zygote() -> AsyncIterator[Zygote]:
    """A process that has imported everything once."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.erase_zygote", cwd=ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    await process.stdout.readline()
    yield Zygote(process)
    process.kill()
    await process.wait()


@pytest.fixture
async def bench(
    ledger: Ledger, keyring: KeyRing, tenant_id: str, clock: FrozenClock, tmp_path: Path,
    zygote: Zygote, ledger_url: str,
) -> AsyncIterator[Erasing]:  # fmt: skip
    """A service in this process and a store that the other processes reach as well."""
    store, small = small_binding()
    made = await erasing(
        ledger, keyring, tenant_id, clock, tmp_path, [store], policy_with(**ERASURE), small
    )
    async with served(small) as address:
        zygote.task = {
            "ledger": ledger_url, "kek": str(tmp_path / "keys" / "kek.json"), "store": address,
            "audit": str(tmp_path / "audit"), "erasure": ERASURE, "now": clock.now().isoformat(),
        }  # fmt: skip
        yield made


async def confirmed(bench: Erasing, owner: str) -> str:
    """A plan of deletes, one cascade and one rewrite, confirmed."""
    for n in range(3):
        await bench.remember(owner, f"Diabetes note {n}", mentions=[])
    await bench.remember(owner, "User is diabetic", name=f"{owner}-a", mentions=[])
    await bench.remember(owner, "User cycles daily", name=f"{owner}-b", mentions=[])
    await bench.remember(
        owner, "Diabetic who cycles", derived_from=[f"{owner}-a", f"{owner}-b"], mentions=[]
    )
    target = Target(kind="entity", values=("diabetes",), owner=owner)
    view = await bench.service.request(bench.tenant_id, target, actor=OPERATOR)
    await bench.service.confirm(
        bench.tenant_id, view.id, word="confirmed", token=view.token, actor=OPERATOR
    )
    return view.id


async def check(bench: Erasing, owner: str, erasure_id: str) -> None:
    """Complete, exactly once, and what had to stay is there exactly once."""
    view = await bench.service.get(bench.tenant_id, erasure_id)
    assert view.state == "complete", view.body()
    assert (view.deleted, view.regenerated) == (4, 1)
    assert sorted(await bench.texts(owner)) == ["User cycles daily", "User cycles daily."]
    entries = await bench.ledger.read(lambda tx: audit.unsequenced(tx, 10_000))
    told = [json.loads(entry.leaf) for entry in entries]
    mine = [each for each in told if each["fields"].get("erasure") == erasure_id]
    certified = [each for each in mine if each["event"] == "erasure.certified"]
    assert [each["fields"]["state"] for each in certified] == ["complete"]


async def test_killed_at_every_point_it_ends_complete(
    bench: Erasing, zygote: Zygote, clock: FrozenClock
) -> None:
    """One erasure per crash point; the next worker takes over when the lease has run out."""
    point = 0
    while True:
        owner = f"u-{point}"
        erasure_id = await confirmed(bench, owner)
        killed = await zygote.run(point, now=clock.now().isoformat())
        clock.advance(timedelta(minutes=20))
        await bench.service.run_due()
        await check(bench, owner, erasure_id)
        if not killed:
            break
        point += 1
    assert point >= 20


@pytest.mark.slow
async def test_random_kills_with_two_workers(
    bench: Erasing, zygote: Zygote, clock: FrozenClock
) -> None:
    """Fifty kills at random points on the same erasures, now and then a rival worker."""
    dice = random.Random(20260105)
    owners = [f"u-{n}" for n in range(10)]
    ids = {owner: await confirmed(bench, owner) for owner in owners}
    rival = ErasureService(bench.means)
    for _ in range(50):
        await zygote.run(dice.randrange(30), now=clock.now().isoformat())
        clock.advance(timedelta(minutes=20))
        if dice.random() < 0.2:
            await rival.run_due()
    await bench.service.run_due()
    for owner, erasure_id in ids.items():
        await check(bench, owner, erasure_id)
