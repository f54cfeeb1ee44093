"""Worker processes that die by SIGKILL at a given point of an erasure.

Started once; for each line of JSON on standard input it forks a real worker process, waits for it,
and prints how it ended. A point is a number: even ones lie before, odd ones after a commit.
"""

import asyncio
import json
import os
import signal
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import policies
from proxy.audit.log import AuditLog
from proxy.audit.signer import Signer
from proxy.clock import FrozenClock
from proxy.erasure.saga.durable import Saga
from proxy.erasure.saga.run import Run
from proxy.erasure.search.means import Means
from proxy.erasure.worker import Worker
from proxy.keys.file import FileKek
from proxy.keys.ring import KeyRing
from proxy.ledger.engine import Ledger
from proxy.telemetry import configure
from proxy.tokens.blocklist import Blocklist
from proxy.tokens.vault import TokenVault
from proxy.upstreams.profile import load_profile
from proxy.upstreams.store import Store
from proxy.upstreams.transport import AiohttpTransport
from tests.support.erasing import InProcessDetectors, policy_with
from tests.support.small_store import SmallLayer


class Fuse:
    """Kills this process at the given crossing."""

    def __init__(self, at: int) -> None:
        self.at, self.passed = at, 0

    def cross(self) -> None:
        """One more point is reached."""
        if self.passed == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.passed += 1


def arm(fuse: Fuse) -> None:
    """Put the fuse before and after everything that commits."""
    step, commit = Saga.step, Run.commit

    async def fused_step(self: Saga, name: str, work: Any) -> Any:
        fuse.cross()
        result = await step(self, name, work)
        fuse.cross()
        return result

    async def fused_commit(self: Run, rows: Any) -> None:
        fuse.cross()
        await commit(self, rows)
        fuse.cross()

    Saga.step, Run.commit = fused_step, fused_commit  # type: ignore[method-assign]


async def work(task: dict[str, Any]) -> None:
    """Run whatever is due, once."""
    ledger = await Ledger.open(task["ledger"])
    clock = FrozenClock(datetime.fromisoformat(task["now"]))
    keyring = await KeyRing.open(ledger, FileKek(Path(task["kek"])), clock)
    transport = AiohttpTransport(task["store"], None)
    layers = {name: SmallLayer(name) for name in ("history", "messages", "entities")}
    store = Store("mem0", load_profile("mem0-platform"), transport, layers)
    policy: policies.Policy = policy_with(**task["erasure"])
    means = Means(
        ledger, keyring, TokenVault(ledger, keyring, clock),
        Blocklist(ledger, keyring, clock, InProcessDetectors()),
        {"mem0": store}, lambda _: policy, AuditLog(clock),
        Signer.open(Path(task["audit"]), "expunge.example/test"), clock, InProcessDetectors(),
    )  # fmt: skip
    await Worker(means).run_due()
    await transport.close()
    await ledger.close()


def main() -> None:
    """Fork a worker per line."""
    configure(level="error")
    print("ready", flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        child = os.fork()
        if child == 0:
            fuse = Fuse(task["point"])
            arm(fuse)
            asyncio.run(work(task))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"killed": os.WIFSIGNALED(status), "exit": status}), flush=True)


if __name__ == "__main__":
    main()
