"""The days of holidays by name, in a year."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Literal

from dateutil import relativedelta
from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN, easter

from .ranges import Local, day_range


def _on_day(month: int, day: int, days: int = 1) -> Callable[[int], Local | None]:
    return lambda year: day_range(datetime(year, month, day), days)


def _from_easter(offset: int, days: int = 1, method: Literal[1, 2, 3] = EASTER_WESTERN) -> Callable[[int], Local | None]:
    return lambda year: day_range(datetime.combine(easter(year, method), time()) + timedelta(days=offset), days)


def _from_day(month: int, day: int, weekday: relativedelta.weekday, offset: int = 0) -> Callable[[int], Local | None]:
    """The n-th weekday counted from a day, or n-th to last up to it, and ``offset`` days more."""
    return lambda year: day_range(datetime(year, month, day) + relativedelta.relativedelta(weekday=weekday) + timedelta(offset))


def _on_listed_days(days: str, first_year: int, offset: int = 0) -> Callable[[int], Local | None]:
    """Holidays of the lunar calendar, as "month.day" for consecutive years."""
    table = {}
    for year, written in enumerate(days.split(), first_year):
        month, _, day = written.partition(".")
        table[year] = day_range(datetime(year, int(month), int(day)) + timedelta(days=offset))
    return table.get


_LUNAR_NEW_YEAR = (
    "2.19 2.8 1.28 2.16 2.5 1.25 2.12 2.1 1.22 2.10 1.29 2.17 2.6 1.26 2.13 2.3 1.23 2.11 1.31 2.19 2.8"  # 2015 to 2035
)
_MID_AUTUMN = "10.1 9.21 9.10 9.29 9.17 10.6 9.25 9.15 10.3 9.22 9.12"  # 2020 to 2030

_HOLIDAYS: dict[str, Callable[[int], Local | None]] = {
    "christmas": _on_day(12, 24, 3),
    "christmas_days": _on_day(12, 25, 2),
    "christmas_eve": _on_day(12, 24),
    "christmas_day": _on_day(12, 25),
    "boxing_day": _on_day(12, 26),
    "orthodox_christmas": _on_day(1, 7),
    "new_year_eve": _on_day(12, 31),
    "new_year": _on_day(1, 1),
    "new_year_days": lambda year: day_range(datetime(year - 1, 12, 31), 2),
    "new_year_holidays": _on_day(1, 1, 3),
    "epiphany": _on_day(1, 6),
    "valentine": _on_day(2, 14),
    "womens_day": _on_day(3, 8),
    "st_patrick": _on_day(3, 17),
    "kings_day": _on_day(4, 27),
    "golden_week": _on_day(4, 29, 7),
    "may_day": _on_day(5, 1),
    "childrens_day_kr": _on_day(5, 5),
    "victory_day": _on_day(5, 9),
    "july_4": _on_day(7, 4),
    "bastille": _on_day(7, 14),
    "obon": _on_day(8, 13, 4),
    "ferragosto": _on_day(8, 15),
    "national_day_cn": _on_day(10, 1),
    "german_unity": _on_day(10, 3),
    "halloween": _on_day(10, 31),
    "all_saints": _on_day(11, 1),
    "st_nicholas_eve": _on_day(12, 5),
    "st_nicholas": _on_day(12, 6),
    "rose_monday": _from_easter(-48),
    "carnival": _from_easter(-52, 6),
    "ash_wednesday": _from_easter(-46),
    "good_friday": _from_easter(-2),
    "easter": _from_easter(-2, 4),
    "holy_week": _from_easter(-7, 8),
    "easter_sunday": _from_easter(0),
    "easter_monday": _from_easter(1),
    "orthodox_easter": _from_easter(0, 1, EASTER_ORTHODOX),
    "ascension": _from_easter(39),
    "pentecost": _from_easter(49, 2),
    "mothers_day": _from_day(5, 1, relativedelta.SU(2)),
    "memorial_day": _from_day(5, 31, relativedelta.MO(-1)),
    "fathers_day": _from_day(6, 1, relativedelta.SU(3)),
    "labor_day": _from_day(9, 1, relativedelta.MO(1)),
    "thanksgiving": _from_day(11, 1, relativedelta.TH(4)),
    "black_friday": _from_day(11, 1, relativedelta.TH(4), offset=1),
    "lunar_new_year": _on_listed_days(_LUNAR_NEW_YEAR, 2015),
    "lunar_new_year_eve": _on_listed_days(_LUNAR_NEW_YEAR, 2015, offset=-1),
    "mid_autumn": _on_listed_days(_MID_AUTUMN, 2020),
}


def holiday(name: str, year: int) -> Local | None:
    """The days of a holiday in a year; None if they are not known."""
    return _HOLIDAYS[name](year) if 1583 <= year <= 4099 else None
