"""Curves in the terminal, drawn with block characters."""

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60


def grouped(values: Sequence[float], width: int = _WIDTH) -> list[float]:
    """At most ``width`` values: means of neighbours."""
    size = max(1, -(-len(values) // width))
    return [sum(values[i : i + size]) / len(values[i : i + size]) for i in range(0, len(values), size)]


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A curve in one line, from the least value to the greatest; more values than ``width`` are averaged in groups."""
    means = grouped(values, width)
    low, high = min(means), max(means)
    if high == low:
        return _BARS[0] * len(means)
    return "".join(_BARS[int((value - low) / (high - low) * (len(_BARS) - 1))] for value in means)


def chart(values: Sequence[float], low: float, high: float, *, height: int = 4, width: int = _WIDTH) -> list[str]:
    """A curve in ``height`` lines over the fixed range from ``low`` to ``high``, so that two of them can be compared.

    Values outside the range are drawn at its edge.  The lowest line always shows something: an eighth is nothing.
    """
    levels = height * len(_BARS) - 1
    filled = [1 + round((min(max(value, low), high) - low) / (high - low) * levels) for value in grouped(values, width)]
    lines = []
    for row in reversed(range(height)):
        inside = [min(max(level - row * len(_BARS), 0), len(_BARS)) for level in filled]
        lines.append("".join(_BARS[eighths - 1] if eighths else " " for eighths in inside))
    return lines
