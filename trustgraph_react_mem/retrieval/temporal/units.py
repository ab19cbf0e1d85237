"""Amounts ("two weeks") and calendar units seen from today ("last month")."""

from datetime import datetime

from .making import make_fixed
from .ranges import shift_unit
from .reading import Clock, Expression, Found, Reading

_FEW = (2, 5)  # how many "a few" are
MOST_UNITS = 2000  # "2 million years ago" is not a time of a memory
TURN = {"last": -1, "next": 1, "this": 0}


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
