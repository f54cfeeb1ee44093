"""The embedded store's process: what happens when it ends by itself."""

import asyncio
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from proxy.cli.dev_store import keep_running

LIVES = "import sys; print('ready', flush=True); sys.stdin.read()"
DIES = "pass"


class Process:
    """A child that runs a script for each start."""

    def __init__(self, *scripts: str) -> None:
        self.scripts = list(scripts)
        self.started = 0
        self.on_ready: Callable[[], None] = lambda: None
        self.start()

    def start(self) -> None:
        """Run the next script."""
        self.started += 1
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.scripts.pop(0)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def running(self) -> bool:
        """Whether it lives."""
        return self.process.poll() is None

    def wait_until_ready(self) -> None:
        """Read its line."""
        assert self.process.stdout
        if not self.process.stdout.readline():
            raise click.ClickException("no")
        self.on_ready()

    def end(self) -> None:
        """End it for good."""
        self.process.kill()
        self.process.wait()


async def test_it_is_started_again_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The first end is repaired and told; the second stops everything."""
    child, stop = Process(LIVES, LIVES), asyncio.Event()
    child.end()
    child.on_ready = child.end  # as soon as it runs again
    async with asyncio.timeout(30):
        await keep_running(child, stop)
    assert (child.started, stop.is_set()) == (2, True)
    told = capsys.readouterr().err
    assert told.index("starting it again") < told.index("so Expunge stops")


async def test_a_store_that_cannot_come_back_stops_everything() -> None:
    """It ends before it is ready: no third start."""
    child, stop = Process(DIES, DIES), asyncio.Event()
    async with asyncio.timeout(30):
        await keep_running(child, stop)
    assert stop.is_set()
    assert child.started == 2


async def test_stopping_is_no_accident() -> None:
    """When everything stops, nothing is started again."""
    child, stop = Process(LIVES), asyncio.Event()
    stop.set()
    async with asyncio.timeout(30):
        await keep_running(child, stop)
    assert child.started == 1
    child.end()
