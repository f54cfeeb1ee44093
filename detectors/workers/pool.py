"""Detection for an event loop: worker processes behind a bounded queue, with a deadline."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from detectors.detection import Analysis
from detectors.errors import DetectionOverloaded, DetectionTimeout, DetectionUnavailable
from detectors.settings import DetectorSettings, Tier, holds
from detectors.workers.cache import ResultCache
from detectors.workers.fair import COST, LAST, FairQueue
from detectors.workers.lane import START_TIMEOUT, Job, Lane, Outcome
from detectors.workers.long_texts import LONG, Parts, parts_of
from detectors.workers.under_way import Taken, UnderWay, finished

CACHED_RESULTS = 512
MOST_DEADLINES = 6
HUNG = 2  # times the deadline: a worker that takes so long for one batch is replaced
START_CHECK = 0.02  # seconds between looks at starting workers


def seconds_for(deadline: float, texts: Sequence[str]) -> float:
    """How long a call with these texts may take."""
    return deadline * min(MOST_DEADLINES, max(1.0, sum(map(len, texts)) / LONG))


class Detecting(Protocol):
    """Detection off the event loop, whoever does it."""

    @property
    def ready(self) -> bool:
        """Whether it can be asked."""

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]:
        """As ``DetectorPool.analyse``."""


class DetectorPool:
    """Runs detection in its own processes; what it cannot scan it refuses, never passes.

    Args:
        settings: the detectors' settings.
        workers: number of processes.
        deadline: seconds one call may take, queueing included; one with much text may take it
            once more for each ``LONG`` of it, ``MOST_DEADLINES`` times at most.
        queue_limit: texts that may wait or be in work; a call beyond it is refused, unless it is
            alone.
    """

    def __init__(
        self, settings: DetectorSettings, *, workers: int, deadline: float, queue_limit: int
    ) -> None:
        self._settings = settings
        self._workers = workers
        self._deadline = deadline
        self._queue_limit = queue_limit
        self._cache = ResultCache(CACHED_RESULTS)
        self._under_way = UnderWay()
        self._jobs: FairQueue[Job | None] = FairQueue()
        self._lanes: list[Lane] = []
        self._pending = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def ready(self) -> bool:
        """Whether at least one worker is loaded and warm."""
        return any(lane.ready.is_set() for lane in self._lanes)

    @property
    def restarts(self) -> int:
        """How many workers had to be replaced so far."""
        return sum(max(0, lane.restarts) for lane in self._lanes)

    async def start(self) -> None:
        """Load the workers and wait until all of them are warm.

        Raises:
            DetectionUnavailable: a worker could not load its models.
        """
        self._loop = asyncio.get_running_loop()
        self._lanes = [
            Lane(self._settings, self._jobs, self._report, self._workers, self._hung)
            for _ in range(self._workers)
        ]
        for lane in self._lanes:
            lane.start()
        try:
            async with asyncio.timeout(START_TIMEOUT):
                await self._all_ready()
        except TimeoutError:
            await self.stop()
            raise DetectionUnavailable("the detection workers did not become ready") from None

    async def _all_ready(self) -> None:
        while not all(lane.ready.is_set() for lane in self._lanes):
            failure = next((lane.failure for lane in self._lanes if lane.failure), "")
            if failure:
                await self.stop()
                raise DetectionUnavailable(f"a detection worker could not start: {failure}")
            await asyncio.sleep(START_CHECK)

    async def stop(self) -> None:
        """End all workers; calls still waiting fail."""
        for _ in self._lanes:
            self._jobs.put(None, LAST)
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            await asyncio.to_thread(lane.stop)
        self._fail_queued()
        self._cache.clear()

    def _fail_queued(self) -> None:
        while not self._jobs.empty():
            job = self._jobs.get_nowait()
            if job:
                _settle([(job, DetectionUnavailable("detection was stopped"))])

    async def analyse(
        self, texts: Sequence[str], *, scope: str | None = None, tier: Tier | None = None
    ) -> list[Analysis]:
        """Analyse texts; returns only when every one of them has been scanned.

        Args:
            texts: any strings, of any length.
            scope: whose texts these are (a tenant); results are cached within one scope only, and
                not at all without one.
            tier: how much is done; without it, all that the settings say.

        Raises:
            DetectionOverloaded: too many texts are waiting already.
            DetectionTimeout: the deadline passed.
            DetectionUnavailable: no worker is ready, the one at work died, or the workers did not
                load what the tier needs.
        """
        tier = tier or self._settings.tier
        if not holds(self._settings.tier, tier):
            raise DetectionUnavailable("the tier that is asked for is not loaded")
        kept = None if scope is None else f"{tier} {scope}"
        known = self._recall(kept, texts)
        waits = seconds_for(self._deadline, texts)
        while missing := [text for text in dict.fromkeys(texts) if text not in known]:
            joined = self._under_way.of(kept, missing)
            known |= await self._own(kept, [text for text in missing if text not in joined], tier)
            began = monotonic()
            known |= await finished(joined, waits)
            waits -= monotonic() - began
        return [known[text] for text in texts]

    async def _own(
        self, scope: str | None, texts: Sequence[str], tier: Tier
    ) -> dict[str, Analysis]:
        """Scan what no other call does, and let those that ask for it meanwhile join."""
        if not texts:
            return {}
        with self._under_way.announced(scope, texts) as taken:
            await self._scan(scope, taken, texts, tier)
        return taken.found

    async def _scan(
        self, scope: str | None, taken: Taken, texts: Sequence[str], tier: Tier
    ) -> None:
        self._admit(len(texts))
        seconds = seconds_for(self._deadline, texts)
        parts = [parts_of(text, tier) for text in texts]
        asked = [self._jobs_of(each) for each in parts]
        jobs = [job for each in asked for job in each]
        self._queue(jobs)

        async def settle(part: Parts, mine: Sequence[Job]) -> None:
            analysis = part.joined([await job.future for job in mine])
            self._remember(scope, part.text, analysis)
            taken.settle(part.text, analysis)

        try:
            async with asyncio.timeout(seconds):
                await asyncio.gather(*map(settle, parts, asked))
        except TimeoutError:
            raise DetectionTimeout("the deadline passed before every text was scanned") from None
        finally:
            for job in jobs:
                job.future.cancel()

    def _hung(self, texts: Sequence[str]) -> float:
        return HUNG * seconds_for(self._deadline, texts)

    def _admit(self, count: int) -> None:
        if not self.ready:
            raise DetectionUnavailable("no detection worker is ready")
        if self._pending and self._pending + count > self._queue_limit:
            raise DetectionOverloaded("too many texts are waiting for detection")

    def _queue(self, jobs: Sequence[Job]) -> None:
        """Short ones first: what others may wait for as well is not behind a long text."""
        mark = self._jobs.mark
        for job in sorted(jobs, key=lambda job: len(job.text)):
            mark += len(job.text) + COST
            self._jobs.put(job, mark)

    def _jobs_of(self, parts: Parts) -> list[Job]:
        """One job per part; together they count as the one text that waits."""
        jobs = [self._job(text, tier) for text, tier in parts.asked]
        self._pending += 1
        jobs[-1].future.add_done_callback(self._done)
        return jobs

    def _job(self, text: str, tier: Tier) -> Job:
        future: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_seen)
        return Job(text, tier, future)

    def _done(self, _: asyncio.Future[Analysis]) -> None:
        self._pending -= 1

    def _recall(self, scope: str | None, texts: Sequence[str]) -> dict[str, Analysis]:
        if scope is None:
            return {}
        hits = ((text, self._cache.get(scope, text)) for text in texts)
        return {text: hit for text, hit in hits if hit is not None}

    def _remember(self, scope: str | None, text: str, analysis: Analysis) -> None:
        if scope is not None:
            self._cache.put(scope, text, analysis)

    def _report(self, outcomes: Sequence[tuple[Job, Outcome]]) -> None:
        """Called in a lane's thread: hand results to the event loop."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_settle, outcomes)


def _seen(future: asyncio.Future[Analysis]) -> None:
    if not future.cancelled():
        future.exception()  # its siblings' caller gets the first failure


def _settle(outcomes: Sequence[tuple[Job, Outcome]]) -> None:
    for job, outcome in outcomes:
        if job.future.done():
            continue
        if isinstance(outcome, Analysis):
            job.future.set_result(outcome)
        else:
            job.future.set_exception(outcome)
