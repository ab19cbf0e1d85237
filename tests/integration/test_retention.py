"""Time limits and quotas: expired memories are not shown, and are deleted also for people who stay away."""

from datetime import timedelta
from typing import Any

from tests.integration.jobs_support import ANN, BOB, Memory, open_memory
from trustgraph_react_mem.learning.sweeps import Sweeps
from trustgraph_react_mem.memory.clock import oldest_kept
from trustgraph_react_mem.memory.records import Episode
from trustgraph_react_mem.retrieval.episodes import EpisodeRetriever
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.settings import AgentMemSettings

WEEK = AgentMemSettings(fact_ttl_days=7, episode_ttl_days=7)
DAY_S = 86_400
FLOWS = frozenset({("w", "default")})


def sweep_of(memory: Memory, **by_flow: AgentMemSettings) -> Sweeps:
    return Sweeps(memory.core, memory.publisher, lambda workspace, flow: by_flow.get(flow, memory.settings))


async def shown(memory: Memory, **more: Any) -> list[str]:
    space = await memory.facts.router.read_index(ANN)
    retriever = Retriever(space.index, space.embedder, clock=memory.clock, **more)
    kept = oldest_kept(memory.settings.fact_ttl_days, memory.clock.now())
    query = RetrievalQuery(question="Where is the door code?", created_after=kept, rerank="off", rules=3)
    found = await retriever.retrieve(ANN, query)
    return [fact.content for fact in (*found.facts, *found.rules)]


async def test_expired_memories_go_though_nobody_comes_back() -> None:
    async with open_memory(settings=WEEK, model=None) as memory:
        await memory.say("My door code is in the blue book.", steps=[{"thought": "", "action": "look", "arguments": ""}])
        await memory.record("Always answer me in German.")
        sweep = sweep_of(memory)
        assert await sweep.retain_due(FLOWS) == 0
        memory.clock.advance(8 * DAY_S)
        await memory.record("I am Bob, and I am new.", scope=BOB)
        assert await sweep.retain_due(FLOWS) == 1
        await memory.settled()
        assert await memory.facts.graph.count(ANN) == {}
        assert await memory.episodes.graph.listing(ANN, undone=True) == []
        talk = await memory.talk()
        assert {text for each in talk.invocations for text in (each.query, each.result)} == {"[forgotten]"}
        assert len(await memory.turns(BOB)) == 2
        assert await sweep.retain_due(FLOWS) == 0  # the next look is an hour later


async def test_expired_memories_are_not_shown_before_they_are_deleted() -> None:
    async with open_memory(settings=WEEK, model=None) as memory:
        await memory.record("The door code is in the blue book. Always answer me in German.")
        for more in ({}, {"hot_records": 0}):
            assert len(await shown(memory, **more)) >= 2
        memory.clock.advance(8 * DAY_S)
        for more in ({}, {"hot_records": 0}):
            assert await shown(memory, **more) == []


async def test_expired_episodes_are_not_shown() -> None:
    async with open_memory(settings=WEEK, model=None) as memory:
        episode = Episode(
            id="e", scope=ANN, goal="book a train", steps=(), outcome="", lessons="", created_at=memory.clock.now()
        )
        await memory.episodes.store(ANN, [episode])
        space = await memory.episodes.router.read_index(ANN)
        retriever = EpisodeRetriever(space.index, space.embedder)
        now = memory.clock.now()
        assert await retriever.retrieve(ANN, RetrievalQuery(question="book a train", created_after=now - timedelta(days=7)))
        assert (
            await retriever.retrieve(ANN, RetrievalQuery(question="book a train", created_after=now + timedelta(days=1))) == []
        )


async def test_an_exceeded_quota_leaves_room_and_keeps_rules() -> None:
    settings = AgentMemSettings(fact_quota=40, enable_auto_fact_extraction=False)
    async with open_memory(settings=settings, model=None) as memory:
        await memory.say("Always answer me in German.")
        for number in range(20):
            await memory.say(f"I planted tulip number {number}.")
        await memory.settled()
        memory.clock.advance(400 * DAY_S)
        job = await memory.run("retain", {})
        assert "facts_over_quota=5" in await memory.summary(job)  # 43 active, down to 38
        assert [rule.content for rule in await memory.facts.graph.listing(ANN, kinds=("procedural",))] == [
            "Always answer me in German"
        ]
        memory.clock.advance(1)
        job = await memory.run("retain", {})
        assert "facts_over_quota=0" in await memory.summary(job)


async def test_without_a_time_limit_nothing_expires() -> None:
    async with open_memory(settings=AgentMemSettings(), model=None) as memory:
        await memory.record("My door code is in the blue book.", steps=[{"thought": "", "action": "look", "arguments": ""}])
        memory.clock.advance(10 * 365 * DAY_S)
        assert await sweep_of(memory).retain_due(FLOWS) == 0
        await memory.run("retain", {})
        assert "My door code is in the blue book." in await shown(memory)
        assert len(await memory.episodes.graph.listing(ANN)) == 1
