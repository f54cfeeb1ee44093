"""What runs the service: libuv's event loop where it exists, a collector without old heaps."""

import asyncio
import gc
import sys


def event_loop() -> asyncio.AbstractEventLoop:
    """A new loop; uvloop's, but on Windows, for which there is none."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def settle_heap() -> None:
    """Let the collector leave alone what was loaded at the start, for it stays.

    A full collection over some hundred thousand objects stops every request for 60 ms and more;
    without them it takes microseconds.
    """
    gc.collect()
    gc.freeze()
