"""The date of a question as evidence: how well records match it, and how far it may decide."""

from collections.abc import Iterable, Mapping
from datetime import timedelta, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory.ports import JsonValue
from ..memory.timefmt import parse_time
from .columns.vectors import Column
from .temporal import TimeRange, resolve

_DAY_S = 86400.0
FIRST, UNDATED = 5, 2
# Long conversations do as well with a half.  Among a few records, small differences of meaning would then outweigh the day.
NEAR = 0.35
BEFORE = 0.15  # of what happened, only plans are told before it
MOST_TOLD, MOST_CHARACTERS = 60, 600  # records of which the own times are read, and characters of each
LONGEST_TOLD = timedelta(days=35)  # a range that an expression may have to place what is told


def date_column(said_at: NDArray[Any], ranges: Iterable[TimeRange]) -> Column:
    """(n,) 1 within one of the ranges, ``NEAR`` after it, ``BEFORE`` before it: events are often mentioned some days later.

    ``said_at`` (n,): POSIX seconds.
    """
    best = np.zeros(len(said_at), np.float32)
    for each in ranges:
        start, end = each.start.timestamp(), each.end.timestamp()
        margin = min(max(end - start, 7 * _DAY_S), 31 * _DAY_S)
        inside = (said_at >= start) & (said_at < end)
        after = (said_at >= end) & (said_at < end + margin)
        before = (said_at >= start - margin) & (said_at < start)
        np.maximum(best, np.select([inside, after, before], [1.0, NEAR, BEFORE], 0.0).astype(np.float32), out=best)
    return best


def tells_of(payload: Mapping[str, JsonValue], ranges: Iterable[TimeRange], zone: tzinfo) -> bool:
    """Whether a record names a time within one of the ranges: "We were in Bath at the weekend", said on Monday."""
    said_at = parse_time(str(payload.get("said_at") or payload.get("created_at") or ""))
    if said_at is None:
        return False
    language = str(payload.get("language") or "en")
    text = str(payload.get("content") or "")[:MOST_CHARACTERS]
    try:
        told = [span.range for span in resolve(text, said_at, zone=zone, language=language)]
    except OverflowError:  # the day before the first day of the calendar
        return False
    return any(
        time.end - time.start <= LONGEST_TOLD and time.start < asked.end and asked.start < time.end
        for time in told
        for asked in ranges
    )


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
