"""Whether the wall clock can be trusted to erase by: a jump must not delete anything."""

from datetime import UTC, datetime, timedelta

from proxy.clock import Clock

TOLERANCE = timedelta(hours=1)
LONGEST_REST = timedelta(days=31)


class ClockWatch:
    """Compares the wall clock with the monotonic one, and with the last sweep on record."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall, self._monotonic = clock.now(), clock.monotonic()

    def trusted(self, last_sweep: int) -> bool:
        """Whether time has moved as time does.

        Args:
            last_sweep: seconds since 1970 of the last sweep, by any process; 0 if there was none.
        """
        elapsed = timedelta(seconds=self._clock.monotonic() - self._monotonic)
        drift = abs((self._clock.now() - self._wall) - elapsed)
        return drift <= TOLERANCE and self._since(last_sweep)

    def accept(self) -> None:
        """Take the present for granted from here on."""
        self._wall, self._monotonic = self._clock.now(), self._clock.monotonic()

    def _since(self, last_sweep: int) -> bool:
        """A wall clock behind the last sweep, or far beyond it, was set by something else."""
        if not last_sweep:
            return True
        rest = self._clock.now() - datetime.fromtimestamp(last_sweep, UTC)
        return -TOLERANCE <= rest <= LONGEST_REST
