"""How Hindsight's ``reflect`` asks for refinement."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from trustgraph.schema import AgentResponse

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.http.hindsight import recall
from trustgraph_react_mem.schema import AgentRequest, RefineOptions


class Asked:
    """Ends every dialog, and keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[AgentRequest] = []

    async def ask(self, request: AgentRequest) -> AsyncIterator[AgentResponse]:
        self.requests.append(request)
        yield AgentResponse(end_of_dialog=True)


async def reflect(monkeypatch: pytest.MonkeyPatch, **body: Any) -> RefineOptions | None:
    asked = Asked()

    async def bank_and_body(request: Any) -> tuple[Asked, dict[str, Any]]:
        return asked, {"query": "Where do I live?", **body}

    monkeypatch.setattr(recall, "bank_and_body", bank_and_body)
    answer = await recall.reflect(None)  # type: ignore[arg-type]
    assert answer.status == 200
    return asked.requests[0].refine


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, None),
        ({"budget": "mid"}, None),
        ({"budget": "high"}, RefineOptions(max_loops=1)),
        ({"budget": "high", "refine": {"max_loops": 0}}, RefineOptions(max_loops=0)),
        ({"refine": {"critique": "self"}}, RefineOptions(critique="self")),
    ],
)
async def test_a_high_budget_or_the_field_lets_the_agent_revise_its_answer(
    monkeypatch: pytest.MonkeyPatch, body: dict[str, Any], expected: RefineOptions | None
) -> None:
    assert await reflect(monkeypatch, **body) == expected


@pytest.mark.parametrize("wrong", [True, {"loops": 1}, {"max_loops": 9}])
async def test_a_wrong_option_is_named(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    with pytest.raises(BadRequest, match="refine"):
        await reflect(monkeypatch, refine=wrong)
