"""The session for the OpenAI Agents SDK, with its own types and its runner."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool, set_tracing_disabled
from agents.memory import Session, SessionABC, SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.frameworks.openai_agents import MemorySession, with_memory
from trustgraph_react_mem.manager.scoped import send
from trustgraph_react_mem.memory.requests import GetFactStats, SwitchMemory

set_tracing_disabled(True)

ITEMS: list[Any] = [
    {"role": "user", "content": "Miso the dog is allergic to chicken."},
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "And Miso is brown."}, {"type": "input_image", "image_url": "x"}],
    },
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"secret_tool_word": 1}'},
    {"type": "function_call_output", "call_id": "c1", "output": "The tool says: Miso is a cat."},
    {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "thoughts of the model"}]},
    {"role": "system", "content": "You are a system prompt."},
    {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Noted, Miso eats no chicken.", "annotations": []}],
    },
]


class Scripted(Model):
    """Answers in turn, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []
        self.instructions: list[str | None] = []

    async def get_response(self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        self.instructions.append(system_instructions)
        self.asked.append(list(input) if isinstance(input, list) else input)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            text = ResponseOutputText(type="output_text", text=answer, annotations=[])
            answer = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@pytest.fixture
def session(memory: MemoryManager) -> MemorySession:
    return MemorySession("s1", memory)


def test_it_is_a_session(session: MemorySession) -> None:
    assert isinstance(session, Session)
    assert isinstance(session, SessionABC)


async def test_items_come_back_as_they_were_and_in_order(session: MemorySession, memory: MemoryManager) -> None:
    await session.add_items(ITEMS[:3])
    await session.add_items(ITEMS[3:])
    await session.add_items([])
    assert await session.get_items() == ITEMS
    assert await MemorySession("s1", memory).get_items() == ITEMS
    assert await MemorySession("s2", memory).get_items() == []
    assert await MemorySession("s1", memory.shared(user="someone-else")).get_items() == []


@pytest.mark.parametrize("limit", [None, 0, 1, 3, 100, -1])
async def test_limits_are_those_of_the_sdk_s_own_session(session: MemorySession, limit: int | None) -> None:
    reference = SQLiteSession("s1")
    for each in (session, reference):
        await each.add_items(ITEMS)
    assert await session.get_items(limit) == await reference.get_items(limit)
    for each in (session, reference):
        each.session_settings = SessionSettings(limit=2)
    assert await session.get_items(limit) == await reference.get_items(limit)


async def test_memory_learns_from_both_sides_and_from_nothing_else(session: MemorySession, memory: MemoryManager) -> None:
    await session.add_items(ITEMS)
    stats = (await send(memory, GetFactStats())).stats
    assert stats["turn"] == "3"
    assert set(stats) <= {"turn", "vectors", "embedding"}
    for question in (
        "What is Miso allergic to?",
        "Is Miso a cat?",
        "secret_tool_word",
        "thoughts of the model",
        "system prompt",
    ):
        found = " ".join(entry.content for entry in await memory.retrieve(question, limit=20))
        assert not any(word in found for word in ("cat", "secret_tool_word", "thoughts", "system"))
    assert "Miso the dog is allergic to chicken." in [entry.content for entry in await memory.retrieve("allergic to chicken")]


async def test_a_popped_item_is_forgotten_with_its_words(session: MemorySession, memory: MemoryManager) -> None:
    assert await session.pop_item() is None
    await session.add_items(
        [{"role": "user", "content": "Rex the cat is old."}, {"role": "user", "content": "Miso eats fish."}]
    )
    assert await session.pop_item() == {"role": "user", "content": "Miso eats fish."}
    assert [entry.content for entry in await memory.retrieve("What does Miso eat?")] in ([], ["Rex the cat is old."])
    assert await session.get_items() == [{"role": "user", "content": "Rex the cat is old."}]


async def test_a_cleared_session_is_empty_and_memory_keeps_its_facts(session: MemorySession, memory: MemoryManager) -> None:
    await session.add_items(ITEMS)
    await session.clear_session()
    assert await session.get_items() == []
    assert await memory.retrieve("What is Miso allergic to?")
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]


async def test_what_memory_forgets_the_session_does_not_have(session: MemorySession, memory: MemoryManager) -> None:
    await session.add_items(ITEMS)
    for entry in await memory.retrieve("Miso allergic to chicken", limit=20):
        if "chicken" in entry.content:
            await memory.delete(entry.id)
    assert "chicken" not in str(await session.get_items())
    assert len(await session.get_items()) == 5


async def test_while_writing_is_switched_off_nothing_is_kept(session: MemorySession, memory: MemoryManager) -> None:
    await send(memory, SwitchMemory(write=False))
    with pytest.raises(BadRequest, match="switched off"):
        await session.add_items(ITEMS)
    await send(memory, SwitchMemory(write=True))
    assert await session.get_items() == []


def test_a_session_needs_a_name(memory: MemoryManager) -> None:
    with pytest.raises(BadRequest, match="session_id"):
        MemorySession("", memory)


async def test_the_runner_continues_a_conversation(memory: MemoryManager) -> None:
    @function_tool  # type: ignore[untyped-decorator,unused-ignore]
    def weather(city: str) -> str:
        """The weather."""
        return f"sun in {city}"

    call = ResponseFunctionToolCall(type="function_call", call_id="c1", name="weather", arguments='{"city": "Porto"}')
    model = Scripted("Hello Ana.", call, "Sun.")
    agent = Agent(name="helper", model=model, tools=[weather])
    config = RunConfig(tracing_disabled=True)
    await Runner.run(agent, "I am Ana and I live in Porto.", session=MemorySession("s1", memory), run_config=config)
    done = await Runner.run(agent, "What is the weather?", session=MemorySession("s1", memory), run_config=config)
    assert done.final_output == "Sun."
    assert model.asked[1][0].get("content") == "I am Ana and I live in Porto."
    assert len(model.asked[1]) == 3
    items = await MemorySession("s1", memory).get_items()
    assert [item.get("type", item.get("role")) for item in items] == [
        "user", "message", "user", "function_call", "function_call_output", "message",
    ]  # fmt: skip
    assert "sun in Porto" not in str(await memory.retrieve("sun in Porto", limit=20))


async def test_instructions_hold_what_another_session_said(memory: MemoryManager) -> None:
    model = Scripted("Hello.", "Chicken.")
    agent = Agent(name="helper", model=model, instructions=with_memory(memory, "Be brief."))
    config = RunConfig(tracing_disabled=True)
    await Runner.run(agent, "My dog Miso is allergic to chicken.", session=MemorySession("s1", memory), run_config=config)
    await Runner.run(agent, "What is my dog Miso allergic to?", session=MemorySession("s2", memory), run_config=config)
    assert model.instructions[0] == "Be brief."
    assert str(model.instructions[1]).startswith("Be brief.\n\nWhat is remembered")
    assert "User: My dog Miso is allergic to chicken." in str(model.instructions[1])
