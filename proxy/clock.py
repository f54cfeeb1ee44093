"""The only source of time; injected everywhere so that tests own it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall clock and monotonic clock."""

    def now(self) -> datetime:
        """Current instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary point; never goes back."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251  (the one place)

    def monotonic(self) -> float:
        return time.monotonic()


class FrozenClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, start: datetime) -> None:
        self._start = self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - self._start).total_seconds()

    def advance(self, by: timedelta) -> None:
        """Move by a duration; negative durations go back, as broken machines do."""
        self._now += by

    def set(self, to: datetime) -> None:
        """Move to an instant."""
        self._now = to.astimezone(UTC)
