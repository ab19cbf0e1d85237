"""Heads of jobs, as publishers write them and workers read them."""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

import pytest

from trustgraph_react_mem.bus.envelope import parse_head, to_envelope
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import JobEnvelope

JOB = Job(
    id="a-1",
    kind="record",
    scope=Scope(workspace="w", user="ann", collection="c"),
    payload={},
    created_at=datetime(2026, 3, 1, tzinfo=UTC),
)


def test_what_is_published_is_read() -> None:
    assert parse_head(to_envelope(JOB, "AAAA", "agent")) == JOB


@pytest.mark.parametrize("field", ["id", "parent", "trigger"])
@pytest.mark.parametrize("odd", ["a\nERROR:root:forged", "\x1b]0;owned\x07", "a\u202eb", "a\x9bb", "a\u2028b"])
def test_nothing_that_logs_and_lists_show_holds_control_characters(field: str, odd: str) -> None:
    with pytest.raises(BadRequest, match=f"'{field}' of a job holds control characters"):
        to_envelope(replace(JOB, **{field: odd}), "AAAA", "agent")  # type: ignore[arg-type]
    sent = {**asdict(to_envelope(JOB, "AAAA", "agent")), field: odd}
    with pytest.raises(BadRequest, match=f"'{field}'"):
        parse_head(JobEnvelope(**json.loads(json.dumps(sent))))
