"""Reads that were just understood, for as long as asking again means the same.

What a read means and what of an answer may be shown follow from its bytes, its caller, the policy,
the ledger and the time. So a read that comes again within the same second and the same state of the
ledger, which any commit of any process ends, is not scoped, scanned and judged once more. The store
is asked each time; rates, budgets of readers and metrics count each time.
"""

import asyncio
from collections.abc import Hashable
from typing import Any

from proxy.clock import Clock
from proxy.ledger.engine import Ledger

REQUESTS = 512
SECONDS = 2.0  # after which nothing is kept, should nobody ask
Moment = tuple[int, int]  # state of the ledger, second


class Repeats:
    """What is known of requests at the present moment; with it all of it goes."""

    def __init__(self) -> None:
        self._moment: Moment | None = None
        self._known: dict[Hashable, Any] = {}
        self._end: asyncio.TimerHandle | None = None
        self._under_way: dict[Hashable, asyncio.Event] = {}

    def at(self, ledger: Ledger, clock: Clock) -> Moment | None:
        """The present moment; None if the ledger cannot tell its state."""
        state = ledger.recall.present()
        moment = None if state is None else (state, int(clock.now().timestamp()))
        if moment != self._moment:
            self._known.clear()
            self._moment = moment
        return moment

    def known(self, key: Hashable) -> Any | None:
        """What was kept at this moment; ask ``at`` before."""
        return self._known.get(key)

    def keep(self, key: Hashable, value: Any) -> None:
        """Know a request until the moment is over; ask ``at`` before."""
        if len(self._known) < REQUESTS:
            self._known[key] = value
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(SECONDS, self.forget)

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

    def forget(self) -> None:
        """Keep nothing of what there was."""
        self._known.clear()
        self._end = None
