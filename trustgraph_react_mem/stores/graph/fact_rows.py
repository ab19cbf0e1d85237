"""Convert facts to rows of the graph and to JSON, and back.

Fields that are filtered, changed in place, or useful to a person who reads the graph are separate properties.  The other
fields are one JSON text in ``record``: Ladybug writes this three times as fast as twenty properties.
"""

import json
from collections.abc import Mapping
from typing import Any

from ...memory.digest import content_digest
from ...memory.records import Fact, VersionEntry
from ...memory.scope import Scope
from ...memory.timefmt import parse_time, require_time, sortable_time
from .engine import Row, uid

TOMBSTONED = "condemned"  # the stored status of a tombstone; it never leaves the graph


def fact_row(fact: Fact) -> Row:
    """All properties of a Fact node, except those about its creation."""
    return {
        "uid": uid(fact.scope, fact.id),
        "scope": fact.scope.key,
        "id": fact.id,
        "kind": fact.kind,
        "status": fact.status,
        "content": fact.content,
        "digest": content_digest(fact.content),
        "speaker": fact.speaker,
        "source": fact.source,
        "position": fact.position,
        "created_at": sortable_time(fact.created_at),
        "valid_to": sortable_time(fact.valid_to),
        "superseded_at": sortable_time(fact.superseded_at),
        "superseded_by": fact.superseded_by,
        "version": fact.version,
        "uses": fact.uses,
        "last_used_at": sortable_time(fact.last_used_at),
        "indexed": fact.indexed,
        "record": json.dumps(_pack(fact), ensure_ascii=False, separators=(",", ":")),
    }


def fact_of(row: Mapping[str, Any]) -> Fact:
    packed = json.loads(row["record"])
    return Fact(
        id=row["id"],
        scope=Scope.from_key(row["scope"]),
        kind=row["kind"],
        status=row["status"],
        content=row["content"],
        speaker=row["speaker"],
        source=row["source"],
        position=row["position"],
        created_at=require_time(row["created_at"]),
        valid_to=parse_time(row["valid_to"]),
        superseded_at=parse_time(row["superseded_at"]),
        superseded_by=row["superseded_by"] or "",
        version=row["version"],
        uses=row["uses"] or 0,
        last_used_at=parse_time(row["last_used_at"]),
        indexed=bool(row["indexed"]),
        trust=packed.get("trust", "user"),
        invocation_id=packed.get("invocation_id", ""),
        said_at=parse_time(packed.get("said_at")),
        valid_from=parse_time(packed.get("valid_from")),
        importance=packed.get("importance", 0.5),
        entities=tuple(packed.get("entities", ())),
        turn_ids=tuple(packed.get("turn_ids", ())),
        condition=packed.get("condition", ""),
        action=packed.get("action", ""),
        job_id=packed.get("job_id", ""),
        trigger=packed.get("trigger", ""),
        metadata=packed.get("metadata", {}),
    )


def fact_json(fact: Fact) -> str:
    """The fact as one JSON object, as stored in ``before`` of the history."""
    row = fact_row(fact)
    del row["uid"], row["scope"], row["digest"]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def fact_from_json(text: str, scope: Scope) -> Fact:
    return fact_of({**json.loads(text), "scope": scope.key})


def entry_of(row: Row, scope: Scope) -> VersionEntry:
    return VersionEntry(
        record_id=row["id"],
        version=row["version"],
        change=row["change"],
        at=require_time(row["at"]),
        by=row["author"],
        trigger=row["cause"],
        content=row["content"],
        before=fact_from_json(row["before"], scope) if row["before"] else None,
    )


def entry_row(entry: VersionEntry, scope: Scope) -> Row:
    return {
        "fact": uid(scope, entry.record_id),
        "uid": uid(scope, entry.record_id, entry.version),
        "scope": scope.key,
        "id": entry.record_id,
        "version": entry.version,
        "change": entry.change,
        "at": sortable_time(entry.at),
        "author": entry.by,
        "cause": entry.trigger,
        "content": entry.content,
        "before": fact_json(entry.before) if entry.before else "",
    }


def _pack(fact: Fact) -> dict[str, Any]:
    """The fields without a separate property.  Defaults are omitted."""
    packed: dict[str, Any] = {}
    if fact.trust != "user":
        packed["trust"] = fact.trust
    if fact.importance != 0.5:
        packed["importance"] = fact.importance
    for name in ("invocation_id", "condition", "action", "job_id", "trigger"):
        if value := getattr(fact, name):
            packed[name] = value
    for name in ("said_at", "valid_from"):
        if value := getattr(fact, name):
            packed[name] = sortable_time(value)
    for name in ("entities", "turn_ids"):
        if value := getattr(fact, name):
            packed[name] = list(value)
    if fact.metadata:
        packed["metadata"] = dict(fact.metadata)
    return packed
