"""What goes to the terminal: text for people on one side, JSON for programs on the other."""

import dataclasses
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Screen", "escape", "plain"]


def plain(value: Any) -> Any:
    """Dataclasses, paths and times as JSON knows them."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
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
            print(json.dumps(plain(value), ensure_ascii=False), flush=True)

    def say(self, text: str = "", **style: Any) -> None:
        """A line for people; rich's markup is understood, so foreign text must be escaped.  Wrapping is the terminal's."""
        self.out.print(text, **{"soft_wrap": True, **style})

    def note(self, text: str) -> None:
        """About the run itself, not its result: to standard error."""
        if not self.json_output:
            self.err.print(f"[dim]{escape(text)}[/dim]")

    def problem(self, text: str) -> None:
        """One clear line: what was wrong and what to do."""
        if self.json_output:
            print(json.dumps({"error": text}, ensure_ascii=False), flush=True)
        self.err.print(f"[bold red]error:[/bold red] {escape(text)}", soft_wrap=True)

    def table(self, title: str, columns: list[str], rows: list[list[str]], *, empty: str = "nothing") -> None:
        if not rows:
            self.say(f"[dim]{escape(title)}: {escape(empty)}[/dim]")
            return
        table = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
        for column in columns:
            numeric = all(_is_number(row[len(table.columns)]) for row in rows)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*(escape(cell) for cell in row))
        self.out.print(table)


def _is_number(text: str) -> bool:
    return not text or text.lstrip("+-").replace(".", "", 1).isdigit()
