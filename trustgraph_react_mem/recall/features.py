"""What a record is ranked by: named columns, one value a record, for one query.

Columns of scores are per-query standard scores over the scope's records (mean 0, spread 1), so that adding them with fixed
weights means the same for every query and embedding model; flags are 0/1 or -1/0/1.  The fused score is their weighted
sum.  Weights were tuned on two conversations and checked on others (bench/recall.py), then frozen here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory.keys import MEAN_CONTEXT_TERMS, MEAN_TERMS
from ..memory.language import guess_language, names, terms
from ..memory.ports import Matrix, Vector
from .bm25 import Slots, bm25, inverse_document_frequency
from .hot import NOWHERE, HotScope
from .times import TimeRange, asks_number, asks_when, time_range

Column = NDArray[np.float32]
MEAN_WIDE_TERMS = 75.0
DAY_S = 86400.0
ONE_THREAD = 300_000  # elements of a matrix that BLAS multiplies without other threads

_FIRST_PERSON = re.compile(
    r"\b(?:i|my|me|mine|our|we|ich|mein\w*|mir|mich|unser\w*|je|j'|mon|ma|mes|moi|notre|nos|yo|mi|mis|mío|nuestr\w*)\b|私|僕|我",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|du|dein\w*|dir|tu|ton|ta|tes|vous|votre|tú|tus)\b|あなた|你", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query, read once."""

    text: str
    vector: Vector
    terms: tuple[str, ...]
    names: frozenset[str]
    asks_when: bool
    asks_number: bool
    asked_at: datetime | None
    about_user: int  # 1: speaks of the asker ("my"), -1: of the assistant ("did you"), 0: neither or both

    @classmethod
    def read(cls, text: str, vector: Vector, *, asked_at: datetime | None = None, fallback_language: str = "en") -> "Question":
        first, second = _FIRST_PERSON.search(text) is not None, _SECOND_PERSON.search(text) is not None
        return cls(
            text=text,
            vector=vector,
            terms=tuple(terms(text, guess_language(text) or fallback_language)),
            names=frozenset(names(text)),
            asks_when=asks_when(text),
            asks_number=asks_number(text),
            asked_at=asked_at,
            about_user=int(first) - int(second),
        )

    def span(self, newest_s: float) -> TimeRange | None:
        """The days it speaks of.  ``newest_s``: when the newest record was said, the present of an old transcript."""
        newest = datetime.fromtimestamp(newest_s, UTC) if newest_s else None
        return time_range(self.text, self.asked_at or newest, latest=newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """``weight`` is its part in the fused score.  ``flag``: its values are of a fixed scale, not a standard score."""

    weight: float
    flag: bool = False


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
    "speaker": Feature(weight=1.15, flag=True),
    "question": Feature(weight=-0.2, flag=True),
    "length": Feature(weight=0.1),
    "time_asked": Feature(weight=2.2, flag=True),
    "time_unasked": Feature(weight=0.2, flag=True),
    "number_asked": Feature(weight=0.0, flag=True),
    "date": Feature(weight=4.5, flag=True),
    "entities": Feature(weight=0.0, flag=True),
    "recency": Feature(weight=0.0),
    "importance": Feature(weight=0.3, flag=True),
    "uses": Feature(weight=0.0, flag=True),
}
FEATURE_NAMES: tuple[str, ...] = tuple(FEATURES)
WEIGHTS = np.array([feature.weight for feature in FEATURES.values()], np.float32)
# Without usable vectors the words must carry the whole.
_WORDS_ALONE = WEIGHTS + np.array([{"words": 1.0, "words_context": 0.5}.get(name, 0.0) for name in FEATURES], np.float32)
SCORED_KEYS = ("text", "context", "words", "words_context")
_ROW = {name: row for row, name in enumerate(FEATURE_NAMES)}


def columns(scope: HotScope, question: Question) -> NDArray[np.float32]:
    """(F, n) in the order of FEATURE_NAMES; rows of dead slots hold nothing meaningful."""
    n = scope.n
    table = np.zeros((len(FEATURES), n), np.float32)
    if not len(scope):
        return table
    row = {name: table[number] for name, number in _ROW.items()}
    alive = scope.column("alive") if scope.dead else None
    before, after = _neighbours(scope, "prev"), _neighbours(scope, "next")
    _vectors(scope, question, row, alive)
    _words(scope, question, row, alive, before, after)
    _around(scope, row, before, after)
    _links(scope, row)
    _who_and_when(scope, question, row)
    row["length"][:] = standard(np.log1p(scope.column("lengths")), alive)
    row["recency"][:] = standard(scope.column("said_at"), alive)
    row["question"][:] = scope.column("question")
    row["importance"][:] = scope.column("importance") - np.float32(0.5)
    row["uses"][:] = np.log1p(scope.column("uses"))
    return table


def fused(table: NDArray[np.float32]) -> Column:
    """(n,) weighted sum of (F, n) columns: what retrieval ranks by."""
    weights = WEIGHTS if table[_ROW["nearest"]].any() else _WORDS_ALONE
    result: Column = np.einsum("f,fn->n", weights, table)  # in this thread, see dots()
    return result


def dots(matrix: Matrix, vector: Vector) -> Column:
    """(n,) products of (n, d) rows with a vector, in slices that BLAS does in this thread.

    Handing 1 ms of work to other threads costs ten times as much as soon as the cores are busy with something else.
    """
    result = np.empty(len(matrix), np.float32)
    step = max(1, ONE_THREAD // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        np.dot(matrix[start : start + step], vector, out=result[start : start + step])
    return result


def standard(values: NDArray[Any], alive: NDArray[np.bool_] | None = None) -> Column:
    """Standard score over the living; a column without spread becomes zero.  Dead rows are not meaningful."""
    living = values if alive is None else values[alive]
    if not len(living):
        return np.zeros(len(values), np.float32)
    centred = living - living.mean()
    spread = float(np.sqrt(np.einsum("n,n->", centred, centred) / len(centred)))
    if not np.isfinite(spread) or spread < 1e-6:
        return np.zeros(len(values), np.float32)
    scored = centred if alive is None else values - living.mean()
    scored /= spread
    result: Column = scored.astype(np.float32, copy=False)
    return result


def _neighbours(scope: HotScope, side: str) -> Slots:
    """(n + 1,) slot of the neighbour; n, the place of "nobody", where there is none."""
    found = np.full(scope.n + 1, scope.n, np.int32)
    column = scope.column(side)
    np.copyto(found[:-1], column, where=column != NOWHERE)
    return found


def _at(values: Column, slots: Slots) -> Column:
    """Values of other slots; 0, the mean of standard scores, for nobody."""
    return np.append(values, np.float32(0))[slots[: len(values)]]


def _vectors(scope: HotScope, question: Question, row: Mapping[str, Column], alive: NDArray[np.bool_] | None) -> None:
    row["text"][:] = standard(dots(scope.text, question.vector), alive)
    row["context"][:] = standard(dots(scope.context, question.vector), alive)
    np.maximum(row["text"], row["context"], out=row["nearest"])


def _words(
    scope: HotScope, question: Question, row: Mapping[str, Column], alive: NDArray[np.bool_] | None, before: Slots, after: Slots
) -> None:
    own = scope.words.counts(question.terms, scope.n)
    if not len(own):
        return
    lengths = np.append(scope.column("lengths"), np.float32(0))
    near, near_lengths = own + own.take(before, 1) + own.take(after, 1), lengths + lengths[before] + lengths[after]
    before2, after2 = before[before], after[after]
    wide, wide_lengths = near + own.take(before2, 1) + own.take(after2, 1), near_lengths + lengths[before2] + lengths[after2]
    for name, counts, size, mean in (
        ("words", own, lengths, MEAN_TERMS),
        ("words_context", near, near_lengths, MEAN_CONTEXT_TERMS),
        ("words_wide", wide, wide_lengths, MEAN_WIDE_TERMS),
    ):
        idf = inverse_document_frequency(np.count_nonzero(counts[:, :-1], axis=1).astype(np.float32), len(scope))
        row[name][:] = standard(bm25(counts, size, mean, idf)[:-1], alive)
        if name == "words":
            row["covered"][:] = standard(((idf / idf.sum()) @ (near > 0))[:-1] ** 2, alive)


def _around(scope: HotScope, row: Mapping[str, Column], before: Slots, after: Slots) -> None:
    row["text_before"][:] = _at(row["text"], before)
    row["text_after"][:] = _at(row["text"], after)
    # A context key looks back over two turns, so the next turns' context keys hold this record too.
    row["context_after"][:] = _at(row["context"], after)
    row["context_later"][:] = _at(row["context"], after[after])
    source, size = scope.column("source"), len(scope.sources)
    if size < 2:
        return
    alive = scope.column("alive")
    for name in ("text", "context", "words"):
        best = np.full(size, -np.inf, np.float32)
        np.maximum.at(best, source[alive], row[name][alive])
        best[~np.isfinite(best)] = 0
        row[f"session_{name}"][:] = standard(best[source], alive)


def _links(scope: HotScope, row: Mapping[str, Column]) -> None:
    """A record lends its score to the turns it was made from, and a turn to the records made from it."""
    links = scope.links
    if not len(links.fact):
        return
    for name in ("text", "words"):
        values, lent = row[name], row[f"linked_{name}"]
        np.maximum.at(lent, links.turn, values[links.fact])
        np.maximum.at(lent, links.fact, values[links.turn])


def _who_and_when(scope: HotScope, question: Question, row: Mapping[str, Column]) -> None:
    speaker = scope.column("speaker")
    present = scope.present_speakers
    named = {scope.speakers[name] for name in present if is_named(name, question.names)}
    if len(named) == 1:
        row["speaker"][:] = np.where(speaker == named.pop(), 1, -1) * (speaker != 0)
    elif not named and question.about_user:
        row["speaker"][:] = scope.column("by_user") * np.float32(question.about_user)
    row["time_asked" if question.asks_when else "time_unasked"][:] = scope.column("time_words")
    if question.asks_number:
        row["number_asked"][:] = scope.column("numbers")
    for name in question.names.difference(present):
        row["entities"][scope.entity_slots.get(name, [])] += 1
    if span := question.span(scope.newest):
        row["date"][:] = date_match(scope.column("said_at"), span.start.timestamp(), span.end.timestamp())


def date_match(said_at: NDArray[np.float64], start: float, end: float) -> Column:
    """1 within the days that are meant, 0.5 close to them: what happened in a week is often told in the next one."""
    margin = min(max(end - start, 7 * DAY_S), 31 * DAY_S)
    near = (said_at >= start - margin) & (said_at < end + margin)
    inside = (said_at >= start) & (said_at < end)
    return (near * 0.5 + inside * 0.5).astype(np.float32)


def is_named(speaker: str, found: frozenset[str]) -> bool:
    """A first name or its short form names a speaker: "Mel" and "Melanie" both name "Melanie Reed"."""
    first = speaker.split()[0]
    return any(name in speaker.split() or (len(name) >= 3 and first.startswith(name)) for name in found)
