"""The numbers of a short text by sort: days, times of day, telephone numbers, amounts of a unit, and plain numbers.

A correction often gives only a value, "no wait, the 14th".  Its sort tells which number of the message before it corrects.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ..text.quantities import read_quantities
from ..text.quantity import Quantity
from . import forms

PLAIN, CLOCK, DAY = frozenset({"number"}), "clock", "date"
# Numbers that can only be days of a month: "the 22nd", "am 17.", "dia 14", "15日", "19-го", "18'inde".
_DAY = re.compile(
    r"(?<![\d.,:/-])(?P<day>[0-3]?\d)(?:(?:st|nd|rd|th|º|-?го)\b|e\b(?= |\W*$)|\s?[日号號]|\s?일(?!\w*간)|['’](?:[iıuü]n?"
    r"|s[iıuü]n?)?d[ea]\b)"
    r"|\b(?:am|der|den|dem|vom|zum|le|el|il|dia|día|de|op) (?P<named>[0-3]?\d)(?!\d|[:.,/h]\d|\s?(?:h|uhr|euro?s?|%|€))",
    re.IGNORECASE,
)
# Scripts without spaces: "18時半", "4点20", and a number beside other words, "090-1234-5587です".
_CLOCK = re.compile(r"(?P<hour>\d{1,2})\s?(?:時|点|點|시)\s?(?:(?P<minute>[0-5]\d)(?:分|분)?|(?P<half>半|반))")
_BESIDE = re.compile(r"(?<=\d)(?=です|だ|でした|예요|이에요|입니다|이야|야)|(?<=[ぁ-ヿ一-鿿가-힣])(?=\d)")


@dataclass(frozen=True, slots=True)
class Value:
    """``sorts``: "date", "clock", "id", the dimension of a unit, "number"; several if the text leaves it open."""

    sorts: frozenset[str]
    quantity: Quantity
    day: int = 0


@lru_cache(maxsize=forms.KEPT)
def read_values(text: str) -> tuple[Value, ...]:
    text = _BESIDE.sub(" ", _CLOCK.sub(lambda found: f"{found['hour']}:{found['minute'] or '30'} ", text))
    days = {int(found["day"] or found["named"]) for found in _DAY.finditer(text)}
    return tuple(_read_sort(quantity, days) for quantity in read_quantities(text))


def _read_sort(quantity: Quantity, days: set[int]) -> Value:
    sorts = frozenset(reading.unit or reading.kind for reading in quantity.readings)
    day = next((day for _, _, day in quantity.days if day), 0)
    plain = next((int(each.raw) for each in quantity.readings if not isinstance(each.raw, str) and each.raw in days), 0)
    return Value(frozenset({DAY}), quantity, plain) if plain and "number" in sorts else Value(sorts, quantity, day)


def find_new_values(new: str, old: str) -> tuple[Value, ...]:
    """The values of ``new`` that ``old`` lacks."""
    held = read_values(old)
    return tuple(value for value in read_values(new) if not any(is_same_value(value, former) for former in held))


def replaces_one(value: Value, new: str, old: str) -> bool:
    """Whether ``old`` has exactly one value that ``value``, of ``new``, can stand for."""
    kept = read_values(new)
    held = [former for former in read_values(old) if not any(is_same_value(former, other) for other in kept)]
    alike = [former for former in held if former.sorts & value.sorts and (value.sorts != PLAIN or former.sorts == PLAIN)]
    if not alike and CLOCK not in value.sorts and PLAIN in (value.sorts, *(former.sorts for former in held)):
        alike = held
    return len(alike) == 1


def is_same_value(one: Value, other: Value) -> bool:
    return one.quantity.equals(other.quantity) or (one.day > 0 and one.day == other.day and other.sorts >= one.sorts)
