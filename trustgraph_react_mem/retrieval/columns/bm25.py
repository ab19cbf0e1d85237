"""BM25 over the records of one scope, in memory, updated record by record.

Only term counts are stored.  Weights are computed at query time, so adding or removing a record affects no other record, and a
turn's neighbourhood (itself, the previous and the next turn) is scored from the same counts as the turn itself.

A removed slot is not reused; it remains without terms.  The owner of the slots decides when to rebuild.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...indexing.document import K1, B

Floats = NDArray[np.float32]
Slots = NDArray[np.int32]


@dataclass(slots=True)
class _Posting:
    slots: "array[int]" = field(default_factory=lambda: array("i"))
    counts: "array[float]" = field(default_factory=lambda: array("f"))


class TermIndex:
    """Inverted index: for each term, the slots that contain it and how often."""

    def __init__(self) -> None:
        self._postings: dict[str, _Posting] = {}
        self._terms: dict[int, tuple[str, ...]] = {}
        self._entries = 0

    def add(self, slot: int, found: Sequence[str]) -> int:
        """Add the terms of a new slot and return their number.  Slots must be added in ascending order."""
        counts = Counter(found)
        for term, count in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = _Posting()
            posting.slots.append(slot)
            posting.counts.append(count)
        self._terms[slot] = tuple(counts)
        self._entries += len(counts)
        return len(found)

    def remove(self, slot: int) -> None:
        found = self._terms.pop(slot, ())
        self._entries -= len(found)
        for term in found:
            posting = self._postings[term]
            at = bisect_left(posting.slots, slot)  # slots are added in ascending order, so the posting is sorted
            del posting.slots[at], posting.counts[at]
            if not posting.slots:
                del self._postings[term]

    def __contains__(self, term: str) -> bool:
        return term in self._postings

    def postings(self, query: Sequence[str]) -> list[tuple[Slots, Floats]]:
        """Slots and counts of each distinct query term that occurs, in the order of ``counts``.

        The arrays are views and valid only until the next change.
        """
        known = [posting for term in dict.fromkeys(query) if (posting := self._postings.get(term))]
        return [(np.frombuffer(p.slots, np.int32), np.frombuffer(p.counts, np.float32)) for p in known]

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
        """Estimated memory of the postings."""
        return 300 * len(self._postings) + 16 * self._entries + 100 * len(self._terms)


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of T terms in each of n records, and in its neighbourhoods of three turns (near) and five turns (wide).

    ``own``, ``near``, ``wide``: (T, n) counts.  ``lengths``, ``near_lengths``, ``wide_lengths``: (n,) total numbers of terms.
    """

    own: Floats
    near: Floats
    wide: Floats
    lengths: Floats
    near_lengths: Floats
    wide_lengths: Floats

    @classmethod
    def of_neighbours(cls, own: Floats, lengths: Floats, before: Slots, after: Slots) -> "WordCounts":
        """Compute the neighbourhoods' counts.

        ``own``: (T, n + 1), the last column zero.  ``before``, ``after``: (n + 1,) slots of the neighbouring turns; n = none.
        """
        lengths = np.append(lengths, np.float32(0))
        near = own + own.take(before, 1) + own.take(after, 1)
        near_lengths = lengths + lengths[before] + lengths[after]
        before2, after2 = before[before], after[after]
        wide = near + own.take(before2, 1) + own.take(after2, 1)
        wide_lengths = near_lengths + lengths[before2] + lengths[after2]
        return cls(own[:, :-1], near[:, :-1], wide[:, :-1], lengths[:-1], near_lengths[:-1], wide_lengths[:-1])


def inverse_document_frequency(containing: Floats, records: int) -> Floats:
    """(T,) log(1 + (N - n + 0.5) / (n + 0.5)), the formula of Qdrant's IDF modifier.  ``containing``: n for each term."""
    return np.log1p((records - containing + 0.5) / (containing + 0.5)).astype(np.float32)


def bm25(counts: Floats, lengths: Floats, mean_terms: float, idf: Floats) -> Floats:
    """(n,) BM25 scores.  ``counts`` (T, n), ``lengths`` (n,) numbers of terms, ``idf`` (T,)."""
    if not len(counts):
        return np.zeros(counts.shape[1], np.float32)
    scale = (K1 * (1 - B) + (K1 * B / mean_terms) * lengths).astype(np.float32)
    scores: Floats = (idf * np.float32(K1 + 1)) @ (counts / (counts + scale))
    return scores
