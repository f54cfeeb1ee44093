"""The embedded store as a real process on a directory, for tests of everything in front of it."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

START_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class RunningStore:
    """A store that answers.

    Args:
        url: its address.
        api_key: what it wants; ``Token`` on platform routes, ``X-API-Key`` on the others.
        directory: its data.
        process: the server, for tests that stop it.
    """

    url: str
    api_key: str
    directory: Path
    process: Popen[bytes]

    @property
    def history(self) -> Path:
        """Mem0's history database."""
        return self.directory / "history.db"

    @property
    def qdrant(self) -> Path:
        """Directory of the vector collections."""
        return self.directory / "qdrant"

    @property
    def oss_headers(self) -> dict[str, str]:
        """Credential of the open-source server's dialect."""
        return {"X-API-Key": self.api_key}

    @property
    def platform_headers(self) -> dict[str, str]:
        """Credential of the platform's dialect."""
        return {"Authorization": f"Token {self.api_key}"}

    def stop(self) -> int:
        """End it as an operator does; gives the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=30)


@contextmanager
def running_store(directory: Path, *arguments: str) -> Iterator[RunningStore]:
    """Start the store on a directory and stop it at the end.

    Args:
        directory: its data; kept.
        arguments: further arguments of ``python -m proxy.embedded``.
    """
    command = [sys.executable, "-m", "proxy.embedded", "--data-dir", str(directory), *arguments]
    with Popen(command, stdout=PIPE, stderr=sys.stderr, cwd=_root(), env=_environment()) as process:
        try:
            assert process.stdout is not None
            ready: dict[str, Any] = json.loads(process.stdout.readline())
            yield RunningStore(ready["url"], ready["api_key"], directory, process)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=30)


@asynccontextmanager
async def mem0_store(directory: Path, *arguments: str) -> AsyncIterator[RunningStore]:
    """The same without blocking the event loop while it starts and stops."""
    store = running_store(directory, *arguments)
    async with asyncio.timeout(START_SECONDS):
        running = await asyncio.to_thread(store.__enter__)
    try:
        yield running
    finally:
        await asyncio.to_thread(store.__exit__, None, None, None)


def llm_arguments(url: str) -> Sequence[str]:
    """Arguments that let the store extract facts with an endpoint."""
    return ("--llm-url", url, "--llm-model", "scripted")


def _root() -> Path:
    return Path(__file__).resolve().parents[2]


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EXPUNGE_")}
    return {**kept, "PYTHONPATH": str(_root())}
