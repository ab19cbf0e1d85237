"""The bus on a RabbitMQ of its own that dies, and replicas that join and leave (`make test-servers`)."""

import asyncio
import contextlib
import itertools
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import aio_pika
import pytest

from tests.integration.bus.bus_support import DEADLINE_S, job, make_keyring, scope, until
from tests.integration.bus.test_real_pulsar import facts_client, hand_over, replica
from tests.servers.servers import kill, rabbitmqctl, start
from trustgraph_react_mem.bus.handover import HOLDER_S
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.leadership import Leadership
from trustgraph_react_mem.bus.port import Message, process_messages
from trustgraph_react_mem.bus.rabbitmq_driver import PARTITIONS, RabbitBus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.requests import FactsRequest
from trustgraph_react_mem.schema import FactsResponse
from trustgraph_react_mem.schema.topics import JOBS, job_queue

pytestmark = pytest.mark.servers

WORKSPACE = scope().workspace


class Broker:
    def __init__(self, directory: Path) -> None:
        self.directory, self.url = directory, ""
        self.buses: list[RabbitBus] = []

    async def start(self) -> None:
        self.url = (await asyncio.to_thread(start, "rabbitmq", self.directory))["TEST_RABBITMQ_URL"]

    async def kill(self) -> None:
        await asyncio.to_thread(kill, self.directory)

    async def control(self, *command: str) -> None:
        await asyncio.to_thread(rabbitmqctl, self.directory, *command)

    def connect(self, url: str = "") -> RabbitBus:
        """As another process."""
        self.buses.append(RabbitBus(url or self.url))
        return self.buses[-1]

    def publisher(self) -> BusJobPublisher:
        return BusJobPublisher(self.connect(), KEYS, partition_key=partition_key, source="test")


KEYS = make_keyring()


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Broker]:
    broker = Broker(tmp_path / "rabbitmq")
    await broker.start()
    yield broker
    await asyncio.gather(*(bus.close() for bus in broker.buses))
    await broker.kill()


async def take(consumer: JobConsumer, count: int) -> list[str]:
    """Ids of this number of different jobs, in the order in which they were acknowledged."""
    found: dict[str, None] = {}
    async with asyncio.timeout(DEADLINE_S):
        while len(found) < count:
            received = await consumer.receive()
            await received.ack()
            found[received.head.id] = None
    return list(found)


async def test_confirmed_jobs_survive_the_brokers_death_and_all_goes_on_by_itself(broker: Broker) -> None:
    publisher, consumer = broker.publisher(), JobConsumer(broker.connect(), KEYS)
    await publisher.publish([job(number) for number in range(20)])
    topic, replies = f"request:tg:agent-facts:{uuid.uuid4().hex}:f", f"response:tg:agent-facts:{uuid.uuid4().hex}:f"
    pool = await replica(broker.connect(), topic, replies, 1, [])
    client = await facts_client(broker.connect(), topic, replies)
    await consumer.add_workspace(WORKSPACE)
    assert await take(consumer, 5) == [f"ann-record-{number}" for number in range(5)]
    await asyncio.sleep(1)  # RabbitMQ 3.10 writes which quorum queues there are half a second after it declared them
    await broker.kill()
    with pytest.raises(EngineUnavailable, match="the message broker"):
        await publisher.publish([job(99)])
    await broker.start()
    await publisher.publish([job(number) for number in range(20, 30)])
    assert {f"ann-record-{number}" for number in range(5, 30)} <= set(await take(consumer, 25))
    answer = None
    async with asyncio.timeout(DEADLINE_S):
        while answer is None:
            try:
                answer = await client.request(FactsRequest(user="ann"), 2)
            except EngineUnavailable:  # neither side may have connected again
                continue
    assert answer.data == "ann"
    await client.close()
    await pool.stop()
    await consumer.close()


async def test_jobs_of_a_key_stay_in_order_and_another_worker_takes_them_over(broker: Broker) -> None:
    publisher = broker.publisher()
    workers = [JobConsumer(broker.connect(), KEYS) for _ in range(2)]
    for worker in workers:
        await worker.add_workspace(WORKSPACE)
    users = [f"user-{number}" for number in range(20)]
    jobs = [job(number, user) for number in range(10) for user in users]
    await publisher.publish(jobs)
    first = await take(workers[0], 60)
    await broker.buses[1].close()  # with all that it holds unacknowledged
    second = await take(workers[1], len(jobs) - 60)
    for user in users:
        assert [each for each in first + second if each.startswith(f"{user}-")] == [f"{user}-record-{n}" for n in range(10)]
    for worker in workers:
        await worker.close()


async def test_a_request_that_a_dying_process_had_taken_is_answered_by_another(broker: Broker) -> None:
    topic, replies = "request:tg:agent-facts:w:f", "response:tg:agent-facts:w:f"
    taken: list[tuple[int, str]] = []
    dying = await broker.connect().create_consumer(topic, "agent-facts", FactsRequest)
    client = await facts_client(broker.connect(), topic, replies)
    asking = asyncio.create_task(client.request(FactsRequest(user="ann"), DEADLINE_S))
    await dying.receive()
    pool = await replica(broker.connect(), topic, replies, 1, taken)
    await broker.buses[0].close()
    assert (await asking).data == "ann"
    assert taken == [(1, "ann")]
    await client.close()
    await pool.stop()


class Wire:
    """The way of one process to the broker, which can be cut."""

    def __init__(self, broker: Broker) -> None:
        self._host, self._port = urlsplit(broker.url).hostname, urlsplit(broker.url).port
        self._ends: list[asyncio.StreamWriter] = []

    async def open(self) -> str:
        """Returns its address."""
        self._server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        return f"amqp://guest:guest@127.0.0.1:{self._server.sockets[0].getsockname()[1]}/%2F"

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        self._ends += writer, far_writer
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    def cut(self) -> None:
        for end in self._ends:
            end.transport.abort()

    async def close(self) -> None:
        self._server.close()
        self.cut()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@pytest.mark.parametrize("cut", ["the socket of a replica", "all connections"])
async def test_a_request_in_progress_whose_connection_is_lost_is_begun_and_answered_once(broker: Broker, cut: str) -> None:
    """The broker delivers it again, to any replica, while the first one goes on with it."""
    topic, replies = "request:tg:agent-facts:w:f", "response:tg:agent-facts:w:f"
    begun, released = list[tuple[int, str]](), asyncio.Event()
    wire = Wire(broker)
    buses = [broker.connect(await wire.open()), broker.connect()]
    pools = [await replica(bus, topic, replies, number, begun, released.wait) for number, bus in enumerate(buses)]
    reader = await broker.connect().create_consumer(replies, "reader", FactsResponse)
    answers = list[str]()
    reading = asyncio.create_task(process_messages(reader, note_in(answers), "answers"))
    sender = await broker.connect().create_producer(topic, FactsRequest)
    users = [f"user-{number}" for number in range(10)]
    for user in users:
        await sender.send(FactsRequest(user=user), {"id": user})
    await until(lambda: len(begun) == len(users))
    assert {number for number, _ in begun} == {0, 1}
    if cut == "all connections":
        await broker.control("close_all_connections", "test")
    else:
        wire.cut()
    await asyncio.sleep(1.5 * HOLDER_S)  # by then another one would have begun it
    released.set()
    await until(lambda: len(answers) >= len(users))
    await sender.send(FactsRequest(user="last"), {"id": "last"})
    await until(lambda: "last" in answers)
    assert sorted(user for _, user in begun) == sorted(answers) == sorted([*users, "last"])
    for pool in pools:
        await pool.stop()
    await reader.close()
    await reading
    await wire.close()


def note_in(answers: list[str]) -> Callable[[Message], Awaitable[None]]:
    async def note(message: Message) -> None:
        answers.append(message.value().data)

    return note


async def test_no_request_is_lost_while_one_replica_takes_over_from_another(broker: Broker) -> None:
    topic, replies = "request:tg:agent-facts:w:f", "response:tg:agent-facts:w:f"
    client = await facts_client(broker.connect(), topic, replies)
    taken, asked = await hand_over(client, topic, replies, (broker.connect() for _ in itertools.count()))
    assert len(taken) == asked
    await client.close()


async def test_one_process_leads_at_a_time_and_another_takes_over(broker: Broker) -> None:
    first, second = (Leadership(broker.connect(), "notify:tg:housekeeping") for _ in range(2))
    assert await first.try_lead()
    assert not await second.try_lead()
    await broker.buses[0].close()
    async with asyncio.timeout(DEADLINE_S):
        while not await second.try_lead():  # noqa: ASYNC110 - the broker tells nobody
            await asyncio.sleep(0.05)
    await second.close()


async def test_the_queues_of_a_workspace_are_a_fixed_number(broker: Broker) -> None:
    bus = broker.connect()
    await bus.open_job_topic(WORKSPACE)
    async with await aio_pika.connect(broker.url) as connection, connection.channel() as channel:
        for part in range(PARTITIONS):
            name = job_queue(WORKSPACE).removeprefix("flow:tg:")
            assert (await channel.get_queue(f"tg.flow.{name}.{JOBS}.{part}")).name
