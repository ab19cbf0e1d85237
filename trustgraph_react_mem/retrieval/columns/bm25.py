"""BM25 over the records of one scope.

Only term counts are stored (term_index.py).  Weights are computed at query time, so adding or removing a record affects no
other record, and a turn's neighbourhood (itself, the previous and the next turn) is scored from the same counts as the turn
itself.
"""

from dataclasses import dataclass

import numpy as np

from ...indexing.document import K1, B
from .term_index import Floats, Slots


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
