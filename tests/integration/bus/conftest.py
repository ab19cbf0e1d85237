"""The buses: in process, over the socket of another process, and Pulsar: pulsar-lite, with ``make test-servers`` a real one."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.local.job_log import JobLog
from trustgraph_react_mem.bus.local.local_socket import BusSocket, SocketBus
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.schema.topics import job_queue

WORKSPACE = "default"
PULSAR = ["pulsar-lite", pytest.param("pulsar", marks=pytest.mark.servers)]
BUSES = ["in process", *PULSAR]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """``backend``: Pulsar's driver; ``bus``: of each kind.  Who does something to the broker gets one of its own."""
    own = "broker" in metafunc.fixturenames
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", PULSAR[:1] if own else PULSAR, indirect=True)
    if "bus" in metafunc.fixturenames:
        metafunc.parametrize("bus", BUSES, indirect=True)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[PulsarLite]:
    async with PulsarLite(tmp_path / "bus") as broker:
        yield broker


@asynccontextmanager
async def bus_of(kind: str, folder: Path) -> AsyncIterator[Bus]:
    if kind == "in process":
        log = await JobLog.open(folder, "test")
        yield InProcessBus(log)
        await log.close()
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
    async with bus_of(request.param, tmp_path) as bus:
        yield bus


@pytest.fixture
async def far(bus: Bus, tmp_path: Path) -> AsyncIterator[Bus]:
    """The same bus, as another process reaches it."""
    if isinstance(bus, DirectBackend):
        other = DirectBackend(bus.host)
        yield other
        await other.close()
        return
    assert isinstance(bus, InProcessBus)
    served = await BusSocket.open(bus, tmp_path)
    client = SocketBus(served.path)
    yield client
    await client.close()
    await served.close()


async def _without_jobs(admin: str) -> None:
    """The topic outlives a test; that of an own broker is new for each."""
    topic = quote(job_queue(WORKSPACE).split(":", 2)[2], safe="")
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.delete(f"{admin}/admin/v2/persistent/tg/flow/{topic}", params={"force": "true"})
    assert response.status_code in (204, 404), response.text
