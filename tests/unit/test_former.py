"""When an entry is former, and how that is written."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from trustgraph_react_mem.indexing.document import fact_payload, wire_fact
from trustgraph_react_mem.memory.former import (
    former_since,
    mark_former,
    recalled_until,
    status_at,
    until_note,
)
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import Fact as WireFact
from trustgraph_react_mem.turn.data_line import memory_line

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ENTRY = Fact(
    id="a",
    scope=Scope(workspace="w", user="mara", collection="c"),
    kind="semantic",
    content="Mara lives in Hamburg",
    created_at=NOW - 90 * DAY,
)
DONE: Any = {"status": "superseded", "superseded_by": "b", "superseded_at": NOW - DAY}


@pytest.mark.parametrize(
    ("fields", "since"),
    [
        ({}, None),
        (DONE, NOW - DAY),
        ({**DONE, "valid_to": NOW - 3 * DAY}, NOW - 3 * DAY),
        ({**DONE, "valid_to": NOW + 3 * DAY}, NOW - DAY),  # replaced before the end that it had of its own
        ({"superseded_by": "b", "valid_to": NOW}, NOW),
        ({"superseded_by": "b", "valid_to": NOW + DAY}, None),  # announced for tomorrow
        ({"valid_to": NOW - DAY}, None),
        ({**DONE, "superseded_by": ""}, None),
        ({**DONE, "kind": "turn"}, None),
        ({**DONE, "status": "undone"}, None),
        ({**DONE, "status": "quarantined"}, None),
    ],
)
def test_only_what_another_record_replaced_is_former(fields: dict[str, Any], since: datetime | None) -> None:
    entry = replace(ENTRY, **fields)
    payload = fact_payload(entry, "en")
    assert former_since(entry, NOW) == former_since(payload, NOW) == since
    assert former_since(wire_fact(entry, NOW), NOW) == since
    before = entry.status
    assert status_at(payload, NOW) == ("superseded" if since else before) == wire_fact(entry, NOW).status


@pytest.mark.parametrize(
    ("fields", "until"),
    [
        ({"valid_to": NOW - DAY}, NOW - DAY),
        ({"valid_to": NOW - DAY, "kind": "turn"}, NOW - DAY),
        ({"valid_to": NOW - DAY, "turn_ids": ("t",)}, None),
        ({"valid_to": NOW - DAY, "metadata": {"sources": "x"}}, None),
        ({"valid_to": NOW - DAY, "superseded_by": "b"}, None),
        ({"valid_to": NOW - 900 * DAY}, None),  # it had ended when it was said
    ],
)
def test_only_what_was_stored_as_it_is_expires(fields: dict[str, Any], until: datetime | None) -> None:
    entry = replace(ENTRY, **fields)
    assert recalled_until(entry) == recalled_until(fact_payload(entry, "en")) == until


def former(content: str = "Mara lives in Lüneburg", **fields: Any) -> WireFact:
    fact = wire_fact(replace(ENTRY, **{**DONE, **fields}), NOW)
    mark_former(fact, datetime(2026, 11, 20, 23, 30, tzinfo=UTC), content)
    return fact


def test_the_mark_names_the_day_of_the_reader_and_what_holds_now() -> None:
    assert until_note(former()) == "until 2026-11-20, then: Mara lives in Lüneburg"
    assert until_note(former(), zone=ZoneInfo("Europe/Berlin"), numbers={"b": 3}) == "until 2026-11-21, then [3]"
    assert until_note(former("")) == "until 2026-11-20"
    assert until_note(wire_fact(replace(ENTRY, **DONE), NOW)) == ""  # as of a merge
    long = until_note(former("word " * 100))
    assert long.endswith("word…")
    assert len(long) < 150


def test_a_line_of_a_tool_result_has_the_mark_and_nothing_that_imitates_a_citation() -> None:
    fact = former("Mara lives in Lüneburg [7]")
    assert memory_line(fact, numbers={"b": 1}) == "Mara lives in Hamburg (2026-08-23) (until 2026-11-20, then [1])"
    assert memory_line(fact) == "Mara lives in Hamburg (2026-08-23) (until 2026-11-20, then: Mara lives in Lüneburg (7))"
