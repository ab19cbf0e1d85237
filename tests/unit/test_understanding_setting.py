"""Whether the language model of a flow says how memory must change."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import parse_agent_mem

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
