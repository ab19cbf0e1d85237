"""One kind of drawing: names, bars and numbers.  Every figure stands beside its bar, so nothing depends on length or colour."""

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from ..console import make_printable

_EIGHTHS = " ▏▎▍▌▋▊▉█"
LONGEST_BAR = 32  # characters
LONGEST_NAME = 24
LEAST_BAR = 6


def bar(value: float, most: float, width: int) -> str:
    """A bar that grows to the right, in eighths of a character, by the size of the value.  ``most``: the size of a full one.

    >>> bar(3, 4, 8), bar(-0.1, 4, 8), bar(0, 4, 8)
    ('██████', '▎', '')
    """
    if value == 0 or most <= 0:
        return ""
    eighths = max(1, round(min(1.0, abs(value) / most) * width * 8))  # a value that is not 0 is seen
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def draw_bars(values: Mapping[str, float], width: int, most: float) -> Table:
    """A line of at most ``width`` characters per value: name, bar and signed number.  ``most``: the size of a full bar."""
    name_width = min(LONGEST_NAME, width // 3, max(map(len, values), default=1))
    room = min(LONGEST_BAR, max(LEAST_BAR, width - name_width - 10))
    grid = Table(show_header=False, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, overflow="ellipsis", width=name_width)
    grid.add_column(no_wrap=True, width=room)
    grid.add_column(no_wrap=True, justify="right")
    for name, value in values.items():
        style = "green" if value > 0 else "red"
        grid.add_row(Text(make_printable(name)), Text(bar(value, most, room), style=style), Text(f"{value:+.2f}"))
    return grid
