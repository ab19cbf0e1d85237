"""Whether the language model of a flow says how memory must change."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from unittest.mock import MagicMock

import pytest

from trustgraph_react_mem.config.blueprint import embedded_processors
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.local_llm import LocalChatModel, settings_of_model
from trustgraph_react_mem.settings import may_understand, parse_agent_mem
from trustgraph_react_mem.testing import ScriptedModel

SCOPE = Scope(workspace="w", user="ann", collection="default")


async def nowhere() -> Path:
    raise AssertionError("nothing is loaded")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, True),
        ({"small-model": True}, False),
        ({"small-model": True, "understanding": "on"}, True),
        ({"understanding": "off"}, False),
    ],
)
@pytest.mark.parametrize("in_job", [True, False])
def test_a_small_model_understands_only_if_the_setting_says_so(
    settings: dict[str, JsonValue], expected: bool, in_job: bool
) -> None:
    payload: dict[str, JsonValue] = {"settings": settings} if in_job else {}
    job = Job(id="x", kind="record", scope=SCOPE, payload=payload, created_at=datetime(2026, 3, 1, tzinfo=UTC))
    of_flow = parse_agent_mem({} if in_job else settings)
    models: list[Any] = [MagicMock(), None]
    with_model, without = (
        HandlerContext(core=cast(Any, None), model_for=lambda *_, m=model: m, settings_for=lambda *_: of_flow)
        for model in models
    )
    assert with_model.understands(job) is expected
    assert not without.understands(job)


def test_the_model_of_this_process_is_a_small_one() -> None:
    local = LocalChatModel("small", nowhere, context_tokens=4096)
    assert settings_of_model(local) == {"small-model": True, "context-window": 4096}
    assert not may_understand(parse_agent_mem(settings_of_model(local)))
    assert settings_of_model(ScriptedModel()) == settings_of_model(None) == {}


@pytest.mark.parametrize("with_model", [True, False])
def test_the_jobs_of_the_embedded_flow_know_whether_there_is_a_model(with_model: bool) -> None:
    topics = embedded_processors(with_model=with_model)["agent-memory-jobs:{id}"]["topics"]
    assert ("memory-prompt-request" in topics) == with_model
