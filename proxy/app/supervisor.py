"""Several workers on one address: started one after another, restarted, drained together.

Each has a socket of its own on the same port (SO_REUSEPORT), so the kernel spreads connections and
one that dies takes only its own with it.
"""

import asyncio
import contextlib
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from proxy.app.claim import claimed
from proxy.app.listeners import bind, url
from proxy.app.serve import Addresses, Announce, stop_on_signals
from proxy.app.worker import READY
from proxy.background import spawn
from proxy.config import Config
from proxy.config.types import Address
from proxy.problems import EXIT_ERROR, EXIT_OK
from proxy.telemetry import get_logger

_log = get_logger("supervisor")
_LONGEST_PAUSE = 30.0
_AFTER_DRAIN = 10.0


@dataclass(slots=True)
class Supervisor:
    """Keeps workers running.

    Args:
        path: the configuration file that each worker reads.
        config: the same, checked.
        count: how many workers.
    """

    path: Path
    config: Config
    count: int
    _inherited: tuple[int, ...] = ()  # what each worker keeps open, so that the ledger stays ours
    _running: dict[int, asyncio.subprocess.Process] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, announce: Announce) -> int:
        """Serve until a signal; gives the exit code.

        Args:
            announce: called once all workers answer.

        Raises:
            AddressTaken: something else listens on an address.
            Problem: ``ledger-taken``, ``ledger-unavailable``.
        """
        self._stop = stop_on_signals()
        async with claimed(self.config) as self._inherited:
            return await self._serve(announce)

    async def _serve(self, announce: Announce) -> int:
        with (
            tempfile.TemporaryDirectory(prefix="expunge-") as folder,
            contextlib.closing(_reserved(self.config.listen.data)) as data,
            contextlib.closing(_reserved(self.config.listen.control)) as control,
        ):
            try:
                good = await self._start_all(Path(folder), data, control)
                if good and not self._stop.is_set():
                    tls = self.config.listen.tls is not None
                    base = url(control, tls=tls) + self.config.listen.base_path
                    announce(Addresses(url(data, tls=tls), base))
                    await self._stop.wait()
            finally:
                await self._end_all()
        return EXIT_OK if good else EXIT_ERROR

    async def _start_all(self, folder: Path, data: socket.socket, control: socket.socket) -> bool:
        """The first one alone: it brings the ledger up to date and makes keys and tenants."""
        if not await self._start(0, folder, data, control):
            return False
        rest = [self._start(number, folder, data, control) for number in range(1, self.count)]
        if not all(await asyncio.gather(*rest)):
            return False
        for number in range(self.count):
            _ = spawn(self._keep(number, folder, data, control), name="keep-worker")
        return True

    async def _start(
        self, number: int, folder: Path, data: socket.socket, control: socket.socket
    ) -> bool:
        """Start a worker and wait until it serves; False if it ends before."""
        options = ["--config", str(self.path), "--number", str(number),
                   "--count", str(self.count), "--folder", str(folder)]  # fmt: skip
        with contextlib.ExitStack() as given:
            sockets = {"data": given.enter_context(contextlib.closing(_beside(data)))}
            if number == 0:
                sockets["control"] = given.enter_context(contextlib.closing(_beside(control)))
            for name, one in sockets.items():
                options += [f"--{name}", str(one.fileno())]
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "proxy.app.worker", *options,
                pass_fds=[*(one.fileno() for one in sockets.values()), *self._inherited],
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        self._running[number] = process
        assert process.stdout is not None  # noqa: S101  (for the type checker: it is a pipe)
        said = await process.stdout.readline()
        return said.decode().strip() == READY

    async def _keep(
        self, number: int, folder: Path, data: socket.socket, control: socket.socket
    ) -> None:
        """Start a worker again whenever it ends, after a pause that grows."""
        pause = 1.0
        while not self._stop.is_set():
            code = await self._running[number].wait()
            if self._stop.is_set():
                return
            _log.error("worker.ended", pid=self._running[number].pid, status=code)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), pause)
                return
            good = await self._start(number, folder, data, control)
            pause = 1.0 if good else min(pause * 2, _LONGEST_PAUSE)

    async def _end_all(self) -> None:
        """Let all drain at once; what does not end in time is killed."""
        limits = self.config.limits
        limit = (limits.grace + limits.drain).total_seconds() + _AFTER_DRAIN
        alive = [one for one in self._running.values() if one.returncode is None]
        for process in alive:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        if not alive:
            return
        waits = [asyncio.ensure_future(process.wait()) for process in alive]
        _, late = await asyncio.wait(waits, timeout=limit)
        for process, wait in zip(alive, waits, strict=True):
            if wait in late:
                process.kill()
                await process.wait()


def _reserved(address: Address) -> socket.socket:
    """A socket that keeps an address for our workers; it never listens itself.

    Raises:
        AddressTaken: something else listens there.
    """
    bind(address).close()
    return bind(address, shared=True)


def _beside(reserved: socket.socket) -> socket.socket:
    """One more socket on a reserved address."""
    host, port = reserved.getsockname()[:2]
    return bind(Address(host=host, port=port), shared=True)
