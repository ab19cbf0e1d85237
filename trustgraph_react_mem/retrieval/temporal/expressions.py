"""The grammar of single time expressions: each rule reads one at a place, or returns None.

Conventions: "last Tuesday" is the latest Tuesday before today, and "next Friday" the first Friday after today.  "Last week" is
the calendar week, and "the last two weeks" are the days up to now.  tests/unit/data/time_expressions.txt has them all.
"""

from collections.abc import Callable

from .dates import read_day_and_month, read_month, read_numbered_date, read_written_date, read_year
from .days import read_ago, read_day, read_rolling, read_shift, read_weekday
from .making import in_phase, make_fixed
from .ranges import shift_unit
from .reading import Found, Reading
from .seasons import read_decade, read_holiday, read_quarter, read_season
from .units import calendar_unit


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
