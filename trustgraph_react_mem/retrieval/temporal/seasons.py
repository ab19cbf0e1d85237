"""Seasons, holidays, quarters, half years, decades."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from .holidays import holiday
from .making import find_turn, in_season, latest_of, make_fixed
from .ranges import Local, months_from
from .reading import Expression, Found, Reading, find_year
from .units import TURN, find_shift

_BEFORE_DECADE = frozenset({"the", "den", "der", "die", "early", "late", "mid", "'"})


def read_season(reading: Reading, place: int, sure: bool) -> Found | None:
    for kind, turn in TURN.items():
        after = reading.skip(place + 1)
        if reading.at(place, kind) and (first := reading.at(after, "season")) is not None:
            return find_turn(reading, in_season(first), turn), after + 1
    after = reading.skip(place + 1)
    if reading.at(place, "before_last") and (first := reading.at(after, "season")) is not None:
        span = find_turn(reading, in_season(first), -1).local
        return (make_fixed(in_season(first)(span[0].year - 1)), after + 1) if span else None
    first = reading.at(place, "season")
    if first is None:
        return None
    return _read_year(reading, place, in_season(first), sure)


def read_holiday(reading: Reading, place: int, sure: bool) -> Found | None:
    for kind, turn in TURN.items():
        after = reading.skip(place + 1)
        if reading.at(place, kind) and (name := reading.at(after, "holiday")) is not None:
            return find_turn(reading, partial(holiday, name), turn), after + 1
    name = reading.at(place, "holiday")
    return _read_year(reading, place, partial(holiday, name), sure) if name is not None else None


def _read_year(reading: Reading, place: int, of_year: Callable[[int], Local | None], sure: bool) -> Found | None:
    """A season or holiday with the year, "last" or "of last year" that follows it."""
    year, after = find_year(reading, place + 1)
    if year is not None:
        return make_fixed(of_year(year)), after
    if reading.lexicon.postposed:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return find_turn(reading, of_year, TURN[kind]), place + 2
    shift = find_shift(reading, reading.skip(place + 1))
    if shift is not None and shift[0] == "year":
        return make_fixed(of_year(reading.clock.now.year + shift[1])), shift[2]
    if reading.is_before_last(place + 1) and (span := find_turn(reading, of_year, -1).local):
        return make_fixed(of_year(span[0].year - 1)), place + 3
    lexicon = reading.lexicon
    bare = reading.text(place) in lexicon.bare_seasons or (
        reading.text(place) in lexicon.bare_holidays and reading.follows_time(place + 1) and not reading.is_title(place)
    )
    if "season" in reading.words[place].meanings and not (sure or bare):
        if reading.lexicon.runs is not None:
            return None
        if not reading.preceded_by(place, "month_before") or not reading.is_time_of_year(place, place + 1):
            return None
    elif not sure and not bare and not reading.is_time_of_year(place, place + 1):
        return None
    return Expression(lambda given: of_year(given) if given else latest_of(reading.clock, of_year), needs_year=True), place + 1


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

    year, end = find_year(reading, after)
    if year is not None:
        return make_fixed(of_year(year)), end
    shift = find_shift(reading, reading.skip(after))
    if shift is not None and shift[0] == "year":
        return make_fixed(of_year(reading.clock.now.year + shift[1])), shift[2]
    if not bare:
        return None
    return Expression(lambda given: of_year(given) if given else latest_of(reading.clock, of_year), needs_year=True), after


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
