"""The queue before the workers: every call gets its turn by the characters it has had so far."""

import heapq
import queue
import threading
import time
from typing import Generic, TypeVar

COST = 64  # characters that any text costs, however short
LAST = float("inf")

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Weighted fair queueing: a short call does not wait for all of a long one before it.

    Each item has a mark, the length of its call up to and with it, counted from where the queue
    stood when the call came; the lowest mark is next (Demers, Keshav, Shenker 1989).
    """

    def __init__(self) -> None:
        self._items: list[tuple[float, int, T]] = []
        self._filled = threading.Condition()
        self._put = 0
        self._mark = 0.0

    @property
    def mark(self) -> float:
        """Where the queue stands: from here the items of a new call are counted."""
        return self._mark

    def put(self, item: T, mark: float | None = None) -> None:
        """Add an item.

        Args:
            mark: of the item; without it, it is next. ``LAST`` puts it behind all others.
        """
        with self._filled:
            at = self._mark if mark is None else mark
            heapq.heappush(self._items, (at, self._put, item))
            self._put += 1
            self._filled.notify()

    def get(self, timeout: float) -> T:
        """The next item; raises ``queue.Empty`` after so many seconds without one."""
        until = time.monotonic() + timeout
        with self._filled:
            while not self._items:
                if not self._filled.wait(max(0.0, until - time.monotonic())):
                    raise queue.Empty
            return self._pop()

    def get_nowait(self) -> T:
        """The next item; raises ``queue.Empty`` if there is none."""
        with self._filled:
            if not self._items:
                raise queue.Empty
            return self._pop()

    def _pop(self) -> T:
        mark, _, item = heapq.heappop(self._items)
        if mark != LAST:
            self._mark = max(self._mark, mark)
        return item

    def qsize(self) -> int:
        """How many items wait."""
        return len(self._items)

    def empty(self) -> bool:
        """Whether none waits."""
        return not self._items
