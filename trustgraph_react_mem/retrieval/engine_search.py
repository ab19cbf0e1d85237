"""Candidates of a scope that stays in the engine: the best under each key, fetched and ranked like a scope in memory."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from ..indexing.document import query_sparse
from ..memory.ports import IndexPoint, JsonValue, VectorIndex
from ..memory.scope import Scope
from ..memory.timefmt import parse_time
from .candidates import RECENT_TURNS, SPARE, CandidatePool
from .engine_ranking import EngineScope
from .features import Question, fused
from .query import RetrievalQuery

PER_KEY = 40  # records asked from the engine under each key


async def candidates_from_engine(
    index: VectorIndex, scope: Scope, sampled: EngineScope, question: Question, query: RetrievalQuery, now: datetime
) -> tuple[CandidatePool, CandidatePool]:
    """The best facts, and the best rules where rules are asked for.  Raises EngineUnavailable."""
    kinds = {"kind": list(query.kinds)} if query.kinds else {}
    # A condition makes the engine read the payload of every record it must match, which nearly doubles a search.  Few records
    # are not active, so they are dropped afterwards; only a scope where many are not is searched again with the condition.
    ids = await _search(index, scope, sampled, question, query, now, kinds)
    if len(ids) < query.candidates:
        ids = await _search(index, scope, sampled, question, query, now, {"status": ["active"], **kinds})
    points = await index.fetch(scope, ids, with_vectors=True)
    pool = await asyncio.to_thread(_ranked, sampled, question, points)  # milliseconds of arithmetic
    is_rule = [payload.get("kind") == "procedural" for payload in pool.payloads]
    rules = pool.take([row for row, rule in enumerate(is_rule) if rule][: query.rules])
    if query.kinds:  # rules were searched besides
        rows = [row for row, payload in enumerate(pool.payloads) if payload.get("kind") in query.kinds]
    else:
        rows = [row for row, rule in enumerate(is_rule) if not (rule and query.rules)]
    return pool.take(rows[: query.candidates + SPARE]), rules


def _ranked(sampled: EngineScope, question: Question, points: Sequence[IndexPoint]) -> CandidatePool:
    table, cosines = sampled.columns(question, points)
    pool = CandidatePool(
        ids=[point.id for point in points],
        payloads=[point.payload for point in points],
        vectors=np.array([point.vectors["text"] for point in points], np.float32).reshape(len(points), -1),
        table=table,
        base=fused(table),
        cosines=cosines,
    )
    return pool.take(np.argsort(-pool.base, kind="stable").tolist())


async def _search(
    index: VectorIndex,
    scope: Scope,
    sampled: EngineScope,
    question: Question,
    query: RetrievalQuery,
    now: datetime,
    match: Mapping[str, Sequence[str]],
) -> list[str]:
    """Ids found under every key, without those that must not be recalled."""
    words = query_sparse(question.text, query.language, fallback=sampled.language or "en")
    dense = ("text", "context") if question.vector.any() else ()
    searches = [index.search_dense(scope, name, question.vector, limit=PER_KEY, match=match) for name in dense]
    if words.indices:
        searches += [index.search_sparse(scope, name, words, limit=PER_KEY, match=match) for name in ("words", "words_context")]
    if query.rules and dense:
        rules = {"status": ["active"], "kind": ["procedural"]}
        searches.append(index.search_dense(scope, "text", question.vector, limit=query.rules, match=rules))
    hits = await asyncio.gather(*searches)
    found = {hit.id: hit.payload for each in hits for hit in each}
    newest = max((_position(payload, query.conversation_id) for payload in found.values()), default=-1)
    excluded = set(query.exclude)
    return [
        record_id
        for record_id, payload in found.items()
        if record_id not in excluded and _is_valid(payload, now) and not _is_recent(payload, query.conversation_id, newest)
    ]


def _is_valid(payload: Mapping[str, JsonValue], now: datetime) -> bool:
    until = parse_time(payload.get("valid_to"))
    return (until is None or until > now) and (payload.get("status") or "active") == "active"


def _position(payload: Mapping[str, JsonValue], conversation_id: str) -> int:
    """Of a turn in the running conversation; -1 for any other record."""
    if not conversation_id or payload.get("source") != conversation_id or payload.get("kind") != "turn":
        return -1
    return int(payload.get("position") or 0)  # type: ignore[arg-type]


def _is_recent(payload: Mapping[str, JsonValue], conversation_id: str, newest: int) -> bool:
    position = _position(payload, conversation_id)
    return position >= 0 and position > newest - RECENT_TURNS
