"""The embedded store as a child process: started, watched, started again once, ended with us."""

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import click

from proxy.cli.output import note

_STOP_SECONDS = 20
_LOOK_SECONDS = 0.5
_HOST = "127.0.0.1"


class Store:
    """The child process; it ends when its standard input closes, however we end.

    Args:
        folder: where it keeps everything.
        port: where it listens, also after it was started again.
        key: its credential.
        options: ``llm_url``, ``llm_model`` and ``llm_key_env``, each may be None.
    """

    def __init__(self, folder: Path, port: int, key: str, options: dict[str, Any]) -> None:
        self.url = f"http://{_HOST}:{port}"
        self._command = [sys.executable, "-P", "-m", "proxy.embedded", "--stop-with-input",
                         "--data-dir", str(folder), "--port", str(port)]  # fmt: skip
        for name in ("llm_url", "llm_model", "llm_key_env"):
            if options[name]:
                self._command += [f"--{name.replace('_', '-')}", options[name]]
        self._environment = os.environ | {"EXPUNGE_STORE_KEY": key}
        self.start()

    def start(self) -> None:
        """Start it, without waiting for it."""
        self._ready = False
        self._process = subprocess.Popen(  # noqa: S603  (our own module)
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment,
            start_new_session=True,
        )  # fmt: skip

    def running(self) -> bool:
        """Whether the process lives."""
        return self._process.poll() is None

    def answers(self) -> bool:
        """Whether it lives and has said that it listens."""
        return self._ready and self.running()

    def wait_until_ready(self) -> None:
        """Wait for the line that says it listens; it ends without one if it cannot.

        Raises:
            click.ClickException: it ended.
        """
        if self._process.stdout is None or not self._process.stdout.readline():
            raise click.ClickException("the embedded store did not start")
        self._ready = True

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End it, by force if it does not end by itself; twice is no error."""
        if self._process.stdin:
            self._process.stdin.close()
        if not self._ready:
            self._process.terminate()  # while it loads it does not look at its input
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Child(Protocol):
    """What is watched: ``Store``."""

    def start(self) -> None: ...

    def running(self) -> bool: ...

    def wait_until_ready(self) -> None: ...


async def keep_running(store: Child, stop: asyncio.Event) -> None:
    """Start the store again when it ends for the first time; the second time, stop everything."""
    if not await _ended(store, stop):
        return
    note("The embedded Mem0 ended unexpectedly; starting it again …")
    store.start()
    with contextlib.suppress(click.ClickException):
        await asyncio.to_thread(store.wait_until_ready)
        note("The embedded Mem0 runs again.")
    if await _ended(store, stop):
        note("The embedded Mem0 ended again, so Expunge stops. Its folder is left as it is.")
        stop.set()


async def _ended(store: Child, stop: asyncio.Event) -> bool:
    """Wait until it ends; False if everything stops before."""
    while store.running() and not stop.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _LOOK_SECONDS)
    return not stop.is_set()
