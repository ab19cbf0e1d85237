"""Makes expressions: with a fixed range, or one that takes its year from the context."""

from collections.abc import Callable, Iterator
from datetime import datetime

from .ranges import Local, date_range, months_from, part_of, third
from .reading import Clock, Expression, Found, Reading

OfYear = Callable[[int], Local | None]


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


def season_of(year: int, first_month: int) -> Local:
    return months_from(year, first_month, 3)


def in_month(month: int) -> OfYear:
    return lambda year: date_range(year, month)


def in_season(first_month: int) -> OfYear:
    return lambda year: season_of(year, first_month)


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
