"""Durable work on a real broker: nothing confirmed is lost, nothing acknowledged comes again, order per key."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.doubles.core import ports
from tests.doubles.small_stores import MemoryKeyRing, MemoryStores
from tests.integration.bus.bus_support import (
    DEADLINE_S,
    ObservedConsumer,
    job,
    make_keyring,
    nothing_more,
    receive,
    scope,
)
from tests.integration.bus.rabbitmq_broker import RabbitBroker
from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.jobs import BusJobPublisher, ReceivedJob
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.errors import BadRequest, EngineUnavailable, ScopeErased
from trustgraph_react_mem.jobs.delivery import JobOutcome
from trustgraph_react_mem.jobs.scope_gate import ScopeGate
from trustgraph_react_mem.jobs.worker import JobWorker
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.schema.topics import job_queue

Fragile = PulsarLite | RabbitBroker
WORKSPACE = "default"


@pytest.fixture
def keys() -> MemoryKeyRing:
    return make_keyring()


@pytest.fixture
async def publisher(bus: Bus, keys: MemoryKeyRing) -> AsyncIterator[BusJobPublisher]:
    publisher = BusJobPublisher(bus, keys, partition_key=partition_key, source="test")
    yield publisher
    await publisher.close()


@pytest.fixture
async def consumer(bus: Bus, keys: MemoryKeyRing) -> AsyncIterator[ObservedConsumer]:
    consumer = ObservedConsumer(bus, keys)
    yield consumer
    await consumer.close()


async def test_confirmed_jobs_survive_the_brokers_death_and_run_once(
    fragile: Fragile, bus: Bus, publisher: BusJobPublisher, consumer: ObservedConsumer, keys: MemoryKeyRing
) -> None:
    """The broker delivers again what was unacknowledged when it died; the worker that holds the job does not run it twice."""
    ran: list[str] = []
    died = asyncio.Event()

    async def handle(job: Job) -> JobOutcome:
        ran.append(job.id)
        if job.id == "ann-record-5":
            await fragile.kill()
            died.set()
        return JobOutcome()

    stores = MemoryStores(SystemClock())
    worker = JobWorker(
        source=consumer,
        gate=ScopeGate(),
        handlers={"record": handle},
        graph=ports(stores, keyring=keys),
        publisher=publisher,
        clock=SystemClock(),
    )
    await consumer.add_workspace(WORKSPACE)
    await publisher.publish([job(n) for n in range(10)])
    task = asyncio.create_task(worker.run())
    async with asyncio.timeout(4 * DEADLINE_S):
        await died.wait()
        assert await worker.pending.wait_idle(scope(), timeout_s=4 * DEADLINE_S) == 0
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert ran == [f"ann-record-{n}" for n in range(10)]
    await nothing_more(consumer, publisher)


async def test_a_broker_that_is_away_refuses_in_time_and_is_forgotten_when_it_is_back(
    fragile: Fragile, bus: Bus, keys: MemoryKeyRing
) -> None:
    publisher = BusJobPublisher(bus, keys, partition_key=partition_key, source="test", timeout_s=1.0)
    await publisher.publish([job(0)])
    await fragile.stop()
    started = asyncio.get_running_loop().time()
    with pytest.raises(EngineUnavailable, match="broker"):
        await publisher.publish([job(1)])
    assert asyncio.get_running_loop().time() - started < 3.0
    await fragile.start()
    async with asyncio.timeout(DEADLINE_S):
        while True:
            try:
                await publisher.publish([job(2)])
                break
            except EngineUnavailable:  # it has not connected again
                continue
    await publisher.close()


async def test_a_job_of_an_erased_scope_says_so_and_can_be_acknowledged(
    publisher: BusJobPublisher, consumer: ObservedConsumer, keys: MemoryKeyRing
) -> None:
    await consumer.add_workspace(WORKSPACE)
    await publisher.publish([job(1)])
    await keys.destroy(scope())
    (received,) = await receive(consumer, 1)
    with pytest.raises(ScopeErased):
        await received.open()
    await received.ack()
    await nothing_more(consumer, publisher)


VALID = {
    "id": "x", "kind": "record", "workspace": "default", "user": "ann", "collection": "default", "time": "2026-03-01T09:00:00Z",
    "data": "x", "attempt": 1, "trigger": "t",
}  # fmt: skip
WRONG: list[Any] = [None, 5.5, [], {}, True]
MALFORMED: list[bytes] = [
    *(json.dumps(VALID | {key: value}).encode() for key in VALID for value in WRONG),
    *(json.dumps(VALID | {"time": value}).encode() for value in ("", "later", "9999-12-31T23:59:59-14:00")),
    json.dumps(VALID | {"id": "x" * 5000}).encode(),
    json.dumps(VALID | {"kind": "two words"}).encode(),
    json.dumps(VALID | {"specversion": "2.0"}).encode(),
    b"[" * 200_000,
    b'{"id":' * 100_000,
    b"\xff\xfe",
    b"",
    b"no json",
    b"[]",
    b'{"kind": "dance", "id": "x"}',
    b'{"kind": "record", "id": ""}',
]


async def test_no_malformed_message_stops_the_jobs_behind_it(
    bus: Bus, publisher: BusJobPublisher, consumer: ObservedConsumer
) -> None:
    await consumer.add_workspace(WORKSPACE)
    producer = await bus.create_producer(job_queue(WORKSPACE), JobEnvelope)
    for data in MALFORMED:
        await producer.send_bytes(data, partition_key="any")
    for _ in MALFORMED:
        (received,) = await receive(consumer, 1)
        assert (received.head.kind, received.head.scope.collection) == ("noop", "_undecodable"), received.envelope
        with pytest.raises(BadRequest, match="is not a job"):
            await received.open()
        await received.ack()
    assert consumer.connections() == [True]
    await nothing_more(consumer, publisher)
    await producer.close()


async def test_a_fault_in_receiving_is_an_error_in_the_log_and_receiving_goes_on(
    publisher: BusJobPublisher, consumer: ObservedConsumer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    taken, put = list[int](), asyncio.Queue.put

    async def fails_once(queue: asyncio.Queue[ReceivedJob], received: ReceivedJob) -> None:
        taken.append(1)
        if len(taken) == 1:
            raise RuntimeError("simulated")
        await put(queue, received)

    monkeypatch.setattr(consumer._queue, "put", lambda received: fails_once(consumer._queue, received))
    await consumer.add_workspace(WORKSPACE)
    await publisher.publish([job(1), job(2)])
    assert [received.head.id for received in await receive(consumer, 1)] == ["ann-record-2"]
    assert any(record.levelname == "ERROR" and "failed" in record.getMessage() for record in caplog.records)
