"""Texts being scanned now: a burst of calls with the same labels needs each of them once."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from detectors.detection import Analysis
from detectors.errors import DetectionTimeout

Promise = asyncio.Future[Analysis]


class Taken:
    """The texts that one call has in work.

    Args:
        promises: to others, by text.
    """

    def __init__(self, promises: Mapping[str, Promise]) -> None:
        self.found: dict[str, Analysis] = {}
        self._promises = promises

    def settle(self, text: str, analysis: Analysis) -> None:
        """Keep the result of a text, for others at once: what else the call has may take long."""
        self.found[text] = analysis
        if text in self._promises:
            self._promises[text].set_result(analysis)


class UnderWay:
    """Promises of results, within one scope only, as for the cache."""

    def __init__(self) -> None:
        self._promises: dict[tuple[str | None, str], Promise] = {}

    def of(self, scope: str | None, texts: Collection[str]) -> dict[str, Promise]:
        """Those of the texts that another call has in work."""
        if scope is None:
            return {}
        found = ((text, self._promises.get((scope, text))) for text in texts)
        return {text: promise for text, promise in found if promise is not None}

    @contextmanager
    def announced(self, scope: str | None, texts: Collection[str]) -> Iterator[Taken]:
        """Take texts in work.

        What has no result at the end, others have to scan themselves.
        """
        loop = asyncio.get_running_loop()
        mine = {} if scope is None else {text: loop.create_future() for text in texts}
        self._promises |= {(scope, text): promise for text, promise in mine.items()}
        try:
            yield Taken(mine)
        finally:
            for text, promise in mine.items():
                self._promises.pop((scope, text), None)
                promise.cancel()


async def finished(promises: Mapping[str, Promise], seconds: float) -> dict[str, Analysis]:
    """The results of those whose call came to its end.

    Raises:
        DetectionTimeout: one of them is still in work.
    """
    if not promises:
        return {}
    _, late = await asyncio.wait(promises.values(), timeout=max(0.0, seconds))
    if late:
        raise DetectionTimeout("the deadline passed before every text was scanned")
    return {text: each.result() for text, each in promises.items() if not each.cancelled()}
