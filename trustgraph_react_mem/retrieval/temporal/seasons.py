"""Seasons, holidays, quarters, half years, decades."""

from datetime import datetime
from functools import partial

from .holidays import holiday
from .ranges import Local, months_from
from .reading import Expression, Found, Reading
from .units import OfYear, find_turn, in_season, make_fixed, read_turn, read_year_after, recurring

_BEFORE_DECADE = frozenset({"the", "den", "der", "die", "early", "late", "mid", "'"})


def read_season(reading: Reading, place: int, sure: bool) -> Found | None:
    if found := read_turn(reading, place, "season", in_season):
        return found
    after = reading.skip(place + 1)
    if reading.at(place, "before_last") and (first := reading.at(after, "season")) is not None:
        return _before_last(reading, in_season(first), after + 1)
    first = reading.at(place, "season")
    return _read_year(reading, place, in_season(first), sure) if first is not None else None


def read_holiday(reading: Reading, place: int, sure: bool) -> Found | None:
    name = reading.at(place, "holiday")
    own = _read_year(reading, place, partial(holiday, name), sure) if name is not None else None
    return read_turn(reading, place, "holiday", lambda named: partial(holiday, named)) or own


def _before_last(reading: Reading, of_year: OfYear, after: int) -> Found | None:
    span = find_turn(reading, of_year, -1).local
    return (make_fixed(of_year(span[0].year - 1)), after) if span else None


def _read_year(reading: Reading, place: int, of_year: OfYear, sure: bool) -> Found | None:
    """A season or holiday with the year, "last" or "of last year" that follows it."""
    if found := read_year_after(reading, place + 1, of_year):
        return found
    if reading.is_before_last(place + 1) and (found := _before_last(reading, of_year, place + 3)):
        return found
    lexicon = reading.lexicon
    bare = reading.text(place) in lexicon.bare_seasons or (
        reading.text(place) in lexicon.bare_holidays and reading.follows_time(place + 1) and not reading.is_title(place)
    )
    if not sure and not bare:
        if "season" in reading.words[place].meanings and (lexicon.runs or not reading.preceded_by(place, "month_before")):
            return None
        if not reading.is_time_of_year(place, place + 1):
            return None
    return recurring(reading, of_year), place + 1


_HALF_YEARS = ("halbjahr", "halfjaar", "polrocz", "półrocz", "полугод")  # other words also mean the half of something else


def read_quarter(reading: Reading, place: int, sure: bool) -> Found | None:
    """Such as "Q3 2025", "the first half of 2024", "第三季度"."""
    for kind, months in (("quarter_of_year", 3), ("half_of_year", 6)):
        if (number := reading.at(place, kind)) is not None:
            return _portion(reading, number, months, place + 1, sure or reading.preceded_by(place, "on"))
    number = reading.at(place, "ordinal")
    if number is None and reading.lexicon.runs is not None:
        number = reading.at(place, "number")
    unit = reading.at(reading.skip(place + 1), "unit")
    if number is None or unit not in ("quarter", "half"):
        return None
    named = reading.skip(place + 1)
    bare = unit == "quarter" or reading.words[named].folded.startswith(_HALF_YEARS)
    return _portion(reading, number, 3 if unit == "quarter" else 6, named + 1, bare)


def _portion(reading: Reading, number: int, months: int, after: int, bare: bool) -> Found | None:
    if not 1 <= number <= 12 // months:
        return None

    def of_year(year: int) -> Local:
        return months_from(year, 1 + months * (number - 1), months)

    if found := read_year_after(reading, after, of_year, postposed=False):
        return found
    return (recurring(reading, of_year), after) if bare else None


def read_decade(reading: Reading, place: int, sure: bool) -> Found | None:
    value = reading.at(place, "decade")
    if value is None:
        return None
    if value < 100:
        glued = reading.words[place].raw[0].isdigit()
        if (glued or reading.lexicon.code == "en") and not sure and reading.text(place - 1) not in _BEFORE_DECADE:
            return None  # "in her nineties"
        value += 1900 if value >= 30 or not glued else 2000
    return Expression(lambda _: (datetime(value, 1, 1), datetime(value + 10, 1, 1))), place + 1
