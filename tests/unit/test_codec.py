"""The fields of records as JSON values: what is written is read again, and old rows keep their form."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from typing import get_origin, get_type_hints

from trustgraph_react_mem.indexing.document import EPISODE_FIELDS, FACT_FIELDS, WIRE_FIELDS
from trustgraph_react_mem.memory.codec import encode_set_fields
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import Fact as WireFact
from trustgraph_react_mem.stores.graph import episodes, fact_rows

SCOPE = Scope(workspace="w", user="u", collection="c")
AT = datetime(2026, 1, 5, 12, 30, tzinfo=UTC)


def filled(kind: type) -> dict[str, object]:
    """A value for each field that is not its default."""
    values: dict[object, object] = {str: "x", int: 7, float: 0.25, bool: True, tuple: ("a", "b"), datetime: AT}
    values |= {datetime | None: AT}
    given: dict[str, object] = {}
    for name, hint in get_type_hints(kind).items():
        given[name] = SCOPE if hint is Scope else values.get(hint, values.get(get_origin(hint), {"key": "value"}))
    return given | ({"kind": "turn", "status": "superseded", "trust": "tool"} if kind is Fact else {"succeeded": False})


def test_every_field_of_a_fact_is_in_its_row() -> None:
    fact = Fact(**filled(Fact))  # type: ignore[arg-type]
    row = fact_rows.fact_row(fact)
    assert fact_rows.fact_of(row) == fact
    assert fact_rows.fact_from_json(fact_rows.fact_json(fact), SCOPE) == fact
    assert {*fact_rows.PROPERTIES, *fact_rows.PACKED, "id", "kind", "status", "content", "scope"} == {
        field.name for field in fields(Fact)
    }


def test_every_field_of_an_episode_is_in_its_row() -> None:
    episode = Episode(**filled(Episode))  # type: ignore[arg-type]
    assert episodes.episode_of(episodes._row(episode)) == episode
    assert {*episodes.PROPERTIES, *episodes.PACKED, "id", "scope"} == {field.name for field in fields(Episode)}


def test_defaults_are_not_packed_and_a_row_of_the_first_version_is_read() -> None:
    fact = Fact(id="f", scope=SCOPE, kind="semantic", content="Ann keeps bees", created_at=AT)
    row = fact_rows.fact_row(fact)
    assert json.loads(row["record"]) == {}
    assert fact_rows.fact_of({**row, "superseded_by": None, "uses": None, "last_used_at": None}) == fact
    zero = Fact(id="f", scope=SCOPE, kind="semantic", content="", created_at=AT, importance=0.0)
    assert encode_set_fields(zero, fact_rows.PACKED) == {"importance": 0.0}


def test_the_fields_of_payloads_and_messages_exist() -> None:
    assert set(FACT_FIELDS) <= {field.name for field in fields(Fact)}
    assert set(EPISODE_FIELDS) <= {field.name for field in fields(Episode)}
    assert set(WIRE_FIELDS) <= {field.name for field in fields(WireFact)}
