"""Expressions of the calendar: dates, months, years."""

from datetime import datetime

from .ranges import Local, date_range, months_from, shift_unit
from .reading import Expression, Found, Reading, find_year
from .units import find_shift, in_month, in_phase, make_fixed, on_calendar, read_turn, read_year_after, year_expression

_TITLES = ("さん", "ちゃ", "小姐", "先生", "女士", "太太", "씨", "님")


def read_written_date(reading: Reading, place: int, sure: bool) -> Found | None:
    """2026-05-03, 05/07/2026, 5.7.2026, 12.3."""
    date = reading.at(place, "date")
    if date is None or reading.text(place - 1) in reading.lexicon.not_counted_years:
        return None
    year, month, day = date
    if year is not None:
        return make_fixed(date_range(year, month, day)), place + 1
    return on_calendar(reading, month, day, place + 1) if sure or reading.preceded_by(place, "on") else None


def read_numbered_date(reading: Reading, place: int, sure: bool) -> Found | None:
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
                return make_fixed(months_from(year, part, 3)), reading.skip(after) + 1
            if (phase := reading.at(reading.skip(after), "phase")) is not None:
                return in_phase(year_expression(year, reading.skip(after) + 1), phase)
            return year_expression(year, after)
        after = reading.skip(after)
    if number is None or not 1 <= number <= 12 or not reading.at(after + 1, "month_mark"):
        return None
    month, after = number, after + 2
    day = reading.at(after, "number")
    if day is not None and reading.at(after + 1, "day_mark"):
        return on_calendar(reading, month, day, after + 2, year)
    if (phase := reading.at(after, "phase")) is not None:
        return in_phase(on_calendar(reading, month, None, after + 1, year), phase)
    if f"{reading.text(after)}{reading.text(after + 1)}".startswith(_TITLES):
        return None  # a name: 五月さん
    return on_calendar(reading, month, None, after, year)


def read_day_and_month(reading: Reading, place: int, sure: bool) -> Found | None:
    """Such as "7 May 2023", "the third of April", "3-7 March", "March 3rd"."""
    day = day_of_month(reading, place)
    if day is None:
        return _month_and_day(reading, place, sure)
    first, after = day
    if first == 1 and reading.at(place, "ordinal") is None and reading.words[place].raw.isalpha():
        return None  # an article: "einen Mai-Tai"
    until = None
    if (reading.joins(after) or reading.at(after, "and")) and (until := day_of_month(reading, reading.skip(after + 1))):
        after = until[1]
    named = reading.find(after, "month")
    month = reading.at(named, "month")
    if month is not None and named == after and reading.lexicon.code == "en" and reading.words[place].raw.isalpha():
        return None  # "my second March"
    if month is None:
        return _day_alone(reading, place, first, after) if until is None else _days_of_month(reading, first, until[0], after)
    year, after = find_year(reading, named + 1)
    if until is None:
        return on_calendar(reading, month, first, after, year)
    return _days(reading, month, first, until[0], after, year)


def _days_of_month(reading: Reading, first: int, last: int, after: int) -> Found | None:
    """Such as "the 5th and the 9th of this month", after "between"."""
    shift = find_shift(reading, reading.skip(after))
    if shift is None or shift[0] != "month" or last <= first:
        return None
    month = shift_unit(reading.clock.now, "month", shift[1])[0]
    begun, ended = date_range(month.year, month.month, first), date_range(month.year, month.month, last)
    return (make_fixed((begun[0], ended[1])), shift[2]) if begun and ended else None


def _month_and_day(reading: Reading, place: int, sure: bool) -> Found | None:
    month = reading.at(place, "month")
    if month is None or reading.lexicon.code != "en":
        return None
    begun = place + (2 if reading.text(place + 1) == "." else 1)  # "Oct. 12"
    day = day_of_month(reading, reading.skip(begun) if reading.text(begun) == "the" else begun)
    if day is None or reading.at(day[1], "unit") is not None:
        return None
    after = day[1]
    if (reading.joins(after)) and (until := day_of_month(reading, after + 1)):
        year, after = find_year(reading, until[1])
        return _days(reading, month, day[0], until[0], after, year)
    year, after = find_year(reading, after)
    if year is None and not sure and reading.words[place].raw.islower() and not reading.follows_time(after):
        return None  # "march 20 miles"
    return on_calendar(reading, month, day[0], after, year)


def _days(reading: Reading, month: int, first: int, last: int, after: int, year: int | None) -> Found | None:
    """Days ``first`` to ``last`` of a month."""
    start = on_calendar(reading, month, first, after, year)
    if last <= first:
        return None

    def make(given: int | None) -> Local | None:
        begun = start[0].make(given)
        ended = date_range(begun[0].year, month, last) if begun else None
        return (begun[0], ended[1]) if begun and ended else None

    return Expression(make, start[0].needs_year), after


def day_of_month(reading: Reading, place: int) -> tuple[int, int] | None:
    for kind in ("ordinal", "number"):
        day = reading.at(place, kind)
        if day is not None and 1 <= day <= 31:
            return day, place + 1
    return None


def _day_alone(reading: Reading, place: int, day: int, after: int) -> Found | None:
    """Such as "on the 12th": the latest such day, or the next one."""
    if reading.at(place, "ordinal") is None or reading.lexicon.runs is not None:
        return None
    shift = find_shift(reading, reading.skip(after))
    if shift is not None and shift[0] == "month":
        month = shift_unit(reading.clock.now, "month", shift[1])[0]
        return make_fixed(date_range(month.year, month.month, day)), shift[2]
    if reading.at(after, "fill") and reading.at(reading.find(after, "unit"), "unit") == "month":  # "the 1st of the month"
        after = reading.find(after, "unit") + 1
    follower = reading.words[after] if after < len(reading.words) and reading.lexicon.code != "en" else None
    ends = reading.is_last(after) or (follower is not None and follower.raw[0].islower())
    if not reading.words[place].raw[0].isdigit() or not ends or not reading.preceded_by(place, "on"):
        return None
    now = reading.clock.now
    for by in range(0, 4) if reading.clock.future else range(0, -4, -1):
        month = shift_unit(now, "month", by)[0]
        found = date_range(month.year, month.month, day)
        if found and (found[1] > now if reading.clock.future else found[0] <= now):
            return make_fixed(found), after
    return None


def read_month(reading: Reading, place: int, sure: bool) -> Found | None:
    if found := read_turn(reading, place, "month", in_month):
        named = found[1] - 1
        if not sure and reading.is_name(named):  # "¿Dónde está Julio?" is not about this July
            return None
        if not sure and reading.words[named].raw[0].islower() and reading.text(place - 1) in ("the", "a"):
            return None
        return found
    found = month_with_year(reading, place, True)
    if found is None:
        return None
    if found[1] == place + 1 and not sure and not reading.means_month(place, place + 1):
        return None
    return found


def month_with_year(reading: Reading, place: int, sure: bool) -> Found | None:
    """A month with what follows it: a year, "last", or "of last year"."""
    month = reading.at(place, "month")
    if month is None:
        return None
    year, after = find_year(reading, place + 2) if reading.text(place + 1) == "." else (None, place)
    if year is not None:
        return make_fixed(date_range(year, month)), after
    short = reading.words[place + 2].figure if reading.text(place + 1) == "'" and place + 2 < len(reading.words) else None
    if short is not None and 0 <= short < 100 and len(reading.words[place + 2].raw) == 2:  # "Jan '25"
        return make_fixed(date_range(2000 + short if short < 70 else 1900 + short, month)), place + 3
    return read_year_after(reading, place + 1, in_month(month)) or on_calendar(reading, month, None, place + 1)


def read_year(reading: Reading, place: int, sure: bool) -> Found | None:
    if place >= len(reading.words):
        return None
    figure = reading.words[place].figure
    if figure is None or not 1900 <= figure <= 2099:
        return None
    last = reading.words[place + 2].figure if reading.text(place + 1) == "-" and place + 2 < len(reading.words) else None
    if last is not None and figure < last <= 2099 and reading.text(place - 1) not in reading.lexicon.not_counted_years:
        return make_fixed((datetime(figure, 1, 1), datetime(last + 1, 1, 1))), place + 3
    return year_expression(figure, place + 1) if sure or reading.means_year(place) else None
