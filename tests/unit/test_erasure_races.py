"""Jobs of a scope that is erased at this moment: they stop, leave no entry, and begin only afterwards."""

import asyncio
from collections.abc import Callable

from tests.unit.test_job_worker import ANN, BOB, Bench, a_job
from trustgraph_react_mem.jobs.delivery import JobOutcome
from trustgraph_react_mem.memory.ports import Job


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
