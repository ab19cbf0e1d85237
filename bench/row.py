"""Measured values: printed as a table, and written as JSON such as ``build/bench.json``."""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table


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
    return float(np.percentile(values, percent))


def show(rows: Sequence[Row]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "value", "unit", "baseline", "ratio"):
        table.add_column(name, justify="left" if name in ("name", "unit") else "right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for row in rows:
        values = row.as_json()
        table.add_row(
            row.name,
            f"{values['value']:g}",
            row.unit,
            "" if row.baseline is None else f"{values['baseline']:g}",
            "" if row.ratio is None else f"{values['ratio']:g}",
            row.note,
        )
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def keep(rows: Sequence[Row], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n", encoding="utf-8")
