"""What each reader saw lately."""

from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime

from policies.access import Budget

READERS = 5000


class Seen:
    """Which different items each reader saw in the window; only pseudonyms are kept."""

    def __init__(self) -> None:
        self._readers: OrderedDict[tuple[str, ...], OrderedDict[bytes, datetime]] = OrderedDict()

    def add(
        self, reader: tuple[str, ...], refs: Iterable[bytes], budget: Budget, now: datetime
    ) -> int:
        """Note what a reader sees now; how many different items that makes in the window.

        Exact up to one more than the budget; beyond it the oldest go, and the number stays above.
        """
        seen = self._readers.get(reader)
        if seen is None:
            seen = self._readers[reader] = OrderedDict()
        self._readers.move_to_end(reader)
        while seen and budget.window.after(next(iter(seen.values()))) <= now:
            seen.popitem(last=False)
        seen.update(dict.fromkeys(frozenset(refs).difference(seen), now))
        total = len(seen)
        while len(seen) > budget.distinct_items + 1:
            seen.popitem(last=False)
        if len(self._readers) > READERS:
            self._readers.popitem(last=False)
        return total
