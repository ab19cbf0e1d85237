"""What a person expects to be gone is gone: the words of a forgotten turn wherever they were copied, and nothing else."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal
from unittest.mock import AsyncMock
from uuid import UUID

import numpy as np
import pytest

from tests.integration.jobs_support import ANN, BOB, PATIENCE_S, Memory, open_memory
from tests.integration.test_job_attacks import everything
from tests.integration.understanding_support import PROMPT, item, items
from tests.unit.refine.events import PHASES
from trustgraph_react_mem.bus.envelope import seal_payload
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.erasure.redaction import FORGOTTEN
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.ports import Job, JobEntry, JsonValue
from trustgraph_react_mem.memory.records import Episode, Fact, derived_id, refinement_name, turn_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.records import RefinementEvent, Sampling, Session
from trustgraph_react_mem.refine.stored import metadata_of, to_events, to_invocation
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.rerank import Weights
from trustgraph_react_mem.rerank.archive import decode
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.transfer import ScopeExport, ScopeImport

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


# -- the turns that the ranking weights keep for training --------------------------------------------------------------


FORMS = ("calibrated", "paper")


def quiet(form: str) -> AgentMemSettings:
    return AgentMemSettings.model_validate({"enable-auto-fact-extraction": False, "fact-ttl-days": 0, "rerank": form})


def retrieval(ids: Sequence[str], query: str, form: str) -> dict[str, JsonValue]:
    return {
        "candidate_ids": list(ids),
        "shown_ids": list(ids[:2]),
        "features": [[1.0 - 0.1 * place] for place in range(len(ids))],
        "feature_names": ["retrieval"],
        "query": query,
        "mode": form,
        "seed": 1,
        "cited": [0],
        "citation": "cited",
    }


async def taught(memory: Memory, form: str) -> list[str]:
    """Four questions, taught from; returns the ids of the records that were ranked."""
    settings: dict[str, JsonValue] = {"rerank": form, "enable-auto-fact-extraction": False}
    for text in ("My cat is called Udon.", "I live in Bergen.", "I like tea."):
        await memory.say(text, conversation="facts", settings=settings)
    await memory.settled()
    ids = [turn.id for turn in await memory.turns() if turn.trust == "user"]
    for number, question in enumerate(("What is my zanzibar PIN?", "Where do I live?", "Which drink?", "And my cat?", "Else?")):
        talk = "secret" if number == 0 else "other"
        await memory.record(question, conversation=talk, retrieval=retrieval(ids, question, form), settings=settings)
    return ids


async def weights_of(memory: Memory) -> Weights:
    stored = await memory.stores.weights.load(ANN)
    assert stored is not None
    return Weights.from_bytes(stored.blob, profile=stored.profile, dimension=stored.dimension)


def contains(weights: Weights, query: np.ndarray) -> bool:
    """Whether the vector occurs in the stored turns or in the outer products."""
    vectors = [turn.query for turn in map(decode, weights.archive)]
    vectors += [turn.matrices.query for turn in weights.pending if turn.matrices is not None]
    vectors += list(weights.wq.right)
    return any(float(v @ query) > 0.999 * float(np.linalg.norm(v)) for v in vectors)


@pytest.mark.later
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_a_forgotten_question_is_gone_from_the_weights(form: str, level: Level) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        await taught(memory, form)
        space = await memory.facts.router.read_index(ANN)
        query = (await space.embedder.embed(["What is my zanzibar PIN?"], role="query"))[0]
        before = await weights_of(memory)
        assert contains(before, query)
        question = turn_id(ANN, "secret", "secret-0", "question")
        receipt = await memory.forget(level, ids=[question] if level == "record" else [], conversation_id="secret")
        assert receipt["places"]["weights"] == {"found": 1, "removed": 1, "left": 0}
        after = await weights_of(memory)
        assert not contains(after, query)
        assert len(after.archive) == len(before.archive) - 1
        assert b"secret-0" not in after.to_bytes()


@pytest.mark.later
@pytest.mark.parametrize("form", FORMS)
async def test_a_forgotten_record_is_gone_from_the_candidates(form: str) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        ids = await taught(memory, form)
        receipt = await memory.forget("record", ids=[ids[1]])
        assert receipt["places"]["weights"]["left"] == 0
        after = await weights_of(memory)
        assert ids[1].encode() not in after.to_bytes()
        turns = [decode(entry) for entry in after.archive]
        assert turns
        assert all(turn.candidates.ids == (ids[0], ids[2]) and turn.candidates.features.shape[0] == 2 for turn in turns)
        assert after.pending == ()


@pytest.mark.later
async def test_a_reward_that_comes_after_the_receipt_brings_nothing_back() -> None:
    async with open_memory(settings=quiet("calibrated"), model=None) as memory:
        ids = await taught(memory, "calibrated")
        question = turn_id(ANN, "secret", "secret-0", "question")
        await memory.forget("record", ids=[question])
        payload: dict[str, JsonValue] = {
            "conversation_id": "secret",
            "invocation_id": "secret-0",
            "retrieval": retrieval(ids, "What is my zanzibar PIN?", "calibrated"),
        }
        late = Job(id="late", kind="reward", scope=ANN, payload=payload, created_at=memory.clock.now())
        before = await weights_of(memory)
        await build_handlers(memory.context)["reward"](late)
        assert (await weights_of(memory)).archive == before.archive


# -- refinement sessions -----------------------------------------------------------------------------------------------


WORD = "zanzibar"


def session_id(name: str) -> str:
    return str(UUID(derived_id("test", name)))


async def refine(memory: Memory, name: str, *, of: str = "", exchange: str = "", word: str = WORD, scope: Scope = ANN) -> str:
    """A whole round that repeats the word in every text."""
    session = session_id(name)
    for number, phase in enumerate(PHASES):
        event = RefinementEvent(
            id=f"{exchange}-{number}",
            session_id=session,
            conversation_id=of,
            phase=phase,
            query=f"What is {word}?" if phase == "draft" else "",
            text=f"{phase} {word}",
            variant="small",
            sampling=Sampling(stop_sequences=(word,)),
            at=memory.clock.now(),
            invocation_id=exchange,
        )
        stored = to_invocation(event)
        await memory.stores.refinements.append(scope, [stored], of=of, metadata=metadata_of(stored))
    return session


async def read(memory: Memory, session: str, scope: Scope = ANN) -> Session:
    return fold(session, to_events(await memory.stores.conversations.get(scope, refinement_name(session))))


async def test_a_forgotten_exchange_takes_the_words_of_its_refinement_along() -> None:
    async with open_memory(settings=QUIET) as memory:
        await memory.say("My cat is called Minka.", "A nice name.")
        await memory.record(f"My PIN is {WORD}.", "I keep quiet.")
        first = await refine(memory, "first", of="c1", exchange="c1-0", word="Minka")
        second = await refine(memory, "second", of="c1", exchange="c1-1")
        assert (await everything(memory)).count(WORD) > 9
        (turn,) = [turn for turn in await memory.turns() if WORD in turn.content]
        places = (await memory.forget("record", ids=[turn.id]))["places"]
        assert places["graph.refinements"] == {"found": 3, "removed": 3, "left": 0}
        assert places["graph.invocations"] == {"found": 1, "removed": 1, "left": 0}
        assert WORD not in await everything(memory)
        gone, kept = await read(memory, second), await read(memory, first)
        assert gone.slot is not None
        assert kept.slot is not None
        assert (gone.slot.draft, gone.slot.critique, gone.slot.revision) == ("[forgotten]", ("[forgotten]",), ("[forgotten]",))
        assert (kept.slot.draft, kept.slot.sampling.stop_sequences) == ("draft Minka", ("Minka",))


async def test_sessions_travel_with_an_export_and_are_imported_once() -> None:
    async with open_memory(settings=QUIET) as memory:
        await memory.record(f"My PIN is {WORD}.", "I keep quiet.")
        session = await refine(memory, "own", of="c1", exchange="c1-0")
        alone = await refine(memory, "alone", word="Minka")
        (turn,) = [turn for turn in await memory.turns() if WORD in turn.content]
        undone = await memory.undo.undo(ANN, turn.id)
        exporter, importer = ScopeExport(memory.core), ScopeImport(memory.core)
        lines, cursor = list[str](), ""
        while True:
            page, cursor = await exporter.page(ANN, cursor, 2)
            lines += page
            if not cursor:
                break
        assert sum(json.loads(line)["type"] == "refinement" for line in lines) == 6
        assert len(lines) == len({*lines})
        text = "".join(line + "\n" for line in lines)
        assert await importer.lines(BOB, text, DataPolicy()) >= 6
        assert await importer.lines(BOB, text, DataPolicy()) == 0
        assert (await read(memory, session, BOB)).events == 0  # undone there, too
        assert (await read(memory, alone, BOB)) == (await read(memory, alone))
        assert [each.id for each in await memory.stores.refinements.listing(BOB, of="c1")] == [refinement_name(session)]
        await memory.stores.conversations.mark_undone(BOB, [f"{refinement_name(session)}|c1-0-{n}" for n in range(3)], None, "")
        await memory.undo.undo(ANN, undone.operation)
        assert (await read(memory, session, BOB)) == (await read(memory, session))
