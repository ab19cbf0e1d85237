"""When related memories are merged and patterns looked for without being asked, and what that costs."""

from collections.abc import Mapping

import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.memory.ports import JobKind, JsonValue
from trustgraph_react_mem.memory.records import Episode, Fact
from trustgraph_react_mem.settings import AgentMemSettings

PLAIN = AgentMemSettings(
    drift_threshold=0.0,
    enable_auto_fact_extraction=False,
    enable_prospective_reflection=False,
    enable_episode_recording=False,
    consolidate_after_facts=4,
    insight_after_episodes=3,
)


def merged(variables: Mapping[str, JsonValue]) -> JsonValue:
    facts: list[dict[str, JsonValue]] = variables["facts"]  # type: ignore[assignment]
    return {"summary": facts[-1]["text"]}


def patterns(variables: Mapping[str, JsonValue]) -> JsonValue:
    return {"insights": [{"insight": "Deploying the service ends in port conflicts", "sources": [0, 1]}]}


ANSWERS = {"memory-consolidate": merged, "memory-insight": patterns}


async def learn(memory: Memory, *names: str) -> None:
    """Two facts a name, which belong together."""
    memory.clock.advance(60)
    now = memory.clock.now()
    for name in names:
        place = f"{name}town {name}ville {name}land {name}port {name}bay {name}dale"
        for n, text in enumerate((f"{place} is far", f"{place} is really far")):
            fact = Fact(id=f"{name}{n}", scope=ANN, kind="semantic", content=text, created_at=now, speaker="Ann")
            await memory.facts.store(ANN, [fact])


async def work(memory: Memory, *names: str) -> None:
    memory.clock.advance(60)
    now = memory.clock.now()
    for name in names:
        goal = f"Deploying the service for {name}: port conflicts"
        episode = Episode(id=name, scope=ANN, goal=goal, steps=(), outcome="done", lessons="", created_at=now)
        await memory.episodes.store(ANN, [episode])


async def ended(memory: Memory, conversation: str, kind: JobKind) -> str:
    """The summary of the job of that kind which the end of a conversation led to."""
    await memory.say("Bye", conversation=conversation, end=True)
    await memory.settled()
    entries = [entry for entry in await memory.worker.admin.listing(ANN, limit=1000) if entry.kind == kind]
    newest = max(entries, key=lambda entry: (entry.created_at, entry.updated_at))
    assert (newest.trigger, newest.state) == ("end", "done")
    return newest.summary


async def test_related_facts_are_merged_at_an_end_when_enough_are_new() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        await learn(memory, "Hawaii")
        assert await ended(memory, "c1", "consolidate") == "new=2 not-due"
        assert memory.model.called("memory-consolidate") == 0
        await learn(memory, "Bergen")
        assert await ended(memory, "c2", "consolidate") == "groups=2 merged=2"
        assert memory.model.called("memory-consolidate") == 2
        found = await memory.learned(kinds=("semantic",))
        assert len(found) == 2
        assert {fact.trigger for fact in found} == {"end"}
        assert {fact.metadata["sources"] for fact in found} == {"Hawaii0,Hawaii1", "Bergen0,Bergen1"}
        assert await ended(memory, "c3", "consolidate") == "new=0 not-due"  # what it made is not new


async def test_what_the_model_left_alone_is_not_asked_again_until_something_new_belongs_to_it() -> None:
    async with open_memory(settings=PLAIN, answers={"memory-consolidate": {"summary": ""}}) as memory:
        await learn(memory, "Hawaii", "Bergen")
        assert await ended(memory, "c1", "consolidate") == "groups=2 kept=2"
        await learn(memory, "Osaka", "Quito")
        assert await ended(memory, "c2", "consolidate") == "groups=2 kept=2"
        assert memory.model.called("memory-consolidate") == 4
        job = await memory.submit("consolidate", {})  # a person asks for all
        await memory.settled()
        assert await memory.summary(job) == "groups=4 kept=4"


async def test_patterns_are_looked_for_at_an_end_when_enough_was_worked_on() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        await work(memory, "Ann", "Bob")
        assert await ended(memory, "c1", "insight") == "new=2 not-due"
        await work(memory, "Cleo")
        assert await ended(memory, "c2", "insight") == "added=1"
        assert memory.model.called("memory-insight") == 1
        [insight] = await memory.learned(kinds=("reflective",))
        assert insight.trigger == "end"
        await work(memory, "Dan", "Eve")
        assert await ended(memory, "c3", "insight") == "new=2 not-due"


@pytest.mark.parametrize("kind", ["consolidate", "insight"])
async def test_without_a_model_nothing_is_done_and_that_is_said(kind: JobKind) -> None:
    async with open_memory(settings=PLAIN, model=None) as memory:
        await learn(memory, "Hawaii", "Bergen")
        await work(memory, "Ann", "Bob", "Cleo")
        assert await ended(memory, "c1", kind) == "no-model"
        job = await memory.submit(kind, {})
        await memory.settled()
        assert await memory.summary(job) == "no-model"
        assert len(await memory.learned()) == 4


async def test_a_job_that_was_not_due_or_had_no_model_does_not_put_the_next_off() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        for n, name in enumerate(("Hawaii", "Bergen")):
            await learn(memory, name)
            summary = await ended(memory, f"c{n}", "consolidate")
        assert summary == "groups=2 merged=2"


async def test_off_means_by_hand_only() -> None:
    settings = PLAIN.model_copy(update={"consolidate_after_facts": 0, "insight_after_episodes": 0})
    async with open_memory(settings=settings, answers=ANSWERS) as memory:
        await learn(memory, "Hawaii", "Bergen")
        await memory.say("Bye", end=True)
        await memory.settled()
        kinds = {entry.kind for entry in await memory.worker.admin.listing(ANN, limit=1000)}
        assert not kinds & {"consolidate", "insight"}
        job = await memory.submit("consolidate", {})
        await memory.settled()
        assert await memory.summary(job) == "groups=2 merged=2"


async def test_one_end_costs_a_bounded_number_of_calls() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        await learn(memory, *(f"Place{n}" for n in range(12)))
        assert await ended(memory, "c1", "consolidate") == "groups=8 merged=8 left=4"
        assert memory.model.called("memory-consolidate") == 8
