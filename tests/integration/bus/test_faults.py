"""Faults that every bus must bear, and what a worker does over each of them.

| case | in process | Pulsar | RabbitMQ |
|---|---|---|---|
| a message that is too large; a slow reader; a reply to nobody; a slow worker | here | here | here |
| delay, dead letters, drain, depth, purge by scope | here | here | here |
| jobs before any worker, order per key, redelivery, acknowledged once | test_job_topic | test_job_topic | test_job_topic |
| malformed jobs, a fault in receiving, an erased scope | test_jobs | test_jobs | test_jobs |
| the broker is killed, or away and back | no broker | here, test_jobs, test_requests | here, test_jobs, test_requests |
| kill -9 of a publisher, a worker, a reader of requests | tests/crash | tests/servers | tests/servers |
| the broker's disk or memory is full | test_full_disk, test_job_log | not tried | test_real_rabbitmq |
| two workers, replicas joining and leaving | one process | test_real_pulsar | test_real_rabbitmq |
| a connection is lost during a request | no connection | test_requests | test_real_rabbitmq |
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.doubles.core import ports
from tests.doubles.small_stores import MemoryKeyRing, MemoryStores
from tests.integration.bus.bus_support import DEADLINE_S, job, scope, until
from tests.integration.bus.conftest import Fragile
from tests.integration.bus.test_requests import RESPONSE, Echo, calling
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.port import MOST_WAITING, Bus
from trustgraph_react_mem.bus.wire import MOST_BYTES
from trustgraph_react_mem.errors import ModelUnavailable, TooLarge
from trustgraph_react_mem.jobs.delivery import JobOutcome
from trustgraph_react_mem.jobs.retry import Retry, WorkerLimits
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.requests import FactsRequest
from trustgraph_react_mem.schema import FactsResponse

WORKSPACE = scope().workspace
SOON = Retry(attempts=0, first_s=0.05, longest_s=0.05)


# ------------------------------------------------------------------------------------------------------ messages


async def test_a_request_that_is_too_large_is_refused_and_the_next_one_is_answered(bus: Bus) -> None:
    async with Echo(bus) as echo, calling(bus) as client:
        with pytest.raises(TooLarge, match=r"a FactsRequest of 5\.\d MB does not go over the bus"):
            await client.request(FactsRequest(query="x" * MOST_BYTES))
        assert (await client.request(FactsRequest(query="small"))).data == "small"
        assert echo.seen == ["small"]


async def test_a_job_that_is_too_large_is_refused_with_all_that_come_with_it_or_after_it_alone(
    bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    with pytest.raises(TooLarge, match="a record job of"):
        await publisher.publish([job(1, text="x" * MOST_BYTES)])
    await publisher.publish([job(2)])
    consumer = JobConsumer(bus, keys)
    await consumer.add_workspace(WORKSPACE)
    async with asyncio.timeout(DEADLINE_S):
        assert (await consumer.receive()).head.id == "ann-record-2"
    await consumer.close()


async def test_a_reply_to_a_requester_that_is_gone_holds_nobody_up(bus: Bus) -> None:
    async with Echo(bus) as echo:
        released = asyncio.Event()
        sound = echo.handle

        async def hold(message: object) -> None:
            await released.wait()
            await sound(message)

        echo.handle = hold  # type: ignore[method-assign]
        async with calling(bus) as leaving:
            asking = asyncio.create_task(leaving.request(FactsRequest(query="left")))
            await until(lambda: echo.seen == ["left"])
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            assert not leaving.pending
        released.set()
        async with calling(bus) as client:
            assert (await client.request(FactsRequest(query="here"))).data == "here"


async def test_a_reader_that_takes_nothing_costs_no_more_than_its_queue(bus: Bus) -> None:
    """Replies that it does not read are dropped, not kept in memory, and others are served meanwhile."""
    slow = await bus.create_consumer(RESPONSE, "slow", FactsResponse)
    sender = await bus.create_producer(RESPONSE, FactsResponse)
    for start in range(0, MOST_WAITING + 1000, 500):
        await asyncio.gather(*(sender.send(FactsResponse(data=str(n)), {"id": "x"}) for n in range(start, start + 500)))
    async with Echo(bus), calling(bus) as client:
        assert (await client.request(FactsRequest(query="meanwhile"))).data == "meanwhile"
    taken = 0
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                await asyncio.wait_for(slow.receive(), 0.5)
            except TimeoutError:
                break
            taken += 1
    assert 0 < taken <= MOST_WAITING + 1
    await slow.close()


async def test_a_slow_worker_gets_every_job_in_order(bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing) -> None:
    await publisher.publish([job(number) for number in range(300)])
    consumer = JobConsumer(bus, keys)
    await consumer.add_workspace(WORKSPACE)
    seen: dict[str, None] = {}
    async with asyncio.timeout(DEADLINE_S):
        while len(seen) < 300:
            if len(seen) % 100 == 50:
                await asyncio.sleep(0.2)  # longer than the bus takes to deliver all that it may
            received = await consumer.receive()
            seen[received.head.id] = None
            await received.ack()
    assert list(seen) == [f"ann-record-{number}" for number in range(300)]
    await consumer.close()


# ------------------------------------------------------------------------------------------------------ a worker


@dataclass
class Working:
    """A worker over a bus, whose jobs do as their payload says."""

    worker: JobWorker
    stores: MemoryStores
    ran: list[str] = field(default_factory=list)
    hold: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, job: Job) -> JobOutcome:
        self.ran.append(job.id)
        if job.payload.get("fails"):
            raise ValueError("it cannot succeed")
        if job.payload.get("waits") and self.ran.count(job.id) == 1:
            raise ModelUnavailable("later")
        if job.payload.get("holds"):
            await self.hold.wait()
        return JobOutcome()


@asynccontextmanager
async def working(bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing) -> AsyncIterator[Working]:
    stores, consumer = MemoryStores(SystemClock()), JobConsumer(bus, keys)
    limits = WorkerLimits(sweep_every_s=0.05, failure=Retry(attempts=2, first_s=0.01), deferral=SOON)

    async def handle(job: Job) -> JobOutcome:
        return await found.handle(job)

    worker = JobWorker(
        source=consumer,
        gate=ScopeGate(),
        handlers={"record": handle},
        graph=ports(stores, keyring=keys),
        publisher=publisher,
        clock=SystemClock(),
        limits=limits,
    )
    found = Working(worker, stores)
    await consumer.add_workspace(WORKSPACE)
    running = asyncio.create_task(worker.run())
    yield found
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await consumer.close()


async def test_a_job_that_fails_becomes_a_dead_letter_and_those_behind_it_run(
    bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    async with working(bus, publisher, keys) as found:
        await found.worker.pending.publish([job(1, fails=True), job(2)])
        assert await found.worker.pending.wait_idle(scope(), timeout_s=DEADLINE_S) == 0
        assert found.ran == ["ann-record-1", "ann-record-1", "ann-record-2"]
        (dead,) = await found.worker.admin.listing(scope(), states=["dead"])
        assert dead.job_id == "ann-record-1"


async def test_a_job_that_must_wait_runs_later_and_before_those_behind_it(
    bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    async with working(bus, publisher, keys) as found:
        await found.worker.pending.publish([job(1, waits=True), job(2)])
        await until(lambda: len(found.ran) == 3)
        assert found.ran == ["ann-record-1", "ann-record-1", "ann-record-2"]


async def test_what_waits_is_counted_and_a_drain_ends_when_it_has_run(
    bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    async with working(bus, publisher, keys) as found:
        await found.worker.pending.publish([job(1, holds=True), *(job(number) for number in range(2, 6))])
        await until(lambda: found.ran == ["ann-record-1"])
        assert await found.worker.pending.wait_idle(scope(), timeout_s=0.2) >= 5
        open_jobs = await found.worker.admin.listing(scope(), states=["queued", "running"])
        assert {entry.job_id for entry in open_jobs} == {f"ann-record-{number}" for number in range(1, 6)}
        found.hold.set()
        assert await found.worker.pending.wait_idle(scope(), timeout_s=DEADLINE_S) == 0
        assert len(found.ran) == 5


async def test_what_waits_of_an_erased_scope_does_not_run_and_others_do(
    bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    await publisher.publish([job(number, user) for number in range(3) for user in ("ann", "bob")])
    await keys.destroy(scope("ann"))
    async with working(bus, publisher, keys) as found:
        assert await found.worker.pending.wait_idle(scope("bob"), timeout_s=DEADLINE_S) == 0
        assert found.ran == [f"bob-record-{number}" for number in range(3)]
        assert await found.worker.admin.listing(scope("ann")) == []


async def test_confirmed_jobs_survive_the_brokers_death_and_run_once(
    fragile: Fragile, bus: Bus, publisher: BusJobPublisher, keys: MemoryKeyRing
) -> None:
    """The broker delivers again what was unacknowledged when it died; the worker that holds the job does not run it twice."""
    async with working(bus, publisher, keys) as found:
        await found.worker.pending.publish([job(number, holds=number == 5) for number in range(10)])
        await until(lambda: len(found.ran) == 6)
        await fragile.kill()
        found.hold.set()
        assert await found.worker.pending.wait_idle(scope(), timeout_s=4 * DEADLINE_S) == 0
        assert found.ran == [f"ann-record-{number}" for number in range(10)]
