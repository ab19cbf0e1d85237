"""Bars and charts of block characters.  Pure: numbers in, lines out.

Every figure stands beside its bar as a number, and a sign by the side of the axis, so that nothing depends on colour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from ..console import make_printable
from .sparkline import sparkline

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = " ▁▂▃▄▅▆▇█"
LONGEST_BAR = 32  # characters
LONGEST_NAME = 24
LEAST_BAR = 6


def bar(value: float, most: float, width: int) -> str:
    """A bar that grows to the right, in eighths of a character.  ``most``: the value of a full one.

    >>> bar(3, 4, 8), bar(0.1, 4, 8), bar(0, 4, 8)
    ('██████', '▎', '')
    """
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(min(1.0, value / most) * width * 8))  # a value that is not 0 is seen
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def signed_bar(value: float, most: float, width: int) -> str:
    """A bar from an axis in the middle: to the right what adds, to the left what takes away.  ``2 * width + 1`` characters.

    >>> signed_bar(2, 4, 4), signed_bar(-4, 4, 4)
    ('    │██  ', '████│    ')
    """
    length = round(min(1.0, abs(value) / most) * width) if most > 0 else 0
    if value and most > 0:
        length = max(1, length)
    filled = "█" * length
    return f"{'':{width}}│{filled:<{width}}" if value >= 0 else f"{filled:>{width}}│{'':{width}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What the bars of one drawing share, so that they can be compared and stand under each other.

    ``most``: the absolute value of a full bar.  ``two_sided``: some value is negative.  ``longest``: characters of the longest
    name.
    """

    most: float
    two_sided: bool
    longest: int

    @classmethod
    def of(cls, values: Mapping[str, float]) -> "Scale":
        return cls(
            most=max(map(abs, values.values()), default=0.0),
            two_sided=any(value < 0 for value in values.values()),
            longest=max(map(len, values), default=1),
        )


def contribution_bars(values: Mapping[str, float], width: int, scale: Scale) -> Table:
    """A line of at most ``width`` characters per value: name, bar and signed number."""
    name_width = min(LONGEST_NAME, width // 3, scale.longest)
    room = min(LONGEST_BAR, max(LEAST_BAR, width - name_width - 10))
    grid = _bars_table(name_width)
    for name, value in values.items():
        drawn = signed_bar(value, scale.most, room // 2) if scale.two_sided else f"{bar(value, scale.most, room):<{room}}"
        style = "green" if value > 0 else "red"
        grid.add_row(Text(make_printable(name)), Text(drawn, style=style), Text(f"{value:+.2f}"))
    return grid


def count_bars(counts: Mapping[str, int], width: int, styles: Mapping[str, str] | None = None) -> Table:
    """A line per count: name, bar and number."""
    name_width = min(LONGEST_NAME, width // 3, max((len(name) for name in counts), default=1))
    room = min(LONGEST_BAR, max(LEAST_BAR, width - name_width - 9))
    most = max(counts.values(), default=0)
    grid = _bars_table(name_width)
    for name, number in counts.items():
        style = (styles or {}).get(name, "cyan")
        grid.add_row(Text(make_printable(name)), Text(f"{bar(number, most, room):<{room}}", style=style), Text(str(number)))
    return grid


def _bars_table(name_width: int) -> Table:
    grid = Table(show_header=False, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, overflow="ellipsis", width=name_width)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    return grid


def chart(values: Sequence[float], low: float, high: float, *, width: int, height: int = 5) -> list[str]:
    """The values as columns over an axis with its bounds at the left, oldest first; at most ``width`` characters a line.

    More values than columns are averaged in groups of neighbours.

    >>> chart([0, 1, 0.5], 0, 1, width=12, height=2)
    ['  1 ┤ █ ', '  0 ┤ ██']
    """
    labels = [f"{high:g}", f"{low:g}"]
    label_width = max(3, *map(len, labels))
    columns = max(1, width - label_width - 2)
    size = max(1, -(-len(values) // columns))
    means = [sum(values[at : at + size]) / len(values[at : at + size]) for at in range(0, len(values), size)]
    span = high - low
    eighths = [round((min(max(value, low), high) - low) / span * height * 8) if span > 0 else 0 for value in means]
    lines = []
    for row in range(height - 1, -1, -1):
        label = labels[0] if row == height - 1 else labels[1] if row == 0 else ""
        cells = "".join(_LEVELS[min(8, max(0, level - 8 * row))] for level in eighths)
        lines.append(f"{label:>{label_width}} {'┤' if label else '│'}{cells}")
    return lines


def activity(moments: Sequence[float], width: int) -> str:
    """How many of the moments fall into each part of the time between the first and the last, as a curve.

    >>> activity([0.0, 1.0, 1.0, 4.0], 4)
    '▃█▁▃'
    """
    first, last = min(moments, default=0.0), max(moments, default=0.0)
    parts = [0] * max(1, width)
    for moment in moments:
        share = (moment - first) / (last - first) if last > first else 0.0
        parts[min(len(parts) - 1, int(share * len(parts)))] += 1
    return sparkline(parts, 0.0, None, width=len(parts))
