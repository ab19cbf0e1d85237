"""What took the place of a former entry."""

from datetime import UTC, datetime
from typing import Any

from trustgraph_react_mem.retrieval.replacements import find_replaced

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def test_a_turn_that_the_former_entry_rests_on_took_no_place() -> None:
    old = {"kind": "semantic", "status": "superseded", "superseded_by": "new", "superseded_at": "2026-11-01", "turn_ids": ["t"]}
    new = {"kind": "semantic", "content": "Ann lives in Oslo", "turn_ids": ["t", "u"]}
    records: dict[str, dict[str, Any]] = {"old": old, "new": new}
    found = find_replaced(records.items(), lambda turn_id: (), records.get, NOW)
    assert {record_id: (each.ids, each.turns) for record_id, each in found.items()} == {"old": (("new",), ("u",))}
