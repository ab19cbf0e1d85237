"""With memory off the agent says what TrustGraph's own says; what differs is named here and in ``docs/deviations.md``."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from trustgraph.schema import AgentStep

from trustgraph_react_mem.bus.trustgraph_adapter import agent_error
from trustgraph_react_mem.processors.agent.processor import ReactMemService
from trustgraph_react_mem.schema import AgentRequest

from .stock_doubles import SCENARIOS, TOOLS, USAGE, MemoryFlow, plain, play

STOCK: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "stock.json").read_text("utf-8"))
DEVIATING = ("unknown-tool", "unparsed", "too-many-steps", "model-error", "no-librarian")
SAME = [f"{name}/{mode}" for name, stock in STOCK.items() if name not in DEVIATING for mode in stock["messages"]]


def stock_messages(key: str) -> list[dict[str, Any]]:
    name, mode = key.split("/")
    messages: list[dict[str, Any]] = STOCK[name]["messages"][mode]
    return messages


async def agent(**params: Any) -> ReactMemService:
    service = ReactMemService(id="agent-manager-react-mem", taskgroup=None, **params)
    await service.load_tools("tool", "default", {"tool": TOOLS}, 1)
    return service


async def ours(key: str, **more: Any) -> dict[str, Any]:
    name, mode = key.split("/")
    scenario = SCENARIOS[name]
    service = await agent(max_iterations=scenario.get("max_iterations"))
    flow = MemoryFlow(scenario["texts"], librarian_fails=scenario.get("librarian_fails", False))
    played = await play(
        service.agent_request, AgentRequest, AgentStep, scenario, streaming=mode == "streaming", flow=flow,
        enable_memory=False, **more,
    )  # fmt: skip
    await asyncio.gather(*service._background, return_exceptions=True)  # the librarian saves texts after the answer
    played["librarian"] = sorted(
        [name.replace(session_of(flow), "<session>"), text] for name, text in flow.librarian.saved.items()
    )
    return played


def session_of(flow: MemoryFlow) -> str:
    """The session id of what a flow's librarian and explanations were given."""
    ids = [sent.metadata.id for sent in flow.explainability.sent]
    return ids[0].removeprefix("urn:trustgraph:agent:").split("/")[0] if ids else "none"


@pytest.mark.parametrize("key", SAME)
async def test_the_messages_are_those_of_stock(key: str) -> None:
    played = await ours(key)
    assert plain(played["messages"]) == plain(stock_messages(key))
    assert played["kept"] == "as explained"
    assert played["librarian"] == STOCK[key.split("/")[0]]["librarian"]


@pytest.mark.parametrize("key", [key for key in SAME if key.endswith("whole")])
async def test_whole_messages_are_equal_to_the_letter(key: str) -> None:
    def letters(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: value for name, value in message.items() if name not in USAGE} for message in messages]

    assert letters((await ours(key))["messages"]) == letters(stock_messages(key))


@pytest.mark.parametrize("key", SAME)
async def test_the_triples_are_those_of_the_orchestrator(key: str) -> None:
    """They hold all of the ReAct agent's."""
    explained = STOCK[key.split("/")[0]]["explained"]
    assert [sorted(triples) for triples in (await ours(key))["explained"]] == [sorted(triples) for triples in explained]


@pytest.mark.parametrize("key", SAME)
async def test_tokens_are_on_the_last_message_for_the_whole_turn(key: str) -> None:
    messages = (await ours(key))["messages"]
    calls = len(SCENARIOS[key.split("/")[0]]["texts"])
    assert [messages[-1][name] for name in USAGE] == [100 * calls, 10 * calls, "scripted"]
    assert not any(name in message for message in messages[:-1] for name in USAGE)


# ---------------------------------------------------------------------------------------------- deliberate deviations


@pytest.mark.parametrize("mode", ["whole", "streaming"])
async def test_an_unknown_tool_is_told_to_the_model_instead_of_failing_the_turn(mode: str) -> None:
    assert stock_messages(f"unknown-tool/{mode}")[-1]["content"] == "No action for ghost!"
    messages = (await ours(f"unknown-tool/{mode}"))["messages"]
    observed = [message["content"] for message in messages if message["message_type"] == "observation"]
    assert observed == [
        "Error: there is no tool 'ghost'. The tools are: knowledge, complete, remote, failing, template, table, rows"
    ]
    assert messages[-1]["message_type"] == "answer"


@pytest.mark.parametrize("mode", ["whole", "streaming"])
async def test_too_many_steps_end_with_the_best_answer(mode: str) -> None:
    stock = stock_messages(f"too-many-steps/{mode}")
    messages = (await ours(f"too-many-steps/{mode}"))["messages"]
    assert stock[-1]["content"] == "Too many agent iterations"
    assert plain(messages[: len(stock) - 1]) == plain(stock[:-1])
    assert messages[-1]["end_of_dialog"]
    assert messages[-1]["message_type"] == "answer"


@pytest.mark.parametrize("mode", ["whole", "streaming"])
async def test_an_error_ends_the_dialogue_in_words(mode: str) -> None:
    """A stock gateway shows ``'Error' object has no attribute 'code'`` for an error with a text."""
    stock = stock_messages(f"model-error/{mode}")
    messages = (await ours(f"model-error/{mode}"))["messages"]
    assert messages[:-1] == stock[:-1]
    text = {"message_type": "answer", "content": "Error: the model broke"}
    kind = stock[-1]["error"]["type"]
    assert messages[-1] == {
        **stock[-1],
        **text,
        "error": {"type": kind, "message": agent_error(kind, "the model broke").message},
    }
    assert messages[-1]["end_of_dialog"]
