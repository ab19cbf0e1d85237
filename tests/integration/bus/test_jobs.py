"""Durable work on a real broker: nothing confirmed is lost, nothing acknowledged comes again, order per key."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.doubles.small_stores import MemoryKeyRing
from tests.integration.bus.bus_support import (
    ObservedConsumer,
    job,
    nothing_more,
    once_available,
    receive,
    scope,
)
from tests.integration.bus.conftest import Fragile
from trustgraph_react_mem.bus.jobs import BusJobPublisher, ReceivedJob
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.errors import BadRequest, EngineUnavailable, ScopeErased
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.schema.topics import job_queue

WORKSPACE = "default"


@pytest.fixture
async def consumer(bus: Bus, keys: MemoryKeyRing) -> AsyncIterator[ObservedConsumer]:
    consumer = ObservedConsumer(bus, keys)
    yield consumer
    await consumer.close()


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
    await once_available(lambda: publisher.publish([job(2)]))
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
