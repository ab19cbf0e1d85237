"""Terminal output: text for people, or JSON for programs.

Invariant: no character of a text controls the terminal or turns the direction of writing.  Everything that is printed passes
``make_printable``; in JSON such characters are escaped.
"""

import contextlib
import io
import json
import logging
import sys
from collections.abc import Iterable
from typing import Any

from pydantic_core import to_jsonable_python
from rich.console import Console, ConsoleOptions, RenderableType
from rich.control import Control
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import ControlType, Segment
from rich.table import Table
from rich.text import Text

from ..memory.text.printable import UNSAFE, make_printable

__all__ = ["Screen", "configure_logs", "count_of", "escape", "make_printable", "shorten"]

WHOLE = ("id", "job", "conversation")  # columns that people copy from: never wrapped
LEAST_TEXT = 14  # characters of a column with text
LONGEST_CELL = 600  # characters
WIDE = 10_000  # characters per line in a file or a pipe


def _json_line(value: Any) -> str:
    """One line of JSON, in which the characters that ``make_printable`` changes are escaped."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(to_jsonable_python(value), ensure_ascii=not utf8)
    return UNSAFE.sub(lambda found: json.dumps(found.group())[1:-1], text)


class _SafeConsole(Console):
    """A console whose texts pass ``make_printable``, wherever they come from."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(make_printable(segment.text), segment.style)


def configure_logs() -> None:
    """Log with time and level to standard error.  Called first: what configures logging later, such as mcp, leaves it so."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S")


def count_of(number: int, name: str) -> str:
    """
    >>> count_of(1, "memory"), count_of(0, "memory"), count_of(2, "job")
    ('1 memory', '0 memories', '2 jobs')
    """
    if number == 1:
        return f"1 {name}"
    return f"{number} {name[:-1]}ies" if name.endswith("y") else f"{number} {name}s"


class Screen:
    """Writes text for people, or with ``json_output`` only JSON, one value per line."""

    def __init__(self, *, json_output: bool) -> None:
        self.json_output = json_output
        # Without emoji: a text that has ":key:" shows ":key:".
        self.out: Console = _SafeConsole(quiet=json_output, highlight=False, emoji=False)
        self.err: Console = _SafeConsole(stderr=True, highlight=False, emoji=False)

    def data(self, value: Any) -> None:
        """A result for programs.  Written in JSON mode only."""
        if self.json_output:
            print(_json_line(value), flush=True)

    def say(self, text: str = "", **style: Any) -> None:
        """A line for people.  Rich markup is interpreted, so foreign text must be escaped."""
        self.out.print(text, **{"soft_wrap": True, **style})

    def explain(self, text: str, **style: Any) -> None:
        """Plain text for people, which a terminal gets in lines that end between words."""
        self.out.print(Text(make_printable(text)), soft_wrap=not self.out.is_terminal, **style)

    def note(self, text: str) -> None:
        """A remark about the run, on standard error."""
        if not self.json_output:
            self.err.print(f"[dim]{escape(text)}[/dim]", soft_wrap=True)

    def progress(self, text: str) -> None:
        """A step of something long.  In a terminal "...: 12 %" replaces the step before; elsewhere 0 and 100 % are shown."""
        what, colon, share = text.rpartition(": ")
        percent = share.removesuffix(" %")
        if self.json_output or not (colon and share.endswith(" %") and percent.isdecimal()):
            self.note(text)
        elif self.err.is_terminal:
            filled = 20 * int(percent) // 100
            line = f"{'━' * filled}{' ' * (20 - filled)} {percent:>3} % {what}"[: self.err.width - 1]
            self.err.control(Control(ControlType.CARRIAGE_RETURN))
            self.err.print(f"[dim]{escape(line)}[/dim]", end="\n" if percent == "100" else "", soft_wrap=True)
        elif percent in ("0", "100"):
            self.note(text)

    def problem(self, text: str) -> None:
        """An error in one line: what is wrong and how to fix it."""
        if self.json_output:
            with contextlib.suppress(OSError):  # the error itself may be that nothing can be written
                print(_json_line({"error": text}), flush=True)
        self.err.print(f"[bold red]error:[/bold red] {escape(text)}", soft_wrap=True)

    def table(self, title: str, columns: list[str], rows: list[list[str]], *, empty: str = "nothing") -> None:
        """A row per line.  A terminal too narrow for that gets a block per row instead; pipes have no width."""
        rows = [[shorten(make_printable(cell)) for cell in row] for row in rows]  # before the widths are measured
        if not rows:
            self.say(f"[dim]{escape(title)}: {escape(empty)}[/dim]")
            return
        grid = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
        for name, cells in zip(columns, zip(*rows, strict=True), strict=True):
            number = all(map(_is_number, cells))
            right = number and name not in WHOLE
            least = None if number or name in WHOLE else min(LEAST_TEXT, max(map(len, cells)))
            grid.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=least is None, min_width=least)
        for row in rows:
            grid.add_row(*map(escape, row))
        if not self.out.is_terminal:
            text = io.StringIO()
            _SafeConsole(file=text, width=WIDE, highlight=False, emoji=False, color_system=None).print(grid)
            for line in text.getvalue().rstrip("\n").split("\n"):
                self.out.print(line.rstrip(), markup=False, soft_wrap=True)
        elif Measurement.get(self.out, self.out.options.update(max_width=WIDE), grid).minimum <= self.out.width:
            self.out.print(grid)
        else:
            self.out.print(title, markup=False, style="italic")
            for row in rows:
                block = Table(show_header=False, box=None, pad_edge=False)
                block.add_column(style="bold", no_wrap=True)
                block.add_column(overflow="fold")
                for name, cell in zip(columns, row, strict=True):
                    block.add_row(escape(name), escape(cell))
                self.out.print(block)
                self.out.print()


def shorten(text: str, most: int = LONGEST_CELL) -> str:
    """A pasted page would hide the other rows.  ``show`` and ``--json`` give the whole text."""
    return text if len(text) <= most else f"{text[: most - 40].rstrip()} … ({len(text):,} characters)"


def _is_number(text: str) -> bool:
    return not text or text.lstrip("+-").replace(".", "", 1).isdigit()
