"""TrustGraph's other patterns: with trustgraph-flow beside us its orchestrator does them, with our memory around it."""

import re
from collections import Counter

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import GetConversation

from .conftest import Pair, answer_of
from .test_drop_in import recalls
from .trustgraph import PATIENCE_S, Message

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="session")]

PATTERNS = ("plan-then-execute", "supervisor")


@pytest.fixture(autouse=True)
def _orchestrator() -> None:
    pytest.importorskip("trustgraph.agent.orchestrator", reason="trustgraph-flow is not beside us: make test-stock")


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streaming"])
@pytest.mark.parametrize("pattern", PATTERNS)
async def test_with_memory_off_the_dialogue_is_the_orchestrators(pair: Pair, pattern: str, streaming: bool) -> None:
    await pair.settings(enable_memory=False)
    request: Message = {"question": "What are the capitals?", "pattern": pattern, "streaming": streaming}
    # identifiers of the triples' entities need a session; the gateway gives none
    stock, ours = await pair.both({**request, "session_id": "11111111-1111-4111-8111-111111111111"}, stock="patterns")
    if pattern == "plan-then-execute":
        assert ours == stock
        return
    # sub-agents work at once, so their messages mix
    assert Counter(map(shape, ours)) == Counter(map(shape, stock))
    assert shape(ours[-1]) == shape(stock[-1])


def shape(message: Message) -> tuple[str, str, str, bool, bool]:
    ids = re.sub(r"session\d+", "session", message.get("explain_id", "") + message.get("message_id", ""))
    return message["message_type"], message.get("content", ""), ids, message["end_of_message"], message["end_of_dialog"]


@pytest.mark.parametrize("pattern", PATTERNS)
async def test_sub_agents_remember_and_the_turn_is_recorded_once(pair: Pair, pattern: str) -> None:
    trustgraph, conversation = pair.trustgraph, f"capitals by {pattern}"
    await pair.settings(enable_memory=True)
    await trustgraph.ask("mem", {"question": "The capital of my heart is Wismar.", "conversation_id": "heart"})
    await recalls(pair, "What is the capital of my heart?", "Wismar", conversation="again")
    before = len(await trustgraph.prompts())
    question = "What are the capitals of France, Italy and my heart?"
    messages = await trustgraph.ask("mem", {"question": question, "pattern": pattern, "conversation_id": conversation})
    assert answer_of(messages).startswith("Paris is the capital of France.")
    sent = (await trustgraph.prompts())[before:]
    first = next(prompt for prompt in sent if "this task." in prompt)
    assert "Wismar" in first  # as framing, where the orchestrator plans
    if pattern == "supervisor":
        agents = [prompt for prompt in sent if "Write exactly one of these two forms" in prompt]
        assert len(agents) == 2
        assert all("Wismar" in prompt for prompt in agents)
    async with await MemoryBus.connect(trustgraph.pulsar_url, flow="mem") as bus:

        async def recorded() -> bool:
            found = await bus.call(GetConversation(collection="default", conversation_id=conversation))
            turns = found.conversation.invocations if found.conversation else []
            assert len(turns) <= 1
            return [turn.query for turn in turns] == [question]

        await trustgraph.until(recorded, "the record of the turn", PATIENCE_S)
