"""One worker process and the thread that feeds it; restarts the process when it dies."""

import asyncio
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from pickle import UnpicklingError

from detectors.detection import Analysis
from detectors.errors import DetectionError, DetectionTimeout, DetectionUnavailable
from detectors.settings import DetectorSettings, Tier
from detectors.workers.fair import FairQueue
from detectors.workers.worker import READY

BATCH_TEXTS = 32
BATCH_CHARACTERS = 8_000
IDLE_CHECK = 0.5  # seconds between looks at an idle worker
START_TIMEOUT = 120.0  # seconds a worker may take to load its models
RESTART_PAUSE = 1.0  # seconds before a worker that did not start is tried again
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
}
ROOT = str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True, slots=True)
class Job:
    """One text waiting for its analysis."""

    text: str
    tier: Tier
    future: asyncio.Future[Analysis]


Outcome = Analysis | DetectionError
Settle = Callable[[Sequence[tuple[Job, Outcome]]], None]


class Lane:
    """Feeds one worker from the common queue, in micro-batches.

    Args:
        patience: seconds that a worker may take for a batch of these texts; one that takes longer
            hangs, and is replaced. A caller that gives up earlier does no harm to it.
    """

    def __init__(
        self,
        settings: DetectorSettings,
        jobs: "FairQueue[Job | None]",
        settle: Settle,
        share: int,
        patience: Callable[[Sequence[str]], float],
    ) -> None:
        self.ready = threading.Event()
        self.failure = ""  # class name of what kept the last worker from starting
        self.restarts = -1
        self._settings = settings
        self._jobs = jobs
        self._settle = settle
        self._share = share
        self._patience = patience
        self._kept: list[Job] = []
        self._asked = 0  # numbers the batches, so that no answer is taken for another's
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="detector-lane", daemon=True)

    def start(self) -> None:
        """Begin to load a worker; returns at once, ``ready`` tells when it can serve."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and its worker; the caller has put one None per lane into the queue."""
        self._stopping.set()
        self._thread.join()

    @property
    def pid(self) -> int | None:
        """The worker's process id while it runs."""
        return self._process.pid if self._process else None

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                if self._alive() or self._launch():
                    self._serve_next()
        finally:
            for job in self._kept:
                self._jobs.put(job)  # whoever stops the lanes settles what is queued
            self._end()

    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _launch(self) -> bool:
        self._end()
        self.restarts += 1
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawn(theirs.fileno())
        self._connection = Connection(ours.detach())
        started = self._handshake(self._connection)
        if started:
            self.ready.set()
        else:
            self._end()
            self._stopping.wait(RESTART_PAUSE)
        return started

    def _handshake(self, connection: Connection) -> bool:
        try:
            connection.send(self._settings)
            deadline = time.monotonic() + START_TIMEOUT
            while not connection.poll(IDLE_CHECK):
                if self._stopping.is_set() or time.monotonic() > deadline:
                    return False
            answer = connection.recv()
        except (OSError, EOFError) as error:
            answer = type(error).__name__
        self.failure = "" if answer == READY else str(answer)
        return bool(answer == READY)

    def _serve_next(self) -> None:
        batch = self._take()
        if batch and self._connection:
            self._settle(self._exchange(self._connection, batch))

    def _take(self) -> list[Job]:
        """The next live jobs: at most a fair share of the queue, so that no lane idles.

        A batch is of one tier; the first job of another is kept for the next.
        """
        batch, self._kept = self._kept, []
        limit = min(BATCH_TEXTS, 1 + self._jobs.qsize() // self._share)
        length = 0
        try:
            while len(batch) < limit and length < BATCH_CHARACTERS:
                job = self._jobs.get(timeout=IDLE_CHECK) if not batch else self._jobs.get_nowait()
                if job is None:
                    self._stopping.set()
                    break
                if job.future.done():  # its caller gave up, or has an error already
                    continue
                if batch and job.tier != batch[0].tier:
                    self._kept = [job]
                    break
                batch.append(job)
                length += len(job.text)
        except queue.Empty:
            pass
        return batch

    def _exchange(self, connection: Connection, batch: Sequence[Job]) -> list[tuple[Job, Outcome]]:
        outcome: DetectionError
        try:
            self._asked += 1
            texts = [job.text for job in batch]
            connection.send((self._asked, batch[0].tier, texts))
            if connection.poll(self._patience(texts)):
                return _paired(self._asked, batch, *connection.recv())
            outcome = DetectionTimeout("a detection worker hung")
        except (OSError, EOFError, ValueError, TypeError, UnpicklingError):
            outcome = DetectionUnavailable("a detection worker died or answered wrongly")
        self._end()
        return [(job, outcome) for job in batch]

    def _end(self) -> None:
        self.ready.clear()
        if self._connection:
            self._connection.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._connection = self._process = None


def _paired(
    asked: int, batch: Sequence[Job], number: int, results: Sequence[Analysis | None]
) -> list[tuple[Job, Outcome]]:
    """Jobs with what was found in them; an answer to something else is a ValueError."""
    if number != asked:
        raise ValueError(number)
    return list(zip(batch, map(_outcome, results), strict=True))


def _outcome(result: Analysis | None) -> Outcome:
    return result or DetectionUnavailable("a text could not be analysed")


def _spawn(descriptor: int) -> "subprocess.Popen[bytes]":
    search_path = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(  # noqa: S603  # our own module under our own interpreter
        [sys.executable, "-m", "detectors.workers.worker", str(descriptor)],
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # a traceback could show text
        env=os.environ | ENVIRONMENT | {"PYTHONPATH": search_path},
    )
