"""Tasks that outlive their caller, their failures logged without content; waiting for others."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

LOOK_S = 0.1

_running: set[asyncio.Task[Any]] = set()


def spawn(
    work: Coroutine[Any, Any, T],
    *,
    name: str,
    on_failure: Callable[[str, BaseException], None] | None = None,
) -> asyncio.Task[T]:
    """Start ``work`` as a task that cannot be garbage collected.

    Args:
        work: the coroutine to run.
        name: a constant name; it appears in logs.
        on_failure: called with the name and the exception when the task fails.
    """
    task = asyncio.get_running_loop().create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(lambda done: _finish(done, name, on_failure))
    return task


def _finish(
    task: asyncio.Task[Any], name: str, on_failure: Callable[[str, BaseException], None] | None
) -> None:
    _running.discard(task)
    failure = None if task.cancelled() else task.exception()
    if failure is not None and on_failure is not None:
        on_failure(name, failure)


async def outlasts(holds: Callable[[], Awaitable[bool]], seconds: float) -> bool:
    """Whether something still holds after so long; it is asked again and again until it does not.

    Args:
        seconds: 0 asks once.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    while await holds():
        if loop.time() >= ends:
            return True
        await asyncio.sleep(LOOK_S)
    return False
