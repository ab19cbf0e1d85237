"""The end of a conversation reads what was said since its last end, once."""

from dataclasses import replace

import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from tests.integration.understanding_support import PROMPT, items
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.learning.sweeps import Sweeps
from trustgraph_react_mem.settings import AgentMemSettings

pytestmark = pytest.mark.later

ANSWERS = {PROMPT: items()}
SETTINGS = AgentMemSettings(enable_auto_fact_extraction=False)


def lines_read(memory: Memory, prompt: str = PROMPT) -> int:
    return sum(len(variables["lines"]) for name, variables in memory.model.calls if name == prompt)  # type: ignore[arg-type,misc]


async def test_twenty_ends_of_one_conversation_cost_what_was_said() -> None:
    async with open_memory(settings=SETTINGS, answers=ANSWERS) as memory:
        for number in range(20):
            await memory.say(f"I planted tulip number {number} today.")
            await memory.record(f"And I watered rose number {number}.", end=True)
        assert memory.model.called(PROMPT) == 20
        assert lines_read(memory) == 80  # two questions and two answers for each end


async def test_a_repeated_job_reads_nothing_again() -> None:
    async with open_memory(settings=SETTINGS, answers=ANSWERS) as memory:
        await memory.say("I planted tulips.")
        await memory.record("And roses.", end=True)
        [job] = [each for each in memory.topic.stored if each.kind == "understand"]
        calls, episodes = len(memory.model.calls), await memory.episodes.graph.count(ANN)
        await build_handlers(memory.context)[job.kind](replace(job, payload={"conversation_id": "c1", "to": 1}))
        assert (len(memory.model.calls), await memory.episodes.graph.count(ANN)) == (calls, episodes)


async def test_silence_is_measured_by_the_settings_of_the_conversations_own_flow() -> None:
    by_flow = {
        "default": SETTINGS.model_copy(update={"inactivity_timeout_s": 60}),
        "patient": SETTINGS.model_copy(update={"inactivity_timeout_s": 86_400}),
        "never": SETTINGS.model_copy(update={"inactivity_timeout_s": 0}),
    }
    async with open_memory(settings=SETTINGS, answers=ANSWERS) as memory:
        for flow in by_flow:
            await memory.say("Hello there, I am back.", conversation=flow, flow=flow)
        await memory.settled()
        trigger = Sweeps(memory.core, memory.publisher, lambda workspace, flow: by_flow[flow])
        flows = frozenset(("w", flow) for flow in by_flow)
        memory.clock.advance(3600)
        assert await trigger.end_silent_conversations(flows) == 1
        memory.clock.advance(86_400)
        assert await trigger.end_silent_conversations(flows) == 1
        ended = {each.id: each.ended_at is not None for each in await memory.stores.conversations.listing(ANN)}
        assert ended == {"default": True, "patient": True, "never": False}
