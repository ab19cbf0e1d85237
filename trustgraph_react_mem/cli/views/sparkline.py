"""A curve in one line of block characters."""

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], low: float | None = None, high: float | None = None, *, width: int = 40) -> str:
    """The curve from ``low`` to ``high`` (default: the extremes of the values), in at most ``width`` characters.

    More values than that are averaged in groups of neighbours.  Values outside the range are clipped.
    """
    size = max(1, -(-len(values) // width))
    means = [sum(values[i : i + size]) / len(values[i : i + size]) for i in range(0, len(values), size)]
    bottom = min(means, default=0.0) if low is None else low
    top = max(means, default=0.0) if high is None else high
    if top <= bottom:
        return _BARS[0] * len(means)
    # The share first: a scale of nearly equal values could be infinite.
    shares = [(min(max(value, bottom), top) - bottom) / (top - bottom) for value in means]
    return "".join(_BARS[int(share * (len(_BARS) - 1))] for share in shares)
