"""The date of a question as evidence: how well records match it, and how far it may decide."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns.vectors import Column
from .temporal import TimeRange

_DAY_S = 86400.0
FIRST, UNDATED = 5, 2
# Long conversations do as well with a half.  Among a few records, small differences of meaning would then outweigh the day.
NEAR = 0.35


def date_column(said_at: NDArray[Any], ranges: Iterable[TimeRange]) -> Column:
    """(n,) 1 within one of the ranges, ``NEAR`` close to it, because events are often mentioned some days later.

    ``said_at`` (n,): POSIX seconds.
    """
    best = np.zeros(len(said_at), np.float32)
    for each in ranges:
        start, end = each.start.timestamp(), each.end.timestamp()
        margin = min(max(end - start, 7 * _DAY_S), 31 * _DAY_S)
        near = (said_at >= start - margin) & (said_at < end + margin)
        inside = (said_at >= start) & (said_at < end)
        np.maximum(best, np.where(inside, 1.0, NEAR * near).astype(np.float32), out=best)
    return best


def keep_undated(scores: Column, dated: Column) -> None:
    """Give the ``UNDATED`` records that are best without the date a place among the first ``FIRST``.  Changes ``scores``.

    A date is evidence, not a filter: the asker may remember it wrong, an event is often told on another day than it happened,
    and the question may be misread.  Without this, a range with five records would hide every record outside of it.

    ``scores``, ``dated``: (n,) scores, and the part of them that comes from the date.
    """
    if len(scores) <= FIRST or not dated.any():
        return
    undated = np.nan_to_num(scores - dated, nan=-np.inf)
    best = np.argpartition(undated, -UNDATED)[-UNDATED:]
    others = np.nan_to_num(np.delete(scores, best), nan=-np.inf)
    bar = np.partition(others, UNDATED - FIRST - 1)[UNDATED - FIRST - 1]
    for row in best[np.argsort(undated[best])]:
        bar = np.nextafter(bar, np.float32(np.inf))
        scores[row] = max(scores[row], bar)
