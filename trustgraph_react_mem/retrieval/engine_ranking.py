"""Ranking of candidates from the engine, for scopes that are too large for memory or not loaded yet.

The candidates are converted to columns and ranked by the same formula as a scope in memory (features.py).  Statistics of the
whole scope (spread of each score, rarity of each term) are estimated from a sample of its records.  The words of a turn's
neighbourhood of three are known from its stored sparse vector.  Other neighbours contribute only if they are candidates, too;
otherwise their contribution is 0, the mean of a standard score.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import MEAN_CONTEXT_TERMS, counts_of_weights, term_id
from ..memory.ports import IndexPoint, SparseVector
from .columns.bm25 import WordCounts
from .columns.scope_columns import ScopeColumns
from .columns.term_index import Floats, Slots
from .columns.vectors import Column
from .features import Question, Scoring, columns

_NONE = SparseVector(indices=(), values=())


class StoredCounts:
    """Term counts of many records, recovered from their sparse vectors.  Sorted by term, so a query reads only its terms."""

    def __init__(self, vectors: Sequence[SparseVector], mean_terms: float) -> None:
        self.size = len(vectors)
        sizes = [len(vector.indices) for vector in vectors]
        terms = np.fromiter((term for vector in vectors for term in vector.indices), np.int64, sum(sizes))
        weights = np.fromiter((value for vector in vectors for value in vector.values), np.float32, sum(sizes))
        owners = np.repeat(np.arange(self.size, dtype=np.int32), sizes)
        counts, self.lengths = counts_of_weights(weights, owners, self.size, mean_terms)
        order = np.argsort(terms, kind="stable")
        self._terms, self._counts, self._owners = terms[order], counts[order], owners[order]

    def of(self, terms: Sequence[str]) -> Floats:
        """(T, size) count of each term in each record."""
        table = np.zeros((len(terms), self.size), np.float32)
        wanted = np.array([term_id(term) for term in terms], np.int64)
        starts, ends = np.searchsorted(self._terms, wanted), np.searchsorted(self._terms, wanted, "right")
        for row, start, end in zip(table, starts, ends, strict=True):
            row[self._owners[start:end]] = self._counts[start:end]
        return table


class FetchedRecords(ScopeColumns):
    """Some points of a scope.

    ``sample``: records of the same scope.  Its speakers and its newest time are included, because the points alone may lack
    them.
    """

    keeps_tokens = False  # of the candidates alone tokens are wanted, and engine_search reads them

    def __init__(self, points: Sequence[IndexPoint], dimension: int, sample: "FetchedRecords | None" = None) -> None:
        super().__init__(dimension)
        self.put(points)
        self._near = StoredCounts([point.sparse.get("words_context", _NONE) for point in points], MEAN_CONTEXT_TERMS)
        self._sample = sample

    @property
    def present_speakers(self) -> list[str]:
        known = self._sample.present_speakers if self._sample is not None else ()
        return list(dict.fromkeys([*known, *super().present_speakers]))

    @property
    def newest(self) -> float:
        return max(super().newest, self._sample.newest if self._sample is not None else 0.0)

    def word_counts(self, terms: Sequence[str], before: Slots, after: Slots) -> WordCounts:
        """Counts with one row for each of the (distinct) ``terms``, including terms that do not occur.

        Terms that do not occur keep their row, because their rarity is taken from the sample.  The stored neighbourhood of
        three gives the words of neighbours that were not fetched.  If a neighbour was fetched, the turn beyond it follows: it
        is the neighbour's neighbourhood minus the neighbour and this record.
        """
        own = np.zeros((len(terms), self.n + 1), np.float32)
        for row, term in zip(own, terms, strict=True):
            for slots, counts in self.words.postings([term]):
                row[slots] = counts
        found = WordCounts.of_neighbours(own, self.column("lengths"), before, after)
        lengths = np.append(found.lengths, np.float32(0))
        near = np.append(np.maximum(found.near, self._near.of(terms)), np.zeros((len(terms), 1), np.float32), 1)
        near_lengths = np.append(np.maximum(found.near_lengths, self._near.lengths), np.float32(0))
        wide, wide_lengths = near, near_lengths
        for side in (before, after):
            wide = wide + np.maximum(near.take(side, 1) - own.take(side, 1) - own, 0)
            wide_lengths = wide_lengths + np.maximum(near_lengths[side] - lengths[side] - lengths, 0)
        return replace(
            found, near=near[:, :-1], near_lengths=near_lengths[:-1], wide=wide[:, :-1], wide_lengths=wide_lengths[:-1]
        )


class EngineScope(FetchedRecords):
    """A scope whose records stay in the engine, represented by a sample of them."""

    def columns(self, question: Question, points: Sequence[IndexPoint]) -> tuple[NDArray[np.float32], Column]:
        """(F, K) feature columns of the candidates, rows as FEATURE_NAMES, and their (K,) cosines, the higher of both keys."""
        found = FetchedRecords(points, self.dimension, self)
        # If the scope was almost empty when it was sampled, the candidates themselves are the better sample.
        sample = self if len(self) >= len(found) else found
        # Drop terms that occur nowhere, so that they do not lower the coverage of the other terms.
        terms = tuple(term for term in dict.fromkeys(question.terms) if term in found.words or term in sample.words)
        question = replace(question, terms=terms)
        whole = Scoring(sample)
        columns(sample, question, whole)
        table = columns(found, question, Scoring(found, whole))
        return table, np.maximum(found.products("text", question.vector), found.products("context", question.vector))
