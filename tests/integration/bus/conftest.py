"""The embedded broker for each test, and for what does nothing to its broker also a real Pulsar (``make test-servers``)."""

import inspect
import os
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.schema.topics import job_queue

WORKSPACE = "default"
PLACES = ["embedded", pytest.param("pulsar", marks=pytest.mark.servers)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        own = "broker" in inspect.signature(metafunc.function).parameters
        metafunc.parametrize("backend", PLACES[:1] if own else PLACES, indirect=True)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker(tmp_path / "bus") as broker:
        yield broker


@pytest.fixture
async def backend(request: pytest.FixtureRequest, broker: EmbeddedBroker) -> AsyncIterator[DirectBackend]:
    if request.param == "pulsar":
        await _without_jobs(os.environ["TEST_PULSAR_ADMIN_URL"])
    backend = DirectBackend(os.environ["TEST_PULSAR_URL"] if request.param == "pulsar" else broker.url)
    yield backend
    await backend.close()


async def _without_jobs(admin: str) -> None:
    """The topic outlives a test: an embedded broker is new for each."""
    topic = quote(job_queue(WORKSPACE).split(":", 2)[2], safe="")
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.delete(f"{admin}/admin/v2/persistent/tg/flow/{topic}", params={"force": "true"})
    assert response.status_code in (204, 404), response.text
