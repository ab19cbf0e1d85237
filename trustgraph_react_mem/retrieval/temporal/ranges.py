"""Ranges of time, and the calendar arithmetic on local times.

A local range is a pair of naive datetimes [start, end).  ``in_zone`` makes it a ``TimeRange``.
"""

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

Local = tuple[datetime, datetime]
FIRST, LAST = datetime(1, 1, 3), datetime(9999, 12, 29)  # open ends, two days inside what every zone can express
_PARTS = {"morning": (5, 12), "noon": (11, 14), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}
_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A half-open range [start, end) in UTC."""

    start: datetime
    end: datetime


def in_zone(local: Local, zone: tzinfo) -> TimeRange:
    start, end = (min(max(at, FIRST), LAST).replace(tzinfo=zone).astimezone(UTC) for at in local)
    return TimeRange(start=start, end=end)


def midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def day_range(at: datetime, days: int = 1) -> Local:
    start = midnight(at)
    return start, start + days * _DAY


def part_of(day: datetime, part: str) -> Local:
    """A part of a day.  The night begins in its evening and ends on the next morning."""
    first, last = _PARTS[part]
    start = midnight(day)
    return start + timedelta(hours=first), start + timedelta(hours=last)


def plus_months(at: datetime, months: int) -> datetime:
    """The same day ``months`` later, or the last day of that month."""
    count = at.year * 12 + at.month - 1 + months
    year, month = max(1, min(9999, count // 12)), count % 12 + 1
    return at.replace(year=year, month=month, day=min(at.day, calendar.monthrange(year, month)[1]))


def date_range(year: int, month: int | None = None, day: int | None = None) -> Local | None:
    """A year, month or day; None if the date does not exist."""
    if not 1 <= year <= 9998:
        return None
    if month is None:
        return datetime(year, 1, 1), datetime(year + 1, 1, 1)
    if not 1 <= month <= 12:
        return None
    start = datetime(year, month, 1)
    if day is None:
        return start, plus_months(start, 1)
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return day_range(start.replace(day=day))


def months_from(year: int, month: int, count: int) -> Local:
    start = datetime(year, month, 1)
    return start, plus_months(start, count)


def shift_unit(now: datetime, unit: str, by: int) -> Local:
    """The calendar unit that is ``by`` units from the current one.  The week begins on Monday."""
    today = midnight(now)
    if unit == "hour":
        return day_range(now + timedelta(hours=by))
    if unit == "day":
        return day_range(today + by * _DAY)
    if unit in ("week", "weekend"):
        monday = today - today.weekday() * _DAY + timedelta(weeks=by)
        return (monday + 5 * _DAY, monday + 7 * _DAY) if unit == "weekend" else (monday, monday + 7 * _DAY)
    size = _MONTHS[unit]
    count = (today.year * 12 + today.month - 1) // size * size
    start = datetime(count // 12, count % 12 + 1, 1)
    return plus_months(start, by * size), plus_months(start, (by + 1) * size)


def add_units(at: datetime, unit: str, by: int) -> datetime:
    """``at``, ``by`` units later."""
    if unit == "hour":
        return at + timedelta(hours=by)
    if unit in ("day", "week", "weekend"):
        return at + timedelta(days=by * (1 if unit == "day" else 7))
    return plus_months(at, by * _MONTHS[unit])


def third(span: Local, phase: str) -> Local:
    """The beginning, middle or end of a range.  Months have thirds of ten days; longer ranges have thirds by length."""
    start, end = span
    days = (end - start).days
    if 28 <= days <= 31:
        cut, cut2 = start + 10 * _DAY, start + min(20, days - 10) * _DAY
    elif days > 3000:  # a decade: the first four years, four in the middle, the last four
        starts = {"early": 0, "mid": 36, "late": 72}
        return plus_months(start, starts[phase]), plus_months(start, starts[phase] + 48)
    elif days > 300 and start.day == 1:
        months = round(days / 30.44)
        cut, cut2 = plus_months(start, months // 3), plus_months(start, months - months // 3)
    else:
        cut, cut2 = start + days // 3 * _DAY, start + (days - days // 3) * _DAY
    if phase == "early":
        return start, cut
    return (cut, cut2) if phase == "mid" else (cut2, end)
