"""The best few hundred records of a large scope, scored like those of a small one without scoring all of them.

First every record gets a score from the sketches of its vectors, its words, its conversation's best, who said it and when:
about fifteen columns instead of all.  Then the ``size`` best, and the records around them, become an excerpt, for which
the same columns are computed as for a whole scope; only how scores spread over the scope is handed in.  A
conversation's best text, which has no weight, stays 0 here.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import K1, MEAN_CONTEXT_TERMS, MEAN_TERMS, B
from ..memory.ports import Vector
from .bm25 import Floats, Slots, WordCounts, bm25, inverse_document_frequency
from .features import (
    FEATURES,
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
from .scope_columns import NOWHERE, Links, ScopeColumns
from .vectors import Column, SketchedKeys, Spread

SHORTLIST = 200
WORD_SAMPLE = 512  # records holding a word of the question, from which the spread of the wide word scores is estimated
COMMON = 4000  # a term in more records: how many neighbourhoods hold it is estimated from as many


@dataclass(frozen=True, slots=True)
class DerivedColumns:
    """What follows from the columns of a scope, kept until it changes.  Slots are (n + 1,), n = nobody."""

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
    """Found once after each change of the scope."""
    if scope.derived is None:
        scope.derived = DerivedColumns.of(scope)
    near: DerivedColumns = scope.derived
    return near


class ScopeView:
    """Some living slots of a scope, as if they were a scope of their own.  Neighbours outside of it are nobody."""

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
            values = self._place[values]  # NOWHERE, as an index the last place, is nobody
        return values

    def products(self, name: str, vector: Vector) -> Column:
        return self._keys.products(name, self.rows, vector)

    def word_counts(self, terms: Sequence[str], before: Slots, after: Slots) -> WordCounts:
        return WordCounts.of_neighbours(self._counts, self.column("lengths"), before, after)

    def about(self, name: str) -> NDArray[Any]:
        places: NDArray[Any] = self._place[self._scope.about(name)]
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
    """What a shortlist needs of a question's text, found while its vector is still being made."""

    near: DerivedColumns
    words: "_Words"
    rows: Mapping[str, Column]
    spread: Mapping[str, Spread]
    score: Column  # (n,) their weighted sum

    @classmethod
    def of(cls, scope: ScopeColumns, question: Question) -> "QueryTerms":
        near = derived_columns(scope)
        words = _Words(scope, question, near)
        # only those flags that the question touches
        rows: defaultdict[str, Column] = defaultdict(lambda: np.zeros(scope.n, np.float32))
        rows["words_wide"] = words.wide_scores()
        rows["words"] = words.own_scores()
        speaker_and_date(scope, question, rows)
        rows["question"] = scope.column("question")
        rows["importance"] = scope.column("importance")
        spread = {"session_words": _over_records(_best(scope, rows["words"]), near.sizes)}
        return cls(near, words, dict(rows), spread, _weighted(np.zeros(scope.n, np.float32), rows))


def shortlist(
    scope: ScopeColumns,
    question: Question,
    groups: Sequence[NDArray[np.bool_]],
    size: int = SHORTLIST,
    read: QueryTerms | None = None,
) -> list[tuple[NDArray[Any], NDArray[np.float32]]]:
    """For each group of slots, a mask: slots of its best records, in no order, and their (F, k) columns.

    ``scope`` must be sketched.  ``read``: of the same question; it is made anew where the scope has changed since.
    """
    keys = scope.vectors
    assert isinstance(keys, SketchedKeys)
    if read is None or read.near is not scope.derived:
        read = QueryTerms.of(scope, question)
    near, words = read.near, read.words
    row, spread = _vectors(scope, keys, question)
    best = _best(scope, row["context"])
    # A sketch spreads less than what it stands for; its best are taken as if it spread as much.
    stretched = best / max(float(row["context"].std()), 1e-6)
    spread["session_context"] = _over_records(stretched, near.sizes)
    score = _first_scores(scope, read, row, best)
    chosen = [_best_slots(score, allowed, size) for allowed in groups]
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
    """Approximate standard scores, and how the exact products spread."""
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
    """How values of conversations spread over the records in them."""
    mean = float(values @ sizes / sizes.sum())
    return mean, float(np.sqrt((values - mean) ** 2 @ sizes / sizes.sum()))


def _weighted(score: Column, rows: Mapping[str, Column]) -> Column:
    """``score`` with the weighted rows added."""
    weighted = np.empty(len(score), np.float32)
    for name, values in rows.items():
        if weight := FEATURES[name].weight:
            score += np.multiply(values, np.float32(weight), out=weighted)
    return score


def _first_scores(scope: ScopeColumns, read: QueryTerms, row: dict[str, Column], best: Column) -> Column:
    """(n,) scores of the first pass: the features that have weight and are cheap to compute for every record.

    Those that need exact neighbours (text_before, text_after, covered) are left to the second pass: they rarely decide which
    records are among the 200 best.
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
    score = _weighted(read.score.copy(), row)
    if not row["nearest"].any():
        score += read.rows["words"]
    return score


def _with_surroundings(
    scope: ScopeColumns, chosen: NDArray[Any], near: DerivedColumns, context: Column, best: Column
) -> NDArray[Any]:
    """Slots, ascending: the chosen, two turns on each side, what they were made from, the best of their conversations."""
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
    """Word scores of all records: own ones exactly, those with neighbours as sums, with the spread the exact ones have."""

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
        """(n,) estimated wide scores; ``spread`` gets that of the exact near and wide ones.

        BM25 of a neighbourhood is not the sum of its records' BM25, but close to it, and the sum costs four additions a record.
        The exact scores of a sample then tell how they spread over the scope.
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
            of_sums = name != "covered"  # the sums tell how the sample differs from the rest, but not for what is bounded
            self.spread[name] = self._spread(
                (scale1 if of_sums else each) * float(values.sum()), (scale2 if of_sums else each) * float(values @ values)
            )
        self.spread["sums"] = self._spread(float(total.sum()), float(total @ total))
        return self._standard("sums", total)

    def _exact(self, slots: NDArray[Any]) -> dict[str, Column]:
        """Scores with neighbours, of some records."""
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
        """In how many records, in how many neighbourhoods of three, of five, a term stands."""
        near, part = self._near, slots[:: max(1, len(slots) // COMMON)]
        # What stands in a record stands in the neighbourhoods of the records around it.
        with_token = np.zeros(self._n + 1, np.bool_)
        with_token[part] = True
        found = [len(slots)]
        for sides in ((near.before, near.after), (near.before2, near.after2)):
            for around in sides:
                with_token[around.take(part)] = True
            number = int(np.count_nonzero(with_token[:-1]))
            if len(part) < len(slots):  # as if it stood anywhere with the same chance
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
