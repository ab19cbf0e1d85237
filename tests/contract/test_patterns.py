"""Plan-then-execute and supervisor through TrustGraph's own orchestrator, where it is installed."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from trustgraph.schema import AgentResponse, AgentStep, PlanStep, PromptResponse

from trustgraph_react_mem.processors.agent.processor import ReactMemService
from trustgraph_react_mem.schema import AgentRequest

from .stock_doubles import TOOLS, MemoryFlow, Prompts
from .test_agent_service import ScriptedMemory, answer_of

pytestmark = pytest.mark.stock


class PlanningPrompts(Prompts):
    """Answers the orchestrator's prompts beside the agent's."""

    def __init__(self) -> None:
        super().__init__(["Thought: memory 1 says it.\nFinal Answer: In Oslo. [1]"], 6)

    def responses(self, request: Any) -> Sequence[Any]:
        match request.id:
            case "plan-create":
                return [PromptResponse(object=json.dumps([{"goal": "look", "tool_hint": "complete", "depends_on": []}]))]
            case "plan-step-execute":
                return [PromptResponse(object=json.dumps({"tool": "complete", "arguments": {"question": "x"}}))]
            case "supervisor-decompose":
                return [PromptResponse(object=json.dumps(["first part", "second part"]))]
            case "plan-synthesise" | "supervisor-synthesise" if request.streaming:
                return [PromptResponse(text=text, end_of_stream=text == " it.") for text in ("All of", " it.")]
            case "plan-synthesise" | "supervisor-synthesise":
                return [PromptResponse(text="All of it.", end_of_stream=True)]
            case _:
                return super().responses(request)


async def run(request: AgentRequest, memory: ScriptedMemory) -> tuple[list[AgentResponse], list[Any], list[Any]]:
    service = ReactMemService(id="a", taskgroup=None, agent_memory=memory)
    await service.load_tools("tool", "default", {"tool": TOOLS}, 1)
    flow = MemoryFlow([])
    flow.clients |= {"prompt-request": PlanningPrompts(), "next": object()}
    said: list[AgentResponse] = []
    waiting, forwarded = [request], list[Any]()

    async def respond(response: AgentResponse) -> None:
        said.append(response)

    async def forward(following: Any) -> None:
        waiting.append(following)
        forwarded.append(following)

    while waiting and len(forwarded) < 20:
        await service.agent_request(waiting.pop(0), respond, forward, flow)
    return said, forwarded, flow.clients["prompt-request"].requests


@pytest.mark.parametrize("pattern", ["plan-then-execute", "supervisor"])
@pytest.mark.parametrize("streaming", [False, True])
async def test_a_pattern_gets_memory_as_framing_and_its_turn_is_recorded_once(pattern: str, streaming: bool) -> None:
    pytest.importorskip("trustgraph.agent.orchestrator")
    memory = ScriptedMemory()
    request = AgentRequest(question="Where?", pattern=pattern, user="u", session_id="s", streaming=streaming)
    said, forwarded, prompts = await run(request, memory)
    assert sum(response.end_of_dialog for response in said) == 1
    assert said[-1].end_of_dialog
    assert answer_of(said).startswith("All of it.")
    (published,) = memory.published
    assert (published[0].user, published[1].answer, published[1].request.question) == ("u", "All of it.", "Where?")
    assert {type(following) for following in forwarded} == {AgentRequest}
    assert {following.user for following in forwarded} == {"u"}
    assert any("moved to Oslo" in text for sent in prompts for text in sent.terms.values())
    assert {query.scope.user for query in memory.asked} == {"u"}


@pytest.mark.parametrize("pattern", ["plan-then-execute", "supervisor"])
async def test_the_prompts_of_a_pattern_hold_the_rules_of_the_person(pattern: str) -> None:
    pytest.importorskip("trustgraph.agent.orchestrator")
    _, _, prompts = await run(AgentRequest(question="Where?", pattern=pattern, user="u"), ScriptedMemory())
    framings = [json.loads(sent.terms[name]) for sent in prompts for name in ("framing", "context") if name in sent.terms]
    assert framings
    assert all("Rules of the user. Follow them:\n- always answer in German" in framing for framing in framings)


async def test_a_dialogue_that_another_process_began_is_recorded_without_its_recall() -> None:
    pytest.importorskip("trustgraph.agent.orchestrator")
    memory = ScriptedMemory()
    first, _, _ = await run(AgentRequest(question="Where?", pattern="plan-then-execute", user="u"), memory)
    assert first[-1].end_of_dialog
    step = AgentStep(
        step_type="plan", plan=[PlanStep(goal="look", tool_hint="complete", depends_on=[], status="completed", result="x")]
    )
    going_on = AgentRequest(question="Where?", pattern="plan-then-execute", user="u", session_id="s", history=[step])
    said, _, _ = await run(going_on, memory)
    assert answer_of(said) == "All of it."
    record = memory.published[-1][1]
    assert record.recalled is None
