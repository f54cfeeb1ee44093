"""Work on large bodies, beside the event loop: other calls go on meanwhile."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from proxy.gateway.wire import document

HEAVY = 64 * 1024  # bytes; reading so many takes about 2 ms
CROWDED = 2000  # values; as long, however short they are
_LANE = ThreadPoolExecutor(2, thread_name_prefix="bodies")

Args = ParamSpec("Args")
Made = TypeVar("Made")


def is_heavy(body: bytes) -> bool:
    """Whether reading and walking a JSON body would hold up others."""
    return len(body) > HEAVY or (len(body) > CROWDED and document.count_values(body) > CROWDED)


async def run_aside(
    heavy: bool,
    work: Callable[Args, Made],
    *args: Args.args,
    **options: Args.kwargs,
) -> Made:
    """Do it at once, or in a thread if it is heavy; raises what the work raises."""
    if not heavy:
        return work(*args, **options)
    return await asyncio.get_running_loop().run_in_executor(_LANE, lambda: work(*args, **options))
