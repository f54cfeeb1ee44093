"""ISO 8601 durations on the calendar, in UTC; and the one word `session`."""

import calendar
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

SESSION_WORD = "session"
INDEFINITE_WORD = "indefinite"
# Months and years have no fixed length; comparisons count them from a date in a common year.
REFERENCE = datetime(2025, 1, 1, tzinfo=UTC)
_SHAPE = re.compile(
    r"P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?"
    r"(?:T(?!$)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?",
    re.ASCII,
)
_MOST_DIGITS = 9
_A_CENTURY = 36_500 * 86_400
# Ranks further apart than this are in order from any date on.
_SURELY = 31 * 86_400.0
_LONGEST = 365_250 * 86_400.0


class DurationError(ValueError):
    """The text is not a duration; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Duration:
    """Calendar months plus exact seconds; or the session, or for ever.

    ``kind`` is ``span``, ``session`` or ``indefinite``; the numbers count only for ``span``.
    ``rank`` is for comparing: session < any span < indefinite; P1Y counts 365 days.
    """

    text: str
    kind: str = "span"
    months: int = 0
    seconds: int = 0
    rank: float = field(default=0.0, repr=False)

    def __str__(self) -> str:
        return self.text

    @property
    def session(self) -> bool:
        """Ends with the session."""
        return self.kind == SESSION_WORD

    @property
    def indefinite(self) -> bool:
        """Never ends by itself."""
        return self.kind == INDEFINITE_WORD

    def outlasts(self, other: "Duration", at: datetime) -> bool:
        """Whether it ends later when both begin ``at``: in February P30D outlasts P1M.

        ``session`` outlasts nothing, and only ``indefinite`` outlasts every span.
        """
        if self.kind != "span" or other.kind != "span":
            return self.rank > other.rank
        if self.months == other.months or abs(self.rank - other.rank) > _SURELY:
            return self.rank > other.rank
        return self.after(at) > other.after(at)

    def after(self, at: datetime) -> datetime:
        """The instant this long after ``at``, in UTC; a naive ``at`` is taken as UTC.

        Months are counted first, on the calendar (P1M after 31 January is the last day of
        February), then days and times, which are exact: P1D is always 24 hours.

        Raises:
            DurationError: for ``session`` and ``indefinite``, and beyond the year 9999.
        """
        if self.kind != "span":
            raise DurationError("only a span of time has an end")
        if not self.months and at.tzinfo is UTC and self.seconds < _A_CENTURY:
            return at + timedelta(seconds=self.seconds)
        try:
            return _add_months(as_utc(at), self.months) + timedelta(seconds=self.seconds)
        except (OverflowError, ValueError) as error:
            raise DurationError("the date lies beyond the year 9999") from error


SESSION = Duration(SESSION_WORD, kind=SESSION_WORD, rank=-1.0)
INDEFINITE = Duration(INDEFINITE_WORD, kind=INDEFINITE_WORD, rank=float("inf"))


def parse(text: str) -> Duration:
    """Read ``P30D``, ``P1Y6M``, ``PT12H``, ``P2W``, ``session`` or ``indefinite``.

    Fractions and signs are refused: nobody keeps a memory for half a month.

    Raises:
        DurationError: for anything else, and for spans that end beyond the year 9999.
    """
    if text in (SESSION_WORD, INDEFINITE_WORD):
        return SESSION if text == SESSION_WORD else INDEFINITE
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise DurationError("not an ISO 8601 duration")
    parts = [group or "0" for group in shape.groups()]
    if any(len(part) > _MOST_DIGITS for part in parts):
        raise DurationError("a number in the duration is too large")
    return _span(text, [int(part) for part in parts])


def _span(text: str, parts: list[int]) -> Duration:
    years, months, weeks, days, hours, minutes, seconds = parts
    total = (weeks * 7 + days) * 86400 + hours * 3600 + minutes * 60 + seconds
    span = Duration(text, months=years * 12 + months, seconds=total)
    rank = (span.after(REFERENCE) - REFERENCE).total_seconds()
    if rank > _LONGEST:
        raise DurationError("longer than a thousand years")
    return replace(span, rank=rank)


def as_utc(at: datetime) -> datetime:
    """The same instant in UTC; a time without a zone is UTC, never the machine's zone."""
    if at.tzinfo is UTC:
        return at
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _add_months(at: datetime, months: int) -> datetime:
    if not months:
        return at
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    day = min(at.day, calendar.monthrange(year, month + 1)[1])
    return at.replace(year=year, month=month + 1, day=day)
