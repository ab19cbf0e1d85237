"""What a person expects to be gone is gone: the words of a forgotten turn wherever they were copied, and nothing else."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal
from unittest.mock import AsyncMock

import pytest

from tests.integration.jobs_support import ANN, PATIENCE_S, Memory, open_memory
from tests.integration.test_job_attacks import everything
from tests.integration.understanding_support import PROMPT, item, items
from trustgraph_react_mem.bus.envelope import seal_payload
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.redaction import FORGOTTEN
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.memory.ports import Job, JobEntry, JsonValue
from trustgraph_react_mem.memory.records import Episode, Fact, turn_id
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.settings import AgentMemSettings

QUIET = AgentMemSettings(
    enable_auto_fact_extraction=False,
    enable_prospective_reflection=False,
    enable_episode_recording=False,
)


@contextlib.asynccontextmanager
async def pattern_memory(told: Mapping[str, str]) -> AsyncIterator[Memory]:
    """A request with an episode that tells of it, an episode of something else, and a pattern seen in both."""
    seen = {"insight": "Whoever asks to keep zanzibar keeps quiet", "sources": [0, 1]}
    async with open_memory(answers={"memory-insight": {"insights": [seen]}}, settings=QUIET) as memory:
        await memory.record("My PIN is zanzibar.", "I keep quiet.")
        for name, metadata in (("told", told), ("other", {})):
            memory.clock.advance(1)
            episode = Episode(
                id=name,
                scope=ANN,
                goal="keep zanzibar" if metadata else "keep quiet",
                steps=(),
                outcome="kept",
                lessons="",
                created_at=memory.clock.now(),
                source="c1" if metadata else "c2",
                metadata=metadata,
            )
            await memory.episodes.store(ANN, [episode])
        await memory.run("insight", {})
        (pattern,) = await memory.learned()
        assert pattern.metadata["sources"] == "told,other"
        assert pattern.turn_ids == ()
        yield memory


async def test_the_words_of_a_forgotten_turn_are_gone_from_its_conversation_too() -> None:
    """Invocation, its steps and summary, the conversation's summary and episode; the rest of it stays, with a mark."""
    word = "zanzibar"
    steps = [{"thought": f"keep {word}", "action": "look", "arguments": f'{{"for": "{word}"}}', "observation": f"no {word}"}]
    settings = AgentMemSettings(fact_quota=0)
    answers = {
        PROMPT: items(item(f"Ann's PIN is {word}", f"My PIN is {word}", line=2, topic=f"PIN {word}")),
        "memory-record-episode": {"goal": f"keep {word}", "outcome": "kept", "lessons": ""},
        "memory-compact": f"They spoke of {word}.",
    }
    async with open_memory(answers=answers, settings=settings) as memory:
        await memory.say("My cat is called Minka.", "A nice name.")
        await memory.say(
            f"My PIN is {word}.", "I shall keep it to myself. " * 80, steps=steps, explanation={"recalled": {"gate": "x"}}
        )
        await memory.record("Thank you.", "You are welcome.", end=True)
        await memory.run("compact", {"conversation_id": "c1", "keep_last": 1})
        before = await everything(memory)
        assert before.count(word) > 6
        (turn,) = [turn for turn in await memory.turns() if word in turn.content]
        receipt = await memory.forget("record", ids=[turn.id])
        assert receipt["places"]["graph.invocations"] == {"found": 1, "removed": 1, "left": 0}
        assert receipt["places"]["graph.facts"] == {"found": 2, "removed": 2, "left": 0}
        assert receipt["places"]["graph.episodes"] == {"found": 1, "removed": 1, "left": 0}
        assert word not in await everything(memory)
        conversation = await memory.talk()
        first, second, third = conversation.invocations
        assert (first.query, third.query) == ("My cat is called Minka.", "Thank you.")
        assert (second.query, second.steps) == (FORGOTTEN, (FORGOTTEN,))
        assert second.result.startswith("I shall keep it")  # the answer is a record of its own
        assert json.loads(conversation.metadata[f"why:{second.id}"]) == {"recalled": {"gate": "x"}}
        assert [turn.content for turn in await memory.turns()][:2] == ["My cat is called Minka.", "A nice name."]
        # the same once more, and the answer's words with it
        (answer,) = [turn for turn in await memory.turns() if turn.content.startswith("I shall keep it")]
        await memory.forget("record", ids=[turn.id, answer.id])
        assert [item.result for item in (await memory.talk()).invocations] == ["A nice name.", FORGOTTEN, "You are welcome."]


async def test_the_answer_of_a_failed_request_goes_with_its_question() -> None:
    """It has no record of its own that could be forgotten: what a tool said is shown in place of an answer."""
    async with open_memory(settings=QUIET) as memory:
        await memory.say("My PIN is zanzibar.")
        await memory.record("Which PIN is zanzibar?", "- Memory [0]: My PIN is zanzibar.", succeeded=False)
        turns = [turn.id for turn in await memory.turns() if "zanzibar" in turn.content]
        assert len(turns) == 2
        await memory.forget("record", ids=turns)
        assert "zanzibar" not in await everything(memory)


@pytest.mark.parametrize("ends", ["deferred", "dead"])
async def test_a_failed_request_that_was_recorded_half_loses_its_answer_too(ends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_memory(settings=QUIET) as memory:
        error = EngineUnavailable("away") if ends == "deferred" else RuntimeError("broken")
        with monkeypatch.context() as broken:
            broken.setattr(FactMemory, "add_turns", AsyncMock(side_effect=error))
            record = await memory.say("Which PIN is zanzibar?", "- Memory [0]: My PIN is zanzibar.", succeeded=False)
            await _ended(memory, record, ends)
        memory.clock.advance(1)
        erasure = forget_job(ANN, "record", at=memory.clock.now(), ids=[turn_id(ANN, "c1", "c1-0", "question")])
        await memory.worker.pending.publish([erasure])
        assert json.loads((await _ended(memory, erasure)).summary)["complete"]
        await memory.worker.admin.replay(ANN, record.id)
        await memory.settled()
        assert await memory.state(record) == "done"
        assert "zanzibar" not in await everything(memory)


@pytest.mark.parametrize("told", [{"invocation_id": "c1-0"}, {"of": "conversation"}], ids=["request", "conversation"])
@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_a_pattern_seen_in_a_forgotten_episode_is_forgotten(
    level: Literal["record", "conversation"], told: dict[str, str]
) -> None:
    async with pattern_memory(told) as memory:
        ids = [turn_id(ANN, "c1", "c1-0", "question")] if level == "record" else []
        receipt = await memory.forget(level, ids=ids, conversation_id="" if ids else "c1")
        assert "zanzibar" not in await everything(memory)
        assert [episode.id for episode in await memory.episodes.graph.listing(ANN, undone=True)] == ["other"]
        assert receipt["places"]["graph.episodes"] == {"found": 1, "removed": 1, "left": 0}


@pytest.mark.parametrize("way", ["undo", "rollback"])
async def test_summaries_lose_what_is_taken_back(way: Literal["undo", "rollback"]) -> None:
    answers = {"memory-compact": "They spoke of zanzibar."}
    async with open_memory(answers=answers, settings=QUIET) as memory:
        await memory.record("My cat is called Minka.")
        safe = memory.clock.now() + timedelta(seconds=1)
        await memory.record("My PIN is zanzibar.")
        await memory.run("compact", {"conversation_id": "c1", "keep_last": 0})
        assert repr((await memory.talk()).metadata).count("zanzibar") == 1
        if way == "undo":
            await memory.undo.undo(ANN, turn_id(ANN, "c1", "c1-1", "question"))
        else:
            await memory.undo.rollback(ANN, safe)
        conversation = await memory.talk()
        assert [said.id for said in conversation.invocations] == ["c1-0"]
        assert "zanzibar" not in repr(conversation)


async def test_what_was_drawn_from_a_forgotten_fact_or_its_turn_goes_with_it() -> None:
    """A merged fact goes with any of its sources; the topic, the facts and the summary of a turn go with the turn."""
    async with open_memory(settings=AgentMemSettings(), model=None) as memory:
        await memory.record("I see Dr Lindqvist every week.")
        turn, at = (await memory.turns())[0], memory.clock.now()
        drawn: dict[str, Any] = {"scope": ANN, "created_at": at, "trust": "user", "speaker": "Ann"}
        fact = Fact(id="fact", kind="semantic", content="Ann sees Dr Lindqvist", turn_ids=(turn.id,), **drawn)
        other = Fact(id="other", kind="semantic", content="Ann likes tea", **drawn)
        both = {"metadata": {"sources": "fact,other"}} | drawn
        merged = Fact(id="merged", kind="semantic", content="Ann sees Dr Lindqvist and likes tea", **both)
        topic = Fact(id="topic", kind="topic", content="Therapy with Dr Lindqvist", turn_ids=(turn.id,), **drawn)
        await memory.facts.store(ANN, [fact, other, merged, topic])
        summary = {"summary": "Ann sees Dr Lindqvist.", "summary_upto": turn.invocation_id}
        await memory.stores.conversations.set_metadata(ANN, "c1", summary)
        await memory.forget("record", ids=["fact"])
        assert {each.id for each in await memory.learned()} == {"other", "topic"}
        await memory.forget("record", ids=[turn.id])
        assert {each.id for each in await memory.learned()} == {"other"}
        assert "Lindqvist" not in str(await memory.talk())


@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_waiting_jobs_lose_the_payload_that_names_what_is_forgotten(level: Literal["record", "conversation"]) -> None:
    """One names the request of the forgotten question, one its conversation, one something else."""
    async with open_memory(settings=QUIET) as memory:
        await memory.record("My PIN is zanzibar.", "I keep quiet.")
        named: Mapping[str, dict[str, JsonValue]] = {
            "request": {"invocation_id": "c1-0"},
            "conversation": {"conversation_id": "c1"},
            "other": {"conversation_id": "c2", "invocation_id": "c2-0"},
        }
        for name, payload in named.items():
            job = Job(id=name, kind="episode", scope=ANN, payload=payload, created_at=memory.clock.now())
            sealed = await seal_payload(
                memory.stores.keyring, replace(job, payload={**payload, "question": "My PIN is zanzibar."})
            )
            dead = entry_from_job(job, "dead", at=memory.clock.now(), sealed=sealed)
            await memory.stores.job_store.save([dead])
        memory.clock.advance(1)
        (turn,) = [turn for turn in await memory.turns() if "zanzibar" in turn.content]
        await memory.forget(level, ids=[turn.id], conversation_id="c1")
        left = {
            entry.job_id for entry in await memory.stores.job_store.get([(ANN, name) for name in named]) if entry.sealed_payload
        }
        assert left == ({"conversation", "other"} if level == "record" else {"other"})


async def _ended(memory: Memory, job: Job, state: str = "done") -> JobEntry:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for entry in await memory.stores.job_store.get([job.ref]):
                if entry.state == state:
                    return entry
            await asyncio.sleep(0.001)
