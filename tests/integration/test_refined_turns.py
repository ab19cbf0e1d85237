"""A refined answer over the embedded stack: its steps are stored with the conversation and forgotten with it."""

from pathlib import Path
from typing import Any

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.memory.requests import (
    ForgetConversation,
    GetRefinement,
    ListRefinements,
    RetrieveFacts,
    StoreFact,
    WaitUntilIdle,
)
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.wire import from_wire
from trustgraph_react_mem.schema import AgentRequest, RefineOptions
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

SCOPE: dict[str, Any] = {"user": "ann", "collection": "home"}
RULES = (
    Rule(when="You improve an answer", answer="The locker number is 4711."),
    Rule(when="You check an answer", answer="No memory has 4712: it is 4711."),
    Rule(when="locker", answer="Thought: I recall it.\nFinal Answer: The locker number is 4712."),
)


async def test_the_steps_of_a_refined_answer_live_and_end_with_its_conversation(tmp_path: Path) -> None:
    settings = StoreSettings(home=tmp_path / "data", keys=tmp_path / "keys")
    model = ScriptedModel(rules=RULES, default="Thought: ok.\nFinal Answer: Noted.")
    async with (
        EmbeddedStack(model=model, embeddings=HashedEmbedder(), settings=settings) as stack,
        await MemoryBus.connect(stack.url) as bus,
    ):
        await bus.call(StoreFact(content="My locker number is 4711.", trust="user", **SCOPE))
        await bus.call(RetrieveFacts(query="What is my locker number?", **SCOPE))
        request = AgentRequest(
            question="What is my locker number?", conversation_id="talk", streaming=True, refine=RefineOptions(), **SCOPE
        )
        said = [response async for response in bus.ask(request, 60.0)]
        assert "".join(each.content for each in said if each.message_type == "answer") == "The locker number is 4711."
        listed = await bus.call(ListRefinements(conversation_id="talk", **SCOPE))
        [found] = listed.refinements
        events = await bus.call(GetRefinement(session_id=found.session_id, **SCOPE))
        slot = fold(found.session_id, [from_wire(each) for each in events.events]).slot
        assert slot is not None
        assert (slot.draft, slot.standing) == ("The locker number is 4712.", "The locker number is 4711.")
        await bus.call(WaitUntilIdle(timeout_s=60.0, **SCOPE))
        await bus.call(ForgetConversation(conversation_id="talk", **SCOPE))
        await bus.call(WaitUntilIdle(timeout_s=60.0, **SCOPE))
        assert (await bus.call(ListRefinements(**SCOPE))).refinements == []
        assert not (await bus.call(GetRefinement(session_id=found.session_id, **SCOPE))).success
