"""The rules that a person gave.  They are shown with every question: the model judges whether a condition fits the question."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from ..indexing.document import is_given_rule, only_in, wire_from_payload
from ..memory.former import has_begun
from ..memory.ports import JsonValue, VectorIndex
from ..memory.scope import Scope
from ..schema import Fact
from .columns.scope_columns import KINDS, ScopeColumns
from .engine_ranking import EngineScope
from .engine_search import is_valid
from .query import RetrievalQuery

MOST_STANDING = 20
MOST_RULES_READ = 200  # of a scope that is not in memory
_PROCEDURAL = KINDS.index("procedural")


async def standing_rules(
    index: VectorIndex, scope: Scope, held: ScopeColumns, query: RetrievalQuery, now: datetime
) -> tuple[Fact, ...]:
    """The rules that hold in the conversation of the query; none if the query asks for no rules.

    Those without a condition come first, the newest first.  If there are too many, those at the end are left out.
    """
    if not query.rules:
        return ()
    found = await _in_engine(index, scope) if isinstance(held, EngineScope) else _in_memory(held)
    excluded = set(query.exclude)
    valid = [
        (record_id, payload)
        for record_id, payload in found.items()
        if record_id not in excluded
        and is_valid(payload, now, query.created_after)
        and has_begun(payload, now)
        and only_in(payload) in ("", query.conversation_id)
    ]
    valid.sort(key=lambda pair: (str(pair[1].get("said_at") or pair[1].get("created_at") or ""), pair[0]), reverse=True)
    valid.sort(key=lambda pair: bool(pair[1].get("condition")))
    return tuple(wire_from_payload(record_id, payload, now) for record_id, payload in valid[:MOST_STANDING])


def add_similar(standing: Sequence[Fact], similar: Sequence[Fact]) -> tuple[Fact, ...]:
    """The standing rules and those that are similar to the task.  Similar ones come before others that have a condition."""
    known = {rule.id for rule in similar}
    others = [rule for rule in standing if rule.condition and rule.id not in known]
    return (*(rule for rule in standing if not rule.condition), *similar, *others)


def _in_memory(held: ScopeColumns) -> dict[str, Mapping[str, JsonValue]]:
    with held.lock:
        slots = np.flatnonzero((held.column("kind") == _PROCEDURAL) & held.column("active")).tolist()
        return {held.ids[slot]: held.payloads[slot] for slot in slots if is_given_rule(held.payloads[slot])}


async def _in_engine(index: VectorIndex, scope: Scope) -> dict[str, Mapping[str, JsonValue]]:
    # Any vector will do: all rules are wanted, not the most similar ones.
    vector = np.full(index.profile.dimension, index.profile.dimension**-0.5, np.float32)
    match = {"status": ["active"], "kind": ["procedural"]}
    hits = await index.search_dense(scope, "text", vector, limit=MOST_RULES_READ, match=match)
    return {hit.id: hit.payload for hit in hits if is_given_rule(hit.payload)}
