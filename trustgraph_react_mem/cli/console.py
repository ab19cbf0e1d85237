"""What goes to the terminal: text for people on one side, JSON for programs on the other."""

import dataclasses
import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Screen", "count_of", "escape", "to_json"]

WHOLE = ("id", "job", "conversation")  # columns that are copied from: never broken over lines
MOST_BESIDE = 24  # characters of a column beside it, before that is folded
LEAST_TEXT = 36  # characters of a column that holds a text
WIDE = 10_000  # characters of a line in a file or a pipe, which has no edge


def count_of(number: int, name: str) -> str:
    """
    >>> count_of(1, "memory"), count_of(0, "memory"), count_of(2, "job")
    ('1 memory', '0 memories', '2 jobs')
    """
    if number == 1:
        return f"1 {name}"
    return f"{number} {name[:-1]}ies" if name.endswith("y") else f"{number} {name}s"


def to_json(value: Any) -> Any:
    """Dataclasses, paths and times as JSON knows them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    return value


class Screen:
    """With ``json_output`` standard output holds JSON only, one value a line, and nothing else is written to it."""

    def __init__(self, *, json_output: bool) -> None:
        self.json_output = json_output
        self.out = Console(quiet=json_output, highlight=False)
        self.err = Console(stderr=True, highlight=False)

    def data(self, value: Any) -> None:
        """The result for programs; nothing in the mode for people."""
        if self.json_output:
            print(json.dumps(to_json(value), ensure_ascii=False), flush=True)

    def say(self, text: str = "", **style: Any) -> None:
        """A line for people; rich's markup is understood, so foreign text must be escaped.  Wrapping is the terminal's."""
        self.out.print(text, **{"soft_wrap": True, **style})

    def note(self, text: str) -> None:
        """About the run itself, not its result: to standard error."""
        if not self.json_output:
            self.err.print(f"[dim]{escape(text)}[/dim]", soft_wrap=True)

    def problem(self, text: str) -> None:
        """One clear line: what was wrong and what to do."""
        if self.json_output:
            print(json.dumps({"error": text}, ensure_ascii=False), flush=True)
        self.err.print(f"[bold red]error:[/bold red] {escape(text)}", soft_wrap=True)

    def table(self, title: str, columns: list[str], rows: list[list[str]], *, empty: str = "nothing") -> None:
        if not rows:
            self.say(f"[dim]{escape(title)}: {escape(empty)}[/dim]")
            return
        texts = [[escape(cell) for cell in row] for row in rows]
        beneath = self._beneath(columns, rows)
        if beneath is not None:
            place, at_host = beneath
            texts = [
                [f"{cell}\n[dim]{row[place]}[/dim]" if at == at_host else cell for at, cell in enumerate(row) if at != place]
                for row in texts
            ]
            rows = [[row[place] if at == at_host else cell for at, cell in enumerate(row) if at != place] for row in rows]
            columns = [f"{name} / id" if at == at_host else name for at, name in enumerate(columns) if at != place]
        table = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
        for at, name in enumerate(columns):
            cells = [row[at] for row in rows]
            numeric = all(map(_is_number, cells))
            whole = name in WHOLE or name.endswith(" / id")
            table.add_column(
                name,
                justify="right" if numeric and not whole else "left",
                overflow="fold",
                no_wrap=name in WHOLE,
                min_width=max(map(len, cells)) if whole else None,
                width=max(map(len, [*cells, *name.split()])) if numeric and not whole else None,
            )
        if beneath is not None:  # the ids' column is not narrowed, so it takes what the others leave
            host = next(column for column in table.columns if str(column.header).endswith(" / id"))
            longest = [min(MOST_BESIDE, max(len(row[at]) for row in [columns, *rows])) for at in range(len(columns))]
            others = sum(
                column.width or size for column, size in zip(table.columns, longest, strict=True) if column is not host
            )
            host.width = max(host.min_width or 0, self.out.width - others - 2 * (len(columns) - 1))
        for row in texts:
            table.add_row(*row)
        self._show(table)

    def _beneath(self, columns: list[str], rows: list[list[str]]) -> tuple[int, int] | None:
        """(the ids' column, the column of the longest texts) where a terminal is too narrow for both side by side."""
        if not self.out.is_terminal or "id" not in columns:
            return None
        place = columns.index("id")
        longest = [max(len(name), *(len(row[at]) for row in rows)) for at, name in enumerate(columns)]
        host = max((at for at in range(len(columns)) if at != place), key=longest.__getitem__)
        room = self.out.width - 2 * (len(columns) - 1) - sum(longest) + longest[host]
        return (place, host) if room < min(longest[host], LEAST_TEXT) else None

    def _show(self, table: Table) -> None:
        """Within the terminal's width; a row a line where there is no terminal."""
        if self.out.is_terminal:
            self.out.print(table)
            return
        text = io.StringIO()
        Console(file=text, width=WIDE, highlight=False, color_system=None).print(table)
        for line in text.getvalue().rstrip("\n").split("\n"):
            self.out.print(line.rstrip(), markup=False, soft_wrap=True)


def _is_number(text: str) -> bool:
    return not text or text.lstrip("+-").replace(".", "", 1).isdigit()
