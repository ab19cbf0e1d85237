"""The standing rules of a scope: what a person asked for in every answer.  They are shown with every question, newest first."""

from collections.abc import Mapping
from datetime import datetime

import numpy as np

from ..indexing.document import is_standing, only_in, wire_from_payload
from ..memory.ports import JsonValue, PointReader
from ..memory.scope import Scope
from ..schema import Fact
from .columns.scope_columns import ScopeColumns
from .engine_ranking import EngineScope
from .engine_search import is_valid
from .query import RetrievalQuery

MOST_STANDING = 20
MOST_RULES_READ = 200  # of a scope that is not in memory


async def standing_rules(
    index: PointReader, scope: Scope, held: ScopeColumns | EngineScope, query: RetrievalQuery, now: datetime
) -> tuple[Fact, ...]:
    """The standing rules that hold in the conversation of the query; none if the query asks for no rules."""
    if not query.rules:
        return ()
    if isinstance(held, ScopeColumns):
        found = _in_memory(held)
    else:
        found = await _in_engine(index, scope)
    excluded = set(query.exclude)
    valid = [
        (record_id, payload)
        for record_id, payload in found.items()
        if record_id not in excluded
        and is_valid(payload, now, query.created_after)
        and only_in(payload) in ("", query.conversation_id)
    ]
    valid.sort(key=lambda pair: (str(pair[1].get("said_at") or pair[1].get("created_at") or ""), pair[0]), reverse=True)
    return tuple(wire_from_payload(record_id, payload) for record_id, payload in valid[:MOST_STANDING])


def _in_memory(held: ScopeColumns) -> dict[str, Mapping[str, JsonValue]]:
    with held.lock:
        slots = np.flatnonzero(held.column("standing") & held.column("active")).tolist()
        return {held.ids[slot]: held.payloads[slot] for slot in slots}


async def _in_engine(index: PointReader, scope: Scope) -> dict[str, Mapping[str, JsonValue]]:
    # Any vector will do: all rules are wanted, not the most similar ones.
    vector = np.full(index.profile.dimension, index.profile.dimension**-0.5, np.float32)
    match = {"status": ["active"], "kind": ["procedural"]}
    hits = await index.search_dense(scope, "text", vector, limit=MOST_RULES_READ, match=match)
    return {hit.id: hit.payload for hit in hits if is_standing(hit.payload)}
