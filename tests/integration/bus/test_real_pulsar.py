"""The same job topic on Apache Pulsar (`make test-servers` gives the address)."""

import asyncio
import os
import uuid
from dataclasses import replace

import pytest
from bus_support import DEADLINE_S, PlainKeys, job

from trustgraph_react_mem.bus.connection import DirectBackend
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.reflect.delivery import lane

URL = os.environ.get("TEST_PULSAR_URL", "")

pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def _a_pulsar_is_named() -> None:
    if not URL:
        pytest.fail("TEST_PULSAR_URL names no Pulsar: run make test-servers")


def in_workspace(workspace: str, number: int) -> Job:
    made = job(number)
    return replace(made, scope=replace(made.scope, workspace=workspace))


async def test_publishers_of_other_processes_open_the_subscription_without_disturbing_the_worker() -> None:
    workspace = f"test-{uuid.uuid4().hex}"
    backends = [DirectBackend(URL) for _ in range(3)]
    publishers = [BusJobPublisher(backend, PlainKeys(), partition_key=lane, source="test") for backend in backends[:2]]
    consumer = JobConsumer(backends[2], PlainKeys())
    await publishers[0].publish([in_workspace(workspace, 0)])  # nobody is subscribed yet
    await consumer.add_workspace(workspace)
    await publishers[1].publish([in_workspace(workspace, number) for number in range(1, 20)])
    received = []
    async with asyncio.timeout(DEADLINE_S):
        while len(received) < 20:
            one = await consumer.receive()
            received.append(one.head.id)
            await one.ack()
    assert received == [f"ann-record-{number}" for number in range(20)]
    await consumer.close()
    for publisher in publishers:
        await publisher.close()
    for backend in backends:
        await backend.close()
