"""What happens while nobody writes: a conversation ends, a quota is enforced, records expire.  The clock is moved."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from bench.talk.client import TalkClient, talking
from bench.talk.prompt_text import template_of
from bench.talk.understood import PROMPT, answer_with, empty_answer, read_prompt
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.requests import ListFacts, ListJobs
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.schema import AgentRequest, Fact
from trustgraph_react_mem.testing import Rule, ScriptedModel

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SOON_S, WITHIN_S = 0.1, 60.0
OWNED = ("kayak", "loom")


@dataclass(slots=True)
class Stage:
    client: TalkClient
    ahead: timedelta = timedelta()
    asked: list[tuple[str, str]] = field(default_factory=list)  # (template, prompt) of the background

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    async def say(self, user: str, conversation: str, text: str) -> None:
        at = self.now().isoformat()
        await self.client.ask(AgentRequest(question=text, conversation_id=conversation, asked_at=at, **_scope(user)))
        await self.client.wait_idle(user)

    async def facts(self, user: str) -> list[Fact]:
        return list((await self.client.bus.call(ListFacts(status="", limit=100, **_scope(user)))).facts)

    async def extracted(self, user: str) -> set[str]:
        return {each.content for each in await self.facts(user) if each.kind == "semantic"}

    async def wait_until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Wait for the housekeeping of the stack."""
        async with asyncio.timeout(WITHIN_S):
            while not await holds():  # noqa: ASYNC110 - the housekeeping sets no event
                await asyncio.sleep(SOON_S)


def _scope(user: str) -> dict[str, Any]:
    return {"user": user, "collection": "default"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    asked: list[tuple[str, str]] = []

    def answer(request: ChatRequest) -> str:
        template = template_of(request.prompt)
        if template is None or template.name.startswith("agent-"):
            return "Thought: Noted.\nFinal Answer: Noted. [NO_CITE]"
        asked.append((template.name, request.prompt))
        if template.name != PROMPT:
            return empty_answer(request)
        return answer_with([{"text": f"The user has a {thing}", "line": f"have a {thing}"} for thing in OWNED], request.prompt)

    async with talking(tmp_path_factory.mktemp("silence"), ScriptedModel(rules=[Rule(answer=answer)])) as client:
        made = Stage(client, asked=asked)
        with pytest.MonkeyPatch.context() as patch:
            sleep = SystemClock.sleep
            patch.setattr(SystemClock, "now", lambda _: made.now())
            patch.setattr(SystemClock, "sleep", lambda clock, seconds: sleep(clock, min(seconds, SOON_S)))
            yield made


async def test_a_silent_conversation_ends_and_later_turns_are_learned_alone(stage: Stage) -> None:
    async def ends() -> int:
        jobs = await stage.client.bus.call(ListJobs(limit=100, **_scope("ana")))
        return sum(job.kind == "understand" and job.trigger == "inactivity" for job in jobs.jobs)

    async def ended_once() -> bool:
        return await ends() == 1

    async def ended_twice() -> bool:
        return await ends() == 2

    await stage.client.configure({"inactivity-timeout-s": 600})
    await stage.say("ana", "talk", "I have a kayak.")
    assert await stage.extracted("ana") == set()
    stage.ahead += timedelta(minutes=11)
    await stage.wait_until(ended_once)
    await stage.client.wait_idle("ana")
    assert await stage.extracted("ana") == {"The user has a kayak"}
    stage.asked.clear()
    await stage.say("ana", "talk", "I have a loom.")
    stage.ahead += timedelta(minutes=11)
    await stage.wait_until(ended_twice)
    await stage.client.wait_idle("ana")
    assert await stage.extracted("ana") == {"The user has a kayak", "The user has a loom"}
    (prompt,) = (prompt for name, prompt in stage.asked if name == PROMPT)
    shown = read_prompt(prompt)
    assert list(shown.lines.values()) == ["i have a loom.", "noted."]
    assert "i have a kayak." in shown.older.values()


async def test_what_is_too_old_goes_while_the_person_stays_away(stage: Stage) -> None:
    async def gone() -> bool:
        return not await stage.facts("cleo")

    await stage.client.configure({"fact-ttl-days": 7})
    await stage.say("cleo", "talk", "My desk is by the window.")
    stage.ahead += timedelta(days=6)
    assert await stage.facts("cleo")
    stage.ahead += timedelta(days=2)
    await stage.wait_until(gone)
