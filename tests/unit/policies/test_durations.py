"""Durations: calendar months, UTC, and nothing else than ISO 8601."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.durations import INDEFINITE, SESSION, Duration, DurationError, parse


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("P1M", "2026-01-31T10:00:00Z", "2026-02-28T10:00:00Z"),
        ("P1M", "2028-01-31T10:00:00Z", "2028-02-29T10:00:00Z"),
        ("P2M", "2026-08-31T10:00:00Z", "2026-10-31T10:00:00Z"),
        ("P1Y", "2028-02-29T10:00:00Z", "2029-02-28T10:00:00Z"),
        ("PT1M", "2026-01-31T10:00:00Z", "2026-01-31T10:01:00Z"),
        ("P1M1D", "2026-01-31T10:00:00Z", "2026-03-01T10:00:00Z"),
        ("P12M", "2026-11-30T00:00:00Z", "2027-11-30T00:00:00Z"),
        ("P2W", "2026-12-25T00:00:00Z", "2027-01-08T00:00:00Z"),
        ("P30D", "2026-02-01T00:00:00Z", "2026-03-03T00:00:00Z"),
        ("P1Y2M3DT4H5M6S", "2026-01-01T00:00:00Z", "2027-03-04T04:05:06Z"),
    ],
)
def test_a_duration_ends_on_the_calendar(text: str, start: str, end: str) -> None:
    """Months are counted on the calendar, days are exact, the time of day stays."""
    assert parse(text).after(datetime.fromisoformat(start)) == datetime.fromisoformat(end)


def test_a_day_is_24_hours_whatever_the_local_clock_does() -> None:
    """The night of a clock change is no shorter: everything is counted in UTC."""
    made = datetime(2026, 10, 24, 12, tzinfo=timezone(timedelta(hours=2)))
    assert parse("P1D").after(made) == datetime(2026, 10, 25, 10, tzinfo=UTC)


def test_a_time_without_a_zone_is_utc_in_every_time_zone() -> None:
    """A process in Amsterdam takes a naive time as UTC, not as local time."""
    code = (
        "from datetime import datetime; from policies.durations import parse;"
        "print(parse('P1D').after(datetime(2026, 10, 24, 12)).isoformat())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"TZ": "Europe/Amsterdam", "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "2026-10-25T12:00:00+00:00"


@pytest.mark.parametrize(
    "text",
    ["", "P", "PT", "30D", "P1.5D", "-P1D", "P-1D", "P1DT", "1 month", "p1d", "P1D ", "P1H",
     "PT1D", "P1M1Y", "P1000001Y", "P1001Y", "P9999999999D", "Session", "P１D"],
)  # fmt: skip
def test_what_is_not_a_duration_is_refused(text: str) -> None:
    """Loose spellings, fractions, signs and absurd lengths are errors."""
    with pytest.raises(DurationError):
        parse(text)


def test_words_have_no_end() -> None:
    """A session and for ever have no date; asking for one is an error."""
    assert parse("session") is SESSION
    assert parse("indefinite") is INDEFINITE
    for word in (SESSION, INDEFINITE):
        with pytest.raises(DurationError):
            word.after(datetime(2026, 1, 1, tzinfo=UTC))


def test_the_end_of_time_is_an_error_and_not_a_crash() -> None:
    """Beyond the year 9999 there is no date."""
    with pytest.raises(DurationError):
        parse("P900Y").after(datetime(9900, 1, 1, tzinfo=UTC))
    with pytest.raises(DurationError):
        parse("P365000D").after(datetime(9900, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [("session", "PT1S"), ("P365D", "P366D"), ("P1Y", "P366D"), ("P30D", "P1M"),
     ("P1000Y", "indefinite"), ("P27D", "P1M")],
)  # fmt: skip
def test_durations_have_an_order(shorter: str, longer: str) -> None:
    """Session before any span before for ever; a year counts 365 days."""
    assert parse(shorter).rank < parse(longer).rank


SPANS = st.tuples(
    *(st.integers(0, n) for n in (50, 600, 100, 2000, 48, 90, 90))
).filter(any)  # fmt: skip
INSTANTS = st.datetimes(
    datetime(1990, 1, 1),  # noqa: DTZ001
    datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.timezones(),
)


def written(parts: tuple[int, ...]) -> Duration:
    """The duration of these years, months, weeks, days, hours, minutes and seconds."""
    years, months, weeks, days, hours, minutes, seconds = parts
    return parse(f"P{years}Y{months}M{weeks}W{days}DT{hours}H{minutes}M{seconds}S")


@settings(deadline=None)
@given(SPANS, INSTANTS)
def test_a_duration_ends_later_in_utc(parts: tuple[int, ...], at: datetime) -> None:
    """Every span ends after its start, and the zone it was given in does not matter."""
    duration = written(parts)
    end = duration.after(at)
    assert end > at
    assert end.tzinfo is UTC
    assert end == duration.after(at.astimezone(UTC))


@settings(deadline=None)
@given(st.integers(1, 1200), INSTANTS)
def test_months_keep_the_day_or_take_the_last(months: int, at: datetime) -> None:
    """The day of the month stays unless the month is too short for it."""
    start = at.astimezone(UTC)
    end = parse(f"P{months}M").after(at)
    assert (end.year * 12 + end.month) - (start.year * 12 + start.month) == months
    assert end.day == start.day or (end.day < start.day and (end + timedelta(days=1)).day == 1)
    assert end.timetz() == start.timetz()


@settings(deadline=None)
@given(SPANS, SPANS, INSTANTS)
def test_longer_spans_do_not_end_earlier(
    a: tuple[int, ...], b: tuple[int, ...], at: datetime
) -> None:
    """Adding to a span never makes it end earlier."""
    both = tuple(x + y for x, y in zip(a, b, strict=True))
    assert written(both).after(at) >= written(a).after(at)
