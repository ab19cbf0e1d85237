"""Convert records to index documents (texts to embed, term weights, payload) and payloads back to records.

The point of a fact has up to four vectors:
- dense ``text``: "Speaker: content".  The speaker's name improves retrieval more than any other feature of the document.
  Of a lesson it is the condition: the tasks to which it applies resemble that, and not the advice.
- dense ``context`` (turns only): the ends of the two previous turns and the turn, because answers rarely repeat the words of a
  question.  A long turn has none: it is understood by itself.
- sparse ``words``: the terms of the text with BM25 weights
- sparse ``words_context`` (turns only): the terms of the previous turn, the turn and the next turn
A hit on any of them returns only the turn itself, so neighbours add nothing to the prompt.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory.codec import decode_fields, encode_fields
from ..memory.former import status_at
from ..memory.ports import IndexPoint, JsonValue, SparseVector, Vector
from ..memory.records import INSTRUCTION, LANGUAGE, LESSON, ONLY_IN, Episode, Fact
from ..schema import Episode as WireEpisode
from ..schema import Fact as WireFact
from .tokenizer import LANGUAGES, guess_language, primary_language, query_terms, terms

K1 = 1.2
B = 0.75
# The mean document lengths of BM25.  They are constants, so that stored weights stay valid as the number of records grows.
MEAN_TERMS = 15.0
MEAN_CONTEXT_TERMS = 45.0
CONTEXT_BEFORE = 2
CONTEXT_CHARS = 300  # of a previous turn
LONG_CHARS = 800  # of a turn that needs no context

FACT_FIELDS = (
    "kind", "content", "speaker", "source", "invocation_id", "position", "said_at", "created_at", "valid_from", "valid_to",
    "superseded_at", "superseded_by", "status", "trust", "importance", "turn_ids", "entities", "condition", "action", "uses",
    "version",
)  # fmt: skip
WIRE_FIELDS = (*(name for name in FACT_FIELDS if name not in ("invocation_id", "position", "said_at", "status")), "metadata")
_TOLD = ("goal", "steps", "outcome", "lessons", "succeeded", "source", "importance")
EPISODE_FIELDS, WIRE_EPISODE_FIELDS = (*_TOLD, "created_at"), (*_TOLD, "metadata")
#: Payload of a point whose text the embedding model refused: its vectors are zero, and re-embedding tries it again.
WITHOUT_VECTOR: Mapping[str, JsonValue] = {"vector": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDocument:
    """A record prepared for the index.  ``texts``: vector name -> passage to embed.  ``sparse``: vector name -> weights."""

    id: str
    texts: Mapping[str, str]
    sparse: Mapping[str, SparseVector]
    payload: Mapping[str, JsonValue] = field(default_factory=dict)

    def point(self, vectors: Mapping[str, Vector]) -> IndexPoint:
        """The index point with these vectors, one for each text."""
        return IndexPoint(id=self.id, vectors=dict(vectors), sparse=self.sparse, payload=self.payload)


def is_without_vector(point: IndexPoint) -> bool:
    return WITHOUT_VECTOR.items() <= point.payload.items()


def with_speaker(speaker: str, content: str) -> str:
    """The text that is embedded and searched: "Speaker: content"."""
    return f"{speaker}: {content}" if speaker else content


@lru_cache(maxsize=16)  # of long texts, too; each turn is part of the documents of three turns
def _terms(text: str, language: str) -> Sequence[str]:
    return terms(text, language)


def fact_document(fact: Fact, *, previous: Sequence[Fact] = (), following: Sequence[Fact] = ()) -> IndexDocument:
    """The document of a fact.

    ``previous``, ``following``: neighbouring turns of the conversation, oldest first.  When a turn is added, the turn before
    it needs a new document.
    """
    own = _searchable(fact)
    language = _language_of(fact) or guess_language(fact.content)
    payload = fact_payload(fact, language)
    texts = {"text": fact.condition if is_lesson(payload) else own}
    sparse = {"words": bm25_weights(_terms(own, language or guess_language(own) or "en"), MEAN_TERMS)}
    before = [turn for turn in previous if turn.id != fact.id][-CONTEXT_BEFORE:]
    if fact.kind == "turn":
        if before and len(own) <= LONG_CHARS:
            texts["context"] = " ".join([*(with_speaker(turn.speaker, turn.content[-CONTEXT_CHARS:]) for turn in before), own])
        near = [*before[-1:], fact, *following[:1]]
        around: list[str] = []
        for turn in near:
            said = with_speaker(turn.speaker, turn.content)
            # As in the turn's own document, so that stored and computed counts of neighbours agree.
            spoken = _language_of(turn) or guess_language(turn.content) or guess_language(said) or "en"
            around += _terms(said, spoken)
        sparse["words_context"] = bm25_weights(around, MEAN_CONTEXT_TERMS)
    return IndexDocument(id=fact.id, texts=texts, sparse=sparse, payload=payload)


def episode_document(episode: Episode) -> IndexDocument:
    """The document of an episode: its goal, and as context its goal, lessons and outcome."""
    text = " ".join(part for part in (episode.goal, episode.lessons, episode.outcome) if part)
    language = _language_of(episode) or guess_language(text)
    sparse = {"words": bm25_weights(terms(text, language), MEAN_CONTEXT_TERMS)}
    payload = _without_empty(_fields_of(episode, language))
    return IndexDocument(id=episode.id, texts={"text": episode.goal, "context": text}, sparse=sparse, payload=payload)


def bm25_weights(found: Iterable[str], mean_terms: float) -> SparseVector:
    """The document side of BM25: saturated counts, normalised by length.  The engine adds the inverse document frequency.

    Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
    """
    counts = Counter(found)
    scale = K1 * (1 - B + B * counts.total() / mean_terms)
    by_id: dict[int, float] = {}
    for term, count in counts.items():
        key = term_id(term)
        by_id[key] = by_id.get(key, 0.0) + count * (K1 + 1) / (count + scale)
    return SparseVector(indices=tuple(by_id), values=tuple(by_id.values()))


def counts_of_weights(
    values: NDArray[np.float32], owners: NDArray[np.int32], records: int, mean_terms: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The inverse of ``bm25_weights``: (N,) term counts and (records,) lengths from the stored weights of many records.

    ``values``: (N,) weights.  ``owners``: (N,) record number of each weight.

    A weight is w = tf (K1 + 1) / (tf + s) with s = K1 (1 - B + B length / mean), so w / (K1 + 1 - w) = tf / s.  The sum of
    this over a record is length / s, which determines the length, then s, then tf.
    """
    ratio = values / np.maximum(K1 + 1 - values, 1e-6)  # two terms with the same id can exceed the limit of one weight
    total = np.bincount(owners, ratio, records)
    lengths = K1 * (1 - B) * total / np.maximum(1 - K1 * B * total / mean_terms, 1e-6)
    scale = K1 * (1 - B + B * lengths / mean_terms)
    return np.rint(ratio * scale[owners]).astype(np.float32), np.rint(lengths).astype(np.float32)


def query_sparse(text: str, fallback: str = "en", spoken: Sequence[str] = ()) -> SparseVector:
    """The sparse vector of a query: weight 1 for each distinct term.  ``spoken``: see ``query_terms``."""
    ids = dict.fromkeys(term_id(term) for term in query_terms(text, "auto", fallback, spoken))
    return SparseVector(indices=tuple(ids), values=(1.0,) * len(ids))


def term_id(term: str) -> int:
    """A 32-bit id of the term that is stable across processes and versions."""
    return zlib.crc32(term.encode())


# ---------------------------------------------------------------------------------------------------- payloads


def fact_payload(fact: Fact, language: str) -> dict[str, JsonValue]:
    """The payload of a fact in the index, without empty fields.  ``language``: ISO 639-1, as used for its terms."""
    return _without_empty(_fields_of(fact, language))


def _fields_of(record: Fact | Episode, language: str) -> dict[str, JsonValue]:
    is_fact = isinstance(record, Fact)
    own = encode_fields(record, FACT_FIELDS) if is_fact else {"kind": "episode", **encode_fields(record, EPISODE_FIELDS)}
    return {**own, "language": language, "metadata": dict(record.metadata)}


def _without_empty(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Half of a record's fields are empty, and their names would be stored with each point."""
    return {name: value for name, value in fields.items() if not _is_empty(value)}


def _is_empty(value: JsonValue) -> bool:
    return value is None or value == "" or value == [] or value == {}


def describes(payload: Mapping[str, Any], record: Fact | Episode) -> bool:
    """Whether the payload of a point is that of the record as it is now.  Derived fields are not compared."""
    expected = _fields_of(record, str(payload.get("language") or ""))
    return all(payload[name] == value if name in payload else _is_empty(value) for name, value in expected.items())


def is_given_rule(payload: Mapping[str, Any]) -> bool:
    """Whether the record is a rule that a person gave."""
    return payload.get("kind") == "procedural" and INSTRUCTION in (payload.get("metadata") or ())


def is_standing(payload: Mapping[str, Any]) -> bool:
    """Whether the record is a rule that a person gave and that has no condition."""
    return is_given_rule(payload) and not payload.get("condition")


def is_lesson(payload: Mapping[str, Any]) -> bool:
    """Whether the record is a rule that the agent drew from its own work."""
    return payload.get("kind") == "procedural" and bool(payload.get("condition")) and LESSON in (payload.get("metadata") or ())


def only_in(payload: Mapping[str, Any]) -> str:
    """The only conversation in which the record holds; "": it holds everywhere."""
    return str((payload.get("metadata") or {}).get(ONLY_IN) or "")


def wire_fact(fact: Fact, now: datetime) -> WireFact:
    return wire_from_payload(fact.id, fact_payload(fact, ""), now)


def wire_from_payload(record_id: str, payload: Mapping[str, JsonValue], now: datetime) -> WireFact:
    """The wire record, with its status now.  ``timestamp``: when a turn was said, otherwise when the record was created."""
    return WireFact(
        id=record_id,
        timestamp=str(payload.get("said_at") or payload.get("created_at") or ""),
        status=status_at(payload, now),
        **decode_fields(WireFact, WIRE_FIELDS, payload),
    )


def wire_episode(episode: Episode) -> WireEpisode:
    shown = wire_episode_from_payload(episode.id, _fields_of(episode, ""))
    return replace(shown, status="undone") if episode.undone_at else shown


def wire_episode_from_payload(record_id: str, payload: Mapping[str, JsonValue]) -> WireEpisode:
    created_at = str(payload.get("created_at") or "")
    return WireEpisode(id=record_id, timestamp=created_at, **decode_fields(WireEpisode, WIRE_EPISODE_FIELDS, payload))


def _language_of(record: Fact | Episode) -> str:
    """The supported language set in the metadata, or "".  With "" the caller guesses it from the text."""
    code = primary_language(str(record.metadata.get(LANGUAGE, "")))
    return code if code in LANGUAGES else ""


def _searchable(fact: Fact) -> str:
    rule = f"{fact.condition} {fact.action}".strip() if fact.kind == "procedural" else ""
    content = fact.content if not rule or rule in fact.content else f"{fact.content} {rule}"
    return with_speaker(fact.speaker, content)
