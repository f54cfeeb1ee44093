"""Clocks: the machine's is aware and in UTC, the frozen one moves only when told."""

from datetime import UTC, datetime, timedelta, timezone

from proxy.clock import FrozenClock, SystemClock


def test_system_clock_is_utc_and_monotonic() -> None:
    """Instants carry UTC and the monotonic reading never goes back."""
    clock = SystemClock()
    first = clock.monotonic()
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.monotonic() >= first


def test_frozen_clock_moves_only_when_told() -> None:
    """Advance and set move it, reading does not; other zones become UTC."""
    clock = FrozenClock(datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=2))))
    assert clock.now() == clock.now() == datetime(2026, 1, 31, 10, tzinfo=UTC)
    clock.advance(timedelta(minutes=5))
    assert clock.monotonic() == 300
    clock.set(datetime(2027, 1, 1, tzinfo=UTC))
    assert clock.now().year == 2027
