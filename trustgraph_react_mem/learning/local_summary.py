"""Summaries without a model: the beginning of each entry.  Source: memory manager specification, Compact."""

import re
from collections.abc import Sequence

ENTRY_CHARS, MOST_ENTRIES = 120, 30
LONGEST = 8000  # characters; the oldest lines are dropped first
_HEAD = re.compile(r"\[Summary of (\d+) entries\]")


def local_summary(entries: Sequence[str]) -> str:
    """The beginning of each of the newest 30 entries.

    >>> print(local_summary(["Agent analyzed file1.csv", "Found 3 anomalies"]))
    [Summary of 2 entries]
    - Agent analyzed file1.csv
    - Found 3 anomalies
    """
    return "\n".join([_head(len(entries)), *map(_line, entries[-MOST_ENTRIES:])])


def chain_summary(before: str, entries: Sequence[str]) -> str:
    """The summary ``before``, whole, continued with the beginning of each entry.  It counts what ``before`` counted.

    >>> print(chain_summary(local_summary(["one", "two"]), ["three"]))
    [Summary of 3 entries]
    - one
    - two
    - three
    """
    lines = before.split("\n") if before else []
    head = _HEAD.fullmatch(lines[0]) if lines else None
    kept = [*(lines[1:] if head else lines), *map(_line, entries)]
    while sum(map(len, kept)) > LONGEST and len(kept) > 1:
        kept.pop(0)
    return "\n".join([_head((int(head[1]) if head else 0) + len(entries)), *kept])


def _head(count: int) -> str:
    return f"[Summary of {count} entries]"


def _line(entry: str) -> str:
    plain = " ".join(entry.split())
    return f"- {plain if len(plain) <= ENTRY_CHARS else plain[: ENTRY_CHARS - 1] + '…'}"
