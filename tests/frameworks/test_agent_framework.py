"""The providers for Microsoft Agent Framework, in runs of its agent."""

import json
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    ContextProvider,
    HistoryProvider,
    Message,
)

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.frameworks.agent_framework import MemoryContextProvider, MemoryHistoryProvider
from trustgraph_react_mem.manager.scoped import send
from trustgraph_react_mem.memory.requests import GetFactStats, SwitchMemory


class Scripted(BaseChatClient[Any]):
    """Answers with a word, and keeps what it was asked."""

    def __init__(self, answer: str = "Noted.") -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[list[str]] = []

    def _inner_get_response(  # type: ignore[override]
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Awaitable[ChatResponse[Any]]:
        async def answer() -> ChatResponse[Any]:
            self.asked.append([message.text for message in messages])
            return ChatResponse(messages=[Message("assistant", [self.answer])])

        return answer()


async def test_they_are_providers(memory: MemoryManager) -> None:
    assert isinstance(MemoryContextProvider(memory), ContextProvider)
    assert isinstance(MemoryHistoryProvider(memory), HistoryProvider)


async def test_a_new_session_is_shown_what_an_earlier_one_said(memory: MemoryManager) -> None:
    client = Scripted()
    agent = Agent(client=client, context_providers=[MemoryContextProvider(memory)])
    one, two = AgentSession(session_id="one"), AgentSession(session_id="two")
    await agent.run("My dog Miso is allergic to chicken.", session=one)
    await agent.run("What is my dog Miso allergic to?", session=two)
    assert not any("remembered" in text for text in client.asked[0])
    assert any("User: My dog Miso is allergic to chicken." in text for text in client.asked[1])
    stats = (await send(memory, GetFactStats())).stats
    assert stats["turn"] == "4"  # what was recalled is not learned again


async def test_sessions_hold_nothing_of_memory(memory: MemoryManager) -> None:
    agent = Agent(client=Scripted(), context_providers=[MemoryContextProvider(memory), MemoryHistoryProvider(memory)])
    session = AgentSession(session_id="one")
    await agent.run("My dog Miso is allergic to chicken.", session=session)
    assert "chicken" not in json.dumps(session.to_dict())


async def test_a_history_is_continued_by_another_agent(memory: MemoryManager) -> None:
    for question in ("My dog Miso is allergic to chicken.", "And what else?"):
        client = Scripted()
        agent = Agent(client=client, context_providers=[MemoryHistoryProvider(memory)])
        await agent.run(question, session=AgentSession(session_id="one"))
    assert client.asked == [["My dog Miso is allergic to chicken.", "Noted.", "And what else?"]]
    provider = MemoryHistoryProvider(memory)
    assert await provider.get_messages("two") == []
    assert await provider.get_messages(None) == []
    assert [each.text for each in await MemoryHistoryProvider(memory.shared(user="other")).get_messages("one")] == []


async def test_messages_keep_their_parts_and_tools_are_not_learned(memory: MemoryManager) -> None:
    provider = MemoryHistoryProvider(memory)
    call = Message("assistant", [Content.from_function_call("c1", "look", arguments={"x": "secret_tool_word"})])
    result = Message("tool", [Content.from_function_result("c1", result="Miso is a cat.")])
    said = Message("user", ["Miso eats fish."], message_id="m1")
    await provider.save_messages("one", [said, call, result])
    kept = await provider.get_messages("one")
    assert [message.to_dict() for message in kept] == [message.to_dict() for message in (said, call, result)]
    assert (await send(memory, GetFactStats())).stats["turn"] == "1"
    [entry] = await memory.retrieve("What does Miso eat?")
    await memory.delete(entry.id)
    assert [message.role for message in await provider.get_messages("one")] == ["assistant", "tool"]


async def test_one_of_two_providers_learns(memory: MemoryManager) -> None:
    providers = [MemoryHistoryProvider(memory), MemoryContextProvider(memory, learn=False)]
    await Agent(client=Scripted(), context_providers=providers).run("Miso eats fish.", session=AgentSession(session_id="one"))
    assert (await send(memory, GetFactStats())).stats["turn"] == "2"


async def test_while_reading_is_switched_off_nothing_is_recalled(memory: MemoryManager) -> None:
    client = Scripted()
    agent = Agent(client=client, context_providers=[MemoryContextProvider(memory)])
    await agent.run("My dog Miso is allergic to chicken.", session=AgentSession(session_id="one"))
    await send(memory, SwitchMemory(read=False))
    await agent.run("What is my dog Miso allergic to?", session=AgentSession(session_id="two"))
    assert client.asked[1] == ["What is my dog Miso allergic to?"]
