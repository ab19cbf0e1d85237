"""Makes expressions from ranges, amounts ("two weeks") and calendar units seen from today ("last month")."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from .ranges import Local, date_range, months_from, part_of, shift_unit, third
from .reading import Clock, Expression, Found, Reading, find_year

OfYear = Callable[[int], Local | None]
_FEW = (2, 5)  # how many "a few" are
MOST_UNITS = 2000  # "2 million years ago" is not a time of a memory
TURN = {"last": -1, "next": 1, "this": 0}


def make_fixed(local: Local | None) -> Expression:
    return Expression(lambda _: local)


def part_expression(day: datetime, part: str, after: int) -> Found:
    return make_fixed(part_of(day, part)), after


def year_expression(year: int, after: int) -> Found:
    return Expression(lambda _: date_range(year), year=year), after


def in_phase(found: Found | None, phase: str) -> Found | None:
    return (found[0].with_range(lambda span: third(span, phase)), found[1]) if found is not None else None


def on_calendar(reading: Reading, month: int, day: int | None, after: int, year: int | None = None) -> Found:
    """A month or day.  Without a year it is the latest one, or the next one if the question is about the future."""
    if year is not None:
        return make_fixed(date_range(year, month, day)), after

    return recurring(reading, lambda given: date_range(given, month, day)), after


def recurring(reading: Reading, of_year: OfYear) -> Expression:
    """What takes its year from the context; else it is the latest, or the next if the question is about the future."""
    return Expression(lambda given: of_year(given) if given else latest_of(reading.clock, of_year), needs_year=True)


def in_month(month: int) -> OfYear:
    return lambda year: date_range(year, month)


def in_season(first_month: int) -> OfYear:
    return lambda year: months_from(year, first_month, 3)


def _occurrences(of_year: OfYear, years: range) -> Iterator[Local]:
    return (found for year in years if (found := of_year(year)))


def latest_of(clock: Clock, of_year: OfYear) -> Local | None:
    """The latest occurrence that has begun, or the first that has not ended if the question is about the future."""
    if clock.future:
        year = clock.now.year
        return next((span for span in _occurrences(of_year, range(year - 1, year + 9)) if span[1] > clock.now), None)
    year = clock.latest.year
    return next((span for span in _occurrences(of_year, range(year, year - 9, -1)) if span[0] <= clock.latest), None)


def find_turn(reading: Reading, of_year: OfYear, turn: int) -> Expression:
    """The last completed occurrence, that of this year, or the first that has not begun."""
    now, year = reading.clock.now, reading.clock.now.year
    if turn == 0:
        return make_fixed(of_year(year))
    if turn < 0:
        past = _occurrences(of_year, range(year, year - 9, -1))
        return make_fixed(next((span for span in past if span[1] <= now), None))
    return make_fixed(next((span for span in _occurrences(of_year, range(year, year + 9)) if span[0] > now), None))


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
    return (least, most, unit.rstrip("s"), after + 1) if unit is not None and unit != "half" else None


def units_away(now: datetime, amount: tuple[int, int, str, int], way: int) -> Found | None:
    least, most, unit, after = amount
    near, far = shift_unit(now, unit, way * least), shift_unit(now, unit, way * most)
    span = min(near[0], far[0]), max(near[1], far[1])
    if unit == "year" and least == most:  # "at Christmas two years ago"
        return Expression(lambda _: span, year=span[0].year), after
    return make_fixed(span), after


def find_shift(reading: Reading, place: int) -> tuple[str, int, int] | None:
    """Unit and distance of "last week", "this year", "el mes pasado", and the place after it."""
    if (pair := reading.at(place, "shift")) is not None:
        by = pair[1] if pair[1] is not None else _nearest_weekend(reading.clock)
        return pair[0], by, place + 1
    if reading.at(place, "unit") == "weekend" and _is_latest_weekend(reading, place):
        return "weekend", _nearest_weekend(reading.clock), place + 1
    for kind, by in TURN.items():
        if reading.at(place, kind):
            after = reading.find(place + 1, "unit") if kind != "this" and not reading.lexicon.postposed else place + 1
            unit = calendar_unit(reading, after)
            if unit is not None:
                return unit, by, after + 1
    unit = calendar_unit(reading, place)
    if reading.lexicon.postposed and unit is not None and reading.at(place - 1, "number") is None:
        for kind in ("last", "next"):
            if reading.at(place + 1, kind):
                return unit, TURN[kind], place + 2
    return None


def _nearest_weekend(clock: Clock) -> int:
    return 0 if clock.future or clock.now.weekday() >= 5 else -1


def _is_latest_weekend(reading: Reading, place: int) -> bool:
    before = reading.text(place - 1)
    known = reading.lexicon.weekend_after
    return (before in known or f"{reading.text(place - 2)} {before}" in known) and reading.follows_time(place + 1)


def calendar_unit(reading: Reading, place: int) -> str | None:
    unit = reading.at(place, "unit")
    return None if unit in ("day", "hour", "half", "weekends") or reading.at(place, "season") is not None else unit


def read_turn(reading: Reading, place: int, kind: str, of_value: Callable[[Any], OfYear]) -> Found | None:
    """Such as "last May", "this summer", "next Easter".  ``of_value``: the range of a word of the kind, by year."""
    after = reading.skip(place + 1)
    value = reading.at(after, kind)
    turns = (turn for link, turn in TURN.items() if reading.at(place, link))
    return next(((find_turn(reading, of_value(value), turn), after + 1) for turn in turns if value is not None), None)


def read_year_after(reading: Reading, after: int, of_year: OfYear, *, postposed: bool = True) -> Found | None:
    """What a year, "last" or "of last year" at ``after`` makes of a month, a season, a holiday or a quarter."""
    year, end = find_year(reading, after)
    if year is not None:
        return make_fixed(of_year(year)), end
    if reading.lexicon.postposed and postposed:
        for kind in ("last", "next"):
            if reading.at(after, kind):
                return find_turn(reading, of_year, TURN[kind]), after + 1
    shift = find_shift(reading, reading.skip(after))
    if shift is not None and shift[0] == "year":
        return make_fixed(of_year(reading.clock.now.year + shift[1])), shift[2]
    return None
