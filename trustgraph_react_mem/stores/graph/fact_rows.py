"""Convert facts to rows of the graph and to JSON, and back.

Fields that are filtered, changed in place, or useful to a person who reads the graph are separate properties.  The other
fields are one JSON text in ``record``: Ladybug writes this three times as fast as twenty properties.
"""

import json
from collections.abc import Mapping
from typing import Any

from ...memory.codec import decode_fields, encode_fields, encode_set_fields
from ...memory.digest import content_digest
from ...memory.records import Fact, VersionEntry
from ...memory.scope import Scope
from ...memory.timefmt import sortable_time
from .engine import Row, uid

BASICS = ("id", "kind", "status", "content")  # before the digest
PROPERTIES = (
    "speaker", "source", "position", "created_at", "valid_to", "superseded_at", "superseded_by", "version", "uses",
    "last_used_at", "indexed",
)  # fmt: skip
PACKED = (
    "trust", "importance", "invocation_id", "condition", "action", "job_id", "trigger", "said_at", "valid_from", "entities",
    "turn_ids", "metadata",
)  # fmt: skip
ENTRY = ("version", "change", "at", "content")  # of the history


def fact_row(fact: Fact) -> Row:
    """All properties of a Fact node, except those about its creation."""
    packed = encode_set_fields(fact, PACKED, time=sortable_time)
    return {
        "uid": uid(fact.scope, fact.id),
        "scope": fact.scope.key,
        **encode_fields(fact, BASICS, time=sortable_time),
        "digest": content_digest(fact.content),
        **encode_fields(fact, PROPERTIES, time=sortable_time),
        "record": json.dumps(packed, ensure_ascii=False, separators=(",", ":")),
    }


def fact_of(row: Mapping[str, Any]) -> Fact:
    return Fact(
        scope=Scope.from_key(row["scope"]),
        **decode_fields(Fact, (*BASICS, *PROPERTIES), row),
        **decode_fields(Fact, PACKED, json.loads(row["record"])),
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
        by=row["author"],
        trigger=row["cause"],
        before=fact_from_json(row["before"], scope) if row["before"] else None,
        **decode_fields(VersionEntry, ENTRY, row),
    )


def entry_row(entry: VersionEntry, scope: Scope) -> Row:
    return {
        "fact": uid(scope, entry.record_id),
        "uid": uid(scope, entry.record_id, entry.version),
        "scope": scope.key,
        "id": entry.record_id,
        "author": entry.by,
        "cause": entry.trigger,
        "before": fact_json(entry.before) if entry.before else "",
        **encode_fields(entry, ENTRY, time=sortable_time),
    }
