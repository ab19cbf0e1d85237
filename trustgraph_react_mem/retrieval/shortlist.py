"""The best few hundred records of a large scope, scored as in a small scope without computing all columns for all records.

First pass: every record gets an approximate score from sketched vectors, words, the best of its conversation, speaker and time
(about fifteen columns).  Second pass: the best ``SHORTLIST`` records and their neighbours form a view of the scope, for which
all columns are computed exactly.  The spread of each score over the whole scope is estimated and passed in.  The feature
"session_text" has no weight and is 0 here.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import K1, MEAN_CONTEXT_TERMS, MEAN_TERMS, B
from ..memory.ports import Vector
from .columns.bm25 import WordCounts, bm25, inverse_document_frequency
from .columns.scope_columns import NOWHERE, Links, ScopeColumns
from .columns.term_index import Floats, Slots
from .columns.vectors import Column, SketchedKeys, Spread
from .features import (
    MEAN_WIDE_TERMS,
    CorpusStats,
    Question,
    columns,
    coverage,
    max_per_conversation,
    neighbours,
    propagate_scores,
    speaker_and_date,
)
from .weighting import FEATURES

SHORTLIST = 200
UNDATED_SHORTLIST = 20
WORD_SAMPLE = 512  # records with a word of the question from which the spread of the wide word scores is estimated
NEIGHBOURHOOD_SAMPLE = 4000  # records of a frequent term from which its number of neighbourhoods is estimated


@dataclass(frozen=True, slots=True)
class DerivedColumns:
    """Values derived from the columns of a scope, cached until it changes.  Slots are (n + 1,); n = no such neighbour."""

    before: Slots
    after: Slots
    before2: Slots
    after2: Slots
    lengths: Floats
    sizes: NDArray[np.float64]  # (S,) living records of each conversation
    spread: Mapping[str, Spread]

    @classmethod
    def of(cls, scope: ScopeColumns) -> "DerivedColumns":
        before, after = neighbours(scope, "prev"), neighbours(scope, "next")
        alive = scope.column("alive")
        lengths, said = np.log1p(scope.column("lengths"))[alive], scope.column("said_at")[alive]
        return cls(
            before,
            after,
            before.take(before),
            after.take(after),
            np.append(scope.column("lengths"), np.float32(0)),
            np.bincount(scope.column("source")[alive], minlength=len(scope.sources)).astype(np.float64),
            {"length": (float(lengths.mean()), float(lengths.std())), "recency": (float(said.mean()), float(said.std()))},
        )


def derived_columns(scope: ScopeColumns) -> DerivedColumns:
    """The cached derived columns; computed once after each change of the scope."""
    if scope.derived is None:
        scope.derived = DerivedColumns.of(scope)
    near: DerivedColumns = scope.derived
    return near


class ScopeView:
    """``Records`` of some living slots of a scope.  Neighbours outside of the view count as missing."""

    dead = 0

    def __init__(self, scope: ScopeColumns, keys: SketchedKeys, rows: NDArray[Any], counts: Floats) -> None:
        self._scope = scope
        self._keys = keys
        self._counts = counts
        self.rows = rows
        self.n = len(rows)
        self.sources = scope.sources
        self.speakers = scope.speakers
        self.present_speakers = scope.present_speakers
        self.newest = scope.newest
        self._place = np.full(scope.n + 1, NOWHERE, np.int32)
        self._place[rows] = np.arange(self.n, dtype=np.int32)

    def __len__(self) -> int:
        return self.n

    def column(self, name: str) -> NDArray[Any]:
        values: NDArray[Any] = self._scope.column(name).take(self.rows)
        if name in ("prev", "next"):
            values = self._place[values]  # NOWHERE is -1, the last element, which is always NOWHERE
        return values

    def products(self, name: str, vector: Vector) -> Column:
        return self._keys.products(name, self.rows, vector)

    def word_counts(self, terms: Sequence[str], before: Slots, after: Slots) -> WordCounts:
        return WordCounts.of_neighbours(self._counts, self.column("lengths"), before, after)

    def slots_mentioning(self, name: str) -> NDArray[Any]:
        places: NDArray[Any] = self._place[self._scope.slots_mentioning(name)]
        inside: NDArray[Any] = places[places != NOWHERE]
        return inside

    @property
    def links(self) -> Links:
        links = self._scope.links
        fact, turn = self._place[links.fact], self._place[links.turn]
        inside = (fact != NOWHERE) & (turn != NOWHERE)
        return Links(fact[inside], turn[inside])


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The part of a shortlist that depends only on the question's text, computed while the question is being embedded."""

    near: DerivedColumns
    words: "_Words"
    rows: Mapping[str, Column]
    spread: Mapping[str, Spread]
    score: Column  # (n,) their weighted sum

    @classmethod
    def of(cls, scope: ScopeColumns, question: Question) -> "QueryTerms":
        near = derived_columns(scope)
        words = _Words(scope, question, near)
        # defaultdict: only the flags that apply to the question are allocated
        rows: defaultdict[str, Column] = defaultdict(lambda: np.zeros(scope.n, np.float32))
        rows["words_wide"] = words.wide_scores()
        rows["words"] = words.own_scores()
        speaker_and_date(scope, question, rows)
        rows["question"] = scope.column("question")
        rows["importance"] = scope.column("importance")
        spread = {"session_words": _over_records(_best(scope, rows["words"]), near.sizes)}
        return cls(near, words, dict(rows), spread, _add_weighted(np.zeros(scope.n, np.float32), rows))


def shortlist(
    scope: ScopeColumns,
    question: Question,
    groups: Sequence[NDArray[np.bool_]],
    read: QueryTerms | None = None,
) -> list[tuple[NDArray[Any], NDArray[np.float32]]]:
    """For each group, given as a mask (n,): the slots of its best records, unordered, and their (F, k) columns.

    ``scope`` must have sketched vectors.  ``read``: of the same question; it is recomputed if the scope has changed since.
    """
    keys = scope.vectors
    assert isinstance(keys, SketchedKeys)
    if read is None or read.near is not scope.derived:
        read = QueryTerms.of(scope, question)
    near, words = read.near, read.words
    row, spread = _vectors(scope, keys, question)
    best = _best(scope, row["context"])
    # Sketched products have a smaller spread than exact ones, so their maxima are scaled to unit spread.
    stretched = best / max(float(row["context"].std()), 1e-6)
    spread["session_context"] = _over_records(stretched, near.sizes)
    score = _first_scores(scope, read, row, best)
    chosen = [_best_slots(score, allowed, SHORTLIST) for allowed in groups]
    if "date" in read.rows:  # records that are good without their date, see keep_undated()
        undated = score - np.float32(FEATURES["date"].weight) * read.rows["date"]
        chosen = [
            np.union1d(slots, _best_slots(undated, allowed, UNDATED_SHORTLIST))
            for slots, allowed in zip(chosen, groups, strict=True)
        ]
    rows = _with_surroundings(scope, np.concatenate(chosen), near, row["context"], best)
    whole = CorpusStats(spread={**spread, **read.spread, **near.spread, **words.spread}, idf=words.idf)
    excerpt = ScopeView(scope, keys, rows, words.counts.take(np.append(rows, scope.n), 1))
    table = columns(excerpt, question, whole)
    return [(slots, table[:, np.searchsorted(rows, slots)]) for slots in chosen]


def _best_slots(score: Column, allowed: NDArray[np.bool_], size: int) -> NDArray[Any]:
    size = min(size, int(np.count_nonzero(allowed)))
    if not size:
        return np.zeros(0, np.intp)
    best: NDArray[Any] = np.argpartition(np.where(allowed, score, -np.inf), -size)[-size:]
    return best


def _vectors(scope: ScopeColumns, keys: SketchedKeys, question: Question) -> tuple[dict[str, Column], dict[str, Spread]]:
    """Approximate standard scores from the sketches, and the spread of the exact products."""
    row: dict[str, Column] = {}
    spread: dict[str, Spread] = {}
    for name in ("text", "context"):
        spread[name] = keys.learned[name].spread(question.vector)
        deviation = spread[name][1]
        if np.isfinite(deviation) and deviation >= 1e-6:
            row[name] = keys.approximate(name, question.vector / np.float32(deviation), scope.n)
        else:
            row[name] = np.zeros(scope.n, np.float32)
    row["nearest"] = np.maximum(row["text"], row["context"])
    return row, spread


def _best(scope: ScopeColumns, values: Column) -> Column:
    return max_per_conversation(
        values, scope.column("source"), len(scope.sources), scope.column("alive") if scope.dead else None
    )


def _over_records(values: Column, sizes: NDArray[np.float64]) -> Spread:
    """Mean and standard deviation over all records of a value per conversation (S,).  ``sizes`` (S,): records of each."""
    mean = float(values @ sizes / sizes.sum())
    return mean, float(np.sqrt((values - mean) ** 2 @ sizes / sizes.sum()))


def _add_weighted(score: Column, rows: Mapping[str, Column]) -> Column:
    """``score`` with the weighted rows added."""
    weighted = np.empty(len(score), np.float32)
    for name, values in rows.items():
        if weight := FEATURES[name].weight:
            score += np.multiply(values, np.float32(weight), out=weighted)
    return score


def _first_scores(scope: ScopeColumns, read: QueryTerms, row: dict[str, Column], best: Column) -> Column:
    """(n,) scores of the first pass: features with weight that are cheap to compute for every record.

    Features that need exact neighbours (text_before, text_after, covered) are computed in the second pass only, because they
    rarely decide which records are among the best 200.
    """
    n, near = scope.n, read.near
    padded = np.append(row["context"], np.float32(0))
    row["context_after"] = padded.take(near.after[:-1])
    row["context_later"] = padded.take(near.after2[:-1])
    if len(best) > 1:
        mean, deviation = _over_records(best, near.sizes)
        row["session_context"] = ((best - mean) / max(deviation, 1e-6)).astype(np.float32).take(scope.column("source"))
    if len(scope.links.fact):
        row["linked_text"], row["linked_words"] = np.zeros(n, np.float32), np.zeros(n, np.float32)
        propagate_scores(scope.links, {"words": read.rows["words"], **row})
    score = _add_weighted(read.score.copy(), row)
    if not row["nearest"].any():
        score += read.rows["words"]
    return score


def _with_surroundings(
    scope: ScopeColumns, chosen: NDArray[Any], near: DerivedColumns, context: Column, best: Column
) -> NDArray[Any]:
    """Ascending slots of the chosen records, two turns on each side, linked records, and the best of their conversations."""
    wanted = np.zeros(scope.n + 1, np.bool_)
    for around in (near.before, near.after, near.before2, near.after2):
        wanted[around.take(chosen)] = True
    links = scope.links
    if len(links.fact):
        taken = np.zeros(scope.n, np.bool_)
        taken[chosen] = True
        wanted[links.turn[taken[links.fact]]] = True
        wanted[links.fact[taken[links.turn]]] = True
    source = scope.column("source")
    heads = np.flatnonzero(context >= best.take(source))
    wanted[heads[np.isin(source.take(heads), source.take(chosen))]] = True
    wanted[:-1] &= scope.column("alive")
    wanted[chosen] = True
    return np.flatnonzero(wanted[:-1])


class _Words:
    """Word scores of all records: exact for the record itself, approximated by sums for neighbourhoods."""

    def __init__(self, scope: ScopeColumns, question: Question, near: DerivedColumns) -> None:
        self._near = near
        self._n = scope.n
        self._living = max(1, len(scope))
        self.counts = scope.words.counts(question.terms, scope.n)
        self.idf: dict[str, Floats] = {}
        self.spread: dict[str, Spread] = {}
        self._own = np.zeros(scope.n + 1, np.float32)
        if not len(self.counts):
            return
        postings = scope.words.postings(question.terms)
        rarity = np.array([self._containing(slots) for slots, _ in postings], np.float32).T
        for name, containing in zip(("words", "words_context", "words_wide"), rarity, strict=True):
            self.idf[name] = inverse_document_frequency(containing, self._living)
        scale = np.float32(K1 * (1 - B)) + np.float32(K1 * B / MEAN_TERMS) * near.lengths
        for (slots, found), idf in zip(postings, self.idf["words"], strict=True):
            self._own[slots] += idf * np.float32(K1 + 1) * found / (found + scale.take(slots))

    def own_scores(self) -> Column:
        if len(self.counts):
            self.spread["words"] = self._spread(float(self._own.sum()), float(self._own @ self._own))
        return self._standard("words", self._own[:-1])

    def wide_scores(self) -> Column:
        """(n,) estimated wide scores.  Also estimates the spread of the exact near and wide scores into ``spread``.

        The BM25 score of a neighbourhood is close to the sum of its records' BM25 scores, and the sum takes four additions per
        record.  The spread of the exact scores is estimated from the exact scores of a sample.
        """
        if not len(self.counts):
            return np.zeros(self._n, np.float32)
        near, own = self._near, self._own
        total = own + own.take(near.before) + own.take(near.after) + own.take(near.before2) + own.take(near.after2)
        total = total[:-1]
        hits = np.flatnonzero(total > 0)
        sample = hits[:: max(1, len(hits) // WORD_SAMPLE)]
        sums = total.take(sample)
        scale1 = float(total.sum()) / max(float(sums.sum()), 1e-6)
        scale2 = float(total @ total) / max(float(sums @ sums), 1e-6)
        each = len(hits) / max(1, len(sample))
        for name, values in self._exact(sample).items():
            # The ratio of all sums to the sample's sums corrects for the sample.  "covered" is bounded, so it is scaled by
            # the number of records instead.
            of_sums = name != "covered"
            self.spread[name] = self._spread(
                (scale1 if of_sums else each) * float(values.sum()), (scale2 if of_sums else each) * float(values @ values)
            )
        self.spread["sums"] = self._spread(float(total.sum()), float(total @ total))
        return self._standard("sums", total)

    def _exact(self, slots: NDArray[Any]) -> dict[str, Column]:
        """Exact neighbourhood scores of some records."""
        near = self._near
        counts, lengths = self.counts.take(slots, 1), near.lengths.take(slots)
        for around in (near.before, near.after):
            counts = counts + self.counts.take(around.take(slots), 1)
            lengths = lengths + near.lengths.take(around.take(slots))
        scores = {
            "words_context": bm25(counts, lengths, MEAN_CONTEXT_TERMS, self.idf["words_context"]),
            "covered": coverage(counts, self.idf["words"]),
        }
        for around in (near.before2, near.after2):
            counts = counts + self.counts.take(around.take(slots), 1)
            lengths = lengths + near.lengths.take(around.take(slots))
        scores["words_wide"] = bm25(counts, lengths, MEAN_WIDE_TERMS, self.idf["words_wide"])
        return scores

    def _containing(self, slots: NDArray[Any]) -> tuple[int, int, int]:
        """Number of records, of neighbourhoods of three and of neighbourhoods of five that contain a term."""
        near, part = self._near, slots[:: max(1, len(slots) // NEIGHBOURHOOD_SAMPLE)]
        # A term of a record is in the neighbourhoods of the records around it.
        with_token = np.zeros(self._n + 1, np.bool_)
        with_token[part] = True
        found = [len(slots)]
        for sides in ((near.before, near.after), (near.before2, near.after2)):
            for around in sides:
                with_token[around.take(part)] = True
            number = int(np.count_nonzero(with_token[:-1]))
            if len(part) < len(slots):  # extrapolate, assuming that the term is distributed uniformly
                share = len(slots) / self._living
                number = round(self._living * (1 - (1 - min(1.0, share)) ** (number / len(part))))
            found.append(min(self._living, number))
        return found[0], found[1], found[2]

    def _spread(self, total: float, squares: float) -> Spread:
        mean = total / self._living
        return mean, float(np.sqrt(max(0.0, squares / self._living - mean * mean)))

    def _standard(self, name: str, values: Column) -> Column:
        mean, deviation = self.spread.get(name, (0.0, 0.0))
        if deviation < 1e-6:
            return np.zeros(self._n, np.float32)
        scored: Column = values - np.float32(mean)
        scored /= np.float32(deviation)
        return scored
