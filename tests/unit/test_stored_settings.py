"""Settings of a flow: what earlier versions stored, and whether its model says how memory must change."""

import json
import logging
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from trustgraph_react_mem.flow_settings import FlowSettings
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import REMOVED, parse_agent_mem, parse_job_settings


@pytest.mark.parametrize("removed", sorted(REMOVED))
async def test_a_removed_setting_lets_no_other_lapse_and_is_named(removed: str, caplog: pytest.LogCaptureFixture) -> None:
    flows = FlowSettings()
    with caplog.at_level(logging.WARNING):
        await flows.on_config("w", {"agent-mem": {"default": json.dumps({"personal-data": "redact", removed: 1})}}, 1)
    assert flows.for_flow("w", "f").personal_data == "redact"
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert REMOVED[removed] in record.getMessage()


async def test_learning_that_was_off_stays_off() -> None:
    flows = FlowSettings()
    await flows.on_config("w", {"agent-mem": {"default": json.dumps({"enable-retrospective-reflection": False})}}, 1)
    assert (flows.for_flow("w", "f").rerank, flows.for_flow("w", "f").rmm_learning_rate) == ("off", 0.0)


async def test_what_is_wrong_otherwise_is_still_refused(caplog: pytest.LogCaptureFixture) -> None:
    flows = FlowSettings()
    for stored in ('{"personal-data": "shout"}', "[1]", "{"):
        await flows.on_config("w", {"agent-mem": {"default": stored}}, 1)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 3
    assert flows.for_flow("w", "f").personal_data == "keep"


def test_a_job_of_an_earlier_version_is_still_read() -> None:
    settings = parse_job_settings({"refine": "self", "extract-each-invocation": True, "a-later-key": 1})
    assert settings.extract_every_turns == 1
    assert parse_job_settings({"extract-each-invocation": False}).extract_every_turns == 10


SCOPE = Scope(workspace="w", user="ann", collection="default")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, True),
        ({"small-model": True}, False),
    ],
)
@pytest.mark.parametrize("in_job", [True, False])
def test_a_small_model_does_not_understand(settings: dict[str, JsonValue], expected: bool, in_job: bool) -> None:
    payload: dict[str, JsonValue] = {"settings": settings} if in_job else {}
    job = Job(id="x", kind="record", scope=SCOPE, payload=payload, created_at=datetime(2026, 3, 1, tzinfo=UTC))
    of_flow = parse_agent_mem({} if in_job else settings)
    models: list[Any] = [object(), None]
    with_model, without = (
        HandlerContext(core=cast(Any, None), model_for=lambda *_, m=model: m, settings_for=lambda *_: of_flow)
        for model in models
    )
    assert with_model.begin(job).understands is expected
    assert not without.begin(job).understands
