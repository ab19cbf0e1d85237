"""Summaries without a model: the beginning of each entry.  Source: memory manager specification, Compact."""

import re
from collections.abc import Sequence

ENTRY_CHARS = 120
LONGEST = 8000  # characters; the oldest lines are dropped first
_HEAD = re.compile(r"\[Summary of (\d+) entries\]")


def local_summary(entries: Sequence[str], before: str = "") -> str:
    """The summary ``before``, whole, continued with the beginning of each entry.  It counts what that counted.

    >>> print(local_summary(["three"], before=local_summary(["one", "two"])))
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
    return "\n".join([f"[Summary of {(int(head[1]) if head else 0) + len(entries)} entries]", *kept])


def _line(entry: str) -> str:
    plain = " ".join(entry.split())
    return f"- {plain if len(plain) <= ENTRY_CHARS else plain[: ENTRY_CHARS - 1] + '…'}"
