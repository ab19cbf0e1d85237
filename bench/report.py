"""Prints measured rows as a table and writes them as JSON."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .row import Row


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
