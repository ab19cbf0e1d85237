"""A number in a text, with its readings.

A quantity has one reading, or several if it is ambiguous: "1.500" is 1.5 or 1500, "at five" is 05:00 or 17:00.  Two quantities
are equal if any of their readings are.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from .quantity_patterns import FACTORS, IMPERIAL

Kind = Literal["number", "clock", "date", "id"]
ROUNDED = Fraction(2, 100)  # by how much a length or mass in other units may differ


@dataclass(frozen=True, slots=True)
class Reading:
    """``value``: in the base unit of ``unit``; minutes after midnight; digits of an identifier.  ``raw``: as written.

    ``day``: (year, month, day) of a date, 0 where it is not given.
    """

    kind: Kind
    value: Fraction | str = ""
    raw: Fraction | str = ""
    unit: str = ""
    day: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Quantity:
    """``start``, ``end``: position in the normalised text.  ``label``: a number without unit after a noun, such as "flat 3".

    ``noun``: the lower-case word after a number without unit, such as "cats".
    """

    readings: frozenset[Reading]
    start: int
    end: int
    label: bool = False
    noun: str = ""

    def equals(self, other: "Quantity", *, units_elsewhere: frozenset[str] = frozenset()) -> bool:
        """Whether any readings agree.  A unit may be missing in ``other`` if it is in ``units_elsewhere``."""
        return any(_agree(one, two, units_elsewhere) for one in self.readings for two in other.readings)

    @property
    def days(self) -> list[tuple[int, int, int]]:
        return [reading.day for reading in self.readings if reading.kind == "date"]

    @property
    def is_plain(self) -> bool:
        """Whether it is a number of nothing, such as the second in "2 cats, 3 on Sundays"."""
        return not (self.noun or self.label) and all(each.kind == "number" and not each.unit for each in self.readings)

    @property
    def units(self) -> frozenset[str]:
        return frozenset(reading.unit for reading in self.readings if reading.unit)


def _agree(one: Reading, two: Reading, units_elsewhere: frozenset[str]) -> bool:
    """Whether ``two`` states what ``one`` states.  Its year or its unit may be missing."""
    if one.kind != two.kind:
        return False
    if one.kind == "date":
        known = [(a == b) or (place == 0 and not b) for place, (a, b) in enumerate(zip(one.day, two.day, strict=True)) if a]
        return all(known) and any(a and b for a, b in zip(one.day, two.day, strict=True))
    if one.kind != "number" or one.unit == two.unit:
        return one.value == two.value or _is_rounded(one, two)
    if (one.unit and two.unit) or "percent" in (one.unit, two.unit):
        return False
    return one.raw == two.raw and (not one.unit or one.unit in units_elsewhere)


def _is_rounded(one: Reading, two: Reading) -> bool:
    """Whether two lengths or masses, one in miles or pounds and one metric, are equal but for rounding: 12 miles, 19 km."""
    if one.unit not in ("length", "mass") or any(
        isinstance(part, str) or not part for part in (one.value, one.raw, two.value, two.raw)
    ):
        return False
    odd = [any(FACTORS[unit][1] == Fraction(each.value) / Fraction(each.raw) for unit in IMPERIAL) for each in (one, two)]
    return odd[0] != odd[1] and abs(Fraction(one.value) - Fraction(two.value)) <= ROUNDED * abs(Fraction(two.value))
