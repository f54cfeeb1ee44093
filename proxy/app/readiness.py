"""Whether the process may be given work, and what stands in the way."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.ledger import health
from proxy.ledger.engine import Ledger
from proxy.telemetry import get_logger
from proxy.telemetry.refusals import coded

_log = get_logger("readiness")


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
    _ailment: str | None = field(default=None, init=False)

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
        """Whether it can be read (and written); why not is told in the log when that changes."""
        ailment = await health.ails(self.ledger, proves=proves)
        if ailment is not None and ailment != self._ailment:
            _log.warning("ledger.unavailable", reason_code=coded(ailment))
        self._ailment = ailment
        return ailment is None
