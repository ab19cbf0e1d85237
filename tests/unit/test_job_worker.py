"""The worker of background jobs: once, in order, never lost.  Named after what must not happen."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from tests.doubles.core import ports
from tests.doubles.jobs import SimulatedClock
from tests.doubles.small_stores import MemoryJobStore, MemoryKeyRing, MemoryStores
from tests.doubles.topic import SimulatedTopic
from tests.simulation.faults import Died, Faults, Faulty, Life
from trustgraph_react_mem.errors import (
    BadRequest,
    BudgetExhausted,
    Conflict,
    EngineUnavailable,
    MemoryServiceError,
    ModelAnswerError,
    ModelUnavailable,
    RequestRefused,
    ScopeClosed,
)
from trustgraph_react_mem.jobs.delivery import JobOutcome, follow_up
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.jobs.registry import is_barrier
from trustgraph_react_mem.jobs.retry import Retry, WorkerLimits
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.memory.ports import ENDED, Job, JobEntry, JobKind
from trustgraph_react_mem.memory.records import derived_id
from trustgraph_react_mem.memory.scope import Scope

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ANN = Scope(workspace="w", user="ann", collection="default")
BOB = Scope(workspace="w", user="bob", collection="default")

Handle = Callable[[Job], Awaitable[JobOutcome]]


@dataclass(slots=True)
class CrashPoint(Faults):
    """The process dies at the n-th call of a port; nothing after it has an effect."""

    left: int = -1

    async def pass_through(self, life: Life | None, part: str, place: str) -> None:
        if life is None:
            return
        if life.dead:
            raise Died
        self.left -= 1
        if self.left == 0:
            life.die()
            raise Died


@dataclass
class Bench:
    """The durable world (topic, stores, effects) and the worker that may die in it."""

    clock: SimulatedClock = field(default_factory=lambda: SimulatedClock(START))
    ran: list[str] = field(default_factory=list)
    effects: set[str] = field(default_factory=set)
    handlers: dict[JobKind, Handle] = field(default_factory=dict)
    limits: WorkerLimits = field(default_factory=lambda: WorkerLimits(sweep_every_s=1e7))
    faults: CrashPoint = field(default_factory=lambda: CrashPoint(random=Random(7), off=True))

    def __post_init__(self) -> None:
        self.stores = MemoryStores(self.clock)
        self.topic = SimulatedTopic(self.faults)
        for kind in ("record", "extract", "episode", "forget"):
            self.handlers.setdefault(kind, self.note)  # type: ignore[arg-type]
        self.worker = self.new_worker()

    @property
    def job_store(self) -> MemoryJobStore:
        return self.stores.job_store

    @property
    def keyring(self) -> MemoryKeyRing:
        return self.stores.keyring

    def new_worker(self) -> JobWorker:
        self.life = life = Life(1)

        def graph(port: Any) -> Any:
            return Faulty(port, self.faults, life, "graph")

        keyring = graph(self.keyring)
        self.worker = JobWorker(
            source=self.topic.consumer(keyring, life),
            gate=ScopeGate(),
            handlers=self.handlers,
            graph=ports(self.stores, job_store=graph(self.job_store), keyring=keyring, fence=graph(self.stores.fence)),
            publisher=self.topic.publisher(keyring, life),
            clock=self.clock,
            limits=replace(self.limits, failure=Retry(attempts=3, first_s=1)),
            random=Random(7),
        )
        return self.worker

    def handle(self, kind: JobKind, handler: Handle) -> None:
        self.handlers[kind] = handler
        self.new_worker()

    def fail(self, kind: JobKind, error: Exception, when: Callable[[Job], bool] = lambda job: True) -> None:
        """Jobs of the kind fail with the error: those ``when`` says so."""

        async def fails(job: Job) -> JobOutcome:
            if when(job):
                raise error
            return await self.note(job)

        self.handle(kind, fails)

    def hold(self, kind: JobKind) -> asyncio.Event:
        """Jobs of the kind wait for the event."""
        gate = asyncio.Event()

        async def waits(job: Job) -> JobOutcome:
            await gate.wait()
            return await self.note(job)

        self.handle(kind, waits)
        return gate

    async def run(self, *jobs: Job) -> None:
        """Publish jobs, and wait until they are over or deferred."""
        async with self.running() as worker:
            await worker.pending.publish(jobs)
            await self.idle()

    async def put_off(self, jobs: Sequence[Job], due: Callable[[int], datetime]) -> None:
        """Save them as deferred.  ``due``: when each is, by its number."""
        entries = [entry_from_job(job, "deferred", at=START, not_before=due(number)) for number, job in enumerate(jobs)]
        sealed = [await self.keyring.seal(entry.scope, b"{}", binding=entry.binding) for entry in entries]
        await self.job_store.save([replace(entry, sealed_payload=text) for entry, text in zip(entries, sealed, strict=True)])

    async def publish(self, jobs: Sequence[Job]) -> None:
        """By another process."""
        await self.topic.publisher(self.keyring).publish(jobs)

    async def note(self, job: Job) -> JobOutcome:
        self.ran.append(job.id)
        self.effects.add(job.id)
        await asyncio.sleep(0)
        return JobOutcome(counts={"effects": 1})

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[JobWorker]:
        task, life = asyncio.create_task(self.worker.run()), self.life
        try:
            yield self.worker
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            life.die()

    async def idle(self, scope: Scope = ANN) -> None:
        assert await self.worker.pending.wait_idle(scope, timeout_s=300) == 0, self.worker.admin.stats()

    def state(self, job: Job) -> str:
        return self.job_store.entries[job.ref].state

    def ended(self, job: Job) -> bool:
        return job.ref in self.job_store.entries and self.state(job) in ENDED


def a_job(number: int = 0, kind: JobKind = "record", scope: Scope = ANN) -> Job:
    return Job(
        id=derived_id("test", kind, scope.key, number),
        kind=kind,
        scope=scope,
        payload={"n": number},
        created_at=START + timedelta(seconds=number),
    )


async def test_a_job_is_done_acknowledged_and_in_the_job_store() -> None:
    bench, job = Bench(), a_job()
    await bench.run(job)
    entry = bench.job_store.entries[job.ref]
    assert (entry.state, entry.summary, entry.sealed_payload) == ("done", "effects=1", "")
    assert bench.topic.unacknowledged == []


async def test_duplicates_have_one_effect() -> None:
    """Fault 2: duplicates, before and after the job is done, here and after a restart."""
    bench, job = Bench(), a_job()
    async with bench.running() as worker:
        for _ in range(3):
            await worker.pending.publish([job])
        await bench.idle()
    bench.new_worker()
    await bench.run(job)
    assert bench.ran == [job.id]
    assert bench.topic.unacknowledged == []


async def test_the_order_of_a_scope_is_kept_while_scopes_run_side_by_side() -> None:
    """Fault 2: a slow job of one scope does not hold up another, and nothing overtakes it in its own."""
    bench = Bench()
    gate = asyncio.Event()

    async def slow_for_ann(job: Job) -> JobOutcome:
        if job.scope == ANN:
            await gate.wait()
        return await bench.note(job)

    bench.handle("record", slow_for_ann)
    anns, bobs = [a_job(n) for n in range(4)], [a_job(n, scope=BOB) for n in range(4)]
    async with bench.running() as worker:
        for pair in zip(anns, bobs, strict=True):
            await bench.publish(pair)
        await bench.idle(BOB)
        assert bench.ran == [job.id for job in bobs]
        gate.set()
        assert await worker.pending.wait_idle(ANN, timeout_s=300) == 0
    assert bench.ran[4:] == [job.id for job in anns]


async def test_a_slow_model_does_not_delay_recording() -> None:
    """Backpressure: model jobs have slots and a queue of their own."""
    bench = Bench()
    gate = bench.hold("extract")
    async with bench.running() as worker:
        for n in range(50):
            await worker.pending.publish([a_job(n, "extract")])
        record = a_job(0, "record")
        await worker.pending.publish([record])
        assert await worker.pending.wait_idle(ANN, timeout_s=300, writes_only=True) == 0
        assert bench.ran == [record.id]
        gate.set()
        await bench.idle()


@pytest.mark.slow
async def test_a_model_backlog_spills_into_the_job_store_and_keeps_its_order() -> None:
    bench = Bench(limits=limits(model_backlog=5))
    gate = bench.hold("extract")
    jobs = [a_job(n, "extract") for n in range(30)]
    async with bench.running() as worker:
        await bench.publish(jobs)
        async with asyncio.timeout(300):
            while sum(entry.state == "deferred" for entry in bench.job_store.entries.values()) < 20:
                await bench.clock.sleep(1)
        gate.set()
        while len(bench.ran) < len(jobs):
            bench.clock.advance(200)
            await worker.delayed.sweep()
            await bench.idle()
    assert bench.ran == [job.id for job in jobs]


async def test_a_poison_message_becomes_one_dead_letter_and_can_be_replayed() -> None:
    """Fault 4."""
    bench, healthy = Bench(), asyncio.Event()
    jobs = [a_job(n) for n in range(3)]
    bench.fail("record", ValueError("user text that must not be kept"), lambda job: job == jobs[1] and not healthy.is_set())
    async with bench.running() as worker:
        await bench.publish(jobs)
        await bench.idle()
        dead = bench.job_store.entries[jobs[1].ref]
        assert (dead.state, dead.attempt, dead.error) == ("dead", 3, "ValueError")
        assert bench.ran == [jobs[0].id, jobs[2].id]
        assert [entry.job_id for entry in await worker.admin.listing(ANN, states=["dead"])] == [jobs[1].id]
        healthy.set()
        await worker.admin.replay(ANN, jobs[1].id)
        await bench.idle()
        assert bench.state(jobs[1]) == "done"
        assert bench.ran[-1] == jobs[1].id


@pytest.mark.parametrize("error", [BadRequest("n is wrong: give another"), KeyError("secret")])
async def test_a_dead_letter_never_tells_user_text(error: Exception) -> None:
    bench, job = Bench(), a_job()
    bench.fail("record", error)
    await bench.run(job)
    entry = bench.job_store.entries[job.ref]
    assert entry.state == "dead"
    assert "secret" not in entry.error
    assert entry.attempt == (1 if isinstance(error, BadRequest) else 3)
    assert entry.sealed_payload


async def test_transient_errors_are_retried_in_place() -> None:
    bench, failures = Bench(), [Conflict("busy"), EngineUnavailable("gone"), Conflict("busy")]

    async def flaky(job: Job) -> JobOutcome:
        if failures:
            raise failures.pop(0)
        return await bench.note(job)

    bench.handle("record", flaky)
    jobs = [a_job(0), a_job(1)]
    await bench.run(*jobs)
    assert bench.ran == [job.id for job in jobs]


class SlowToDefer(MemoryJobStore):
    """Takes long to save an entry of a deferred job."""

    async def save(self, entries: Sequence[JobEntry]) -> None:
        if any(entry.state == "deferred" for entry in entries):
            await asyncio.sleep(0.05)
        await super().save(entries)


async def test_no_job_overtakes_one_whose_deferral_is_still_being_saved() -> None:
    bench = Bench()
    bench.stores.job_store = SlowToDefer(lambda: None, lambda: None)
    jobs, engine_is_back = [a_job(n) for n in range(3)], False
    bench.fail("record", EngineUnavailable("away"), lambda job: job == jobs[0] and not engine_is_back)
    async with bench.running() as worker:
        await bench.publish(jobs)
        await bench.idle()
        assert bench.ran == [], "they wait behind the oldest"
        engine_is_back = True
        for _ in jobs:
            bench.clock.advance(200)
            await worker.delayed.sweep()
            await bench.idle()
    assert bench.ran == [job.id for job in jobs]


async def test_deferred_jobs_are_published_again_oldest_first() -> None:
    """Although the youngest was due first."""
    bench = Bench()
    jobs = [a_job(n, "extract") for n in range(5)]
    await bench.put_off(jobs, lambda n: START + timedelta(seconds=10 - n))
    bench.clock.advance(60)
    assert await bench.worker.delayed.sweep() == len(jobs)
    assert [job.id for job in bench.topic.stored] == [job.id for job in jobs]


async def test_a_process_that_always_dies_adds_no_messages_without_end() -> None:
    """Each start delivers what waits with the broker: a deferred job whose message is among it is not published again."""
    bench = Bench(limits=WorkerLimits(sweep_every_s=5))

    async def deadly(job: Job) -> JobOutcome:
        await asyncio.Event().wait()  # until the process dies
        return JobOutcome()

    bench.handlers["extract"] = deadly
    jobs = [a_job(n, "extract", Scope(workspace="w", user=f"u{n}", collection="default")) for n in range(20)]
    await bench.put_off(jobs, lambda n: START)
    for _ in range(10):
        bench.clock.advance(3600)
        bench.new_worker()
        async with bench.running():
            for _ in range(2000):
                await asyncio.sleep(0)
    assert Counter(job.id for job in bench.topic.stored) == Counter(job.id for job in jobs)
    bench.handle("extract", bench.note)
    async with bench.running():
        await _until_done(bench, jobs)
    assert sorted(bench.ran) == sorted(job.id for job in jobs)


async def test_a_sweep_publishes_no_more_than_the_worker_can_take() -> None:
    """And the oldest, although they were due last: the others would be deferred behind them, again and again."""
    bench = Bench(limits=limits(held=20))
    jobs = [a_job(n) for n in range(30)]
    await bench.put_off(jobs, lambda n: START - timedelta(minutes=n))
    assert await bench.worker.delayed.sweep() == 20
    assert [job.id for job in bench.topic.stored] == [job.id for job in jobs[:20]]


async def test_a_model_away_for_an_hour_drains_by_itself_and_in_order() -> None:
    """Fault 7: deferred with growing pauses, nothing held unacknowledged, nothing out of order."""
    bench, calls = Bench(limits=WorkerLimits(sweep_every_s=5)), Counter[str]()
    back_at = START + timedelta(hours=1)

    async def model(job: Job) -> JobOutcome:
        calls[job.id] += 1
        if bench.clock.now() < back_at:
            raise ModelUnavailable("no answer")
        return await bench.note(job)

    bench.handle("extract", model)
    jobs = [a_job(n, "extract") for n in range(6)]
    async with bench.running() as worker:
        await bench.publish(jobs)
        for _ in range(2000):
            await bench.clock.sleep(5)
            if len(bench.ran) == len(jobs):
                break
        await bench.idle()
        assert bench.topic.unacknowledged == []
        assert worker.admin.stats()["deferred_now"] == "0"
    assert bench.ran == [job.id for job in jobs]
    assert sum(calls.values()) < 60, "an absent model is left alone"


async def test_an_exhausted_budget_waits_for_tomorrow() -> None:
    bench, spent, job = Bench(), True, a_job(0, "extract")
    bench.fail("extract", BudgetExhausted("used up"), lambda job: spent)
    async with bench.running() as worker:
        await worker.pending.publish([job])
        await bench.idle()
        entry = bench.job_store.entries[job.ref]
        assert entry.state == "deferred"
        assert entry.not_before is not None
        assert START.date() < entry.not_before.date() <= START.date() + timedelta(days=1)
        spent = False
        bench.clock.advance(16 * 3600)
        await worker.delayed.sweep()
        await bench.idle()
    assert bench.state(job) == "done"


async def test_an_erased_scope_leaves_no_trace_in_the_job_store() -> None:
    bench, job = Bench(), a_job()
    await bench.publish([job])
    await bench.keyring.destroy(ANN)
    async with bench.running():
        await bench.idle(BOB)
        await bench.idle(ANN)
    assert bench.ran == []
    assert bench.topic.unacknowledged == []
    assert not [entry for entry in bench.job_store.entries.values() if not is_barrier(entry.kind)]


async def test_follow_ups_are_published_before_the_acknowledgement_and_once() -> None:
    bench = Bench()

    async def leads_on(job: Job) -> JobOutcome:
        await bench.note(job)
        return JobOutcome(follow_ups=(follow_up(job, "extract", {"n": 0}, trigger="turns", at=job.created_at),))

    bench.handle("record", leads_on)
    job = a_job()
    await bench.run(job)
    extracts = [entry for entry in bench.job_store.entries.values() if entry.kind == "extract"]
    assert [(entry.state, entry.trigger) for entry in extracts] == [("done", "turns")]
    assert bench.ran == [job.id, extracts[0].job_id]


@pytest.mark.parametrize("state", ["queued", "running"])
async def test_a_job_that_is_not_over_can_be_cancelled(state: str) -> None:
    bench, started, gate = Bench(), asyncio.Event(), asyncio.Event()

    async def slow(job: Job) -> JobOutcome:
        started.set()
        await gate.wait()
        return await bench.note(job)

    bench.handle("record", slow)
    first, second = a_job(0), a_job(1)
    target = first if state == "running" else second
    async with bench.running() as worker:
        await bench.publish([first, second])
        await started.wait()
        await asyncio.sleep(0)
        await worker.admin.cancel(ANN, target.id)
        gate.set()
        await bench.idle()
        with pytest.raises(BadRequest, match="cancelled"):
            await worker.admin.cancel(ANN, target.id)
    assert bench.state(target) == "cancelled"
    assert target.id not in bench.ran


@pytest.mark.parametrize("point", range(1, 90))
async def test_a_crash_at_any_await_between_receive_and_acknowledge_loses_and_doubles_nothing(point: int) -> None:
    """Fault 1: the worker dies at the n-th call to store, topic or effect; its successor finishes the work."""
    bench = Bench()

    async def work(job: Job) -> JobOutcome:
        life = bench.life
        await bench.faults.pass_through(life, "", "before the effect")
        bench.effects.add(job.id)
        await bench.faults.pass_through(life, "", "after the effect")
        if job.kind == "record":
            return JobOutcome(follow_ups=(follow_up(job, "extract", {"n": 0}, trigger="turns", at=job.created_at),))
        return JobOutcome()

    for kind in ("record", "extract"):
        bench.handlers[kind] = work  # type: ignore[index]
    bench.new_worker()
    jobs = [a_job(0), a_job(1), a_job(0, scope=BOB)]
    await bench.publish(jobs)
    bench.faults.left = point
    crashed, life = asyncio.create_task(bench.worker.run()), bench.life
    for _ in range(400):
        await asyncio.sleep(0)
    if crashed.done():
        assert isinstance(crashed.exception(), BaseExceptionGroup | Died)
    life.die()
    crashed.cancel()
    await asyncio.gather(crashed, return_exceptions=True)
    bench.faults.left = -1
    bench.new_worker()
    async with bench.running():
        await bench.idle(ANN)
        await bench.idle(BOB)
    expected = {job.id for job in jobs} | {derived_id("job", job.id, "extract", "") for job in jobs}
    done = {entry.job_id for entry in bench.job_store.entries.values() if entry.state == "done" and not is_barrier(entry.kind)}
    assert done == bench.effects == expected
    assert bench.topic.unacknowledged == []


def every_error(root: type[MemoryServiceError]) -> Iterator[type[MemoryServiceError]]:
    """Those that other modules can raise: a private one stays where it is defined."""
    if not root.__name__.startswith("_"):
        yield root
    for each in root.__subclasses__():
        yield from every_error(each)


@pytest.mark.parametrize("error", sorted(every_error(MemoryServiceError), key=str))
async def test_every_error_is_handled_as_its_consequence_says(error: type[MemoryServiceError]) -> None:
    bench, job, calls = Bench(), a_job(0, "extract"), list[int]()

    async def fails(job: Job) -> JobOutcome:
        calls.append(1)
        if len(calls) > 10:
            return JobOutcome()
        raise error.__new__(error, "simulated")  # some are made of more than a text

    bench.handle("extract", fails)
    await bench.run(job)
    entry = bench.job_store.entries.get(job.ref)
    assert bench.topic.unacknowledged == []
    assert (entry.state if entry else "none", len(calls)) == {
        "reply": ("dead", 1),
        "retry": ("dead", 3),
        "wait": ("done", 11) if error is ScopeClosed else ("deferred", 8),  # an erasure ends
        "defer": ("deferred", 1),
        "drop": ("none", 1),
    }[error.consequence]


# ------------------------------------------------------------------------------------- a poison job costs itself


async def eventually(condition: Callable[[], object]) -> None:
    for _ in range(20_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    pytest.fail("it never happened")


def limits(**values: Any) -> WorkerLimits:
    return WorkerLimits(sweep_every_s=1e7, **values)


async def test_jobs_that_wait_for_an_engine_take_no_slot_from_others() -> None:
    """More poisoned scopes than write slots: everybody else's work goes on."""
    bench = Bench(limits=limits(write_slots=4), clock=SimulatedClock(START, passes_by_itself_s=0.0))  # pauses do not end
    bench.fail("record", EngineUnavailable("for this scope alone"), lambda job: job.scope != ANN)
    poisoned = [a_job(n, scope=Scope(workspace="w", user=f"u{n}", collection="default")) for n in range(12)]
    async with bench.running() as worker:
        await bench.publish([*poisoned, a_job()])
        await eventually(lambda: a_job().id in bench.ran)
        await eventually(lambda: worker.admin.stats()["running"] == "0")  # a pause is not a run


@pytest.mark.parametrize("error", [EngineUnavailable("away"), Conflict("busy"), ScopeClosed("erasing")])
async def test_a_job_that_pauses_between_two_attempts_can_be_cancelled(error: MemoryServiceError) -> None:
    bench, failed, job = Bench(clock=SimulatedClock(START, passes_by_itself_s=0.0)), asyncio.Event(), a_job()

    async def fails(job: Job) -> JobOutcome:
        failed.set()
        raise error

    bench.handle("record", fails)
    async with bench.running() as worker:
        await worker.pending.publish([job])
        await failed.wait()
        await worker.admin.cancel(ANN, job.id)
        await eventually(lambda: job.ref in bench.job_store.entries)
    assert bench.state(job) == "cancelled"
    assert bench.topic.unacknowledged == []


async def test_an_erasure_does_not_wait_behind_a_deferred_job() -> None:
    bench = Bench()
    bench.fail("record", EngineUnavailable("away"))
    record, forget, later = a_job(0), a_job(1, "forget"), a_job(2)
    async with bench.running() as worker:
        for job in (record, forget, later):
            await worker.pending.publish([job])
            await bench.idle()
    assert [bench.state(job) for job in (record, forget, later)] == ["deferred", "done", "deferred"]


@pytest.mark.parametrize("error", [RequestRefused("too long"), ModelAnswerError("nonsense")])
async def test_three_answers_that_cannot_be_used_make_a_dead_letter_and_the_next_job_runs(error: MemoryServiceError) -> None:
    bench = Bench()
    bench.fail("extract", error, lambda job: job.payload["n"] == 0)
    jobs = [a_job(0, "extract"), a_job(1, "extract"), a_job(0, "extract", BOB)]
    jobs[2] = replace(jobs[2], payload={"n": 1})
    async with bench.running() as worker:
        for job in jobs:
            await worker.pending.publish([job])
        await bench.idle()
        await bench.idle(BOB)
        assert [bench.state(job) for job in jobs] == ["dead", "done", "done"]
        assert bench.job_store.entries[jobs[0].ref].attempt == 3
        await worker.admin.drop(ANN, jobs[0].id)
    assert bench.state(jobs[0]) == "cancelled"


async def test_a_kind_of_a_newer_version_waits_for_it_and_holds_nobody_up() -> None:
    bench = Bench()
    newer: Any = "dream"
    dream, record = a_job(0, newer), a_job(1)
    async with bench.running() as worker:
        await bench.publish([dream])
        await bench.idle()
        await worker.pending.publish([record])
        await bench.idle()
        entry = bench.job_store.entries[dream.ref]
        assert (entry.state, entry.error.partition(":")[0], bench.state(record)) == ("deferred", "newer-version", "done")
        assert [each.kind for each in await worker.admin.listing(ANN, states=["deferred"])] == ["dream"]
        assert (await bench.keyring.open(ANN, entry.sealed_payload, binding=entry.binding)) == b'{"n": 0}'
    bench.new_worker()  # an older one loads it, too
    async with bench.running() as worker:
        await bench.idle()
    bench.handlers[newer] = bench.note
    bench.new_worker()
    async with bench.running() as worker:
        await worker.admin.replay(ANN, dream.id)
        await eventually(lambda: bench.state(dream) == "done")


async def test_a_deferred_payload_that_is_damaged_is_a_dead_letter_not_an_erasure() -> None:
    bench, job = Bench(), a_job(kind="extract")
    bench.fail("extract", ModelUnavailable("away"))
    async with bench.running() as worker:
        await worker.pending.publish([job])
        await bench.idle()
        entry = bench.job_store.entries[job.ref]
        damaged = await bench.keyring.seal(ANN, b"\x00 no JSON")
        await bench.job_store.save([replace(entry, sealed_payload=damaged)])
        bench.clock.advance(3600)
        assert await worker.delayed.sweep() == 0
    assert (bench.state(job), bench.job_store.entries[job.ref].error.partition(":")[0]) == ("dead", "bad-request")


async def test_a_worker_takes_no_more_from_the_broker_than_its_limit() -> None:
    bench = Bench(limits=limits(held=20))
    gate = bench.hold("record")
    jobs = [a_job(n) for n in range(100)]
    async with bench.running() as worker:
        await bench.publish(jobs)
        for _ in range(2000):
            await asyncio.sleep(0)
        assert len(worker._state.held) <= 21
        gate.set()
        await bench.idle()
    assert bench.ran == [job.id for job in jobs]


# ------------------------------------------------------------------------------------- a clock that jumps by a day


@pytest.mark.parametrize("jump_s", [-86_400.0, 86_400.0])
@pytest.mark.parametrize("restart", [False, True])
async def test_a_clock_that_jumps_by_a_day_neither_loses_nor_delays_a_deferred_job(jump_s: float, *, restart: bool) -> None:
    bench, away = Bench(limits=WorkerLimits(sweep_every_s=5)), True
    bench.fail("extract", ModelUnavailable("no answer"), lambda job: away)
    first, second = a_job(0, "extract"), a_job(1, "extract")
    async with bench.running() as worker:
        await worker.pending.publish([first])
        await bench.idle()
        bench.clock.advance(jump_s)
        if not restart:
            away = False
            await worker.pending.publish([second])
            await _until_done(bench, [first, second])
    if restart:
        away = False
        bench.new_worker()
        async with bench.running() as worker:
            await worker.pending.publish([second])
            await _until_done(bench, [first, second])


async def _until_done(bench: Bench, jobs: Sequence[Job]) -> None:
    """Within 20 minutes of the jobs' time."""
    limit = bench.clock.now() + timedelta(minutes=20)
    while not all(bench.ended(job) and bench.state(job) == "done" for job in jobs):
        await bench.clock.sleep(5)
        assert bench.clock.now() < limit, [bench.job_store.entries.get(job.ref) for job in jobs]


class OldSeals(MemoryKeyRing):
    """Each payload was sealed 31 days ago."""

    def read_sealing_time(self, sealed: str) -> datetime:
        return START - timedelta(days=31)


async def test_a_message_from_before_the_results_that_are_kept_waits_for_an_operator() -> None:
    bench, job = Bench(), a_job()
    bench.stores.keyring = OldSeals(lambda: None, lambda: None)
    bench.new_worker()
    async with bench.running() as worker:
        await worker.pending.publish([job])
        await bench.idle()
        assert bench.state(job) == "dead"
        assert job.id not in bench.ran
        await worker.admin.replay(job.scope, job.id)
        await bench.idle()
        assert bench.state(job) == "done"


async def test_a_payload_that_was_sealed_for_another_job_is_a_dead_letter() -> None:
    bench, job, other = Bench(), a_job(0), a_job(1)
    stolen = await bench.keyring.seal(other.scope, b"{}", binding=other.binding)
    async with bench.running():
        bench.topic.store(job, stolen)
        await bench.idle()
        assert bench.state(job) == "dead"
        assert "sealed for another" in bench.job_store.entries[job.ref].error
        assert job.id not in bench.ran


@dataclass
class Deaths:
    """The process dies whenever the handler of the poisoned job runs, without an exception and without a cancellation."""

    bench: Bench
    poison: Job
    steps: int = 0  # of the event loop that each handler takes before that
    count: int = 0

    async def handle(self, job: Job) -> JobOutcome:
        for _ in range(self.steps):
            await asyncio.sleep(0)
        if job.ref == self.poison.ref:
            self.count += 1
            self.bench.life.die()
            await asyncio.Event().wait()
        return await self.bench.note(job)

    async def live(self, jobs: Sequence[Job], publish: Sequence[Job] = ()) -> None:
        """One process: until it dies, or all jobs have ended.  ``publish``: once it has started."""
        bench = self.bench
        task, life = asyncio.create_task(bench.new_worker().run()), bench.life
        await asyncio.sleep(0)
        bench.clock.advance(60)
        await bench.publish(publish)
        await eventually(lambda: life.dead or all(bench.ended(job) for job in jobs))
        life.die()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("found", "most"),
    [
        ("new", 3),
        ("waiting at the start", 2),  # a message from before the start may have been begun once
        ("deferred", 3),
    ],
)
async def test_a_job_that_ends_its_process_three_times_is_a_dead_letter_and_costs_no_other(found: str, most: int) -> None:
    bench, poison = Bench(), a_job(1)
    others = [a_job(0), a_job(2), a_job(0, scope=BOB), a_job(1, kind="extract", scope=BOB)]
    deaths = Deaths(bench, poison)
    for kind in ("record", "extract"):
        bench.handlers[kind] = deaths.handle  # type: ignore[index]
    jobs = [others[0], poison, *others[1:]]
    if found == "deferred":
        sealed = await bench.keyring.seal(ANN, b'{"n": 1}', binding=poison.binding)
        entry = entry_from_job(poison, "deferred", at=START, not_before=START, attempt=7, error="model-unavailable: away")
        await bench.job_store.save([replace(entry, sealed_payload=sealed)])
    if found == "new":
        await deaths.live(jobs, publish=jobs)
    else:
        await bench.publish(jobs)
        bench.clock.advance(60)
    for _ in range(5):
        await deaths.live(jobs)
    assert deaths.count == most
    assert bench.state(poison) == "dead"
    assert [bench.state(job) for job in others] == ["done"] * 4
    bench.handle("record", bench.note)
    async with bench.running() as worker:
        await worker.admin.replay(ANN, poison.id)
        await eventually(lambda: bench.state(poison) == "done")


async def test_jobs_beside_one_that_ends_its_process_are_not_blamed() -> None:
    bench, poison = Bench(), a_job()
    beside = [a_job(scope=Scope(workspace="w", user=f"user-{number}", collection="default")) for number in range(8)]
    deaths = Deaths(bench, poison, steps=300)
    bench.handlers["record"] = deaths.handle
    await deaths.live([poison, *beside], publish=[*beside[:4], poison, *beside[4:]])
    for _ in range(12):
        await deaths.live([poison, *beside])
    assert bench.state(poison) == "dead"
    assert [bench.state(job) for job in beside] == ["done"] * 8


async def test_a_run_that_is_stopped_in_order_is_not_counted() -> None:
    bench, job, begun = Bench(), a_job(), asyncio.Event()

    async def endless(job: Job) -> JobOutcome:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    bench.handlers["record"] = endless
    await bench.publish([job])
    for _ in range(5):
        bench.clock.advance(60)
        begun.clear()
        bench.new_worker()
        async with bench.running():
            await begun.wait()
            assert bench.state(job) == "running"
        assert job.ref not in bench.job_store.entries
    bench.handle("record", bench.note)
    async with bench.running():
        await eventually(lambda: bench.ended(job))
    assert bench.state(job) == "done"


# ------------------------------------------------------------------------------------- an erasure at the same moment


async def test_a_running_job_stops_when_its_scope_is_erased() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def endless(job: Job) -> JobOutcome:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return JobOutcome()

    bench = Bench(handlers={"extract": endless})
    await bench.publish([a_job(kind="extract")])
    async with bench.running() as worker:
        await asyncio.wait_for(begun.wait(), 60)
        async with worker.gate.drain(ANN):
            assert ended.is_set()
            await bench.keyring.destroy(ANN)
            await bench.job_store.forget_scope(ANN)
        await eventually(lambda: not bench.topic.unacknowledged)
    assert bench.job_store.entries == {}


async def test_a_job_begins_only_after_the_erasure_of_its_scope() -> None:
    bench, of_ann, of_bob = Bench(), a_job(), a_job(scope=BOB)
    async with bench.running() as worker:
        async with worker.gate.drain(ANN):
            await bench.publish([of_ann, of_bob])
            await eventually(lambda: of_bob.id in bench.ran)
            for _ in range(100):
                await asyncio.sleep(0)
            assert bench.ran == [of_bob.id]
        await eventually(lambda: not bench.topic.unacknowledged)
    assert bench.ran == [of_bob.id, of_ann.id]
