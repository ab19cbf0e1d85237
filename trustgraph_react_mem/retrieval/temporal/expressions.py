"""The grammar of time expressions: each rule reads one at a place, or returns None.

Compounds name a time by another: "the week before Christmas", "the first week of March", "the morning of 12 May".

Conventions: "last Tuesday" is the latest Tuesday before today, and "next Friday" the first Friday after today.  "Last week" is
the calendar week, and "the last two weeks" are the days up to now.  tests/unit/data/time_expressions.txt has them all.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from .dates import read_day_and_month, read_month, read_numbered_date, read_written_date, read_year
from .days import read_ago, read_day, read_rolling, read_shift, read_weekday
from .ranges import Local, add_units, part_of, shift_unit
from .reading import Expression, Found, Reading
from .seasons import read_decade, read_holiday, read_quarter, read_season
from .units import calendar_unit, in_phase, make_fixed, read_amount

_DAY = timedelta(days=1)


def read_expression(reading: Reading, place: int, *, sure: bool = False) -> Found | None:
    """The expression that begins at ``place``.  ``sure``: ambiguous words mean times here."""
    for rule in _RULES:
        if found := rule(reading, place, sure):
            return found
    return None


def _phase(reading: Reading, place: int, sure: bool) -> Found | None:
    """Such as "early March", "Ende letzten Jahres", "in the late eighties"."""
    phase = reading.at(place, "phase")
    if phase is None:
        return None
    inner = reading.skip(place + 1)
    inner += reading.text(inner) == "-"
    for rule in (read_shift, read_month, read_season, read_quarter, read_decade, read_year):
        linked = reading.at(place + 1, "fill") is not None or reading.text(place + 1) == "-"
        begun = reading.find(place + 1, "unit") if rule is read_shift else inner  # "mes" also fills: "en el mes de mayo"
        begun += begun != inner and reading.text(begun) == "-"
        if (found := rule(reading, begun, linked or rule not in (read_month, read_season))) and reading.text(found[1]) != "'":
            return in_phase(found, phase)
    unit = calendar_unit(reading, reading.find(place + 1, "unit"))
    if unit is not None and unit != "weekend" and reading.at(place + 1, "fill"):  # "at the end of the month"
        span = shift_unit(reading.clock.now, unit, 0)
        return in_phase((make_fixed(span), reading.find(place + 1, "unit") + 1), phase)
    return None


_RULES: tuple[Callable[[Reading, int, bool], Found | None], ...] = (
    read_written_date,
    read_day,
    read_ago,
    read_rolling,
    _phase,
    read_weekday,
    read_shift,
    read_quarter,
    read_day_and_month,
    read_numbered_date,
    read_month,
    read_season,
    read_holiday,
    read_decade,
    read_year,
)


def read_compound(reading: Reading, place: int) -> Found | None:
    for rule in (_part_of_day, _weeks_from, _week_of_date, _week_of_month, _weekday_of_month, _half_of_month, _beside):
        if found := rule(reading, place):
            return found
    return None


def _part_of_day(reading: Reading, place: int) -> Found | None:
    """Such as "the morning of 12 May"."""
    part = reading.at(place, "part")
    found = _read_linked(reading, place + 1, least=1, most=1) if part else None
    return (found[0].with_range(lambda span: part_of(span[0], part)), found[1]) if found else None


def _week_of_date(reading: Reading, place: int) -> Found | None:
    """Such as "the week of 9 March"."""
    if reading.at(place, "unit") != "week" or reading.at(place - 1, "last"):
        return None
    found = _read_linked(reading, place + 1, least=1, most=1, links=("fill", "from"))
    return (found[0].with_range(lambda span: shift_unit(span[0], "week", 0)), found[1]) if found else None


def _read_linked(reading: Reading, place: int, *, least: int, most: int, links: tuple[str, ...] = ("fill",)) -> Found | None:
    """The expression of ``least`` to ``most`` days behind a link such as "of"."""
    if not any(reading.at(place, link) for link in links):
        return None
    found = read_expression(reading, reading.skip(place + (reading.at(place, "fill") is None)), sure=True)
    span = found[0].local if found else None
    return found if span is not None and least * _DAY <= span[1] - span[0] < (most + 1) * _DAY else None


def _weeks_from(reading: Reading, place: int) -> Found | None:
    """Such as "two weeks from Friday"."""
    amount = read_amount(reading, place) if reading.at(place, "number") else None
    if amount is None or amount[2] != "week" or reading.at(amount[3] + 1, "weekday") is None:
        return None
    reading = Reading(reading.words, reading.lexicon, replace(reading.clock, future=True))
    found = _read_linked(reading, amount[3], least=1, most=1, links=("from",))
    if found is None:
        return None
    later = amount[0] * 7 * _DAY
    return found[0].with_range(lambda span: (span[0] + later, span[1] + later)), found[1]


def _half_of_month(reading: Reading, place: int) -> Found | None:
    """Such as "the first half of April"."""
    number = reading.at(place, "ordinal")
    if number not in (1, 2) or reading.at(place + 1, "unit") != "half":
        return None

    def half(month: Local) -> Local:
        middle = month[0] + 15 * _DAY
        return (month[0], middle) if number == 1 else (middle, month[1])

    return _within_month(reading, place + 2, half)


def _week_of_month(reading: Reading, place: int) -> Found | None:
    """Such as "the first week of March", "the last week of March": seven days of it."""
    number, is_last = _number_within(reading, place)
    if not number or reading.at(place + 1, "unit") != "week":
        return None

    def week(month: Local) -> Local:
        if is_last:
            return month[1] - 7 * _DAY, month[1]
        return month[0] + 7 * (number - 1) * _DAY, min(month[0] + 7 * number * _DAY, month[1])

    return _within_month(reading, place + 2, week)


def _weekday_of_month(reading: Reading, place: int) -> Found | None:
    """Such as "the first Monday of October", "the last Sunday in September"."""
    number, is_last = _number_within(reading, place)
    weekday = reading.at(place + 1, "weekday")
    if not number or weekday is None:
        return None

    def day(month: Local) -> Local:
        first = month[0] + (weekday - month[0].weekday()) % 7 * _DAY
        begun = month[1] - _DAY - (month[1].weekday() - 1 - weekday) % 7 * _DAY if is_last else first + 7 * (number - 1) * _DAY
        return begun, begun + _DAY

    return _within_month(reading, place + 2, day)


def _number_within(reading: Reading, place: int) -> tuple[int, bool]:
    """Which of the weeks or weekdays of a month is meant, 0 for none, and whether it is the last one."""
    is_last = reading.at(place, "last") is not None
    number = reading.at(place, "ordinal") or (5 if is_last else 0)
    return (number if number <= 5 else 0), is_last


def _within_month(reading: Reading, place: int, part: Callable[[Local], Local]) -> Found | None:
    """The part of the month that stands behind "of"."""
    found = _read_linked(reading, place, least=28, most=31)
    return (found[0].with_range(part), found[1]) if found else None


def _beside(reading: Reading, place: int) -> Found | None:
    """Such as "The week before Christmas", "two days after Easter"."""
    amount = read_amount(reading, place)
    if amount is None and (unit := reading.at(place, "unit")) in ("day", "week", "weekend", "month", "year"):
        amount = (1, 1, unit, place + 1)
    if amount is None or amount[2] == "hour" or reading.lexicon.runs is not None:
        return None
    count, _, unit, after = amount
    for kind in ("before", "after"):
        if reading.at(after, kind) and (found := read_expression(reading, after + 1)):
            expression, end = found
            way = 1 if kind == "after" else -1

            def make(span: Local, _: datetime, way: int = way) -> Local:
                day = shift_unit(span[0] if way < 0 else span[1] - _DAY, "day", 0)[0]
                if unit == "weekend":
                    return shift_unit(day, unit, -1 if way < 0 else int(day.weekday() >= 5))
                if count > 1 or unit == "day":
                    return shift_unit(add_units(day, unit, way * count), "day" if unit == "day" else unit, 0)
                return (add_units(day, unit, -1), day) if way < 0 else (span[1], add_units(span[1], unit, 1))

            return set_border(reading, expression, make), end
    return None


def set_border(reading: Reading, expression: Expression, make: Callable[[Local, datetime], Local]) -> Expression:
    """The time before or after an expression.  ``make`` gets its range and the end of today."""
    tomorrow = shift_unit(reading.clock.now, "day", 1)[0]

    return expression.with_range(lambda span: make(span, max(span[1], tomorrow)))
