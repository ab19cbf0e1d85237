"""Expressions relative to today: days, amounts of time, calendar units, weekdays."""

from datetime import datetime, timedelta

from .dates import day_of_month, month_with_year, read_day_and_month, read_numbered_date, read_written_date
from .ranges import add_units, date_range, day_range, midnight, shift_unit, third
from .reading import Clock, Expression, Found, Reading
from .seasons import read_holiday, read_season
from .units import TURN, find_shift, make_fixed, part_expression, read_amount, units_away

_DAY = timedelta(days=1)
_LONG_SHORT = ("tues", "weds", "thur", "thurs")  # abbreviations that are no other word
MOST_WEEKDAYS = 52  # "three Saturdays ago"


def read_day(reading: Reading, place: int, sure: bool) -> Found | None:
    clock = reading.clock
    if (pair := reading.at(place, "day_part")) is not None:
        return part_expression(clock.now + pair[0] * _DAY, pair[1], place + 1)
    days = reading.at(place, "day")
    if days is None or reading.is_title(place):
        part = reading.at(place + 1, "part") if reading.at(place, "this") else None
        return part_expression(clock.now, part, place + 2) if part is not None else None
    if days == 1 and reading.text(place - 1) in reading.lexicon.not_tomorrow_after:
        return None
    day = clock.now + days * _DAY
    after = reading.skip(place + 1)
    if (part := reading.at(after, "part")) is not None:
        return part_expression(day, part, after + 1)
    if reading.at(after, "ago_before") and (amount := read_amount(reading, reading.skip(after + 1))):  # "heute vor einem Jahr"
        return make_fixed(day_range(add_units(day, amount[2], -amount[0]))), amount[3]
    return make_fixed(day_range(day)), place + 1


def read_ago(reading: Reading, place: int, sure: bool) -> Found | None:
    now = reading.clock.now
    if reading.at(place, "ago_before") and (found := read_amount(reading, reading.skip(place + 1))):
        return units_away(now, found, -1)
    if reading.at(place, "in") and (found := read_amount(reading, place + 1)) and reading.at(found[3], "ago") is None:
        # "In three weeks" may be how long something takes.
        sure_of_future = reading.clock.future or (reading.lexicon.code != "en" and found[0] > 1)
        return units_away(now, found, 1) if found[2] != "hour" and sure_of_future and reading.lexicon.runs is None else None
    if weekdays := _weekdays_ago(reading, place):
        return weekdays
    found = read_amount(reading, place)
    if found is None and (unit := reading.at(place, "unit")) is not None and unit in ("week", "month", "year"):
        is_mark_of_date = reading.lexicon.runs is not None or reading.at(place - 1, "number") is not None
        found = None if is_mark_of_date else (1, 1, unit, place + 1)
    if found is None:
        return None
    after = reading.skip(found[3])
    if reading.at(after, "ago") and reading.at(after + 1, "day") == 0:  # "a year ago today"
        return make_fixed(day_range(add_units(now, found[2], -found[0]))), after + 2
    if reading.at(after, "ago"):
        weekday = reading.at(reading.skip(after + 1), "weekday")
        if weekday is not None and found[2] == "week":  # "a week ago Tuesday"
            return _weekday_of_week(reading, weekday, -found[0], reading.skip(after + 1))
        return units_away(now, (*found[:3], after + 1), -1)
    if reading.at(after, "later"):
        return units_away(now, (*found[:3], after + 1), 1)
    return None


def _weekdays_ago(reading: Reading, place: int) -> Found | None:
    """Such as "three Saturdays ago"."""
    number, plural = reading.at(place, "number"), reading.text(place + 1)
    if number is None or reading.lexicon.code != "en" or not plural.endswith("s") or not reading.at(place + 2, "ago"):
        return None
    weekday = reading.lexicon.words.get(plural[:-1], {}).get("weekday")
    if weekday is None or not 1 <= number <= MOST_WEEKDAYS:
        return None
    return _weekday_expression(reading, _turned_weekday(reading, weekday, -1) - 7 * (number - 1) * _DAY, place, place + 3)


def read_rolling(reading: Reading, place: int, sure: bool) -> Found | None:
    """Such as "The last 3 days", "ces trois derniers jours", "the past year"."""
    start = reading.skip(place + 1) if reading.at(place, "this") and reading.at(place + 1, "number") else place
    for way, kind in ((-1, "last"), (1, "next")):
        if reading.at(start, kind):
            found = read_amount(reading, reading.skip(start + 1))
            if found is None and way < 0 and reading.at(start, "rolling") and (unit := reading.at(start + 1, "unit")):
                found = (1, 1, unit, start + 2) if unit not in ("weekend", "day", "half") else None
        elif reading.at(start, "number") and reading.at(start + 1, kind) and (unit := reading.at(start + 2, "unit")):
            number = reading.at(start, "number")
            found = (number, number, unit, start + 3)
        else:
            continue
        if found is not None:
            count = 4 if found[0] != found[1] else found[0]
            today, far = midnight(reading.clock.now), add_units(reading.clock.now, found[2], way * count)
            return make_fixed((midnight(far), today + _DAY) if way < 0 else (today, midnight(far) + _DAY)), found[3]
    return None


def read_shift(reading: Reading, place: int, sure: bool) -> Found | None:
    found = find_shift(reading, place)
    if found is None or reading.is_habit(place):
        return None
    unit, by, after = found
    span = shift_unit(reading.clock.now, unit, by)
    inner = reading.skip(after)
    # "next week on Tuesday", "last year at Christmas", "last month on the 3rd", "early last month", or the whole unit.
    if unit == "week" and (weekday := reading.at(inner, "weekday")) is not None:
        return _weekday_of_week(reading, weekday, by, inner)
    if unit == "year" and (named := _read_named(reading, inner)):
        return Expression(lambda _: named[0].make(span[0].year)), named[1]
    if unit == "month" and (day := day_of_month(reading, inner)):
        return make_fixed(date_range(span[0].year, span[0].month, day[0])), day[1]
    if (phase := reading.at(after, "phase")) is not None and reading.lexicon.runs is not None:
        return make_fixed(third(span, phase)), after + 1
    return Expression(lambda _: span, year=span[0].year if unit == "year" else None), after


def _read_named(reading: Reading, place: int) -> Found | None:
    """A month, season or holiday that takes a given year: "last year at Christmas", 去年の夏."""
    for rule in (read_numbered_date, month_with_year, read_season, read_holiday):
        if found := rule(reading, place, True):
            return found if found[0].needs_year else None
    return None


def read_weekday(reading: Reading, place: int, sure: bool) -> Found | None:
    clock = reading.clock
    for kind, turn in TURN.items():
        if reading.at(place, kind):
            after = reading.skip(place + 1) if kind != "this" else place + 1
            weekday = reading.at(after, "weekday")
            if weekday is None:
                weekday = reading.at(after, "short_weekday")
            if weekday is not None:
                return _weekday_expression(reading, _turned_weekday(reading, weekday, turn), after)
    if reading.at(place, "before_last") and (weekday := reading.at(reading.skip(place + 1), "weekday")) is not None:
        return _weekday_expression(reading, _turned_weekday(reading, weekday, -1) - 7 * _DAY, reading.skip(place + 1))
    weekday = reading.at(place, "weekday")
    if weekday is None:
        return _short_weekday(reading, place)
    if reading.lexicon.postposed:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return _weekday_expression(reading, _turned_weekday(reading, weekday, TURN[kind]), place, place + 2)
    after = reading.skip(place + 1)
    amount = read_amount(reading, reading.skip(after + 1)) if reading.at(after, "ago_before") else None
    if amount is None and (found := read_amount(reading, after)) and reading.at(found[3], "ago"):
        amount = (*found[:3], found[3] + 1)
    if amount is not None and amount[2] == "week":  # "am Dienstag vor einer Woche", "Tuesday two weeks ago"
        return _weekday_of_week(reading, weekday, -amount[0], place, amount[3])
    shift = find_shift(reading, after)
    if shift is not None and shift[0] == "week":
        return _weekday_of_week(reading, weekday, shift[1], place, shift[2])
    if date := _date_after_weekday(reading, after, weekday):
        return date
    if reading.is_before_last(place + 1):
        return _weekday_expression(reading, _turned_weekday(reading, weekday, -1) - 7 * _DAY, place, place + 3)
    if sure or reading.means_weekday(place, place + 1):
        return _weekday_expression(reading, _bare_weekday(clock, weekday), place)
    return None


def _date_after_weekday(reading: Reading, place: int, weekday: int) -> Found | None:
    """Such as "Thursday, 28 May": without a year, the nearest one in which it is that weekday."""
    for rule in (read_written_date, read_numbered_date, read_day_and_month):
        if found := rule(reading, place, True):
            expression, after = found
            year = reading.clock.now.year
            days = [expression.make(near) for near in (year, year - 1, year + 1)] if expression.needs_year else []
            return next((make_fixed(day) for day in days if day and day[0].weekday() == weekday), expression), after
    day = day_of_month(reading, place) if reading.at(place, "ordinal") and reading.text(place - 1) == "the" else None
    if day is None or not reading.preceded_by(place - 2, "on"):
        return None
    ways = range(0, 12) if reading.clock.future else range(0, -12, -1)  # "Sunday the 18th"
    months = [shift_unit(reading.clock.now, "month", by)[0] for by in ways]
    found_days = [date_range(month.year, month.month, day[0]) for month in months]
    on_it = [each for each in found_days if each is not None and each[0].weekday() == weekday]
    past = [each for each in on_it if reading.clock.future or each[0] <= reading.clock.now]
    return (make_fixed(past[0]), day[1]) if past else None


def _short_weekday(reading: Reading, place: int) -> Found | None:
    """Such as "on Sat": an abbreviation is a day only after a preposition, because it may be a verb or the sun."""
    weekday = reading.at(place, "short_weekday")
    if weekday is None:
        return None
    if reading.lexicon.code == "en":
        written = reading.words[place].raw[0].isupper() or reading.text(place) in _LONG_SHORT
        known = written and reading.text(place - 1) in ("on", "since", "until")
    else:
        known = reading.preceded_by(place, "on") and reading.is_last(place + 1) and reading.words[place].raw[0].islower()
    if not known:
        return None
    return _weekday_expression(reading, _bare_weekday(reading.clock, weekday), place)


def _bare_weekday(clock: Clock, weekday: int) -> datetime:
    today = midnight(clock.now)
    if clock.future:
        return today + ((weekday - today.weekday()) % 7) * _DAY
    return today - ((today.weekday() - weekday) % 7) * _DAY


def _turned_weekday(reading: Reading, weekday: int, turn: int) -> datetime:
    today = midnight(reading.clock.now)
    if turn == 0 or reading.lexicon.week_modifier:
        return shift_unit(today, "week", turn)[0] + weekday * _DAY
    if turn < 0:
        return today - ((today.weekday() - weekday - 1) % 7 + 1) * _DAY
    return today + ((weekday - today.weekday() - 1) % 7 + 1) * _DAY


def _weekday_of_week(reading: Reading, weekday: int, by: int, place: int, after: int | None = None) -> Found:
    """The weekday at ``place``, in the week that is ``by`` weeks from this one."""
    return _weekday_expression(reading, shift_unit(reading.clock.now, "week", by)[0] + weekday * _DAY, place, after)


def _weekday_expression(reading: Reading, day: datetime, place: int, after: int | None = None) -> Found:
    """The day, or the part of it that follows the weekday at ``place``."""
    after = place + 1 if after is None else after
    if (own := reading.at(place, "own_part")) is not None:
        return part_expression(day, own, after)
    following = reading.skip(after)
    if (part := reading.at(following, "part")) is not None:
        return part_expression(day, part, following + 1)
    return make_fixed(day_range(day)), after
