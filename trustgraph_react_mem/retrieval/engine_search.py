"""Candidates from the engine: the best records under each vector key, fetched and ranked like records in memory."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

import numpy as np

from ..indexing.document import is_standing, only_in, query_sparse
from ..indexing.token_signs import TOKENS, read_signs
from ..memory.former import former_since, recalled_until, status_at
from ..memory.ports import IndexPoint, JsonValue, VectorIndex
from ..memory.scope import Scope
from ..memory.timefmt import parse_time
from .candidate_pool import FORMER_CANDIDATES, SPARE, CandidatePool, is_telling
from .engine_ranking import EngineScope
from .features import Question
from .query import RetrievalQuery
from .replacements import Replaced, find_replaced
from .weighting import fuse, weights_for

PER_KEY = 40  # records requested from the engine under each vector key


async def candidates_from_engine(
    index: VectorIndex, scope: Scope, sampled: EngineScope, question: Question, query: RetrievalQuery, now: datetime
) -> tuple[CandidatePool, CandidatePool]:
    """The best facts, and the best rules if the query asks for rules.  Raises EngineUnavailable."""
    kinds = {"kind": list(query.kinds)} if query.kinds else {}
    # A filter on the status nearly doubles the search time, because the engine reads the payload of every record it checks.
    # Usually few records are inactive, so they are dropped afterwards.  The filter is used only if too few records are left.
    ids = await _search(index, scope, sampled, question, query, now, kinds)
    if len(ids) < query.candidates:
        active = await _search(index, scope, sampled, question, query, now, {"status": ["active"], **kinds})
        ids = list(dict.fromkeys([*ids, *active]))
    points = await index.fetch(scope, ids, with_vectors=True)
    points += await _fetch_newer(index, scope, points)
    replaced = _find_replaced(points, now)
    points = [point for point in points if point.id in replaced or is_valid(point.payload, now, query.created_after)]
    pool = await asyncio.to_thread(_rank_points, sampled, question, points)  # milliseconds of arithmetic
    pool = replace(pool, replaced=replaced)
    # Records of a word or two were ranked with the others, because they are neighbours of what tells something.
    pool = pool.take([row for row, payload in enumerate(pool.payloads) if is_telling(payload)])
    is_rule = [payload.get("kind") == "procedural" for payload in pool.payloads]
    # Standing rules are shown with every question (standing_rules.py).
    conditional = [row for row, rule in enumerate(is_rule) if rule and not is_standing(pool.payloads[row])]
    rules = pool.take(conditional[: query.rules])
    if query.kinds:  # rules were searched separately
        rows = [row for row, payload in enumerate(pool.payloads) if payload.get("kind") in query.kinds]
    else:
        rows = [row for row, rule in enumerate(is_rule) if not (rule and query.rules)]
    return _with_few_former(pool.take(rows), query.candidates + SPARE), rules


async def _fetch_newer(index: VectorIndex, scope: Scope, points: Sequence[IndexPoint]) -> list[IndexPoint]:
    """What took the place of these records, as far as it is not among them."""
    known = {point.id for point in points}
    newer = dict.fromkeys(str(point.payload.get("superseded_by") or "") for point in points)
    wanted = [record_id for record_id in newer if record_id and record_id not in known]
    return list(await index.fetch(scope, wanted, with_vectors=True)) if wanted else []


def _find_replaced(points: Sequence[IndexPoint], now: datetime) -> dict[str, Replaced]:
    """As far as the points show it: what else was derived from a turn is not known here."""
    payloads = {point.id: point.payload for point in points}
    entries: dict[str, list[tuple[str, Mapping[str, JsonValue]]]] = {}
    for point in points:
        for turn_id in cast(Sequence[str], point.payload.get("turn_ids") or ()):
            entries.setdefault(turn_id, []).append((point.id, point.payload))
    return find_replaced(payloads.items(), lambda turn_id: entries.get(turn_id, ()), payloads.get, now)


def _with_few_former(pool: CandidatePool, limit: int) -> CandidatePool:
    former = [row for row in range(len(pool.ids)) if pool.is_former(row)]
    current = [row for row in range(len(pool.ids)) if not pool.is_former(row)]
    return pool.take(sorted([*current[:limit], *former[:FORMER_CANDIDATES]]))


def _rank_points(sampled: EngineScope, question: Question, points: Sequence[IndexPoint]) -> CandidatePool:
    weights = weights_for(sampled.column("lengths"))
    table, cosines = sampled.columns(question, points)
    pool = CandidatePool(
        ids=[point.id for point in points],
        payloads=[point.payload for point in points],
        vectors=np.array([point.vectors["text"] for point in points], np.float32).reshape(len(points), question.vector.size),
        table=table,
        base=fuse(table, weights),
        cosines=cosines,
        tokens=[read_signs(point.payload.get(TOKENS), question.vector.size) for point in points],
        weights=weights,
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
    """Ids found under any key, without records that must not be recalled."""
    words = query_sparse(question.text, fallback=sampled.language or "en", spoken=sampled.languages)
    dense = ("text", "context") if question.vector.any() else ()
    searches = [index.search_dense(scope, name, question.vector, limit=PER_KEY, match=match) for name in dense]
    if words.indices:
        searches += [index.search_sparse(scope, name, words, limit=PER_KEY, match=match) for name in ("words", "words_context")]
    if query.rules and dense:
        rules = {"status": ["active"], "kind": ["procedural"]}
        searches.append(index.search_dense(scope, "text", question.vector, limit=query.rules, match=rules))
    hits = await asyncio.gather(*searches)
    found = {hit.id: hit.payload for each in hits for hit in each}
    excluded = set(query.exclude)
    return [
        record_id
        for record_id, payload in found.items()
        if record_id not in excluded
        and only_in(payload) in ("", query.conversation_id)
        and not _is_expired(payload, query.created_after)
        and (is_valid(payload, now, query.created_after) or former_since(payload, now) is not None)
    ]


def is_valid(payload: Mapping[str, JsonValue], now: datetime, created_after: datetime | None) -> bool:
    """Whether a record may be recalled as what holds now, and has not expired."""
    until = recalled_until(payload)
    return status_at(payload, now) == "active" and (until is None or until > now) and not _is_expired(payload, created_after)


def _is_expired(payload: Mapping[str, JsonValue], created_after: datetime | None) -> bool:
    created = parse_time(payload.get("created_at"))
    return created_after is not None and created is not None and created < created_after
