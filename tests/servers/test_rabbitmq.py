"""Our processors on RabbitMQ: the same promises as on Pulsar, also while the broker and processors are killed."""

import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pika  # type: ignore[import-untyped]
import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.rabbitmq_driver import PARTITIONS
from trustgraph_react_mem.schema.topics import JOBS, job_queue

from .conftest import PLAIN
from .deployment import AGENT, Addresses, Deployment
from .test_faults import TURNS, WORKERS, all_is_there, kill_a_replica_of_each, kill_and_start, people_of

pytestmark = pytest.mark.servers


class OnRabbitMQ(Deployment):
    @property
    def _port(self) -> str:
        return str(urlsplit(self.addresses.rabbitmq).port)

    async def connect(self) -> MemoryBus:
        return await MemoryBus.connect(f"amqp://127.0.0.1:{self._port}", self.workspace, self.flow)

    def broker_options(self) -> list[str]:
        return ["--pubsub-backend", "rabbitmq", "--rabbitmq-host", "127.0.0.1", "--rabbitmq-port", self._port]

    def serving(self, service: str) -> int:
        name = f"tg.request.{service}:{self.workspace}:{self.flow}"
        agent = f"{AGENT if service == 'agent' else service}--{self.workspace}--{self.flow}--request"
        return self._count(f"{name}.{agent}")[1]

    def working(self) -> int:
        """All or none: of the workers of a queue, the broker counts the active one."""
        return self.replicas if self._count(self._queue(0))[1] else 0

    def backlog(self) -> int:
        return sum(self._count(self._queue(part))[0] for part in range(PARTITIONS))

    def _queue(self, part: int) -> str:
        return f"tg.flow.{job_queue(self.workspace).split(':', 2)[2]}.{JOBS}.{part}"

    def _count(self, queue: str) -> tuple[int, int]:
        """Messages that wait, and consumers."""
        try:
            connection = pika.BlockingConnection(pika.URLParameters(self.addresses.rabbitmq))
        except pika.exceptions.AMQPConnectionError:
            return 0, 0
        try:
            found = connection.channel().queue_declare(queue, passive=True).method
            return found.message_count, found.consumer_count
        except pika.exceptions.ChannelClosedByBroker:
            return 0, 0
        finally:
            connection.close()


@pytest.fixture(scope="module")
def on_rabbitmq(addresses: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnRabbitMQ]:
    folder = tmp_path_factory.mktemp("on-rabbitmq")
    made = OnRabbitMQ(folder, addresses, replicas=2, workspace=f"w{uuid.uuid4().hex[:8]}", settings=PLAIN)
    with made.running():
        yield made


async def test_the_broker_killed_and_started_again_loses_and_doubles_nothing(
    on_rabbitmq: OnRabbitMQ, addresses: Addresses
) -> None:
    await kill_and_start(on_rabbitmq, addresses, "rabbitmq")


async def test_a_replica_of_every_processor_killed_under_load_loses_and_doubles_nothing(on_rabbitmq: OnRabbitMQ) -> None:
    await kill_a_replica_of_each(on_rabbitmq)


async def test_a_backlog_waits_for_a_worker(on_rabbitmq: OnRabbitMQ) -> None:
    people = people_of(on_rabbitmq, "rabbitmq-backlog")
    on_rabbitmq.kill(*on_rabbitmq.of(WORKERS))
    async with people.asking():
        await people.acknowledged(TURNS)
    assert on_rabbitmq.backlog() >= TURNS
    on_rabbitmq.start(*on_rabbitmq.of(WORKERS))
    await all_is_there(people)
