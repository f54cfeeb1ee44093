"""Reads that were just understood, for as long as asking again means the same.

What a read means and what of an answer may be shown follow from its bytes, its caller, the policy,
the ledger and the time. So a read that comes again within a second and in the same state of the
ledger, which any commit of any process ends, is not scoped, scanned and judged once more. The store
is asked each time; rates, budgets of readers and metrics count each time.
"""

import asyncio
from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from proxy.clock import Clock
from proxy.ledger.engine import Ledger

REQUESTS = 512
LASTS = timedelta(seconds=1)  # at most
SHARES = 64  # of the second half of it; each request has some, so that not all end at once
SECONDS = 1.0  # in which nobody asks, after which nothing is kept


class Moment(NamedTuple):
    """When something was understood."""

    state: int  # of the ledger
    at: datetime

    def lasts(self, now: "Moment | None") -> bool:
        """Whether it would be understood in the same way now."""
        if now is None or now.state != self.state:
            return False
        return self.at <= now.at < self.at + LASTS


class Repeats:
    """What is known of requests in the present state of the ledger; with it all of it goes."""

    def __init__(self) -> None:
        self._state: int | None = None
        self._now: Moment | None = None  # in this turn of the loop
        self._known: dict[Hashable, tuple[Moment, Any]] = {}  # about in the order of their moments
        self._asked = False  # lately
        self._watch: asyncio.TimerHandle | None = None
        self._under_way: dict[Hashable, asyncio.Event] = {}

    def at(self, ledger: Ledger, clock: Clock) -> Moment | None:
        """The present moment; None if the ledger cannot tell its state."""
        self._asked = True
        state = ledger.recall.present()
        if state != self._state:
            self._known.clear()
            self._state = state
            self._now = None
        if state is not None and self._now is None:
            self._now = Moment(state, clock.now())
            self._drop(self._now)
            asyncio.get_running_loop().call_soon(self._turn_over)
        return self._now

    def known(self, key: Hashable, now: Moment) -> Any | None:
        """What was kept, if it still holds; ``now`` is from ``at``."""
        moment, value = self._known.get(key, (None, None))
        return value if moment is not None and moment.lasts(now) else None

    def keep(self, key: Hashable, value: Any, moment: Moment) -> None:
        """Know a request while its moment lasts, or shorter; ask ``at`` before.

        What many clients ask for the first time at once would else be understood anew at once,
        and again, and all others would wait for all of it.
        """
        self._known.pop(key, None)
        if len(self._known) < REQUESTS:
            early = LASTS / 2 * (hash(key) % SHARES / SHARES)
            self._known[key] = moment._replace(at=moment.at - early), value
        if self._watch is None:
            self._watch = asyncio.get_running_loop().call_later(SECONDS, self._look)

    def under_way(self, key: Hashable) -> asyncio.Event | None:
        """Set once the request that is understood now, under this key, is."""
        return self._under_way.get(key)

    def begin(self, key: Hashable) -> bool:
        """Understand a request for all who ask the same; False if another does."""
        mine = asyncio.Event()
        return self._under_way.setdefault(key, mine) is mine

    def over(self, key: Hashable) -> None:
        """It is understood, or will not be: nobody waits any longer."""
        self._under_way.pop(key).set()

    def _turn_over(self) -> None:
        self._now = None

    def _drop(self, now: Moment) -> None:
        """Forget what holds no longer."""
        while self._known:
            oldest = next(iter(self._known))
            if self._known[oldest][0].lasts(now):
                return
            del self._known[oldest]

    def _look(self) -> None:
        """Keep nothing of what there was, if nobody asks any more."""
        self._watch = None
        if not self._asked:
            self._known.clear()
        elif self._known:
            self._watch = asyncio.get_running_loop().call_later(SECONDS, self._look)
        self._asked = False
