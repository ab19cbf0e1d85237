"""When related memories are merged and patterns looked for, what that may change, and what it costs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.memory.ports import JobKind, JsonValue
from trustgraph_react_mem.memory.records import TOPIC, Episode, Fact, sources_of
from trustgraph_react_mem.settings import AgentMemSettings

PROMPT = "memory-consolidate"
PLAIN = AgentMemSettings(
    enable_auto_fact_extraction=False,
    enable_episode_recording=False,
    small_model=True,  # it reads no conversation
)


def shown_groups(variables: Mapping[str, JsonValue]) -> list[list[dict[str, Any]]]:
    return [group["entries"] for group in cast(list[Any], variables["groups"])]


def merged(variables: Mapping[str, JsonValue]) -> JsonValue:
    """All entries of each group say the same, as the newest does."""
    groups = shown_groups(variables)
    return {"groups": [{"merge": [e["number"] for e in group], "text": group[-1]["text"]} for group in groups]}


def patterns(variables: Mapping[str, JsonValue]) -> JsonValue:
    return {"insights": [{"insight": "Deploying the service ends in port conflicts", "sources": [0, 1]}]}


ANSWERS = {PROMPT: merged, "memory-insight": patterns}


async def learn(memory: Memory, *names: str) -> None:
    """Four facts a name, which belong together."""
    memory.clock.advance(60)
    now = memory.clock.now()
    for name in names:
        place = f"{name}town {name}ville {name}land {name}port {name}bay {name}dale"
        for n, text in enumerate(f"{place} is {how}" for how in ("far", "really far", "very far", "quite far")):
            fact = Fact(id=f"{name}{n}", scope=ANN, kind="semantic", content=text, created_at=now, speaker="Ann")
            await memory.facts.store(ANN, [fact])


DAY = [datetime(2026, 2, day, 9, tzinfo=UTC) for day in range(1, 8)]


async def known(memory: Memory, *texts: str, **more: Any) -> list[Fact]:
    """Entries with one topic, each said a day after the one before."""
    fields: dict[str, Any] = {"speaker": "Ann", "metadata": {TOPIC: "home"}, **more}
    facts = [
        Fact(
            id=f"f{number}",
            scope=ANN,
            kind="semantic",
            content=text,
            created_at=memory.clock.now(),
            said_at=DAY[number],
            **{name: value[number] if isinstance(value, list) else value for name, value in fields.items()},
        )
        for number, text in enumerate(texts)
    ]
    return await memory.facts.store(ANN, facts)


async def consolidate(memory: Memory, *groups: dict[str, Any]) -> str:
    memory.model.answers[PROMPT] = {"groups": [{"merge": [], "text": "", **group} for group in groups]}
    memory.clock.advance(60)
    job = await memory.run("consolidate", {})
    assert await memory.state(job) == "done"
    return await memory.summary(job)


async def test_the_model_sees_groups_with_dates_speakers_and_numbers() -> None:
    async with open_memory(settings=PLAIN) as memory:
        await known(memory, "Ann lives in Oslo", "Ann moved to Bergen")
        assert await consolidate(memory) == "groups=1"
        [(_, variables)] = memory.model.calls
        assert shown_groups(variables) == [
            [
                {"name": "0", "number": 0, "speaker": "Ann", "about": "2026-02-01; home", "text": "Ann lives in Oslo"},
                {"name": "1", "number": 1, "speaker": "Ann", "about": "2026-02-02; home", "text": "Ann moved to Bergen"},
            ]
        ]
        assert len(await memory.learned()) == 2


async def test_what_says_the_same_becomes_one_entry_with_the_date_of_its_newest_source() -> None:
    async with open_memory(settings=PLAIN) as memory:
        began = datetime(2026, 1, 1, tzinfo=UTC)
        await known(memory, "Ann lives in Bergen", "Ann Ek lives in Bergen", valid_from=[None, began])
        assert await consolidate(memory, {"merge": [0, 1], "text": "Ann Ek lives in Bergen, Norway"}) == "groups=1 merged=1"
        [one] = await memory.learned()
        assert (one.content, one.said_at, one.valid_from, one.speaker) == (
            "Ann Ek lives in Bergen, Norway",
            DAY[1],
            began,
            "Ann",
        )
        assert (sources_of(one), one.metadata[TOPIC]) == (["f0", "f1"], "home")
        for source in await memory.learned(statuses=("superseded",)):
            assert (source.superseded_by, source.valid_to) == (one.id, None), "it still holds, in other words"
        await memory.undo.undo(ANN, one.id)
        assert {fact.id for fact in await memory.learned()} == {"f0", "f1"}


@pytest.mark.parametrize(
    ("groups", "more"),
    [
        ([{"merge": [0, 1], "text": ""}], {}),
        ([{"merge": [0, 1], "text": "Ann lives at 12, on floor 9"}], {}),  # a number that nobody said
        ([{"merge": [0, 1], "text": "Ann lives in a flat"}], {}),  # without the number of the newest
        ([{"merge": [0, 7], "text": "Ann lives at 12"}], {}),  # not shown
        ([{"merge": [0, True], "text": "Ann lives at 12"}], {}),
        ([{"merge": [0, 1], "text": "Ann lives at 12"}], {"speaker": ["Ann", "Bob"]}),
        ([{"merge": [0, 1], "text": "Ann lives at 12"}], {"trust": ["user", "assistant"]}),
    ],
)
async def test_an_answer_that_fails_a_check_changes_nothing(groups: list[dict[str, Any]], more: dict[str, Any]) -> None:
    async with open_memory(settings=PLAIN) as memory:
        before = await known(memory, "Ann lives in a flat", "Ann lives at 12", **more)
        summary = await consolidate(memory, *groups)
        assert "merged" not in summary
        assert await memory.learned() == sorted(before, key=lambda fact: fact.content)


async def work(memory: Memory, *names: str) -> None:
    memory.clock.advance(60)
    now = memory.clock.now()
    for name in names:
        goal = f"Deploying the service for {name}: port conflicts"
        episode = Episode(id=name, scope=ANN, goal=goal, steps=(), outcome="done", lessons="", created_at=now)
        await memory.episodes.store(ANN, [episode])


async def ended(memory: Memory, conversation: str, kind: JobKind) -> str:
    """The summary of the job of that kind which the end of a conversation led to."""
    await memory.record("Bye", conversation=conversation, end=True)
    entries = [entry for entry in await memory.worker.admin.listing(ANN, limit=1000) if entry.kind == kind]
    newest = max(entries, key=lambda entry: (entry.created_at, entry.updated_at))
    assert (newest.trigger, newest.state) == ("end", "done")
    return newest.summary


async def test_related_facts_are_merged_at_an_end_when_enough_are_new() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        await learn(memory, "Hawaii")
        assert await ended(memory, "c1", "consolidate") == "new=4 not-due"
        assert memory.model.called("memory-consolidate") == 0
        await learn(memory, "Bergen", "Malmo", "Turku", "Aarhus")
        assert await ended(memory, "c2", "consolidate") == "groups=5 merged=5"
        assert memory.model.called("memory-consolidate") == 1
        found = await memory.learned(kinds=("semantic",))
        assert len(found) == 5
        assert {fact.trigger for fact in found} == {"end"}
        assert "Hawaii0,Hawaii1,Hawaii2,Hawaii3" in {fact.metadata["sources"] for fact in found}
        assert await ended(memory, "c3", "consolidate") == "new=0 not-due"  # what it made is not new


async def test_patterns_are_looked_for_at_an_end_when_enough_was_worked_on() -> None:
    async with open_memory(settings=PLAIN, answers=ANSWERS) as memory:
        await work(memory, *(f"Person {n}" for n in range(9)))
        assert await ended(memory, "c1", "insight") == "new=9 not-due"
        await work(memory, "Cleo")
        assert await ended(memory, "c2", "insight") == "added=1"
        assert memory.model.called("memory-insight") == 1
        [insight] = await memory.learned(kinds=("reflective",))
        assert insight.trigger == "end"
        await work(memory, "Dan", "Eve")
        assert await ended(memory, "c3", "insight") == "new=2 not-due"


async def test_off_means_by_hand_only() -> None:
    settings = PLAIN.model_copy(update={"enable_prospective_reflection": False})
    async with open_memory(settings=settings, answers=ANSWERS) as memory:
        await learn(memory, "Hawaii", "Bergen")
        await memory.record("Bye", end=True)
        kinds = {entry.kind for entry in await memory.worker.admin.listing(ANN, limit=1000)}
        assert not kinds & {"consolidate", "insight"}
        job = await memory.run("consolidate", {})
        assert await memory.summary(job) == "groups=2 merged=2"
