"""Headers that need not be scanned again at once."""

from collections import OrderedDict
from datetime import datetime, timedelta

FRESH = timedelta(minutes=1)
REMEMBERED = 2000


class CleanHeaders:
    """Header values that were scanned a moment ago and had nothing in them.

    A client sends the same ones with every request; what is blocked or known since then is seen
    after a minute at the latest.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str, str], datetime] = OrderedDict()

    def knows(self, key: tuple[str, str, str], now: datetime) -> bool:
        """Whether the value was found clean within the last minute."""
        until = self._seen.get(key)
        return until is not None and now < until

    def learn(self, key: tuple[str, str, str], now: datetime) -> None:
        """The value was scanned and is clean."""
        self._seen[key] = now + FRESH
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
