"""When an answer is due, by regime: calendar rules, extensions, pauses."""

import calendar
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

INTERNAL = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Regime:
    """One law's clock.

    Args:
        months: calendar months to answer (GDPR Art. 12(3)); exclusive with ``days``.
        days: calendar days to answer.
        acknowledge_days: business days to acknowledge receipt.
        more_months: months that an extension adds.
        more_days: days that an extension adds.
        to_working_day: an end on a weekend or holiday moves to the next working day
            (Regulation 1182/71).
        stops_for_identity: the clock stands while the requester's identity is asked for.
    """

    months: int = 0
    days: int = 0
    acknowledge_days: int = 0
    more_months: int = 0
    more_days: int = 0
    to_working_day: bool = False
    stops_for_identity: bool = False

    @property
    def extendable(self) -> bool:
        """Whether the period may be extended once."""
        return bool(self.more_months or self.more_days)


REGIMES = {
    "gdpr": Regime(months=1, more_months=2, to_working_day=True),
    "uk": Regime(months=1, more_months=2, to_working_day=True, stops_for_identity=True),
    "ccpa": Regime(days=45, acknowledge_days=10, more_days=45),
    "lgpd": Regime(days=15),
}


@dataclass(frozen=True, slots=True)
class Pause:
    """The time between asking for identification and receiving it."""

    asked: datetime
    received: datetime


def due(
    regime: str,
    received: datetime,
    *,
    extended: bool = False,
    pauses: Iterable[Pause] = (),
    holidays: Collection[date] = (),
) -> datetime:
    """When the answer is due.

    Args:
        regime: gdpr, uk, ccpa or lgpd.
        received: receipt of the request, aware; its own time zone's calendar counts.
        extended: whether the extension was declared.
        pauses: stops of the clock; they count only where the regime has them.
        holidays: public holidays, for regimes that end on working days.
    """
    rule = REGIMES[regime]
    months = rule.months + (rule.more_months if extended else 0)
    days = rule.days + (rule.more_days if extended else 0)
    end = add_months(received, months) + timedelta(days=days)
    if rule.stops_for_identity:
        end += sum((pause.received - pause.asked for pause in pauses), timedelta())
    return _working_day(end, holidays) if rule.to_working_day else end


def acknowledgement_due(
    regime: str, received: datetime, holidays: Collection[date] = ()
) -> datetime | None:
    """When receipt must be acknowledged; None where nothing says so."""
    left = REGIMES[regime].acknowledge_days
    if not left:
        return None
    moment = received
    while left:
        moment += timedelta(days=1)
        left -= _is_working(moment, holidays)
    return moment


def internal_due(received: datetime) -> datetime:
    """The target we set ourselves: thirty days, whatever the month."""
    return received + INTERNAL


def add_months(moment: datetime, months: int) -> datetime:
    """The same day of a later month, or that month's last day (31 January → 28 February)."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def _working_day(moment: datetime, holidays: Collection[date]) -> datetime:
    while not _is_working(moment, holidays):
        moment += timedelta(days=1)
    return moment


def _is_working(moment: datetime, holidays: Collection[date]) -> bool:
    return moment.weekday() < 5 and moment.date() not in holidays
