"""Jobs of a scope that is erased at this moment: they stop, leave no entry, and begin only afterwards."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from tests.unit.test_job_worker import ANN, BOB, Bench, a_job
from trustgraph_react_mem.errors import BadRequest, ModelUnavailable
from trustgraph_react_mem.jobs.delivery import JobOutcome
from trustgraph_react_mem.memory.ports import Job, JobEntry, JobRef


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - it changes in many places
            await asyncio.sleep(0.001)


async def erase(bench: Bench) -> None:
    await bench.keyring.destroy(ANN)
    await bench.job_store.forget_scope(ANN)


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
            await erase(bench)
        await until(lambda: not bench.topic.unacknowledged)
    assert bench.job_store.entries == {}


@pytest.mark.parametrize("over", [False, True], ids=["while it is erased", "after it was erased"])
async def test_a_job_that_ended_before_an_erasure_leaves_no_entry_after_it(
    monkeypatch: pytest.MonkeyPatch, *, over: bool
) -> None:
    """The job is deferred, and its entry is about to be saved when the erasure begins."""
    reading, may_read = asyncio.Event(), asyncio.Event()

    async def without_model(job: Job) -> JobOutcome:
        bench.ran.append(job.id)
        raise ModelUnavailable("away")

    async def slow(refs: Sequence[JobRef]) -> list[JobEntry]:
        if bench.ran:
            reading.set()
            await may_read.wait()
        return await get(refs)

    bench = Bench(handlers={"extract": without_model})
    get = bench.job_store.get
    monkeypatch.setattr(bench.job_store, "get", slow)
    await bench.publish([a_job(kind="extract")])
    async with bench.running() as worker:
        await asyncio.wait_for(reading.wait(), 60)
        async with worker.gate.drain(ANN):
            await erase(bench)
            if not over:
                may_read.set()
                await until(lambda: not bench.topic.unacknowledged)
        may_read.set()
        await until(lambda: not bench.topic.unacknowledged)
    assert bench.job_store.entries == {}


@pytest.mark.parametrize("error", [ModelUnavailable("away"), BadRequest("wrong")], ids=["deferred", "dead"])
async def test_a_job_that_fails_after_another_process_erased_its_scope_leaves_no_entry(error: Exception) -> None:
    """Only the destroyed key tells: the gate of this worker was not asked."""

    async def overtaken(job: Job) -> JobOutcome:
        bench.ran.append(job.id)
        await erase(bench)
        raise error

    bench = Bench(handlers={"extract": overtaken})
    await bench.publish([a_job(kind="extract")])
    async with bench.running():
        await until(lambda: bool(bench.ran) and not bench.topic.unacknowledged)
    assert bench.job_store.entries == {}


async def test_a_job_begins_only_after_the_erasure_of_its_scope() -> None:
    bench, of_ann, of_bob = Bench(), a_job(), a_job(scope=BOB)
    async with bench.running() as worker:
        async with worker.gate.drain(ANN):
            await bench.publish([of_ann, of_bob])
            await until(lambda: of_bob.id in bench.ran)
            for _ in range(100):
                await asyncio.sleep(0)
            assert bench.ran == [of_bob.id]
        await until(lambda: not bench.topic.unacknowledged)
    assert bench.ran == [of_bob.id, of_ann.id]
