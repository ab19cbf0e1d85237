"""A refinement in a turn that is killed between two steps, or whose words are erased while it runs."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.memory.requests import (
    ForgetConversation,
    ForgetFacts,
    ForgetRefinement,
    ForgetScope,
    GetConversation,
    GetJob,
    GetRefinement,
    ListFacts,
    ListRefinements,
    RetrieveFacts,
    StoreFact,
    WaitUntilIdle,
)
from trustgraph_react_mem.models.chat import ChatPiece, ChatRequest
from trustgraph_react_mem.processors.agent import refinement
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.records import Session
from trustgraph_react_mem.refine.wire import from_wire
from trustgraph_react_mem.schema import AgentRequest, RefineOptions
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

from .test_refined_turns import RULES, SCOPE

QUESTION = "What is my locker number?"
PATIENCE_S = 300.0  # for a busy machine
STEPS = ["The locker number is 4712.", "No memory has 4712: it is 4711.", "The locker number is 4711."]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that is stored slowly is not given up."""
    monkeypatch.setattr(refinement, "STORE_S", PATIENCE_S)


@dataclass(slots=True)
class HeldModel(ScriptedModel):
    """Waits before it revises, or before the prompt that ``at`` names, until it is let go."""

    at: str = "You improve an answer"
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        if self.at in f"{request.system}{request.prompt}":
            self.reached.set()
            await self.go.wait()
        async for piece in ScriptedModel.stream(self, request):
            yield piece


def stack_in(home: Path, model: ScriptedModel) -> EmbeddedStack:
    settings = StoreSettings(home=home / "data", keys=home / "keys")
    return EmbeddedStack(model=model, embeddings=HashedEmbedder(), settings=settings)


def scripted(kind: type[ScriptedModel] = ScriptedModel) -> ScriptedModel:
    return kind(rules=RULES, default="Thought: ok.\nFinal Answer: Noted.")


async def tell(bus: MemoryBus) -> None:
    await bus.call(StoreFact(content="My locker number is 4711.", trust="user", **SCOPE), timeout_s=PATIENCE_S)
    await bus.call(RetrieveFacts(query=QUESTION, **SCOPE), timeout_s=PATIENCE_S)


async def ask(bus: MemoryBus) -> str:
    request = AgentRequest(
        question=QUESTION, conversation_id="talk", invocation_id="turn-1", streaming=True, refine=RefineOptions(), **SCOPE
    )
    said = [response async for response in bus.ask(request, PATIENCE_S)]
    return "".join(each.content for each in said if each.message_type == "answer")


async def sessions(bus: MemoryBus) -> list[Session]:
    listed = (await bus.call(ListRefinements(**SCOPE))).refinements
    found = [await bus.call(GetRefinement(session_id=each.session_id, **SCOPE)) for each in listed]
    return [fold(one.session_id, [from_wire(event) for event in each.events]) for one, each in zip(listed, found, strict=True)]


async def settled(bus: MemoryBus, job: str) -> None:
    """Wait for an erasure, which must be complete."""
    for _ in range(int(PATIENCE_S / 0.2)):
        found = (await bus.call(GetJob(id=job, **SCOPE), timeout_s=PATIENCE_S)).jobs
        if found and found[0].summary:
            assert json.loads(found[0].summary)["complete"]
            return
        await asyncio.sleep(0.2)
    raise TimeoutError(f"the erasure {job} did not end")


def texts(session: Session) -> list[str]:
    return [event.text for slot in session.slots for event in slot.events]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.integration.test_refined_faults import ask, scripted, stack_in, tell
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.processors.agent import refinement

left = int(sys.argv[2])
store = refinement._SessionLog._store

async def dying_store(self, place):
    global left
    if left:
        await store(self, place)
        left -= 1
        print(self._events[place].phase, flush=True)
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

refinement._SessionLog._store = dying_store
refinement.STORE_S = 300.0

async def main():
    async with stack_in(Path(sys.argv[1]), scripted()) as stack, await MemoryBus.connect(stack.url) as bus:
        await tell(bus)
        await ask(bus)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("stored", [0, 1, 2, 3])
async def test_a_turn_that_is_killed_between_two_steps_keeps_them_and_can_be_asked_again(tmp_path: Path, stored: int) -> None:
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(tmp_path), str(stored), stdout=subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(killed.communicate(), PATIENCE_S)
    assert (killed.returncode, len(out.split())) == (-9, stored)
    async with stack_in(tmp_path, scripted()) as stack, await MemoryBus.connect(stack.url) as bus:
        before = await sessions(bus)
        assert [len(texts(each)) for each in before] == ([stored] if stored else [])
        assert await ask(bus) == STEPS[-1]
        [session] = await sessions(bus)
        assert [wanted in text for wanted, text in zip(STEPS, texts(session), strict=True)] == [True] * 3
        assert not before or texts(session)[:stored] == texts(before[0])
        await bus.call(WaitUntilIdle(timeout_s=PATIENCE_S, **SCOPE), timeout_s=PATIENCE_S)
        conversation = (await bus.call(GetConversation(conversation_id="talk", **SCOPE))).conversation
        assert conversation is not None
        assert [each.result for each in conversation.invocations] == [STEPS[-1]]


async def forget_session(bus: MemoryBus) -> Any:
    [session] = await sessions(bus)
    return await bus.call(ForgetRefinement(session_id=session.id, **SCOPE))


async def forget_conversation(bus: MemoryBus) -> Any:
    return await bus.call(ForgetConversation(conversation_id="talk", **SCOPE))


async def forget_user(bus: MemoryBus) -> Any:
    return await bus.call(ForgetScope(level="user", **SCOPE), timeout_s=PATIENCE_S)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["Final Answer:", "You improve an answer"])
async def test_a_question_that_is_forgotten_while_it_is_asked_again_leaves_no_word(tmp_path: Path, at: str) -> None:
    """A request that is delivered twice is the same exchange.  It is forgotten before its second draft, or revision."""
    drafts = [f"Thought: I recall it.\nFinal Answer: {text}" for text in (STEPS[0], "The locker number is 4713.")]
    model = HeldModel(rules=(*RULES[:2], Rule(when="locker", answer=drafts)), at=at)
    async with stack_in(tmp_path, model) as stack, await MemoryBus.connect(stack.url) as bus:
        await tell(bus)
        model.go.set()
        await ask(bus)
        await bus.call(WaitUntilIdle(timeout_s=PATIENCE_S, **SCOPE), timeout_s=PATIENCE_S)
        model.go.clear()
        model.reached.clear()
        asked = asyncio.create_task(ask(bus))
        await asyncio.wait_for(model.reached.wait(), PATIENCE_S)
        turns = (await bus.call(ListFacts(kinds=["turn"], source="talk", **SCOPE), timeout_s=PATIENCE_S)).facts
        erased = await bus.call(ForgetFacts(ids=[each.id for each in turns], **SCOPE), timeout_s=PATIENCE_S)
        await settled(bus, erased.stats["job"])
        model.go.set()
        assert await asked == STEPS[-1]
        await bus.call(WaitUntilIdle(timeout_s=PATIENCE_S, **SCOPE), timeout_s=PATIENCE_S)
        left = await sessions(bus)
        assert {text for each in left for text in texts(each)} == {"[forgotten]"}
        assert {slot.query for each in left for slot in each.slots} == {"[forgotten]"}
        conversation = (await bus.call(GetConversation(conversation_id="talk", **SCOPE))).conversation
        assert conversation is not None
        assert [(each.query, each.result) for each in conversation.invocations] == [("[forgotten]", "[forgotten]")]
        assert (await bus.call(ListFacts(kinds=["turn"], source="talk", **SCOPE), timeout_s=PATIENCE_S)).facts == []


@pytest.mark.slow
@pytest.mark.parametrize("forget", [forget_session, forget_conversation, forget_user])
async def test_what_is_erased_while_a_refinement_runs_does_not_come_back(
    tmp_path: Path, forget: Callable[[MemoryBus], Awaitable[Any]]
) -> None:
    model = scripted(HeldModel)
    assert isinstance(model, HeldModel)
    async with stack_in(tmp_path, model) as stack, await MemoryBus.connect(stack.url) as bus:
        await tell(bus)
        asked = asyncio.create_task(ask(bus))
        await asyncio.wait_for(model.reached.wait(), PATIENCE_S)
        [session] = await sessions(bus)
        assert len(texts(session)) == 2
        job = (await forget(bus)).stats["job"]
        model.go.set()
        assert await asked == STEPS[-1]
        await settled(bus, job)
        assert [text for each in await sessions(bus) for text in texts(each)] == []
