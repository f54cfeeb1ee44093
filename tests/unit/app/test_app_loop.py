"""The event loop and the collector of the running service."""

import gc
import sys

import pytest

from proxy.app.loop import event_loop, settle_heap


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop on Windows")
def test_libuv_serves() -> None:
    """The loop is uvloop's and runs."""
    loop = event_loop()
    try:
        assert type(loop).__module__.startswith("uvloop")

        async def answer() -> int:
            return 7

        assert loop.run_until_complete(answer()) == 7
    finally:
        loop.close()


def test_what_was_loaded_is_left_alone() -> None:
    """Objects of the start are out of the collector's sight, later garbage is not."""
    before = gc.get_freeze_count()
    try:
        settle_heap()
        assert gc.get_freeze_count() > before
        circle: list[object] = []
        circle.append(circle)
        del circle
        assert gc.collect() >= 1
    finally:
        gc.unfreeze()
