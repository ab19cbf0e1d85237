"""The grammar of single time expressions: each rule reads one at a place, or returns None.

Source of the conventions: tests/unit/data/time_expressions.txt.  "Last Tuesday" is the latest Tuesday before today, "next Friday"
the first after today; "last week" is the calendar week, "the last two weeks" are the days up to now.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from .holidays import holiday
from .ranges import (
    Local,
    date_range,
    day_range,
    midnight,
    months_from,
    moved,
    part_of,
    shifted,
    third,
)
from .reading import Clock, Expression, Found, Reading, find_year

_DAY = timedelta(days=1)
_FEW = (2, 5)
_TURN = {"last": -1, "next": 1, "this": 0}
_BEFORE_DECADE = frozenset({"the", "den", "der", "die", "early", "late", "mid", "'"})
MOST_UNITS = 2000  # "2 million years ago" is no time of a memory


def read_expression(reading: Reading, place: int, *, sure: bool = False) -> Found | None:
    """The expression that begins at ``place``.  ``sure``: ambiguous words mean times here."""
    for rule in _RULES:
        if found := rule(reading, place, sure):
            return found
    return None


# ------------------------------------------------------------------------------------------------ relative to today


def _day(reading: Reading, place: int, sure: bool) -> Found | None:
    clock = reading.clock
    if (pair := reading.at(place, "day_part")) is not None:
        return _part_expression(clock.now + pair[0] * _DAY, pair[1], place + 1)
    days = reading.at(place, "day")
    if days is None:
        return _this_part(reading, place)
    if days == 1 and reading.text(place - 1) in reading.lexicon.not_tomorrow_after:
        return None
    day = clock.now + days * _DAY
    after = reading.skip(place + 1)
    if (part := reading.at(after, "part")) is not None:
        return _part_expression(day, part, after + 1)
    return _fixed(day_range(day)), place + 1


def _this_part(reading: Reading, place: int) -> Found | None:
    part = reading.at(place + 1, "part") if reading.at(place, "this") else None
    return _part_expression(reading.clock.now, part, place + 2) if part is not None else None


def read_amount(reading: Reading, place: int) -> tuple[int, int, str, int] | None:
    """The least and the greatest number of an amount such as "two weeks", its unit, and the place after it."""
    if reading.at(place, "number") == 1 and reading.at(place + 1, "amount") is not None:
        place += 1
    if (pair := reading.at(place, "amount")) is not None:
        return pair[0], pair[0], pair[1], place + 1
    if reading.at(place, "number") == 1 and (reading.at(place + 1, "few") or (reading.at(place + 1, "number") == 2)):
        place += 1  # "a few", "a couple"
    if reading.at(place, "few"):
        least, most = _FEW
    elif (number := reading.at(place, "number")) is not None and number <= MOST_UNITS:
        least = most = number
    else:
        return None
    after = reading.find(place + 1, "unit")
    unit = reading.at(after, "unit")
    return (least, most, unit, after + 1) if unit is not None and unit != "half" else None


def _ago(reading: Reading, place: int, sure: bool) -> Found | None:
    now = reading.clock.now
    if reading.at(place, "ago_before") and (found := read_amount(reading, reading.skip(place + 1))):
        return _units_away(now, found, -1)
    if reading.at(place, "in") and (found := read_amount(reading, place + 1)) and reading.at(found[3], "ago") is None:
        # "In three weeks" may be how long something takes.
        sure_of_future = reading.clock.future or reading.lexicon.code != "en"
        return _units_away(now, found, 1) if found[2] != "hour" and sure_of_future and reading.lexicon.runs is None else None
    found = read_amount(reading, place)
    if found is None and (unit := reading.at(place, "unit")) is not None and unit in ("week", "month", "year"):
        found = (1, 1, unit, place + 1) if not _is_date_mark(reading, place) else None
    if found is None:
        return None
    after = reading.skip(found[3])
    if reading.at(after, "ago"):
        return _units_away(now, (*found[:3], after + 1), -1)
    if reading.at(after, "later"):
        return _units_away(now, (*found[:3], after + 1), 1)
    return None


def _is_date_mark(reading: Reading, place: int) -> bool:
    return reading.lexicon.runs is not None or reading.at(place - 1, "number") is not None


def _units_away(now: datetime, amount: tuple[int, int, str, int], way: int) -> Found | None:
    least, most, unit, after = amount
    near, far = shifted(now, unit, way * least), shifted(now, unit, way * most)
    return _fixed((min(near[0], far[0]), max(near[1], far[1]))), after


def _rolling(reading: Reading, place: int, sure: bool) -> Found | None:
    """ "The last 3 days", "ces trois derniers jours", "the past year"."""
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
            today, far = midnight(reading.clock.now), moved(reading.clock.now, found[2], way * count)
            return _fixed((midnight(far), today + _DAY) if way < 0 else (today, midnight(far) + _DAY)), found[3]
    return None


def find_shift(reading: Reading, place: int) -> tuple[str, int, int] | None:
    """Unit and distance of "last week", "this year", "el mes pasado", and the place after it."""
    if (pair := reading.at(place, "shift")) is not None:
        by = pair[1] if pair[1] is not None else _nearest_weekend(reading.clock)
        return pair[0], by, place + 1
    if reading.at(place, "unit") == "weekend" and _is_latest_weekend(reading, place):
        return "weekend", _nearest_weekend(reading.clock), place + 1
    for kind, by in _TURN.items():
        if reading.at(place, kind):
            after = reading.find(place + 1, "unit") if kind != "this" else place + 1
            unit = _calendar_unit(reading, after)
            if unit is not None:
                return unit, by, after + 1
    unit = _calendar_unit(reading, place)
    if reading.lexicon.postposed and unit is not None and reading.at(place - 1, "number") is None:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return unit, _TURN[kind], place + 2
    return None


def _is_latest_weekend(reading: Reading, place: int) -> bool:
    before = reading.text(place - 1)
    known = reading.lexicon.weekend_after
    return (before in known or f"{reading.text(place - 2)} {before}" in known) and reading.follows_time(place + 1)


def _calendar_unit(reading: Reading, place: int) -> str | None:
    unit = reading.at(place, "unit")
    return None if unit in ("day", "hour", "half") or reading.at(place, "season") is not None else unit


def _nearest_weekend(clock: Clock) -> int:
    return 0 if clock.future or clock.now.weekday() >= 5 else -1


def _shift(reading: Reading, place: int, sure: bool) -> Found | None:
    found = find_shift(reading, place)
    if found is None or reading.is_habit(place):
        return None
    unit, by, after = found
    span = shifted(reading.clock.now, unit, by)
    inner = reading.skip(after)
    if unit == "week" and (weekday := reading.at(inner, "weekday")) is not None:
        return _weekday_expression(reading, span[0] + weekday * _DAY, inner)
    if unit == "year" and (named := _named(reading, inner)):
        return Expression(lambda _: named[0].make(span[0].year)), named[1]
    if unit == "month" and (day := _day_of_month(reading, inner)):
        return _fixed(date_range(span[0].year, span[0].month, day[0])), day[1]
    if (phase := reading.at(after, "phase")) is not None and reading.lexicon.runs is not None:
        return _fixed(third(span, phase)), after + 1
    return Expression(lambda _: span, year=span[0].year if unit == "year" else None), after


def _named(reading: Reading, place: int) -> Found | None:
    """A month, season or holiday that takes a given year: "last year at Christmas", 去年の夏."""
    for rule in (_numbered_date, _month_expression, _season, _holiday):
        if found := rule(reading, place, True):
            return found if found[0].needs_year else None
    return None


# ------------------------------------------------------------------------------------------------ weekdays


def _weekday(reading: Reading, place: int, sure: bool) -> Found | None:
    clock = reading.clock
    for kind, turn in _TURN.items():
        if reading.at(place, kind):
            after = reading.skip(place + 1) if kind != "this" else place + 1
            weekday = reading.at(after, "weekday")
            if weekday is None:
                weekday = reading.at(after, "short_weekday")
            if weekday is not None:
                return _weekday_expression(reading, _turned_weekday(reading, weekday, turn), after)
    weekday = reading.at(place, "weekday")
    if weekday is None:
        return _short_weekday(reading, place)
    if reading.lexicon.postposed:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return _weekday_expression(reading, _turned_weekday(reading, weekday, _TURN[kind]), place, place + 2)
    after = reading.skip(place + 1)
    shift = find_shift(reading, after)
    if shift is not None and shift[0] == "week":
        monday = shifted(clock.now, "week", shift[1])[0]
        return _weekday_expression(reading, monday + weekday * _DAY, place, shift[2])
    if date := _date_after_weekday(reading, after, weekday):
        return date
    if sure or reading.means_weekday(place, place + 1):
        return _weekday_expression(reading, _bare_weekday(clock, weekday), place)
    return None


def _date_after_weekday(reading: Reading, place: int, weekday: int) -> Found | None:
    """ "Thursday, 28 May": without a year, the nearest one in which it is that weekday."""
    for rule in (_written_date, _numbered_date, _day_and_month):
        if found := rule(reading, place, True):
            expression, after = found
            year = reading.clock.now.year
            days = [expression.make(near) for near in (year, year - 1, year + 1)] if expression.needs_year else []
            return next((_fixed(day) for day in days if day and day[0].weekday() == weekday), expression), after
    return None


def _short_weekday(reading: Reading, place: int) -> Found | None:
    """ "on Sat": an abbreviation is a day only after a preposition, because it may be a verb or the sun."""
    weekday = reading.at(place, "short_weekday")
    if weekday is None or not reading.words[place].raw[0].isupper() or reading.text(place - 1) not in ("on", "since", "until"):
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
        return shifted(today, "week", turn)[0] + weekday * _DAY
    if turn < 0:
        return today - ((today.weekday() - weekday - 1) % 7 + 1) * _DAY
    return today + ((weekday - today.weekday() - 1) % 7 + 1) * _DAY


def _weekday_expression(reading: Reading, day: datetime, place: int, after: int | None = None) -> Found:
    """The day, or the part of it that follows the weekday at ``place``."""
    after = place + 1 if after is None else after
    if (own := reading.at(place, "own_part")) is not None:
        return _part_expression(day, own, after)
    following = reading.skip(after)
    if (part := reading.at(following, "part")) is not None:
        return _part_expression(day, part, following + 1)
    return _fixed(day_range(day)), after


# ------------------------------------------------------------------------------------------------ dates, months, years


def _written_date(reading: Reading, place: int, sure: bool) -> Found | None:
    """2026-05-03, 05/07/2026, 5.7.2026, 12.3."""
    date = reading.at(place, "date")
    if date is None or reading.text(place - 1) in reading.lexicon.not_counted_years:
        return None
    year, month, day = date
    if year is not None:
        return _fixed(date_range(year, month, day)), place + 1
    return _calendar(reading, month, day, place + 1) if sure or reading.preceded_by(place, "on") else None


def _numbered_date(reading: Reading, place: int, sure: bool) -> Found | None:
    """2026年7月5日, 3月, 2015년."""
    number = reading.at(place, "number")
    if number is None or reading.lexicon.runs is None:
        return None
    year, after = None, place
    if 1900 <= number <= 2099 and reading.at(place + 1, "year_mark"):
        year, after = number, place + 2
        number = reading.at(reading.skip(after), "number")
        if number is None or not reading.at(reading.skip(after) + 1, "month_mark"):
            if (part := reading.at(reading.skip(after), "season")) is not None:
                return _fixed(_season_of(year, part)), reading.skip(after) + 1
            return _year_expression(year, after)
        after = reading.skip(after)
    if number is None or not 1 <= number <= 12 or not reading.at(after + 1, "month_mark"):
        return None
    month, after = number, after + 2
    day = reading.at(after, "number")
    if day is not None and reading.at(after + 1, "day_mark"):
        return _calendar(reading, month, day, after + 2, year)
    if (phase := reading.at(after, "phase")) is not None:
        return _in_phase(_calendar(reading, month, None, after + 1, year), phase)
    return _calendar(reading, month, None, after, year)


def _day_and_month(reading: Reading, place: int, sure: bool) -> Found | None:
    """ "7 May 2023", "the third of April", "3-7 March", "March 3rd"."""
    day = _day_of_month(reading, place)
    if day is None:
        return _month_and_day(reading, place, sure)
    first, after = day
    until = None
    if reading.at(after, "to") or reading.at(after, "and") or reading.text(after) == "-":
        if until := _day_of_month(reading, reading.skip(after + 1)):
            after = until[1]
    named = reading.find(after, "month")
    month = reading.at(named, "month")
    if month is not None and named == after and reading.lexicon.code == "en" and reading.words[place].raw.isalpha():
        return None  # "my second March"
    if month is None:
        return _day_alone(reading, place, first, after) if until is None else None
    year, after = find_year(reading, named + 1)
    if until is None:
        return _calendar(reading, month, first, after, year)
    return _days(reading, month, first, until[0], after, year)


def _month_and_day(reading: Reading, place: int, sure: bool) -> Found | None:
    month = reading.at(place, "month")
    if month is None or reading.lexicon.code != "en":
        return None
    day = _day_of_month(reading, reading.skip(place + 1) if reading.text(place + 1) == "the" else place + 1)
    if day is None or reading.at(day[1], "unit") is not None:
        return None
    after = day[1]
    if (reading.at(after, "to") or reading.text(after) == "-") and (until := _day_of_month(reading, after + 1)):
        year, after = find_year(reading, until[1])
        return _days(reading, month, day[0], until[0], after, year)
    year, after = find_year(reading, after)
    if year is None and not sure and reading.words[place].raw.islower() and not reading.follows_time(after):
        return None  # "march 20 miles"
    return _calendar(reading, month, day[0], after, year)


def _days(reading: Reading, month: int, first: int, last: int, after: int, year: int | None) -> Found | None:
    """Days ``first`` to ``last`` of a month."""
    start = _calendar(reading, month, first, after, year)
    if last <= first:
        return None

    def make(given: int | None) -> Local | None:
        begun = start[0].make(given)
        ended = date_range(begun[0].year, month, last) if begun else None
        return (begun[0], ended[1]) if begun and ended else None

    return Expression(make, start[0].needs_year), after


def _day_of_month(reading: Reading, place: int) -> tuple[int, int] | None:
    for kind in ("ordinal", "number"):
        day = reading.at(place, kind)
        if day is not None and 1 <= day <= 31:
            return day, place + 1
    return None


def _day_alone(reading: Reading, place: int, day: int, after: int) -> Found | None:
    """ "on the 12th": the latest such day, or the next one."""
    if reading.at(place, "ordinal") is None or reading.lexicon.runs is not None:
        return None
    shift = find_shift(reading, reading.skip(after))
    if shift is not None and shift[0] == "month":
        month = shifted(reading.clock.now, "month", shift[1])[0]
        return _fixed(date_range(month.year, month.month, day)), shift[2]
    follower = reading.words[after] if after < len(reading.words) and reading.lexicon.code != "en" else None
    ends = reading.is_last(after) or (follower is not None and follower.raw[0].islower())
    if not reading.words[place].raw[0].isdigit() or not ends or not reading.preceded_by(place, "on"):
        return None
    now = reading.clock.now
    for by in range(0, 4) if reading.clock.future else range(0, -4, -1):
        month = shifted(now, "month", by)[0]
        found = date_range(month.year, month.month, day)
        if found and (found[1] > now if reading.clock.future else found[0] <= now):
            return _fixed(found), after
    return None


def _month(reading: Reading, place: int, sure: bool) -> Found | None:
    for kind, turn in _TURN.items():
        after = reading.skip(place + 1)
        if reading.at(place, kind) and (month := reading.at(after, "month")) is not None:
            if not sure and reading.words[after].raw[0].islower() and reading.text(place - 1) in ("the", "a"):
                return None
            return _turned(reading, _in_month(month), turn), after + 1
    found = _month_expression(reading, place, True)
    if found is None:
        return None
    if found[1] == place + 1 and not sure and not reading.means_month(place, place + 1):
        return None
    return found


def _month_expression(reading: Reading, place: int, sure: bool) -> Found | None:
    """A month with what follows it: a year, "last", or "of last year"."""
    month = reading.at(place, "month")
    if month is None:
        return None
    year, after = find_year(reading, place + (2 if reading.text(place + 1) == "." else 1))
    if year is not None:
        return _fixed(date_range(year, month)), after
    if reading.lexicon.postposed:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return _turned(reading, _in_month(month), _TURN[kind]), place + 2
    shift = find_shift(reading, reading.skip(place + 1))
    if shift is not None and shift[0] == "year":
        return _fixed(date_range(reading.clock.now.year + shift[1], month)), shift[2]
    return _calendar(reading, month, None, place + 1)


def _season(reading: Reading, place: int, sure: bool) -> Found | None:
    for kind, turn in _TURN.items():
        after = reading.skip(place + 1)
        if reading.at(place, kind) and (first := reading.at(after, "season")) is not None:
            return _turned(reading, _in_season(first), turn), after + 1
    first = reading.at(place, "season")
    if first is None:
        return None
    return _dated(reading, place, _in_season(first), sure)


def _holiday(reading: Reading, place: int, sure: bool) -> Found | None:
    for kind, turn in _TURN.items():
        after = reading.skip(place + 1)
        if reading.at(place, kind) and (name := reading.at(after, "holiday")) is not None:
            return _turned(reading, partial(holiday, name), turn), after + 1
    name = reading.at(place, "holiday")
    return _dated(reading, place, partial(holiday, name), sure) if name is not None else None


def _dated(reading: Reading, place: int, of_year: Callable[[int], Local | None], sure: bool) -> Found | None:
    """A season or holiday with the year, "last" or "of last year" that follows it."""
    year, after = find_year(reading, place + 1)
    if year is not None:
        return _fixed(of_year(year)), after
    if reading.lexicon.postposed:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return _turned(reading, of_year, _TURN[kind]), place + 2
    shift = find_shift(reading, reading.skip(place + 1))
    if shift is not None and shift[0] == "year":
        return _fixed(of_year(reading.clock.now.year + shift[1])), shift[2]
    bare = reading.text(place) in reading.lexicon.bare_seasons
    if "season" in reading.words[place].meanings and not (sure or bare):
        if reading.lexicon.runs is not None:
            return None
        if not reading.preceded_by(place, "month_before") or not reading.is_time_of_year(place, place + 1):
            return None
    elif not sure and not bare and not reading.is_time_of_year(place, place + 1):
        return None
    return Expression(lambda given: of_year(given) if given else _latest(reading.clock, of_year), needs_year=True), place + 1


def _quarter(reading: Reading, place: int, sure: bool) -> Found | None:
    """ "Q3 2025", "the first half of 2024", "第三季度"."""
    for kind, months in (("quarter_of_year", 3), ("half_of_year", 6)):
        if (number := reading.at(place, kind)) is not None:
            return _portion(reading, number, months, place + 1, sure or reading.preceded_by(place, "on"))
    number = reading.at(place, "ordinal")
    if number is None and reading.lexicon.runs is not None:
        number = reading.at(place, "number")
    unit = reading.at(reading.skip(place + 1), "unit")
    if number is None or unit not in ("quarter", "half"):
        return None
    return _portion(reading, number, 3 if unit == "quarter" else 6, reading.skip(place + 1) + 1, unit == "quarter")


def _portion(reading: Reading, number: int, months: int, after: int, bare: bool) -> Found | None:
    if not 1 <= number <= 12 // months:
        return None

    def of_year(year: int) -> Local:
        return months_from(year, 1 + months * (number - 1), months)

    year, end = find_year(reading, after)
    if year is not None:
        return _fixed(of_year(year)), end
    shift = find_shift(reading, reading.skip(after))
    if shift is not None and shift[0] == "year":
        return _fixed(of_year(reading.clock.now.year + shift[1])), shift[2]
    if not bare:
        return None
    return Expression(lambda given: of_year(given) if given else _latest(reading.clock, of_year), needs_year=True), after


def _decade(reading: Reading, place: int, sure: bool) -> Found | None:
    value = reading.at(place, "decade")
    if value is None:
        return None
    if value < 100:
        glued = reading.words[place].raw[0].isdigit()
        if (glued or reading.lexicon.code == "en") and not sure and reading.text(place - 1) not in _BEFORE_DECADE:
            return None  # "in her nineties"
        value += 1900 if value >= 30 or not glued else 2000
    return Expression(lambda _: (datetime(value, 1, 1), datetime(value + 10, 1, 1))), place + 1


def _year(reading: Reading, place: int, sure: bool) -> Found | None:
    if place >= len(reading.words):
        return None
    figure = reading.words[place].figure
    if figure is None or not 1900 <= figure <= 2099:
        return None
    last = reading.words[place + 2].figure if reading.text(place + 1) == "-" and place + 2 < len(reading.words) else None
    if last is not None and figure < last <= 2099 and reading.text(place - 1) not in reading.lexicon.not_counted_years:
        return _fixed((datetime(figure, 1, 1), datetime(last + 1, 1, 1))), place + 3
    return _year_expression(figure, place + 1) if sure or reading.means_year(place) else None


def _phase(reading: Reading, place: int, sure: bool) -> Found | None:
    """ "early March", "Ende letzten Jahres", "in the late eighties"."""
    phase = reading.at(place, "phase")
    if phase is None:
        return None
    inner = reading.skip(place + 1)
    inner += reading.text(inner) == "-"
    for rule in (_shift, _month, _season, _quarter, _decade, _year):
        linked = reading.at(place + 1, "fill") is not None
        if (found := rule(reading, inner, linked or rule not in (_month, _season))) and reading.text(found[1]) != "'":
            return _in_phase(found, phase)
    unit = _calendar_unit(reading, reading.find(place + 1, "unit"))
    if unit is not None and unit != "weekend" and reading.at(place + 1, "fill"):  # "at the end of the month"
        span = shifted(reading.clock.now, unit, 0)
        return _in_phase((_fixed(span), reading.find(place + 1, "unit") + 1), phase)
    return None


# ------------------------------------------------------------------------------------------------ making ranges


def _fixed(local: Local | None) -> Expression:
    return Expression(lambda _: local)


def _part_expression(day: datetime, part: str, after: int) -> Found:
    return _fixed(part_of(day, part)), after


def _year_expression(year: int, after: int) -> Found:
    return Expression(lambda _: date_range(year), year=year), after


def _in_phase(found: Found | None, phase: str) -> Found | None:
    if found is None:
        return None
    inner, after = found

    def make(year: int | None) -> Local | None:
        span = inner.make(year)
        return third(span, phase) if span else None

    return Expression(make, inner.needs_year), after


def _calendar(reading: Reading, month: int, day: int | None, after: int, year: int | None = None) -> Found:
    """A month or day.  Without a year it is the latest one, or the next one if the question is about the future."""
    if year is not None:
        return _fixed(date_range(year, month, day)), after

    def make(given: int | None) -> Local | None:
        return date_range(given, month, day) if given else _latest(reading.clock, lambda year: date_range(year, month, day))

    return Expression(make, needs_year=True), after


def _in_month(month: int) -> Callable[[int], Local | None]:
    return lambda year: date_range(year, month)


def _in_season(first_month: int) -> Callable[[int], Local | None]:
    return lambda year: _season_of(year, first_month)


def _season_of(year: int, first_month: int) -> Local:
    return months_from(year, first_month, 3)


def _occurrences(of_year: Callable[[int], Local | None], years: range) -> Iterator[Local]:
    return (found for year in years if (found := of_year(year)))


def _latest(clock: Clock, of_year: Callable[[int], Local | None]) -> Local | None:
    """The latest occurrence that has begun, or the first that has not ended if the question is about the future."""
    if clock.future:
        year = clock.now.year
        return next((span for span in _occurrences(of_year, range(year - 1, year + 9)) if span[1] > clock.now), None)
    year = clock.latest.year
    return next((span for span in _occurrences(of_year, range(year, year - 9, -1)) if span[0] <= clock.latest), None)


def _turned(reading: Reading, of_year: Callable[[int], Local | None], turn: int) -> Expression:
    """The last completed occurrence, that of this year, or the first that has not begun."""
    now, year = reading.clock.now, reading.clock.now.year
    if turn == 0:
        return _fixed(of_year(year))
    if turn < 0:
        past = _occurrences(of_year, range(year, year - 9, -1))
        return _fixed(next((span for span in past if span[1] <= now), None))
    return _fixed(next((span for span in _occurrences(of_year, range(year, year + 9)) if span[0] > now), None))


_RULES: tuple[Callable[[Reading, int, bool], Found | None], ...] = (
    _written_date, _day, _ago, _rolling, _phase, _weekday, _shift, _quarter, _day_and_month, _numbered_date, _month, _season,
    _holiday, _decade, _year,
)  # fmt: skip
