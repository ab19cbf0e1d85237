"""The memory service for Google ADK, with its base class, its runner and its tools."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai.types import Content, FunctionResponse, Part

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.frameworks.google_adk import MemoryService
from trustgraph_react_mem.manager.scoped import send
from trustgraph_react_mem.memory.requests import GetFactStats, ListFacts

from .conftest import NewUser

APP = "travel"


def event(number: int, text: str, author: str = "user", **more: Any) -> Event:
    content = Content(role="user", parts=[Part(text=text)])
    return Event(id=f"e{number}", author=author, content=content, timestamp=1_700_000_000.0 + number, **more)


def session(user: str, *events: Event, name: str = "s1") -> Session:
    return Session(id=name, app_name=APP, user_id=user, events=list(events))


async def texts(service: MemoryService, user: str, query: str, app: str = APP) -> list[str]:
    found = await service.search_memory(app_name=app, user_id=user, query=query)
    return [str((memory.content.parts or [])[0].text) for memory in found.memories]


@pytest.fixture
def service(memory: MemoryManager) -> MemoryService:
    return MemoryService(memory)


def test_it_is_a_memory_service(service: MemoryService) -> None:
    assert isinstance(service, BaseMemoryService)
    assert not getattr(MemoryService, "__abstractmethods__", ())


async def test_a_session_is_remembered_and_found(service: MemoryService, new_user: NewUser) -> None:
    user = "adk-a"
    tool = Content(role="user", parts=[Part(function_response=FunctionResponse(name="f", response={"cat": "Rex"}))])
    thought = Content(role="model", parts=[Part(text="Maybe Miso is a cat.", thought=True), Part(text="Noted.")])
    await service.add_session_to_memory(
        session(
            user,
            event(1, "Miso the dog is allergic to chicken."),
            event(2, "Miso is a ca", "helper", partial=True),
            Event(id="e3", author="helper", content=tool),
            Event(id="e4", author="helper", content=thought),
        )
    )
    found = await service.search_memory(app_name=APP, user_id=user, query="What is the dog Miso allergic to?")
    assert found.memories[0].content.parts[0].text == "Miso the dog is allergic to chicken."  # type: ignore[index]
    assert str(found.memories[0].timestamp).startswith("2023-11-14T")
    assert not any("cat" in text for text in await texts(service, user, "Is Miso a cat?"))
    assert await texts(service, user, " ") == []


async def test_users_and_applications_do_not_see_one_another(service: MemoryService) -> None:
    await service.add_session_to_memory(session("adk-b", event(1, "Miso the dog is allergic to chicken.")))
    assert await texts(service, "adk-c", "Miso") == []
    assert await texts(service, "adk-b", "Miso", app="other") == []
    assert await texts(service, "adk-b", "Miso")
    for user, app in (("", APP), ("adk-b", "")):
        with pytest.raises(BadRequest, match="app_name and user_id"):
            await texts(service, user, "Miso", app=app)


async def test_a_session_that_grew_adds_only_what_is_new(service: MemoryService, memory: MemoryManager) -> None:
    own = memory.shared(user="adk-d", collection=APP)
    first, second, third = event(1, "Miso eats fish."), event(2, "Rex eats beef."), event(3, "Ada eats rice.")
    await service.add_session_to_memory(session("adk-d", first))
    await service.add_session_to_memory(session("adk-d", first))
    await service.add_session_to_memory(session("adk-d", first, second))
    assert (await send(own, GetFactStats())).stats["turn"] == "2"
    [found] = [entry for entry in await own.retrieve("Miso eats fish") if "Miso" in entry.content]
    await service.delete_memory(app_name=APP, user_id="adk-d", memory_id=found.id)
    again = MemoryService(memory)  # after a restart, what was erased stays erased
    await again.add_session_to_memory(session("adk-d", first, second, third))
    kept = [fact.content for fact in (await send(own, ListFacts(kinds=["turn"]))).facts]
    assert sorted(kept) == ["Ada eats rice.", "Rex eats beef."]


async def test_events_are_learned_once(service: MemoryService, memory: MemoryManager) -> None:
    own = memory.shared(user="adk-e", collection=APP)
    for _ in range(2):
        await service.add_events_to_memory(app_name=APP, user_id="adk-e", events=[event(1, "Miso eats fish.")])
    assert (await send(own, GetFactStats())).stats["turn"] == "1"


async def test_a_memory_is_a_fact_and_an_agent_s_words_are_held_back(service: MemoryService) -> None:
    def entry(text: str, **more: Any) -> MemoryEntry:
        return MemoryEntry(content=Content(parts=[Part(text=text)]), **more)

    arguments: dict[str, Any] = {"app_name": APP, "user_id": "adk-f"}
    await service.add_memory(**arguments, memories=[entry("Miso eats fish.", id="own-id", custom_metadata={"n": 1})])
    await service.add_memory(**arguments, memories=[entry("Miso eats poison.", author="helper")])
    assert await texts(service, "adk-f", "What does Miso eat?") == ["Miso eats fish."]
    with pytest.raises(BadRequest, match="no text"):
        await service.add_memory(**arguments, memories=[MemoryEntry(content=Content(parts=[]))])
    with pytest.raises(BadRequest, match="memory_id is empty"):
        await service.delete_memory(**arguments, memory_id="")
    await service.delete_memory(**arguments, memory_id="own-id")
    assert await texts(service, "adk-f", "What does Miso eat?") == []


async def test_without_an_id_everything_of_the_user_in_the_application_is_erased(service: MemoryService) -> None:
    for app_name, user_id in ((APP, "adk-i"), (APP, "adk-j"), ("other", "adk-i")):
        for word in ("fish", "rice"):
            said = MemoryEntry(content=Content(parts=[Part(text=f"Miso eats {word}.")]))
            await service.add_memory(app_name=app_name, user_id=user_id, memories=[said])
    await service.delete_memory(app_name=APP, user_id="adk-i")
    left = [
        len((await service.search_memory(app_name=app_name, user_id=user_id, query="What does Miso eat?")).memories)
        for app_name, user_id in ((APP, "adk-i"), (APP, "adk-j"), ("other", "adk-i"))
    ]
    assert left == [0, 2, 2]


class Scripted(BaseLlm):
    """Answers with a word, and keeps what it was asked."""

    asked: list[str] = []  # noqa: RUF012  # a field of pydantic

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.asked.append("\n".join(part.text or "" for each in llm_request.contents for part in each.parts or []))
        yield LlmResponse(content=Content(role="model", parts=[Part(text="Noted.")]))


async def test_a_run_in_a_new_session_is_shown_what_an_earlier_one_said(service: MemoryService) -> None:
    model = Scripted(model="scripted")
    agent = LlmAgent(name="helper", model=model, tools=[PreloadMemoryTool()])
    sessions = InMemorySessionService()
    runner = Runner(app_name=APP, agent=agent, session_service=sessions, memory_service=service)
    for name, text in (("one", "My dog Miso is allergic to chicken."), ("two", "What is my dog Miso allergic to?")):
        await sessions.create_session(app_name=APP, user_id="adk-g", session_id=name)
        message = Content(role="user", parts=[Part(text=text)])
        async for _ in runner.run_async(user_id="adk-g", session_id=name, new_message=message):
            pass
        done = await sessions.get_session(app_name=APP, user_id="adk-g", session_id=name)
        assert done is not None
        await service.add_session_to_memory(done)
    assert "chicken" in model.asked[0]
    assert "PAST_CONVERSATIONS" not in model.asked[0]
    assert "My dog Miso is allergic to chicken." in model.asked[1]
