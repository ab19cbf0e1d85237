"""An erasure by one process while another works on the same scope: real stores, two workers, each with its own books."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests.integration.jobs_support import ANN, Memory, make_worker, open_memory
from tests.integration.test_job_attacks import everything
from tests.simulation.faults import Faults, Life
from tests.simulation.topic import SimulatedTopic
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.errors import ScopeChanged
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.memory.fencing import run_fenced
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.records import Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.settings import AgentMemSettings

EVERY_TURN = AgentMemSettings(extract_each_invocation=True, drift_threshold=0.0, promote_at_end=False)

DONE_S = 60.0  # a job that takes longer is lost


class Broker:
    """One topic for all: a key belongs to one consumer as long as it has something of it in hand."""

    def __init__(self, memory: Memory) -> None:
        faults = Faults(random=Random(1), off=True)
        self.topic, self.memory, self.lives = SimulatedTopic(faults), memory, list[Life]()

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[JobWorker]:
        """A process: rules, locks and books of its own over the stores of all."""
        memory, life = self.memory, Life(len(self.lives) + 1)
        self.lives.append(life)
        shop = memory.context
        facts = FactMemory(memory.stores.facts, memory.facts.index, memory.facts.embedder, memory.notices, memory.clock)
        consumer: Any = self.topic.consumer(memory.stores.keyring, life)
        consumer.publish = self.topic.publisher(memory.stores.keyring, life).publish
        worker = make_worker(replace(shop, facts=facts), consumer, memory.stores, memory.clock)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            life.die()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def publish(self, kind: str, payload: dict[str, JsonValue], scope: Scope = ANN) -> Job:
        at = self.memory.clock.now()
        job = Job(id=derived_id(kind, repr(payload)), kind=kind, scope=scope, payload=payload, created_at=at)  # type: ignore[arg-type]
        await self.topic.publisher(self.memory.stores.keyring, None).publish([job])
        return job

    async def done(self, job: Job) -> dict[str, Any]:
        """Its receipt, when it has one."""
        async with asyncio.timeout(DONE_S):
            while True:
                for entry in await self.memory.stores.job_store.get([job.id]):
                    if entry.state in ("done", "dead"):
                        assert entry.state == "done", entry.error
                        found: dict[str, Any] = json.loads(entry.summary) if job.kind == "forget" else {}
                        return found
                await asyncio.sleep(0.01)


class Gate:
    """A model that has read its prompt and answers only when it may."""

    def __init__(self, memory: Memory, answer: Any) -> None:
        self.asked, self.open = asyncio.Event(), asyncio.Event()
        self._answer, self._inner = answer, memory.model.prompt
        memory.model.prompt = self.prompt  # type: ignore[method-assign]

    async def prompt(self, prompt_id: str, variables: Any) -> Any:
        if prompt_id == "memory-extract-facts":
            self.asked.set()
            await self.open.wait()
        return await self._inner(prompt_id, variables)


async def said(memory: Memory, broker: Broker, text: str, number: int = 0) -> Job:
    at = memory.clock.now().isoformat()
    payload: dict[str, JsonValue] = {
        "conversation_id": "c1",
        "invocation_id": f"c1-{number}",
        "question": text,
        "answer": "Noted.",
        "speaker": "Ann",
        "asked_at": at,
        "answered_at": at,
        "steps": [],
        "succeeded": True,
        "recalled": [],
        "retrieval": None,
        "flow": "default",
    }
    return await broker.publish("record", payload)


async def test_a_job_of_another_process_writes_nothing_after_the_receipt(tmp_path: Path) -> None:
    answers = {"memory-extract-facts": {"facts": [{"fact": "CANARY likes tea", "lines": [0]}]}}
    async with open_memory(tmp_path, settings=EVERY_TURN, answers=answers, run=False) as memory:
        broker, gate = Broker(memory), Gate(memory, answers)
        async with broker.worker():
            await broker.done(await said(memory, broker, "CANARY likes tea"))
            await gate.asked.wait()  # the first process holds the words, and waits for its model
            async with broker.worker() as second:
                receipt = await broker.done(await published(broker, forget_job(ANN, "collection", at=memory.clock.now())))
                assert receipt["complete"]
                assert "CANARY" not in await everything(memory)
                gate.open.set()
                await second.wait_idle(ANN, timeout_s=10)
            await until_idle(broker)
            assert "CANARY" not in await everything(memory)
            assert await memory.facts.listing(ANN, statuses=()) == []
            # the scope goes on being used, and the next turn is learned from
            await broker.done(await said(memory, broker, "CANARY likes tea", number=7))
            await until_idle(broker)
            assert {fact.kind for fact in await memory.facts.listing(ANN)} == {"turn", "semantic"}


async def test_a_part_that_is_forgotten_is_not_learned_from_in_another_process(tmp_path: Path) -> None:
    answers = {"memory-extract-facts": {"facts": [{"fact": "CANARY likes tea", "lines": [0]}]}}
    async with open_memory(tmp_path, settings=EVERY_TURN, answers=answers, run=False) as memory:
        broker, gate = Broker(memory), Gate(memory, answers)
        async with broker.worker():
            await broker.done(await said(memory, broker, "CANARY likes tea"))
            await gate.asked.wait()
            async with broker.worker():
                (question,) = [turn for turn in await memory.turns() if "CANARY" in turn.content]
                await broker.done(await published(broker, forget_job(ANN, "record", at=memory.clock.now(), ids=[question.id])))
                gate.open.set()
                await until_idle(broker)
            assert "CANARY" not in await everything(memory)
            assert [turn.content for turn in await memory.turns()] == ["Noted."]


async def test_an_import_of_another_process_ends_where_an_erasure_begins(tmp_path: Path) -> None:
    """Not half of it before and half of it after: whoever imports is told."""
    async with open_memory(tmp_path, run=False) as memory:
        broker = Broker(memory)
        turns = [
            Fact(
                id=derived_id("line", number),
                scope=ANN,
                kind="turn",
                content=f"CANARY line {number}",
                created_at=memory.clock.now(),
                position=number,
            )
            for number in range(30)
        ]
        begun, go_on = asyncio.Event(), asyncio.Event()
        embed = memory.facts.embedder.embed

        async def slowly(texts: Any, *, role: Any) -> Any:
            begun.set()
            if len(texts) < 20:
                await go_on.wait()
            return await embed(texts, role=role)

        memory.facts.embedder.embed = slowly  # type: ignore[method-assign]
        importing = asyncio.create_task(
            run_fenced(memory.stores.fence, ANN, lambda: memory.facts.add_turns(ANN, "c9", turns, batch=5))
        )
        await begun.wait()
        async with broker.worker():
            receipt = await broker.done(await published(broker, forget_job(ANN, "collection", at=memory.clock.now())))
        assert receipt["complete"]
        go_on.set()
        [outcome] = await asyncio.gather(importing, return_exceptions=True)
        assert isinstance(outcome, ScopeChanged)
        assert await memory.facts.listing(ANN, statuses=()) == []


async def published(broker: Broker, job: Job) -> Job:
    await broker.topic.publisher(broker.memory.stores.keyring, None).publish([job])
    return job


async def until_idle(broker: Broker) -> None:
    while broker.topic.unacknowledged:
        broker.topic.arrived.clear()
        await broker.topic.arrived.wait()
