"""What cannot be stored or embedded now: refused texts are kept and marked, waiting turns can be forgotten."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest

from tests.integration.jobs_support import ANN, BOB, Memory, open_memory
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.forget_part import forget_part
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.errors import BadRequest, EngineUnavailable, NotFound, RequestRefused
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.memory.ports import UNDECODABLE, IndexPoint, Job, Matrix
from trustgraph_react_mem.memory.records import turn_id
from trustgraph_react_mem.memory.requests import DropJob, GetJob, GetJobStats, ListJobs, ReplayJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.jobs import JobOperations
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

WORD = "unspeakable"


def refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    embed = HashedEmbedder.embed

    async def picky(self: HashedEmbedder, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        if any(WORD in text for text in texts):
            raise RequestRefused("simulated")
        return await embed(self, texts, role=role)

    monkeypatch.setattr(HashedEmbedder, "embed", picky)


async def count(memory: Memory) -> int:
    return await memory.core.models.count_without_vector(ANN)


async def test_a_refused_text_stops_nobodys_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_memory() as memory:
        with monkeypatch.context() as patched:
            refuse(patched)
            jobs = [await memory.say(f"I keep the {name} in drawer 7") for name in ("lamp", WORD, "kettle")]
            jobs += [await memory.say("I keep the piano upstairs", scope=BOB, conversation="b")]
            await memory.settled()
            await memory.settled(BOB)
            assert [await memory.state(job) for job in jobs] == ["done"] * 4
            turns = await memory.turns()
            assert len(turns) == 6
            assert all(turn.indexed for turn in turns)
            assert await count(memory) == 1
            assert not (await Reconciler(memory.core).repair()).waiting
            await Reconciler(memory.core).repair_scope(ANN)
            assert await count(memory) == 1, "repair keeps the mark"
        await memory.run("reembed", {})
        assert await count(memory) == 0, "the model takes it now"


async def test_a_refused_text_can_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch)
    async with open_memory() as memory:
        await memory.record(f"I keep the {WORD} in drawer 7")
        refused = next(turn for turn in await memory.turns() if WORD in turn.content)
        await memory.forget("record", ids=[refused.id])
        assert await count(memory) == 0
        assert not any(WORD in turn.content for turn in await memory.turns())


@pytest.mark.parametrize("jump_s", [0.0, -86_400.0])
@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_what_waits_to_be_recorded_can_be_forgotten_before_it_is(
    level: Level, jump_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors are away, so the record job waits.  The erasure overtakes it, and it brings nothing back."""

    async def away(self: EdgeIndex, scope: Scope, points: Sequence[IndexPoint]) -> None:
        raise EngineUnavailable("simulated")

    async with open_memory() as memory:
        with monkeypatch.context() as patched:
            patched.setattr(EdgeIndex, "upsert", away)
            record = await memory.record("I keep the lamp in drawer 7", "Noted: drawer 7.")
            assert await memory.state(record) == "deferred"
        memory.clock.advance(jump_s)
        ids = [turn_id(ANN, "c1", "c1-0", "question")] if level == "record" else []
        conversation = "c1" if level == "conversation" else ""
        forget = forget_job(ANN, level, at=memory.clock.now(), ids=ids, conversation_id=conversation)
        await memory.worker.pending.publish([forget])
        assert await memory.worker.pending.wait_for(forget.ref, timeout_s=20)
        assert await memory.state(forget) == "done"
        memory.clock.advance(120)
        await memory.worker.delayed.sweep()
        await memory.settled()
        assert await memory.state(record) == ("done" if level == "record" else "cancelled")
        assert [turn.content for turn in await memory.turns()] == (["Noted: drawer 7."] if level == "record" else [])
        talk = await memory.stores.conversations.get(ANN, "c1")
        queries = [said.query for said in talk.invocations] if talk else []
        assert queries == (["[forgotten]"] if level == "record" else [])


async def test_an_erasure_that_resumes_does_not_cancel_itself_or_another() -> None:
    """An engine was away, so both erasures of the conversation were deferred.  A crash after this run must not end them."""
    async with open_memory() as memory:
        await memory.record("I keep the lamp in drawer 7")
        store, keyring = memory.stores.job_store, memory.stores.keyring
        jobs = [forget_job(ANN, "conversation", at=memory.clock.now(), conversation_id="c1", nonce=str(n)) for n in range(2)]
        entries = [entry_from_job(job, "deferred", at=memory.clock.now(), not_before=memory.clock.now()) for job in jobs]
        for job, entry in zip(jobs, entries, strict=True):
            sealed = await keyring.seal(ANN, json.dumps(job.payload).encode(), binding=entry.binding)
            await store.save([replace(entry, summary='{"graph.facts": 2}', sealed_payload=sealed)])
        receipt = await forget_part(memory.core, ScopeGate(), jobs[0], "conversation")
        assert receipt.complete
        left = await store.get([job.ref for job in jobs])
        assert [entry.state for entry in left] == ["deferred", "deferred"]
        for entry, job in zip(left, jobs, strict=True):
            assert json.loads(await keyring.open(ANN, entry.sealed_payload, binding=entry.binding)) == job.payload


# -- what people see of jobs that could not be decoded -----------------------------------------------------------------


def operations(memory: Memory) -> JobOperations:
    return JobOperations(memory.worker, memory.core, memory.settings, "default")


async def test_a_message_that_could_not_be_decoded_is_listed_and_can_be_dropped() -> None:
    nobody = Scope(workspace=ANN.workspace, user="", collection=UNDECODABLE)
    async with open_memory() as memory:
        at = memory.clock.now()
        job = Job(id="u", kind="noop", scope=nobody, payload={}, created_at=at, trigger="undecodable")
        await memory.stores.job_store.save([entry_from_job(job, "dead", at=at, error="bad-request: no job", sealed="aGVsbG8=")])
        jobs = operations(memory)
        assert [each.id for each in (await jobs.list(ANN, ListJobs(status="dead"))).jobs] == ["u"]
        assert (await jobs.get(ANN, GetJob(id="u"))).jobs[0].trigger == "undecodable"
        with pytest.raises(BadRequest, match="drop it"):
            await jobs.replay(ANN, ReplayJob(id="u"))
        await jobs.drop(ANN, DropJob(id="u"))
        assert (await jobs.list(ANN, ListJobs(status="dead"))).jobs == []
        with pytest.raises(NotFound):
            await jobs.drop(ANN, DropJob(id="none"))


async def test_stats_count_records_without_a_vector() -> None:
    async with open_memory() as memory:
        assert (await operations(memory).stats(ANN, GetJobStats())).stats["records_without_vector"] == "0"
