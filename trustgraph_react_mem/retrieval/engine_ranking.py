"""Ranking in a scope too large to hold, or not loaded yet: candidates come from the engine.

Scores are spread as a sample of the scope spreads.  The keys that need no neighbours are the same as for a scope in memory,
computed from the stored vectors and term weights.  Of the records around a candidate only those that are candidates themselves
count; the others stay 0, which is the mean of a standard score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..indexing.document import term_id
from ..memory.ports import IndexPoint, JsonValue, Matrix, SparseVector
from ..memory.timefmt import parse_time
from .bm25 import Floats, inverse_document_frequency
from .features import (
    FEATURE_NAMES,
    SCORED_KEYS,
    Question,
    coverage,
    date_match,
    max_per_conversation,
    propagate_scores,
    standard,
)
from .scope_columns import Links
from .temporal import holds_number, speaks_of_time
from .vectors import dots

_NOTHING = SparseVector(indices=(), values=())
_ROW = {name: row for row, name in enumerate(FEATURE_NAMES)}
_BESIDE = (
    ("text_before", "text", -1),
    ("text_after", "text", 1),
    ("context_after", "context", 1),
    ("context_later", "context", 2),
)


class TermTable:
    """Stored term weights of many records, sorted by term, so that one query reads only its own terms."""

    def __init__(self, vectors: Sequence[SparseVector]) -> None:
        self.size = len(vectors)
        sizes = [len(vector.indices) for vector in vectors]
        terms = np.fromiter((term for vector in vectors for term in vector.indices), np.int64, sum(sizes))
        values = np.fromiter((value for vector in vectors for value in vector.values), np.float32, sum(sizes))
        order = np.argsort(terms, kind="stable")
        self._terms, self._values = terms[order], values[order]
        self._owners = np.repeat(np.arange(self.size, dtype=np.int32), sizes)[order]

    def weights(self, wanted: NDArray[np.int64]) -> Floats:
        """(T, size) weight of each wanted term in each record."""
        table = np.zeros((len(wanted), self.size), np.float32)
        for row, start, end in zip(
            table, np.searchsorted(self._terms, wanted), np.searchsorted(self._terms, wanted, "right"), strict=True
        ):
            row[self._owners[start:end]] = self._values[start:end]
        return table


@dataclass(frozen=True, slots=True)
class Keys:
    """The scored keys of some records: (n, d) vectors and term weights."""

    text: Matrix
    context: Matrix
    words: TermTable
    words_context: TermTable

    @classmethod
    def of(cls, points: Sequence[IndexPoint], dimension: int) -> "Keys":
        text = np.zeros((len(points), dimension), np.float32)
        context = np.zeros((len(points), dimension), np.float32)
        for slot, point in enumerate(points):
            text[slot] = point.vectors["text"]
            context[slot] = point.vectors.get("context", point.vectors["text"])
        words = [point.sparse.get("words", _NOTHING) for point in points]
        around = [point.sparse.get("words_context") or own for point, own in zip(points, words, strict=True)]
        return cls(text, context, TermTable(words), TermTable(around))

    def raw(self, question: Question, idf: Mapping[str, Floats]) -> dict[str, Floats]:
        wanted = term_ids(question)
        return {
            "text": dots(self.text, question.vector),
            "context": dots(self.context, question.vector),
            "words": idf["words"] @ self.words.weights(wanted),
            "words_context": idf["words_context"] @ self.words_context.weights(wanted),
            "covered": coverage(self.words_context.weights(wanted), idf["words"]) if len(wanted) else _none(len(self.text)),
        }

    def idf(self, question: Question) -> dict[str, Floats]:
        wanted = term_ids(question)
        return {
            name: inverse_document_frequency(np.count_nonzero(table.weights(wanted), axis=1).astype(np.float32), table.size)
            for name, table in (("words", self.words), ("words_context", self.words_context))
        }


def term_ids(question: Question) -> NDArray[np.int64]:
    return np.array(sorted({term_id(term) for term in question.terms}), np.int64)


class EngineScope:
    """A sample of a large scope's records, and who speaks in it."""

    def __init__(self, points: Sequence[IndexPoint], dimension: int) -> None:
        self.keys = Keys.of(points, dimension)
        self.dimension = dimension
        self.speakers = {str(point.payload.get("speaker") or "").casefold() for point in points} - {""}
        said = [at.timestamp() for point in points if (at := parse_time(point.payload.get("said_at")))]
        self.newest = max(said, default=0.0)
        languages = [str(point.payload.get("language") or "") for point in points]
        self.language = max(set(languages), key=languages.count) if languages else "en"

    @property
    def bytes(self) -> int:
        return self.keys.text.nbytes * 2 + 500 * len(self.keys.text)

    def columns(self, question: Question, points: Sequence[IndexPoint]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(F, K) columns of candidates in the order of FEATURE_NAMES, and their (K,) raw cosines (the better dense key)."""
        table = np.zeros((len(FEATURE_NAMES), len(points)), np.float32)
        idf = self.keys.idf(question)
        spread = self.keys.raw(question, idf)
        raw = Keys.of(points, self.dimension).raw(question, idf)
        for name in (*SCORED_KEYS, "covered"):
            sample = spread[name]
            deviation = float(sample.std()) if len(sample) else 0.0
            if deviation > 1e-6:
                table[_ROW[name]] = (raw[name] - float(sample.mean())) / deviation
        # The wide neighbourhood is not stored; the near one says most of it.
        table[_ROW["words_wide"]] = table[_ROW["words_context"]]
        np.maximum(table[_ROW["text"]], table[_ROW["context"]], out=table[_ROW["nearest"]])
        _around(points, table)
        asks_of = question.asks_of(self.speakers)
        span = question.span(self.newest)
        for column, point in enumerate(points):
            for name, value in _flags(question, point.payload, *asks_of).items():
                table[_ROW[name], column] = value
            table[_ROW["length"], column] = np.log1p(len(point.sparse.get("words", _NOTHING).indices))
            if span and (said := parse_time(point.payload.get("said_at")) or parse_time(point.payload.get("created_at"))):
                at = np.array([said.timestamp()])
                table[_ROW["date"], column] = date_match(at, span.start.timestamp(), span.end.timestamp())[0]
        lengths = table[_ROW["length"]]
        table[_ROW["length"]] = (lengths - np.float32(2.6)) / np.float32(0.6)  # of turns in ordinary dialogue
        return table, np.maximum(raw["text"], raw["context"])


def _around(points: Sequence[IndexPoint], table: NDArray[np.float32]) -> None:
    """What stands beside a candidate in its conversation and what it was made from, as far as those are candidates too."""
    place: dict[tuple[str, int], int] = {}
    slot = {point.id: column for column, point in enumerate(points)}
    sources: dict[str, int] = {}
    source = np.zeros(len(points), np.int32)
    for column, point in enumerate(points):
        of = str(point.payload.get("source") or "")
        source[column] = sources.setdefault(of, len(sources))
        if of and point.payload.get("kind") == "turn":
            place[of, int(point.payload.get("position") or 0)] = column  # type: ignore[arg-type]
    for (of, position), column in place.items():
        for key, beside, step in _BESIDE:
            other = place.get((of, position + step))
            if other is not None:
                table[_ROW[key], column] = table[_ROW[beside], other]
    if len(sources) > 1:
        for name in ("text", "context", "words"):
            best = max_per_conversation(table[_ROW[name]], source, len(sources), None)
            table[_ROW[f"session_{name}"]] = standard(best[source])
    made = [(column, slot[turn]) for column, point in enumerate(points) for turn in _turns(point) if turn in slot]
    pairs = np.array([pair for pair in made if pair[0] != pair[1]], np.int32).reshape(-1, 2)
    propagate_scores(Links(pairs[:, 0], pairs[:, 1]), {name: table[row] for name, row in _ROW.items()})


def _turns(point: IndexPoint) -> Sequence[str]:
    found = point.payload.get("turn_ids")
    return [str(turn) for turn in found] if isinstance(found, list) else []


def _none(count: int) -> Floats:
    return np.zeros(count, np.float32)


def _flags(question: Question, payload: Mapping[str, JsonValue], names_any: bool, asked: str) -> dict[str, float]:
    content = str(payload.get("content") or "")
    speaker = str(payload.get("speaker") or "").casefold()
    said_by = {"user": 1.0, "assistant": -1.0}.get(str(payload.get("trust") or "user"), 0.0)
    flags = {
        "question": float(content.rstrip(" \"')]")[-1:] in ("?", "？")),
        "time_asked" if question.asks_when else "time_unasked": float(speaks_of_time(content)),
        "importance": float(payload.get("importance", 0.5)) - 0.5,  # type: ignore[arg-type]
        "uses": float(np.log1p(float(payload.get("uses") or 0))),  # type: ignore[arg-type]
    }
    if question.asks_number:
        flags["number_asked"] = float(holds_number(content))
    if speaker and asked:
        flags["speaker"] = 1.0 if speaker == asked else -1.0
    elif not names_any and payload.get("kind") == "turn":
        flags["speaker"] = said_by * question.about_user
    return flags
