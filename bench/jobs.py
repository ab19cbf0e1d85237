"""Background jobs: time to publish one, throughput of the worker, and the effect of a backlog on answers."""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trustgraph_react_mem.bootstrap import Stores, job_publisher, open_stores
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.local.job_log import JobLog
from trustgraph_react_mem.jobs.delivery import Handler, JobOutcome
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Embedder, Job, JobKind, JsonValue
from trustgraph_react_mem.memory.records import derived_id
from trustgraph_react_mem.memory.requests import ListJobs, StoreFact, SubmitJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.models.embedder import open_embedding_model
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.store_settings import StoreSettings

from .filled import FOLDER, USER, Silent, shared
from .patience import patiently
from .process import SETTINGS, serving
from .row import Row, percentile
from .sentences import questions, sentences
from .turn import Turns, ask, until_loaded

PUBLISH = "job_publish_confirm_p50"
NOOPS = "jobs_per_second"
RECORDS = "record_jobs_per_second"
BACKLOG = "answer_latency_under_backlog"
NAMES = (PUBLISH, NOOPS, RECORDS, BACKLOG)

HOME = FOLDER / "jobs"
SCOPES = 16
PUBLISHED = 500
NOOP_JOBS = 5000
RECORD_JOBS = 600
BACKLOG_JOBS = 10_000
BACKLOG_TURNS = 100
INSIGHT_FACTS = 3
MOST_DONE = 500
SLOW_MODEL_S = 2.0


@dataclass(frozen=True)
class Workplace:
    """Stores, jobs, publisher and consumer in this process."""

    stores: Stores
    bus: InProcessBus
    publisher: BusJobPublisher
    embedder: Embedder


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    rows: list[Row] = []
    if names & {PUBLISH, NOOPS, RECORDS}:
        async with workplace() as place:
            if PUBLISH in names:
                rows.append(await published(place))
            if NOOPS in names:
                rate = await drained(place, [job("noop", number, {}) for number in range(NOOP_JOBS)], {})
                rows.append(Row(NOOPS, rate, "/s", f"{NOOP_JOBS} jobs of {SCOPES} scopes, queue and job store, nothing to do"))
            if RECORDS in names:
                jobs = [job("record", number, record(number)) for number in range(RECORD_JOBS)]
                rate = await drained(place, jobs, build_handlers(context(place)))
                rows.append(Row(RECORDS, rate, "/s", f"{RECORD_JOBS} turns: embedded, graph, vectors, follow-ups"))
    if BACKLOG in names:
        rows.append(await under_backlog())
    return rows


@asynccontextmanager
async def workplace() -> AsyncIterator[Workplace]:
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    model = await open_embedding_model()
    stores = await open_stores(StoreSettings(home=HOME / "data", keys=HOME / "keys"), model.profile)
    log = await JobLog.open(HOME, stores.generation)
    bus = InProcessBus(log)
    publisher = job_publisher(bus, stores.graph.keyring, "bench")
    try:
        yield Workplace(stores, bus, publisher, model)
    finally:
        await publisher.close()
        await log.close()
        await stores.close()
        await model.close()


def job(kind: JobKind, number: int, payload: Mapping[str, JsonValue]) -> Job:
    return Job(
        id=derived_id("bench", kind, number),
        kind=kind,
        scope=Scope(workspace="default", user=f"user-{number % SCOPES}", collection="default"),
        payload=payload,
        created_at=datetime.now(UTC),
    )


def record(number: int) -> dict[str, JsonValue]:
    """The record job that an agent publishes after a turn."""
    said = sentences(2, seed=number)
    now = datetime.now(UTC).isoformat()
    return {
        "conversation_id": f"conversation-{number % SCOPES}-{number // (SCOPES * 8)}",
        "invocation_id": derived_id("bench-invocation", number),
        "question": said[0].text,
        "answer": said[1].text,
        "speaker": said[0].speaker,
        "asked_at": now,
        "answered_at": now,
        "steps": [],
        "succeeded": True,
        "recalled": [],
        "retrieval": None,
        "end_of_conversation": False,
        "flow": "default",
        "settings": dict(SETTINGS),
    }


async def published(place: Workplace) -> Row:
    taken = []
    for number in range(PUBLISHED):
        began = time.perf_counter()
        await place.publisher.publish([job("noop", -1 - number, record(number))])
        taken.append((time.perf_counter() - began) * 1000)
    note = f"encrypted, sent and confirmed by the broker; p95 {percentile(taken, 95):.2f} ms"
    return Row(PUBLISH, percentile(taken, 50), "ms", note)


async def done_at_once(_: Job) -> JobOutcome:
    return JobOutcome()


async def drained(place: Workplace, jobs: list[Job], handlers: Mapping[JobKind, Handler]) -> float:
    """Jobs per second, from the first receive until all are done in the job store."""
    for start in range(0, len(jobs), 200):
        await place.publisher.publish(jobs[start : start + 200])
    began = time.perf_counter()
    consumer = JobConsumer(place.bus, place.stores.graph.keyring)
    worker = JobWorker(
        source=consumer,
        gate=ScopeGate(),
        handlers={"noop": done_at_once, **handlers},
        graph=place.stores.graph,
        publisher=place.publisher,
        clock=SystemClock(),
    )
    running = asyncio.create_task(worker.run())
    await consumer.add_workspace("default")
    await until_done(place, worker, jobs)
    rate = len(jobs) / (time.perf_counter() - began)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await consumer.close()
    return rate


async def until_done(place: Workplace, worker: JobWorker, jobs: list[Job]) -> None:
    """Raises: RuntimeError (a job was not done)."""
    scopes = {one.scope for one in jobs}

    async def still_open(timeout_s: float) -> int:
        return sum(await asyncio.gather(*(worker.pending.wait_idle(scope, timeout_s=timeout_s) for scope in scopes)))

    await patiently(still_open, "jobs")
    entries = await place.stores.graph.job_store.get([one.ref for one in jobs])
    undone = [f"{entry.state}: {entry.error}" for entry in entries if entry.state != "done"]
    undone += ["not in the job store"] * (len(jobs) - len(entries))
    if undone:
        raise RuntimeError(f"{len(undone)} of {len(jobs)} jobs were not done ({undone[0]})")


def context(place: Workplace) -> HandlerContext:
    models = place.stores.models(place.embedder)
    return HandlerContext(
        core=MemoryCore.over(place.stores.graph, models, Silent(), SystemClock()),
        model_for=lambda workspace, flow: None,
        settings_for=lambda workspace, flow: AgentMemSettings(),
    )


async def under_backlog() -> Row:
    """Turns while ten thousand jobs wait for a slow model.  Baseline: the same turns without a backlog.

    Raises: RuntimeError (the jobs did not wait).
    """
    home = copied((await shared(10_000))[0])  # the rows after this one have no backlog
    before, during = Turns(), Turns()
    async with serving(home, background_delay_s=SLOW_MODEL_S) as (stack, bus):
        await until_loaded(bus, stack.processor_ms)
        for said in sentences(INSIGHT_FACTS, seed=23):  # with nothing to think about, a job does not call the model
            await bus.call(StoreFact(content=said.text, user=USER))
        await ask(bus, questions(10, seed=20), Turns())
        await ask(bus, questions(BACKLOG_TURNS, seed=21), before)
        await submitted(bus)
        await until_loaded(bus, stack.processor_ms)
        await ask(bus, questions(BACKLOG_TURNS, seed=22), during)
        done = len((await bus.call(ListJobs(status="done", kind="insight", user=USER, limit=MOST_DONE))).jobs)
    if done == MOST_DONE:
        raise RuntimeError(f"the jobs did not wait for the model: {done} or more were done after the turns")
    note = f"baseline: no backlog; {BACKLOG_JOBS} jobs wait for a model that takes {SLOW_MODEL_S:g} s"
    return Row(BACKLOG, percentile(during.ms, 50), "ms", note, percentile(before.ms, 50))


def copied(bank: Path) -> Path:
    """Filled stores with their keys, for a row that changes them."""
    home = (HOME / bank.name).resolve()
    for ending in ("", "-keys"):
        shutil.rmtree(f"{home}{ending}", ignore_errors=True)
        shutil.copytree(f"{bank}{ending}", f"{home}{ending}")
    return home


async def submitted(bus: MemoryBus) -> None:
    limit = asyncio.Semaphore(64)

    async def submit(number: int) -> None:
        async with limit:
            payload = json.dumps({"conversation_id": f"bank-{number % 50}", "limit": 10, "number": number})
            await bus.call(SubmitJob(kind="insight", payload=payload, user=USER, timeout_s=0.0))

    await asyncio.gather(*(submit(number) for number in range(BACKLOG_JOBS)))
