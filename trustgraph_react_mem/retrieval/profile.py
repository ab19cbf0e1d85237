"""Finds the profile of a scope with the sentences whose sources still hold.  It never takes the place of a memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ..indexing.document import wire_from_payload
from ..memory.ports import JsonValue, PointReader
from ..memory.profile import (
    PROFILE,
    PROFILE_SOURCE,
    SENTENCES,
    decode_sentences,
    encode_sentences,
    join_sentences,
    source_digest,
    source_ids,
)
from ..memory.scope import Scope
from ..schema import Fact
from .columns.scope_columns import ScopeColumns
from .engine_ranking import EngineScope
from .engine_search import is_valid
from .query import RetrievalQuery

MOST_READ = 10  # active profiles of a scope that is not in memory; there should be one

Payloads = Mapping[str, Mapping[str, JsonValue]]


async def current_profile(
    index: PointReader, scope: Scope, held: ScopeColumns | EngineScope, query: RetrievalQuery, now: datetime
) -> Fact | None:
    """The newest profile, without sentences that rest on a fact that was superseded, edited, undone or has expired.

    None if the query does not ask for it, if there is none, or if no sentence is left.
    """
    if not query.profile:
        return None
    found = _profiles_in_memory(held) if isinstance(held, ScopeColumns) else await _profiles_in_engine(index, scope)
    valid = [
        wire_from_payload(name, payload, now) for name, payload in found.items() if is_valid(payload, now, query.created_after)
    ]
    made = [fact for fact in valid if PROFILE in fact.metadata]
    newest = max(made, key=lambda fact: (fact.created_at, fact.id), default=None)
    if newest is None:
        return None
    sentences = decode_sentences(newest.metadata)
    ids = source_ids(sentences)
    sources = _payloads_in_memory(held, ids) if isinstance(held, ScopeColumns) else await _payloads_in_engine(index, scope, ids)
    holding = {
        record_id: source_digest(str(payload.get("content") or ""))
        for record_id, payload in sources.items()
        if is_valid(payload, now, query.created_after)
    }
    kept = [each for each in sentences if each.sources and each.sources.items() <= holding.items()]
    if not kept:
        return None
    return replace(newest, content=join_sentences(kept), metadata={**newest.metadata, SENTENCES: encode_sentences(kept)})


def _profiles_in_memory(held: ScopeColumns) -> Payloads:
    with held.lock:
        code = held.sources.get(PROFILE_SOURCE)
        if code is None:
            return {}
        slots = np.flatnonzero((held.column("source") == code) & held.column("active") & held.column("alive")).tolist()
        return {held.ids[slot]: held.payloads[slot] for slot in slots}


async def _profiles_in_engine(index: PointReader, scope: Scope) -> Payloads:
    # Any vector will do: the record is wanted, not the most similar one.
    vector = np.full(index.profile.dimension, index.profile.dimension**-0.5, np.float32)
    match = {"status": ["active"], "source": [PROFILE_SOURCE]}
    hits = await index.search_dense(scope, "text", vector, limit=MOST_READ, match=match)
    return {hit.id: hit.payload for hit in hits}


def _payloads_in_memory(held: ScopeColumns, ids: Sequence[str]) -> Payloads:
    with held.lock:
        return {record_id: held.payloads[held.slots[record_id]] for record_id in ids if record_id in held.slots}


async def _payloads_in_engine(index: PointReader, scope: Scope, ids: Sequence[str]) -> Payloads:
    return {point.id: point.payload for point in await index.fetch(scope, ids)}
