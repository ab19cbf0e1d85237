"""The buses: in process, over the socket of another process, and Pulsar (pulsar-lite).  With ``make test-servers`` a real
Pulsar and a RabbitMQ, too."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import aio_pika
import httpx
import pytest

from tests.doubles.small_stores import MemoryKeyRing
from tests.integration.bus.bus_support import make_keyring
from tests.integration.bus.rabbitmq_broker import RabbitBroker
from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.jobs import BusJobPublisher
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.local.job_log import JobLog
from trustgraph_react_mem.bus.local.local_socket import BusSocket, SocketBus
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.bus.rabbitmq_driver import PARTITIONS, RabbitBus
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.schema.topics import JOBS, job_queue

WORKSPACE = "default"
Fragile = PulsarLite | RabbitBroker
PULSAR = ["pulsar-lite", pytest.param("pulsar", marks=pytest.mark.servers)]
BUSES = ["in process", *PULSAR, pytest.param("rabbitmq", marks=pytest.mark.servers)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``backend``: Pulsar's driver; ``bus``: of each kind.  Who does something to a broker gets one of its own, ``fragile``."""
    own = {"broker", "fragile"}.intersection(metafunc.fixturenames)
    if "fragile" in metafunc.fixturenames:
        metafunc.parametrize("fragile", [PULSAR[0], BUSES[-1]], indirect=True)
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", PULSAR[:1] if own else PULSAR, indirect=True)
    if "bus" in metafunc.fixturenames and not own:
        metafunc.parametrize("bus", BUSES, indirect=True)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[PulsarLite]:
    async with PulsarLite(tmp_path / "bus") as broker:
        yield broker


@pytest.fixture
async def fragile(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Fragile]:
    """A broker that a test may stop or kill; ``bus`` is connected to it."""
    kind = PulsarLite if request.param == "pulsar-lite" else RabbitBroker
    async with kind(tmp_path / "broker") as broker:
        yield broker


@asynccontextmanager
async def bus_of(kind: str, folder: Path) -> AsyncIterator[Bus]:
    if kind == "in process":
        log = await JobLog.open(folder, "test")
        yield InProcessBus(log)
        await log.close()
        return
    if kind == "rabbitmq":
        url = os.environ["TEST_RABBITMQ_URL"]
        await _without_job_queues(url)
        rabbit = RabbitBus(url)
        yield rabbit
        await rabbit.close()
        return
    async with AsyncExitStack() as ending:
        if kind == "pulsar":
            await _without_jobs(os.environ["TEST_PULSAR_ADMIN_URL"])
        else:
            broker = await ending.enter_async_context(PulsarLite(folder / "bus"))
        backend = DirectBackend(os.environ["TEST_PULSAR_URL"] if kind == "pulsar" else broker.url)
        ending.push_async_callback(backend.close)
        yield backend


@pytest.fixture
async def backend(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[DirectBackend]:
    if "broker" in request.fixturenames:
        backend = DirectBackend(request.getfixturevalue("broker").url)
        yield backend
        await backend.close()
        return
    async with bus_of(request.param, tmp_path) as bus:
        assert isinstance(bus, DirectBackend)
        yield bus


@pytest.fixture
async def bus(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bus]:
    if "fragile" in request.fixturenames:
        url = request.getfixturevalue("fragile").url
        own = RabbitBus(url) if url.startswith("amqp") else DirectBackend(url)
        yield own
        await own.close()
        return
    async with bus_of(request.param, tmp_path) as bus:
        yield bus


@pytest.fixture
def keys() -> MemoryKeyRing:
    return make_keyring()


@pytest.fixture
async def publisher(bus: Bus, keys: MemoryKeyRing) -> AsyncIterator[BusJobPublisher]:
    publisher = BusJobPublisher(bus, keys, partition_key=partition_key, source="test")
    yield publisher
    await publisher.close()


@pytest.fixture
async def far(bus: Bus, tmp_path: Path) -> AsyncIterator[Bus]:
    """The same bus, as another process reaches it."""
    if not isinstance(bus, InProcessBus):
        other = another(bus)
        yield other
        await other.close()
        return
    served = await BusSocket.open(bus, tmp_path)
    client = SocketBus(served.path)
    yield client
    await client.close()
    await served.close()


def another(bus: Bus) -> Bus:
    """The same bus over a connection of its own, as another process has one."""
    if isinstance(bus, DirectBackend):
        return DirectBackend(bus.host)
    return RabbitBus(bus._link.url) if isinstance(bus, RabbitBus) else bus.lease()


async def _without_job_queues(url: str) -> None:
    """They outlive a test, too."""
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        for part in range(PARTITIONS):
            await channel.queue_delete(f"tg.flow.{JOBS}:{WORKSPACE}.{JOBS}.{part}")


async def _without_jobs(admin: str) -> None:
    """The topic outlives a test; that of an own broker is new for each."""
    topic = quote(job_queue(WORKSPACE).split(":", 2)[2], safe="")
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.delete(f"{admin}/admin/v2/persistent/tg/flow/{topic}", params={"force": "true"})
    assert response.status_code in (204, 404), response.text
