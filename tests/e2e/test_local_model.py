"""The small local model, really fetched and really run.  It takes a minute on two cores."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.models.endpoint import local_model
from trustgraph_react_mem.models.local_llm import CONTEXT_TOKENS, LocalChatModel

pytestmark = pytest.mark.model

RULES = " ".join(f"Rule {number}: answer in short plain words about topic {number}." for number in range(20))
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "city": {"type": "string"}},
    "required": ["name", "city"],
    "additionalProperties": False,
}


@pytest.fixture
async def model() -> AsyncIterator[LocalChatModel]:
    served = local_model()
    await served.load()
    yield served
    await served.close()


async def test_it_answers_streams_keeps_forms_and_stops(model: LocalChatModel) -> None:
    # A fact in the prompt is found.
    asked = ChatRequest(system=RULES, prompt="Ann moved to Oslo in May. In which city does Ann live? One word.", max_tokens=12)
    first = await model.complete(asked)
    assert "Oslo" in first.text
    assert first.out_tokens <= 12

    # What both prompts begin with is not computed again.
    second = await model.complete(
        ChatRequest(system=RULES, prompt="Ben moved to Rome. In which city does Ben live?", max_tokens=12)
    )
    assert second.cached_tokens > 0.8 * second.in_tokens

    # A schema holds, whatever the model would rather write.
    formed = await model.complete(ChatRequest(prompt="Ann lives in Oslo. Who lives where?", schema=SCHEMA, max_tokens=60))
    assert set(json.loads(formed.text)) == {"name", "city"}

    # The event loop runs on while the model works, and who stops reading stops the model.
    gaps: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before)

    watching = asyncio.create_task(watch())
    pieces = model.stream(ChatRequest(prompt="Tell a very long story about the sea.", max_tokens=400))
    told = [(await anext(pieces)).text for _ in range(10)]
    await pieces.aclose()  # type: ignore[attr-defined]
    watching.cancel()
    assert len("".join(told)) > 10
    assert sorted(gaps)[int(len(gaps) * 0.95)] < 0.1
    started = time.perf_counter()
    await model.complete(ChatRequest(prompt="Say yes.", max_tokens=2))
    assert time.perf_counter() - started < 20  # 400 tokens would still be running

    # A prompt beyond the window is refused with its size, and the model goes on.
    with pytest.raises(BadRequest, match=str(CONTEXT_TOKENS)):
        await model.complete(ChatRequest(prompt="x " * 9000))
    assert (await model.complete(ChatRequest(prompt="Say yes.", max_tokens=4))).out_tokens > 0
