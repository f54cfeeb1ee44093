"""Work beside the requests: erasures, sweeps, the log's sequencer, pending writes, policies."""

import asyncio
from types import TracebackType
from typing import Any

from proxy.app.build import Services, Task
from proxy.background import spawn
from proxy.problems import Problem
from proxy.telemetry import get_logger

_log = get_logger("workers")
_AFTER_FAILURE = 5.0


class Workers:
    """Runs the background work while the block lasts."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> "Workers":
        for task in self._services.tasks:
            self._tasks.append(spawn(repeat(task), name=task.name))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def repeat(task: Task, *, after_failure: float = _AFTER_FAILURE) -> None:
    """Do the work again and again; a failure is logged and the next turn comes later.

    Args:
        after_failure: seconds to wait at least after a turn that failed.
    """
    while True:
        pause = task.every.total_seconds()
        try:
            await task.work()
        except Problem as problem:
            _log.warning("worker.failed", task=task.name, slug=problem.slug)
            pause = max(pause, after_failure)
        except Exception as error:  # noqa: BLE001  (one bad turn must not end the work for good)
            _log.error("worker.failed", task=task.name, exc_info=error)
            pause = max(pause, after_failure)
        await asyncio.sleep(pause)
