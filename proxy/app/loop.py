"""Which event loop serves: libuv's where it is installed."""

import asyncio
import sys


def event_loop() -> asyncio.AbstractEventLoop:
    """A new loop; uvloop's, but on Windows, for which there is none."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()
