"""What every job topic does: that of each bus, and the simulated one that the tests of the worker rest on."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.small_stores import MemoryKeyRing
from tests.doubles.topic import SimulatedTopic
from tests.integration.bus.bus_support import DEADLINE_S, job, make_keyring, scope
from tests.integration.bus.conftest import BUSES, another, bus_of
from tests.simulation.faults import Life
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.jobs.delivery import Delivery
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.ports import JobPublisher


@dataclass
class Topic:
    """A topic with one publisher, and one consumer after the other, each in a process of its own."""

    keyring: MemoryKeyRing
    place: Bus | SimulatedTopic
    publisher: JobPublisher
    consumer: Any = None
    life: Life | Bus | None = None
    received: set[str] = field(default_factory=set)  # ids of what this consumer received

    async def connect(self) -> None:
        await self.disconnect()
        self.received.clear()
        if isinstance(self.place, SimulatedTopic):
            self.life = Life(self.place.sessions)
            self.consumer = self.place.consumer(self.keyring, self.life)
        else:
            self.life = another(self.place)
            self.consumer = JobConsumer(self.life, self.keyring)
            await self.consumer.add_workspace(scope().workspace)

    async def disconnect(self) -> None:
        if isinstance(self.life, Life):
            self.life.die()
        elif self.life is not None:
            await self.life.close()
            await self.consumer.close()

    async def receive(self, count: int) -> list[Delivery]:
        """This number of different jobs: a broker may deliver one to the same consumer more than once."""
        found: list[Delivery] = []
        async with asyncio.timeout(DEADLINE_S):
            while len(found) < count:
                delivery = await self.consumer.receive()
                if delivery.head.id not in self.received:
                    self.received.add(delivery.head.id)
                    found.append(delivery)
        return found

    async def receive_last(self) -> Sequence[str]:
        """Ids of what is delivered before a message that is published now.  All of it is acknowledged."""
        await self.publisher.publish([job(999, user="last")])
        ids: list[str] = []
        while "last-record-999" not in ids:
            for delivery in await self.receive(1):
                ids.append(delivery.head.id)
                await delivery.ack()
        return [each for each in ids if each != "last-record-999"]


@pytest.fixture(params=[*BUSES, "simulated"])
async def topic(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Topic]:
    keyring = make_keyring()
    if request.param == "simulated":
        simulated = SimulatedTopic()
        yield Topic(keyring, simulated, simulated.publisher(keyring))
        return
    async with bus_of(request.param, tmp_path) as bus:
        publisher = BusJobPublisher(bus, keyring, partition_key=partition_key, source="test")
        await bus.open_job_topic(scope().workspace)  # as a publisher does that comes before any worker
        found = Topic(keyring, bus, publisher)
        yield found
        await found.disconnect()
        await publisher.close()


async def test_jobs_published_before_any_consumer_are_delivered_in_order_per_key(topic: Topic) -> None:
    for n in range(10):
        await topic.publisher.publish([job(n, "ann"), job(n, "bob"), job(n, "ann", "understand")])
    await topic.connect()
    by_key = defaultdict(list)
    for delivery in await topic.receive(30):
        by_key[delivery.key].append((await delivery.open()).payload["number"])
        await delivery.ack()
    assert sorted(by_key) == sorted([f"{scope().key}|model", f"{scope().key}|write", f"{scope('bob').key}|write"])
    assert all(numbers == list(range(10)) for numbers in by_key.values())


async def test_a_delivery_has_no_plain_payload_until_it_is_opened(topic: Topic) -> None:
    await topic.connect()
    await topic.publisher.publish([job(1, text="secret")])
    (delivery,) = await topic.receive(1)
    assert delivery.head.payload == {}
    assert "secret" not in delivery.sealed
    assert await delivery.open() == job(1, text="secret")


async def test_unacknowledged_jobs_are_delivered_to_the_next_consumer_in_order(topic: Topic) -> None:
    await topic.connect()
    await topic.publisher.publish([job(n) for n in range(6)])
    for delivery in (await topic.receive(6))[:2]:
        await delivery.ack()
    await topic.connect()
    assert [delivery.head.id for delivery in await topic.receive(4)] == [f"ann-record-{n}" for n in (2, 3, 4, 5)]


async def test_acknowledged_jobs_are_not_delivered_again(topic: Topic) -> None:
    await topic.connect()
    await topic.publisher.publish([job(n) for n in range(6)])
    for delivery in await topic.receive(6):
        await delivery.ack()
    # An acknowledgement may get lost with its connection: then the job comes again, and is acknowledged again.
    for _ in range(5):
        await topic.connect()
        again = await topic.receive_last()
        if not again:
            break
    assert again == []
