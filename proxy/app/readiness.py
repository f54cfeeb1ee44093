"""Whether the process may be given work, and what stands in the way."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.ledger.engine import Ledger
from proxy.ledger.health import prove
from proxy.ledger.tenants import every
from proxy.problems import Problem

PROBE_S = 2.0  # as long as a change may take; shorter than whoever asks waits


@dataclass(slots=True)
class Readiness:
    """The state behind /readyz; ``beside`` are parts that whoever starts us looks after."""

    ledger: Ledger
    detectors: Callable[[], bool]
    policies: Callable[[], Mapping[str, Any]]
    keys: Callable[[], Awaitable[bool]]
    draining: bool = field(default=False)
    log: Callable[[], bool] = field(default=lambda: True)  # whether the audit log is ours
    beside: Mapping[str, Callable[[], bool]] = field(default_factory=dict)

    async def report(self, *, proves: bool = True) -> dict[str, Any]:
        """Each part with its state; ``ready`` only if all are.

        Args:
            proves: whether the ledger has to take a change. Workers who look at each other every
                second only read it: every commit ends what all of them remember of reads, and
                the first one proves for all, as they share it.
        """
        policies = self.policies()
        parts = {
            "ledger": await self._ledger_answers(proves=proves),
            "log": self.log(),
            "keys": await self.keys(),
            "detectors": self.detectors(),
            "policies": all(entry["digest"] for entry in policies.values()),
            "accepting": not self.draining,
            **{name: good() for name, good in self.beside.items()},
        }
        return {"ready": all(parts.values()), "parts": parts, "policies": policies}

    async def _ledger_answers(self, *, proves: bool) -> bool:
        """Whether it can be read (and written); while it is locked, this is not waited for."""
        try:
            async with asyncio.timeout(PROBE_S):
                await self.ledger.read(every)
                if proves:
                    await prove(self.ledger)
        except (Problem, TimeoutError):
            return False
        return True
