"""The ranking formula: named feature columns, one value a record, for one question.

Scores are standardised per question over the scope's records (mean 0, standard deviation 1), so that a fixed weight means the
same for every question and embedding model; flags are 0/1 or -1/0/1.  The fused score is the weighted sum of the columns.
Weights were tuned on two conversations and checked on others (bench/recall.py), then frozen here; bench/weights.py refits them
with each conversation held out, and shows what further columns would add.

``columns`` is the only place where features are computed.  It reads records through the protocol ``Records``, which has three
implementations: a scope in memory (scope_columns.py), the shortlist of a large one (shortlist.py), and records fetched from the
engine (engine_ranking.py).  The last two cannot see the whole scope and pass its ``CorpusStats``.

To add a feature:
1. add its name and weight to ``FEATURES`` and fill its row in ``columns`` or a function that ``columns`` calls;
2. if it needs a value of the record that is not a column yet, add the column to ``scope_columns._COLUMNS`` and read it from the
   payload in ``ScopeColumns._append``;
3. if the payload lacks the value, write it in ``indexing.document.fact_payload``.  Records stored before have no such key, so
   the reader needs a default;
4. a feature with a weight should be part of the first pass over large scopes, if it can move a record into the 200 best:
   ``shortlist._first_scores``.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import MEAN_CONTEXT_TERMS, MEAN_TERMS
from ..indexing.tokenizer import names, terms
from ..memory.ports import Vector
from .bm25 import Floats, Slots, WordCounts, bm25, inverse_document_frequency
from .scope_columns import NOWHERE, Links
from .speakers import acting_speaker, find_named
from .temporal import TimeRange, asks_number, asks_when, time_range
from .vectors import Column, Spread

MEAN_WIDE_TERMS = 75.0
DAY_S = 86400.0

_FIRST_PERSON = re.compile(
    r"\b(?:i|my|me|mine|our|we|ich|mein\w*|mir|mich|unser\w*|je|j'|mon|ma|mes|moi|notre|nos|yo|mi|mis|mío|nuestr\w*)\b|私|僕|我",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|du|dein\w*|dir|tu|ton|ta|tes|vous|votre|tú|tus)\b|あなた|你", re.IGNORECASE)


NO_VECTOR: Vector = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A person's question, analysed once.  ``vector`` (d,), or empty until it is embedded; ``terms`` with repetitions."""

    text: str
    vector: Vector
    terms: tuple[str, ...]
    names: frozenset[str]
    asks_when: bool
    asks_number: bool
    asked_at: datetime | None
    about_user: int  # 1: speaks of the asker ("my"), -1: of the assistant ("did you"), 0: neither or both

    @classmethod
    def read(
        cls,
        text: str,
        vector: Vector = NO_VECTOR,
        *,
        asked_at: datetime | None = None,
        language: str = "auto",
        fallback_language: str = "en",
    ) -> "Question":
        """``language``: BCP 47 or "auto"; ``fallback_language``: where it is "auto" and the text does not tell."""
        first, second = _FIRST_PERSON.search(text) is not None, _SECOND_PERSON.search(text) is not None
        return cls(
            text=text,
            vector=vector,
            terms=tuple(terms(text, language, fallback_language)),
            names=frozenset(names(text)),
            asks_when=asks_when(text),
            asks_number=asks_number(text),
            asked_at=asked_at,
            about_user=int(first) - int(second),
        )

    def asks_of(self, speakers: Collection[str]) -> tuple[bool, str]:
        """Whether it names any of the speakers, and the one whose words it asks for; "" for nobody in particular."""
        found = find_named(self.text, speakers)
        return bool(found), acting_speaker(self.text, found) if len(found) > 1 else "".join(found)

    def span(self, newest_s: float) -> TimeRange | None:
        """The days it speaks of.  ``newest_s``: when the newest record was said, the present of an old transcript."""
        newest = datetime.fromtimestamp(newest_s, UTC) if newest_s else None
        return time_range(self.text, self.asked_at or newest, latest=newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """``weight``: the factor of its column in the fused score."""

    weight: float


FEATURES: Mapping[str, Feature] = {
    # Vectors
    "text": Feature(weight=0.2),
    "context": Feature(weight=0.1),
    "nearest": Feature(weight=0.6),  # the better of the two
    # Words: of the record, with both neighbours, with two neighbours on each side
    "words": Feature(weight=0.05),
    "words_context": Feature(weight=0.0),
    "words_wide": Feature(weight=0.35),
    "covered": Feature(weight=0.1),  # how much of the question stands in it or beside it, rare words counting more, squared
    # What stands around it in its conversation
    "text_before": Feature(weight=0.05),
    "text_after": Feature(weight=0.05),
    "context_after": Feature(weight=0.25),
    "context_later": Feature(weight=0.1),
    "session_text": Feature(weight=0.0),
    "session_context": Feature(weight=0.5),
    "session_words": Feature(weight=0.05),
    # Records made from it, or that it was made from
    "linked_text": Feature(weight=0.3),
    "linked_words": Feature(weight=0.15),
    # Who, what form, when
    "speaker": Feature(weight=1.15),
    "question": Feature(weight=-0.2),
    "length": Feature(weight=0.1),
    "time_asked": Feature(weight=2.2),
    "time_unasked": Feature(weight=0.2),
    "number_asked": Feature(weight=0.0),
    "date": Feature(weight=4.5),
    "entities": Feature(weight=0.0),
    "recency": Feature(weight=0.0),
    "importance": Feature(weight=0.3),
    "uses": Feature(weight=0.0),
}
FEATURE_NAMES: tuple[str, ...] = tuple(FEATURES)
WEIGHTS = np.array([feature.weight for feature in FEATURES.values()], np.float32)
# Without usable vectors the words must carry the whole.
_WORDS_ALONE = WEIGHTS + np.array([{"words": 1.0, "words_context": 0.5}.get(name, 0.0) for name in FEATURES], np.float32)
_ROW = {name: row for row, name in enumerate(FEATURE_NAMES)}


class Records(Protocol):
    """The records that columns are computed for.  ``n`` counts slots; ``dead`` of them hold no record.

    ``sources`` and ``speakers`` number conversations and lower-case names, as the columns of these names do.
    """

    n: int
    dead: int
    sources: dict[str, int]
    speakers: dict[str, int]

    def __len__(self) -> int: ...

    def column(self, name: str) -> NDArray[Any]: ...

    def products(self, name: str, vector: Vector) -> Column:
        """(n,) dot products of the vectors under the dense key ``name`` with a question's vector (d,)."""
        ...

    def word_counts(self, terms: Sequence[str], before: Slots, after: Slots) -> WordCounts:
        """Counts of the terms; ``before`` and ``after`` (n + 1,) are the slots of the neighbouring turns."""
        ...

    def about(self, name: str) -> NDArray[Any]:
        """Slots of the records that mention a name."""
        ...

    @property
    def present_speakers(self) -> list[str]: ...

    @property
    def newest(self) -> float:
        """When the newest record was said, POSIX seconds."""
        ...

    @property
    def links(self) -> Links: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStats:
    """What part of a scope needs to know of the whole to score as the whole does, for one question.

    ``spread``: mean and standard deviation of each score over the scope; ``idf``: by column, the (T,) inverse document
    frequencies of the question's terms.
    """

    spread: Mapping[str, Spread]
    idf: Mapping[str, Floats]


def columns(scope: Records, question: Question, whole: CorpusStats | None = None) -> NDArray[np.float32]:
    """(F, n) float32, rows in the order of FEATURE_NAMES; columns of dead slots hold nothing meaningful.

    ``whole``: statistics of the scope that ``scope`` is a part of; None: it is the whole.
    """
    return _columns(scope, question, _Scored(scope.column("alive") if scope.dead else None, whole))


def corpus_stats(scope: Records, question: Question) -> CorpusStats:
    """What ``columns`` found of the whole while it scored ``scope``: for scoring other records in the same way."""
    scored = _Scored(scope.column("alive") if scope.dead else None, None)
    _columns(scope, question, scored)
    return CorpusStats(spread=scored.spread, idf=scored.idf)


def _columns(scope: Records, question: Question, scored: "_Scored") -> NDArray[np.float32]:
    n = scope.n
    table = np.zeros((len(FEATURES), n), np.float32)
    if not len(scope):
        return table
    row = {name: table[number] for name, number in _ROW.items()}
    before, after = neighbours(scope, "prev"), neighbours(scope, "next")
    for name in ("text", "context"):
        row[name][:] = scored(name, scope.products(name, question.vector))
    np.maximum(row["text"], row["context"], out=row["nearest"])
    _words(scope, question, row, scored, before, after)
    _around(scope, row, scored, before, after)
    propagate_scores(scope.links, row)
    speaker_and_date(scope, question, row)
    row["length"][:] = scored("length", np.log1p(scope.column("lengths")))
    row["recency"][:] = scored("recency", scope.column("said_at"))
    row["question"][:] = scope.column("question")
    row["importance"][:] = scope.column("importance") - np.float32(0.5)
    row["uses"][:] = np.log1p(scope.column("uses"))
    return table


class _Scored:
    """Standard scores over the living records, or by the statistics of the whole where they are given."""

    def __init__(self, alive: NDArray[np.bool_] | None, whole: CorpusStats | None) -> None:
        self.alive = alive
        self._whole = whole
        self.spread: dict[str, Spread] = {}
        self.idf: dict[str, Floats] = {}

    def __call__(self, name: str, values: NDArray[Any]) -> Column:
        if self._whole is not None:
            return by_spread(values, self._whole.spread.get(name, (0.0, 0.0)))
        scored, self.spread[name] = standardise(values, self.alive)
        return scored

    def rarity(self, name: str, counts: Floats, records: int) -> Floats:
        """(T,) inverse document frequency of terms by their (T, n) counts."""
        if self._whole is not None:
            return self._whole.idf[name]
        containing = np.count_nonzero(counts, axis=1).astype(np.float32)
        self.idf[name] = inverse_document_frequency(containing, records)
        return self.idf[name]


def fused(table: NDArray[np.float32]) -> Column:
    """(n,) weighted sum of (F, n) columns: what retrieval ranks by."""
    weights = WEIGHTS if table[_ROW["nearest"]].any() else _WORDS_ALONE
    result: Column = np.einsum("f,fn->n", weights, table)  # in this thread, see dots()
    return result


def standardise(values: NDArray[Any], alive: NDArray[np.bool_] | None = None) -> tuple[Column, Spread]:
    """(n,) standard scores over the living, zero for a column without spread; and what they were spread by.

    Dead rows are not meaningful.
    """
    living = values if alive is None else values[alive]
    if not len(living):
        return np.zeros(len(values), np.float32), (0.0, 0.0)
    mean = living.mean()
    centred = living - mean
    # einsum stays in this thread, see dots(); std() would centre the values a second time
    deviation = float(np.sqrt(np.einsum("n,n->", centred, centred) / len(centred)))
    spread = float(mean), deviation
    if not np.isfinite(deviation) or deviation < 1e-6:
        return np.zeros(len(values), np.float32), spread
    scored = centred if alive is None else values - mean
    scored /= deviation
    return scored.astype(np.float32, copy=False), spread


def by_spread(values: NDArray[Any], spread: Spread) -> Column:
    """Standard scores given mean and deviation; zero without a deviation."""
    mean, deviation = spread
    if not np.isfinite(deviation) or deviation < 1e-6:
        return np.zeros(len(values), np.float32)
    scored = values - mean
    scored /= deviation
    result: Column = scored.astype(np.float32, copy=False)
    return result


def neighbours(scope: Records, side: str) -> Slots:
    """(n + 1,) slot of the neighbouring turn; n, which stands for "none", where there is none.  ``side``: "prev" or "next"."""
    found = np.full(scope.n + 1, scope.n, np.int32)
    column = scope.column(side)
    np.copyto(found[:-1], column, where=column != NOWHERE)
    return found


def _take_or_zero(values: Column, slots: Slots) -> Column:
    """Values of other slots; 0, the mean of standard scores, for nobody."""
    return np.append(values, np.float32(0))[slots[: len(values)]]


def _words(scope: Records, question: Question, row: Mapping[str, Column], scored: _Scored, before: Slots, after: Slots) -> None:
    found = scope.word_counts(question.terms, before, after)
    if not len(found.own):
        return
    for name, counts, lengths, mean in (
        ("words", found.own, found.lengths, MEAN_TERMS),
        ("words_context", found.near, found.near_lengths, MEAN_CONTEXT_TERMS),
        ("words_wide", found.wide, found.wide_lengths, MEAN_WIDE_TERMS),
    ):
        idf = scored.rarity(name, counts, len(scope))
        row[name][:] = scored(name, bm25(counts, lengths, mean, idf))
        if name == "words":
            row["covered"][:] = scored("covered", coverage(found.near, idf))


def coverage(near: Floats, idf: Floats) -> Column:
    """How much of the question stands in a record or beside it, of (T, n) counts."""
    share: Column = ((idf / idf.sum()) @ (near > 0)) ** 2
    return share


def _around(scope: Records, row: Mapping[str, Column], scored: _Scored, before: Slots, after: Slots) -> None:
    row["text_before"][:] = _take_or_zero(row["text"], before)
    row["text_after"][:] = _take_or_zero(row["text"], after)
    # A context key looks back over two turns, so the next turns' context keys hold this record too.
    row["context_after"][:] = _take_or_zero(row["context"], after)
    row["context_later"][:] = _take_or_zero(row["context"], after[after])
    source, size = scope.column("source"), len(scope.sources)
    if size < 2:
        return
    for name in ("text", "context", "words"):
        best = max_per_conversation(row[name], source, size, scored.alive)
        row[f"session_{name}"][:] = scored(f"session_{name}", best[source])


def max_per_conversation(values: Column, source: NDArray[Any], size: int, alive: NDArray[np.bool_] | None) -> Column:
    """(S,) the best of each conversation; 0 where there is none."""
    best = np.full(size, -np.inf, np.float32)
    np.maximum.at(best, source if alive is None else source[alive], values if alive is None else values[alive])
    best[~np.isfinite(best)] = 0
    return best


def propagate_scores(links: Links, row: Mapping[str, Column]) -> None:
    """A record lends its score to the turns it was made from, and a turn to the records made from it."""
    if not len(links.fact):
        return
    for name in ("text", "words"):
        values, lent = row[name], row[f"linked_{name}"]
        np.maximum.at(lent, links.turn, values[links.fact])
        np.maximum.at(lent, links.fact, values[links.turn])


def speaker_and_date(scope: Records, question: Question, row: Mapping[str, Column]) -> None:
    speaker = scope.column("speaker")
    present = scope.present_speakers
    names_any, asked = question.asks_of(present)
    if asked:
        row["speaker"][:] = (speaker == scope.speakers.get(asked, NOWHERE)) * np.float32(2) - (speaker != 0)
    elif not names_any and question.about_user:
        row["speaker"][:] = scope.column("by_user") * np.float32(question.about_user)
    row["time_asked" if question.asks_when else "time_unasked"][:] = scope.column("time_words")
    if question.asks_number:
        row["number_asked"][:] = scope.column("numbers")
    for name in question.names.difference(present):
        row["entities"][scope.about(name)] += 1
    if span := question.span(scope.newest):
        row["date"][:] = date_match(scope.column("said_at"), span.start.timestamp(), span.end.timestamp())


def date_match(said_at: NDArray[np.float64], start: float, end: float) -> Column:
    """1 within the days that are meant, 0.5 close to them: what happened in a week is often told in the next one."""
    margin = min(max(end - start, 7 * DAY_S), 31 * DAY_S)
    near = (said_at >= start - margin) & (said_at < end + margin)
    inside = (said_at >= start) & (said_at < end)
    return (near * 0.5 + inside * 0.5).astype(np.float32)
