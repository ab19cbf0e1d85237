"""A whole memory in one process for tests of background jobs: real stores, a topic in memory, a scripted model."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.doubles.core import core_over
from tests.doubles.jobs import ScriptedLanguageModel, SimulatedClock
from tests.doubles.topic import SimulatedTopic, TopicPublisher
from tests.integration.engines import lend_graph, lend_index
from tests.simulation.faults import Life
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.notify import BusChangeNotifier
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.erasure.undo import Undo
from trustgraph_react_mem.jobs.retry import WorkerLimits
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Job, JobKind, JsonValue, LanguageModel
from trustgraph_react_mem.memory.records import Conversation, Fact, derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.repositories.episodes import EpisodeMemory
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
PATIENCE_S = 600.0  # a slow machine is no fault
ANN = Scope(workspace="w", user="ann", collection="default")
BOB = Scope(workspace="w", user="bob", collection="default")
SHARED = Scope(workspace="w", user="", collection="default")


class Notices:
    def __init__(self) -> None:
        self.heard: list[tuple[Scope, str]] = []
        self.caches = BusChangeNotifier(InProcessBus())

    async def changed(self, scope: Scope, store: str, ids: Any = (), forgotten: Any = ()) -> None:
        self.heard.append((scope, store))
        await self.caches.changed(scope, store, ids, forgotten)


@dataclass
class Memory:
    """What a test looks at and works with."""

    stores: GraphStores
    facts: FactMemory
    episodes: EpisodeMemory
    topic: SimulatedTopic
    model: ScriptedLanguageModel
    clock: SimulatedClock
    notices: Notices
    settings: AgentMemSettings
    context: HandlerContext
    worker: JobWorker
    asked: dict[str, int] = field(default_factory=dict)

    async def say(
        self,
        question: str,
        answer: str = "Noted.",
        *,
        conversation: str = "c1",
        scope: Scope = ANN,
        end: bool = False,
        steps: list[dict[str, Any]] | None = None,
        settings: Mapping[str, JsonValue] | None = None,
        **more: JsonValue,
    ) -> Job:
        """Publish the record job of one request, as the agent does."""
        number = self.asked[conversation] = self.asked.get(conversation, -1) + 1
        self.clock.advance(60)
        at = self.clock.now()
        payload: dict[str, JsonValue] = {
            "conversation_id": conversation,
            "invocation_id": f"{conversation}-{number}",
            "question": question,
            "answer": answer,
            "speaker": scope.user.title() or "User",
            "asked_at": (at - timedelta(seconds=5)).isoformat(),
            "answered_at": at.isoformat(),
            "steps": list(steps or []),
            "succeeded": True,
            "recalled": [],
            "retrieval": None,
            "end_of_conversation": end,
            "flow": "default",
            "settings": dict(settings) if settings else {},
            **more,
        }
        return await self.submit("record", payload, scope=scope, job_id=derived_id("record", scope.key, conversation, number))

    async def submit(self, kind: JobKind, payload: Mapping[str, JsonValue], *, scope: Scope = ANN, job_id: str = "") -> Job:
        job = Job(
            id=job_id or derived_id("test", kind, scope.key, repr(payload), self.clock.now().isoformat()),
            kind=kind,
            scope=scope,
            payload=payload,
            created_at=self.clock.now(),
            trigger="management",
        )
        await self.worker.pending.publish([job])
        return job

    async def record(self, *said: str, **more: Any) -> Job:
        """Say it, and wait for all that follows."""
        job = await self.say(*said, **more)
        await self.settled(job.scope)
        return job

    async def run(self, kind: JobKind, payload: Mapping[str, JsonValue], **more: Any) -> Job:
        job = await self.submit(kind, payload, **more)
        await self.settled(job.scope)
        return job

    async def forget(self, level: Level, **what: Any) -> dict[str, Any]:
        """Returns the receipt."""
        job = forget_job(ANN, level, at=self.clock.now(), **what)
        await self.worker.pending.publish([job])
        await self.settled(job.scope)
        receipt: dict[str, Any] = json.loads(await self.summary(job))
        assert receipt["complete"]
        return receipt

    async def talk(self, name: str = "c1") -> Conversation:
        found = await self.stores.conversations.get(ANN, name)
        assert found is not None
        return found

    @property
    def core(self) -> MemoryCore:
        return self.context.core

    @property
    def publisher(self) -> TopicPublisher:
        return self.topic.publisher(self.stores.keyring)

    @property
    def undo(self) -> Undo:
        return Undo(self.core)

    async def settled(self, scope: Scope = ANN) -> None:
        assert await self.worker.pending.wait_idle(scope, timeout_s=PATIENCE_S) == 0, await self.worker.admin.listing(scope)

    async def learned(self, scope: Scope = ANN, **filters: Any) -> list[Fact]:
        facts = await self.facts.graph.listing(scope, limit=1000, **filters)
        return sorted((fact for fact in facts if fact.kind != "turn"), key=lambda fact: fact.content)

    async def turns(self, scope: Scope = ANN) -> list[Fact]:
        facts = await self.facts.graph.listing(scope, kinds=("turn",), limit=1000)
        return sorted(facts, key=lambda fact: (fact.source, fact.position))

    async def state(self, job: Job) -> str:
        return (await self.worker.admin.find(job.scope, job.id)).state

    async def summary(self, job: Job) -> str:
        return (await self.worker.admin.find(job.scope, job.id)).summary


@contextlib.asynccontextmanager
async def open_memory(
    *,
    model: LanguageModel | str | None = "scripted",
    settings: AgentMemSettings | None = None,
    answers: Mapping[str, Any] | None = None,
    run: bool = True,
    near_duplicate: float | None = None,
) -> AsyncIterator[Memory]:
    """``model=None``: no language model is configured.  ``near_duplicate``: of the embedding model's profile."""
    clock, embedder, notices = SimulatedClock(START), HashedEmbedder(128), Notices()
    if near_duplicate is not None:
        embedder.profile = replace(embedder.profile, near_duplicate=near_duplicate)
    async with (
        lend_graph() as engine,
        lend_index(embedder.profile) as index,
        lend_index(embedder.profile) as episode_index,
    ):
        stores = GraphStores.over(engine, clock, b"k" * 32)
        core = core_over(stores, index, embedder, episodes=episode_index, notifier=notices, clock=clock)
        scripted = ScriptedLanguageModel(answers)
        chosen = settings or AgentMemSettings()
        topic = SimulatedTopic()
        context = HandlerContext(
            core=core,
            model_for=lambda workspace, flow: None if model is None else scripted,
            settings_for=lambda workspace, flow: chosen,
        )
        worker = make_worker(context, topic)
        memory = Memory(
            stores=stores,
            facts=core.facts,
            episodes=core.episodes,
            topic=topic,
            model=scripted,
            clock=clock,
            notices=notices,
            settings=chosen,
            context=context,
            worker=worker,
        )
        task = asyncio.create_task(worker.run()) if run else None
        try:
            yield memory
        finally:
            if task is not None:
                failed = task.done() and not task.cancelled()
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
                assert not failed, "the worker ended by itself"


def make_worker(context: HandlerContext, topic: SimulatedTopic, life: Life | None = None) -> JobWorker:
    """Connect the context with the worker's gate, as the composition root does."""
    life = life or Life(1)
    context = replace(context, gate=ScopeGate())
    graph = context.core.graph
    return JobWorker(
        source=topic.consumer(graph.keyring, life),
        gate=context.gate,
        handlers=build_handlers(context),
        graph=graph,
        publisher=topic.publisher(graph.keyring, life),
        clock=context.core.clock,
        limits=WorkerLimits(sweep_every_s=3600),
    )
