"""An erasure by one process while another works on the same scope: real stores, two workers, each with a state of its own."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from tests.doubles.topic import SimulatedTopic
from tests.integration.jobs_support import ANN, Memory, make_worker, open_memory
from tests.integration.test_job_attacks import everything
from tests.integration.understanding_support import EACH, PROMPT, item, items
from tests.simulation.faults import Life
from trustgraph_react_mem.erasure.forget import ForgetHandler, forget_job
from trustgraph_react_mem.errors import ScopeChanged
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.memory.fencing import run_fenced, with_token
from trustgraph_react_mem.memory.ports import FencingToken, Job, JsonValue
from trustgraph_react_mem.memory.records import Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore

ANSWERS = {PROMPT: items(item("CANARY likes tea", "CANARY likes tea"))}
DONE_S = 60.0  # a job that takes longer is lost


class Broker:
    """One topic for all: a key belongs to one consumer as long as it has something of it in hand."""

    def __init__(self, memory: Memory) -> None:
        self.topic, self.memory, self.lives = SimulatedTopic(), memory, list[Life]()

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncIterator[JobWorker]:
        """A process: rules, locks and state of its own over the stores of all."""
        memory, life = self.memory, Life(len(self.lives) + 1)
        self.lives.append(life)
        shop = memory.context
        core = MemoryCore.over(memory.stores, memory.core.models, memory.notices, memory.clock)
        worker = make_worker(replace(shop, core=core), self.topic, life)
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
        await self.topic.publisher(self.memory.stores.keyring).publish([job])
        return job

    async def done(self, job: Job) -> dict[str, Any]:
        """Its receipt, when it has one."""
        async with asyncio.timeout(DONE_S):
            while True:
                for entry in await self.memory.stores.job_store.get([job.ref]):
                    if entry.state in ("done", "dead"):
                        assert entry.state == "done", entry.error
                        found: dict[str, Any] = json.loads(entry.summary) if job.kind == "forget" else {}
                        return found
                await asyncio.sleep(0.01)


class Gate:
    """A model that has read its prompt and answers only when it may."""

    def __init__(self, memory: Memory) -> None:
        self.asked, self.open = asyncio.Event(), asyncio.Event()
        self._inner = memory.model.prompt
        memory.model.prompt = self.prompt  # type: ignore[method-assign]

    async def prompt(self, prompt_id: str, variables: Any) -> Any:
        if prompt_id == PROMPT:
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


async def test_a_job_of_another_process_writes_nothing_after_the_receipt() -> None:
    async with open_memory(settings=EACH, answers=ANSWERS, run=False) as memory:
        broker, gate = Broker(memory), Gate(memory)
        async with broker.worker():
            await broker.done(await said(memory, broker, "CANARY likes tea"))
            await gate.asked.wait()  # the first process holds the words, and waits for its model
            async with broker.worker() as second:
                receipt = await broker.done(await published(broker, forget_job(ANN, "collection", at=memory.clock.now())))
                assert receipt["complete"]
                assert "CANARY" not in await everything(memory)
                gate.open.set()
                await second.pending.wait_idle(ANN, timeout_s=300)
            await until_idle(broker)
            assert "CANARY" not in await everything(memory)
            assert await memory.facts.graph.listing(ANN, statuses=()) == []
            # the scope goes on being used, and the next turn is learned from
            await broker.done(await said(memory, broker, "CANARY likes tea", number=7))
            await until_idle(broker)
            assert {fact.kind for fact in await memory.facts.graph.listing(ANN)} == {"turn", "semantic"}


async def test_a_part_that_is_forgotten_is_not_learned_from_in_another_process() -> None:
    async with open_memory(settings=EACH, answers=ANSWERS, run=False) as memory:
        broker, gate = Broker(memory), Gate(memory)
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


async def test_what_is_added_while_its_source_is_forgotten_goes_too() -> None:
    """By a writer that had begun before: the look after the number has risen finds it."""
    async with open_memory(run=False) as memory:
        fence = memory.stores.fence
        turn = Fact(id="t", scope=ANN, kind="turn", content="CANARY likes tea", created_at=memory.clock.now(), source="c1")
        await memory.facts.store(ANN, [turn])
        writer, advance = await fence.claim(ANN), fence.advance
        drawn = [replace(turn, id=f"f{number}", kind="semantic", content=f"CANARY {number}") for number in range(2)]

        async def write_first(token: FencingToken) -> None:
            for place, fact in enumerate(drawn):
                with with_token(writer), contextlib.suppress(ScopeChanged):
                    source = {"turn_ids": ("t",)} if not place else {"metadata": {"sources": "f0"}}
                    await memory.facts.store(ANN, [replace(fact, **source)])
            await advance(token)

        memory.stores.fence.advance = write_first  # type: ignore[method-assign]
        job = forget_job(ANN, "record", at=memory.clock.now(), ids=["t"])
        done = await run_fenced(fence, ANN, lambda: ForgetHandler(memory.context)(job))
        assert json.loads(done.note)["complete"]
        assert "CANARY" not in await everything(memory)


async def published(broker: Broker, job: Job) -> Job:
    await broker.topic.publisher(broker.memory.stores.keyring).publish([job])
    return job


async def until_idle(broker: Broker) -> None:
    while broker.topic.unacknowledged:
        broker.topic.arrived.clear()
        await broker.topic.arrived.wait()
