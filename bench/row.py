"""One measured value, as in the table and in ``build/bench.json``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """``baseline`` is measured in the same run.  Units: ms, us, s, MB, bytes, /s, tokens, percent."""

    name: str
    value: float
    unit: str
    note: str = ""
    baseline: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.baseline if self.baseline else None

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "value": _short(self.value),
            "unit": self.unit,
            "baseline": _short(self.baseline),
            "ratio": _short(self.ratio),
            "note": self.note,
        }


def _short(value: float | None) -> float | None:
    """Round to four significant digits."""
    if value is None or value == 0 or not math.isfinite(value):
        return value
    return round(value, max(0, 3 - math.floor(math.log10(abs(value)))))


def percentile(values: Sequence[float], percent: float) -> float:
    """Percentile with linear interpolation.  Raises: ValueError (no values)."""
    if not values:
        raise ValueError("no measurements: the run that should have made them was empty")
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100.0
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
