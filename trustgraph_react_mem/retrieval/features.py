"""The ranking formula: named feature columns with one value per record, for one question.

Scores are standardised per question over the scope's records (mean 0, standard deviation 1), so that a weight has the same
effect for every question and embedding model.  Flags are 0/1 or -1/0/1.  The fused score is the weighted sum of the columns
(weighting.py).

``columns`` is the only place where features are computed, of a scope in memory and of records fetched from the engine
(engine_ranking.py).  The latter are not the whole scope, so its statistics are passed (``Scoring``).

To add a feature:
1. add its name and weight to ``weighting.FEATURES`` and fill its row in ``columns`` or a function that ``columns`` calls;
2. if it needs a value of the record that is not a column yet, add the column to ``scope_columns._COLUMNS`` and read it from the
   payload in ``ScopeColumns._append``;
3. if the payload lacks the value, write it in ``indexing.document.fact_payload``.  Records stored earlier do not have the key,
   so the reader needs a default.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import MEAN_CONTEXT_TERMS, MEAN_TERMS
from ..indexing.time_cues import asks_number, asks_when
from ..indexing.tokenizer import guess_language, names, query_terms
from ..memory.ports import Vector
from .columns.bm25 import bm25, inverse_document_frequency
from .columns.scope_columns import NOWHERE, Links, ScopeColumns
from .columns.term_index import Floats, Slots
from .columns.vectors import Column, Spread
from .date_evidence import date_column
from .speakers import about_asker, acting_speaker, find_named
from .temporal import TimeRange, time_ranges
from .weighting import FEATURE_NAMES, ROWS

MEAN_WIDE_TERMS = 75.0
LEAST_DEVIATION = 1e-6
_OF_WORDS = frozenset({"words", "words_context", "words_wide", "covered"})
NO_VECTOR: Vector = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An analysed question.  ``vector`` (d,), empty until the question is embedded.  ``terms`` may contain repetitions."""

    text: str
    vector: Vector
    terms: tuple[str, ...]
    names: frozenset[str]
    asks_when: bool
    asks_number: bool
    asked_at: datetime | None
    zone: tzinfo  # of the asker
    language: str  # BCP 47
    asker: str  # lower-case name of who asks; "" = unknown
    about_user: int  # 1: about the asker ("my"), -1: about the assistant ("did you"), 0: neither or both

    @classmethod
    def read(
        cls,
        text: str,
        vector: Vector = NO_VECTOR,
        *,
        asked_at: datetime | None = None,
        zone: tzinfo = UTC,
        fallback_language: str = "en",
        spoken: Sequence[str] = (),
        asker: str = "",
    ) -> "Question":
        """Analyse a question.  ``fallback_language``: used if detection is not certain.

        ``spoken``: languages of the records.  ``asker``: name of the person who asks.
        """
        own = guess_language(text) or fallback_language
        return cls(
            text=text,
            vector=vector,
            terms=tuple(query_terms(text, "auto", fallback_language, spoken)),
            names=frozenset(names(text)),
            asks_when=asks_when(text),
            asks_number=asks_number(text),
            asked_at=asked_at,
            zone=zone,
            language=own,
            asker=asker.casefold(),
            about_user=about_asker(text),
        )

    def find_speaker(self, speakers: Collection[str]) -> tuple[bool, str]:
        """Whether the question names any of the speakers, and the one whose words it asks for ("" if none in particular)."""
        found = find_named(self.text, speakers)
        return bool(found), acting_speaker(self.text, found) if len(found) > 1 else "".join(found)

    def times(self, newest_s: float) -> tuple[TimeRange, ...]:
        """The time ranges that the question refers to.

        ``newest_s``: time of the newest record, POSIX seconds.  It serves as the present if ``asked_at`` is missing, for
        example in an old transcript.
        """
        newest = datetime.fromtimestamp(newest_s, UTC) if newest_s else None
        return time_ranges(self.text, self.asked_at or newest, zone=self.zone, language=self.language, latest=newest)


class Scoring:
    """Computes standard scores over the living records of a scope, and keeps the statistics used.

    ``whole``: the scoring of the whole scope if ``scope`` is only a part of it.  Then its statistics are used.

    The statistics are those of the records that were not derived from turns of the scope, as far as they differ.  Derived ones,
    short and plain, are more similar to any question, and would push the turns down.
    """

    def __init__(self, scope: ScopeColumns, whole: "Scoring | None" = None) -> None:
        self._living: NDArray[np.bool_] | None = scope.column("alive") if scope.dead else None
        self.alive = self._living
        self._whole = whole
        if len(scope.links.fact):
            self.alive = np.ones(scope.n, np.bool_) if self._living is None else self._living.copy()
            self.alive[scope.links.fact] = False
        self._spread: dict[str, Spread] = {}
        self._idf: dict[str, Floats] = {}

    def __call__(self, name: str, values: NDArray[Any]) -> Column:
        if self._whole is not None:
            return standardise_with(values, self._whole._spread.get(name, (0.0, 0.0)))
        scored, spread = standardise(values, self.alive)
        if spread[1] < LEAST_DEVIATION and name in _OF_WORDS:  # only derived records have the words
            scored, spread = standardise(values, self._living)
        self._spread[name] = spread
        return scored

    def rarity(self, name: str, counts: Floats, records: int) -> Floats:
        """(T,) inverse document frequency of terms by their (T, n) counts."""
        if self._whole is not None:
            return self._whole._idf[name]
        containing = np.count_nonzero(counts, axis=1).astype(np.float32)
        self._idf[name] = inverse_document_frequency(containing, records)
        return self._idf[name]


def columns(scope: ScopeColumns, question: Question, scoring: Scoring | None = None) -> NDArray[np.float32]:
    """(F, n) float32, rows in the order of FEATURE_NAMES.  Values of dead slots are undefined.

    ``scoring``: of ``scope``; None: a new one.
    """
    scored = scoring or Scoring(scope)
    n = scope.n
    table = np.zeros((len(FEATURE_NAMES), n), np.float32)
    if not len(scope):
        return table
    row = {name: table[number] for name, number in ROWS.items()}
    before, after = neighbours(scope, "prev"), neighbours(scope, "next")
    for name in ("text", "context"):
        row[name][:] = scored(name, scope.products(name, question.vector))
    np.maximum(row["text"], row["context"], out=row["nearest"])
    _word_scores(scope, question, row, scored, before, after)
    _neighbour_scores(scope, row, scored, before, after)
    _propagate_scores(scope.links, row)
    _speaker_and_date(scope, question, row)
    row["length"][:] = scored("length", np.log1p(scope.column("lengths")))
    row["recency"][:] = scored("recency", scope.column("said_at"))
    row["question"][:] = scope.column("question")
    row["importance"][:] = scope.column("importance") - np.float32(0.5)
    row["uses"][:] = np.log1p(scope.column("uses"))
    return table


def standardise(values: NDArray[Any], alive: NDArray[np.bool_] | None = None) -> tuple[Column, Spread]:
    """(n,) standard scores over the living records, and the mean and deviation used.

    A column without spread becomes zero.  Values of dead slots are undefined.
    """
    living = values if alive is None else values[alive]
    if not len(living):
        return np.zeros(len(values), np.float32), (0.0, 0.0)
    mean = living.mean()
    centred = living - mean
    # einsum does not use other threads, see dots().  std() would centre the values a second time.
    deviation = float(np.sqrt(np.einsum("n,n->", centred, centred) / len(centred)))
    spread = float(mean), deviation
    return standardise_with(values, spread), spread


def standardise_with(values: NDArray[Any], spread: Spread) -> Column:
    """Standard scores with a given mean and deviation; zero if the deviation is zero."""
    mean, deviation = spread
    if not np.isfinite(deviation) or deviation < LEAST_DEVIATION:
        return np.zeros(len(values), np.float32)
    scored = values - mean
    scored /= deviation
    result: Column = scored.astype(np.float32, copy=False)
    return result


def neighbours(scope: ScopeColumns, side: str) -> Slots:
    """(n + 1,) slot of the neighbouring turn; n means none.  ``side``: "prev" or "next"."""
    found = np.full(scope.n + 1, scope.n, np.int32)
    column = scope.column(side)
    np.copyto(found[:-1], column, where=column != NOWHERE)
    return found


def _take_or_zero(values: Column, slots: Slots) -> Column:
    """Values of other slots; 0, the mean of standard scores, if there is no such slot."""
    return np.append(values, np.float32(0))[slots[: len(values)]]


def _word_scores(
    scope: ScopeColumns, question: Question, row: Mapping[str, Column], scored: Scoring, before: Slots, after: Slots
) -> None:
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
            # The squared, rarity-weighted share of the question's terms that occur in the neighbourhood.
            row["covered"][:] = scored("covered", ((idf / idf.sum()) @ (found.near > 0)) ** 2)


def _neighbour_scores(scope: ScopeColumns, row: Mapping[str, Column], scored: Scoring, before: Slots, after: Slots) -> None:
    row["text_before"][:] = _take_or_zero(row["text"], before)
    row["text_after"][:] = _take_or_zero(row["text"], after)
    # A context vector includes the two previous turns, so the context vectors of the next turns include this record.
    row["context_after"][:] = _take_or_zero(row["context"], after)
    row["context_later"][:] = _take_or_zero(row["context"], after[after])
    source, size = scope.column("source"), len(scope.sources)
    if size < 2:
        return
    for name in ("text", "context", "words"):
        best = _max_per_conversation(row[name], source, size, scored.alive)
        row[f"session_{name}"][:] = scored(f"session_{name}", best[source])


def _max_per_conversation(values: Column, source: NDArray[Any], size: int, alive: NDArray[np.bool_] | None) -> Column:
    """(S,) maximum of each conversation; 0 for a conversation without living records."""
    best = np.full(size, -np.inf, np.float32)
    np.maximum.at(best, source if alive is None else source[alive], values if alive is None else values[alive])
    best[~np.isfinite(best)] = 0
    return best


def _propagate_scores(links: Links, row: Mapping[str, Column]) -> None:
    """Give each source turn the best score of the records derived from it, and each derived record that of its turns."""
    if not len(links.fact):
        return
    for name in ("text", "words"):
        values, target = row[name], row[f"linked_{name}"]
        np.maximum.at(target, links.turn, values[links.fact])
        np.maximum.at(target, links.fact, values[links.turn])


def _speaker_and_date(scope: ScopeColumns, question: Question, row: Mapping[str, Column]) -> None:
    """Fill the rows that depend on who is asked about and on times, numbers and names in the question."""
    speaker = scope.column("speaker")
    present = scope.present_speakers
    names_any, asked = question.find_speaker(present)
    if not names_any and question.about_user and question.asker in present:
        others = [name for name in present if name != question.asker]
        if question.about_user > 0:
            asked = question.asker
        elif len(others) == 1 and (scope.column("by_user") >= 0).all():  # "you" is the other one of two people
            asked = others[0]
    if asked:
        row["speaker"][:] = (speaker == scope.speakers.get(asked, NOWHERE)) * np.float32(2) - (speaker != 0)
    elif not names_any and question.about_user:
        row["speaker"][:] = scope.column("by_user") * np.float32(question.about_user)
    row["time_asked" if question.asks_when else "time_unasked"][:] = scope.column("time_words")
    if question.asks_number:
        row["number_asked"][:] = scope.column("numbers")
    for name in question.names.difference(present):
        row["entities"][scope.slots_mentioning(name)] += 1
    if ranges := question.times(scope.newest):
        row["date"][:] = date_column(scope.column("said_at"), ranges)
