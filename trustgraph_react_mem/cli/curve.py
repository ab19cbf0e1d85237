"""A curve in one line of the terminal."""

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A curve of block characters; more values than ``width`` are averaged in groups."""
    size = max(1, -(-len(values) // width))
    grouped = [sum(values[i : i + size]) / len(values[i : i + size]) for i in range(0, len(values), size)]
    low, high = min(grouped), max(grouped)
    if high == low:
        return _BARS[0] * len(grouped)
    return "".join(_BARS[int((value - low) / (high - low) * (len(_BARS) - 1))] for value in grouped)
