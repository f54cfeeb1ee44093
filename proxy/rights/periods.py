"""Periods as people say them: yesterday, last week, on Friday, between two dates."""

import re
from datetime import date, datetime, time, timedelta

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def period(rest: str, now: datetime) -> tuple[datetime, datetime] | None:
    """First instant and end of the period that a sentence names; None if it names none.

    Args:
        now: in the author's time zone.
    """
    lower = rest.lower()
    today = now.date()
    for word, days in (("yesterday", 1), ("today", 0)):
        if re.search(rf"\b{word}\b", lower):
            return _day(today - timedelta(days=days), now)
    if match := re.search(r"\blast (week|month|year)\b", lower):
        return _last(match[1], now)
    if match := re.search(r"\b(?:last|past) (\d{1,3}) (hour|day|week)s?\b", lower):
        unit = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
        return now - int(match[1]) * unit[match[2]], now
    if match := re.search(rf"\b(?:last|on) ({'|'.join(DAYS)})\b", lower):
        back = (today.weekday() - DAYS.index(match[1])) % 7 or 7
        return _day(today - timedelta(days=back), now)
    return _dated(lower, now)


def _dated(lower: str, now: datetime) -> tuple[datetime, datetime] | None:
    dates = re.findall(r"\b(\d{4}-\d{2}-\d{2})\b", lower)
    try:
        days = [date.fromisoformat(each) for each in dates[:2]]
    except ValueError:
        return None
    if not days:
        return None
    first, last = min(days), max(days)
    if len(days) == 1 and re.search(r"\bbefore\b", lower):
        return datetime(1970, 1, 1, tzinfo=now.tzinfo), _day(first, now)[0]
    if len(days) == 1 and re.search(r"\b(?:since|after)\b", lower):
        return _day(first, now)[0], now
    return _day(first, now)[0], _day(last, now)[1]


def _day(day: date, now: datetime) -> tuple[datetime, datetime]:
    """A day of the author's calendar, however long it is there."""
    start = datetime.combine(day, time(), tzinfo=now.tzinfo)
    return start, datetime.combine(day + timedelta(days=1), time(), tzinfo=now.tzinfo)


def _last(unit: str, now: datetime) -> tuple[datetime, datetime]:
    today = now.date()
    match unit:
        case "week":
            first = today - timedelta(days=today.weekday() + 7)
            last = first + timedelta(days=7)
        case "month":
            last = today.replace(day=1)
            first = (last - timedelta(days=1)).replace(day=1)
        case _:
            last = today.replace(month=1, day=1)
            first = last.replace(year=last.year - 1)
    return _day(first, now)[0], _day(last, now)[0]
