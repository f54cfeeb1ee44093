"""Rates: how often somebody may do something in a minute."""

from collections import OrderedDict

from proxy.problems import Problem

TRACKED = 10_000


class Throttle:
    """Token buckets by key; the oldest are dropped when there are too many."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[tuple[str, ...], tuple[float, float]] = OrderedDict()

    def take(self, key: tuple[str, ...], *, per_minute: int, now: float, cost: float = 1) -> None:
        """Take from a bucket that holds ``per_minute`` and refills evenly.

        Raises:
            Problem: ``rate-limited`` with the seconds after which it has enough again.
        """
        level, since = self._level(key, per_minute, now)
        if level < cost:
            wait = int((cost - level) * 60 / per_minute) + 1
            raise Problem("rate-limited", "Too many requests.", retry_after=wait)
        self._buckets[key] = (level - cost, since)
        self._buckets.move_to_end(key)
        if len(self._buckets) > TRACKED:
            self._buckets.popitem(last=False)

    def empty(self, key: tuple[str, ...], *, per_minute: int, now: float) -> bool:
        """Whether nothing is left in a bucket."""
        return self._level(key, per_minute, now)[0] < 1

    def _level(self, key: tuple[str, ...], per_minute: int, now: float) -> tuple[float, float]:
        level, since = self._buckets.get(key, (float(per_minute), now))
        return min(float(per_minute), level + (now - since) * per_minute / 60), now
