"""Which records of a scope contain a term and how often, in a few bytes for each pair.

The pairs are sorted by term, so the records of a term are one slice.  New pairs are appended; they are searched one by one, and
sorted in when they have become many.  Pairs of removed slots are skipped until then.  Terms are known by their 64-bit hash: the
words of a scope would take more memory than all else here, and that two of a million terms share a hash has a probability of
one in 40 million.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Slots = NDArray[np.int32]

MOST_COUNTED = 65_535  # occurrences of one term in one record
UNSORTED = 4096  # pairs that may be searched one by one
UNSORTED_SHARE = 16  # and so many more: a sixteenth of the sorted ones


class TermIndex:
    """Inverted index.  Slots must be added in ascending order, and are not used again."""

    def __init__(self) -> None:
        self._terms: NDArray[np.int64] = np.empty(0, np.int64)
        self._slots: Slots = np.empty(0, np.int32)
        self._counts: NDArray[np.uint16] = np.empty(0, np.uint16)
        self._sorted = 0  # pairs; those after them are new
        self._used = 0
        self._gone: NDArray[np.bool_] = np.zeros(0, np.bool_)  # by slot; empty while no pair is of a removed slot

    def add(self, slot: int, found: Sequence[str]) -> int:
        """Add the terms of a new slot and return their number."""
        counts = Counter(found)
        end = self._used + len(counts)
        if end > len(self._terms):
            self._grow(max(end, len(self._terms) * 5 // 4, 64))
        part = slice(self._used, end)
        self._terms[part] = [hash(term) for term in counts]
        self._slots[part] = slot
        self._counts[part] = [min(count, MOST_COUNTED) for count in counts.values()]
        self._used = end
        if end - self._sorted > UNSORTED + self._sorted // UNSORTED_SHARE:
            self._sort()
        return len(found)

    def remove(self, slot: int) -> None:
        if slot >= len(self._gone):
            grown = np.zeros(max(slot + 1, len(self._gone) * 5 // 4, 64), np.bool_)
            grown[: len(self._gone)] = self._gone
            self._gone = grown
        self._gone[slot] = True

    def __contains__(self, term: str) -> bool:
        return bool(self.postings([term]))

    def postings(self, query: Sequence[str]) -> list[tuple[Slots, Floats]]:
        """Ascending slots and counts of each distinct query term that occurs, in the order of ``counts``."""
        found: list[tuple[Slots, Floats]] = []
        old, new = self._terms[: self._sorted], self._terms[self._sorted : self._used]
        for term in dict.fromkeys(query):
            key = hash(term)
            first, last = old.searchsorted(key), old.searchsorted(key, "right")
            fresh = np.flatnonzero(new == key) + self._sorted
            slots = np.concatenate((self._slots[first:last], self._slots[fresh]))
            counts = np.concatenate((self._counts[first:last], self._counts[fresh])).astype(np.float32)
            if len(self._gone):
                kept = ~self._is_gone(slots)
                slots, counts = slots[kept], counts[kept]
            if len(slots):
                found.append((slots, counts))
        return found

    def counts(self, query: Sequence[str], slots: int) -> Floats:
        """(T, slots + 1) counts of each distinct query term that occurs in the scope.

        The last column is always zero.  It represents a missing neighbour.
        """
        known = self.postings(query)
        table = np.zeros((len(known), slots + 1), np.float32)
        for row, (held, counts) in zip(table, known, strict=True):
            row[held] = counts
        return table

    @property
    def bytes(self) -> int:
        return self._terms.nbytes + self._slots.nbytes + self._counts.nbytes + self._gone.nbytes

    def _is_gone(self, slots: Slots) -> NDArray[np.bool_]:
        # Slots beyond the array were added after the last removal.
        found: NDArray[np.bool_] = self._gone.take(slots, mode="clip") & (slots < len(self._gone))
        return found

    def _sort(self) -> None:
        """Sort all pairs by term, those of a term by slot, and drop those of removed slots."""
        kept = np.arange(self._used)
        if len(self._gone):
            kept = kept[~self._is_gone(self._slots[: self._used])]
            self._gone = np.zeros(0, np.bool_)
        order = kept[np.argsort(self._terms[kept], kind="stable")]  # of a sorted run and a short one: nearly linear
        self._terms[: len(order)] = self._terms[order]
        self._slots[: len(order)] = self._slots[order]
        self._counts[: len(order)] = self._counts[order]
        self._used = self._sorted = len(order)

    def _grow(self, capacity: int) -> None:
        terms, slots, counts = self._terms, self._slots, self._counts
        self._terms, self._slots, self._counts = (np.empty(capacity, each.dtype) for each in (terms, slots, counts))
        self._terms[: self._used] = terms[: self._used]
        self._slots[: self._used] = slots[: self._used]
        self._counts[: self._used] = counts[: self._used]
